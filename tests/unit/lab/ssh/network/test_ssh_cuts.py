"""Test the commands that cut a machine off."""

from types import SimpleNamespace
from typing import Any

from fivenines.lab.ssh.network.cuts import IncomingCuts


class Machine:
    """A host that records the commands for nftables."""

    def __init__(self) -> None:
        self.name, self.connection, self.commands = "node1", self, ""

    def undo(self, name: str, command: list[str], text: str = "") -> None:
        """Nothing is undone here."""

    def run(self, command: list[str], stdin: str) -> Any:
        self.commands += stdin
        return SimpleNamespace(code=0)


def test_ssh_at_a_port_that_is_found_later_is_spared() -> None:
    machine, ports = Machine(), {22}
    cuts = IncomingCuts(machine, "fivenines_test", ports)  # type: ignore[arg-type]
    # of a machine that was logged in to afterwards, by ssh's own configuration
    ports.add(2222)
    cuts.add(["10.0.0.12"])
    assert "tcp dport { 22, 2222 } return\n" in machine.commands
    assert "tcp sport { 22, 2222 } return\n" in machine.commands
    assert "add element inet fivenines_test cut { 10.0.0.12 }\n" in machine.commands
