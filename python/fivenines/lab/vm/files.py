"""Exchange files with a virtual machine."""

from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.lab.host import NODE
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.hosts.files import HostFiles
from fivenines.lab.processes.process import Process
from fivenines.lab.vm.agent import VmAgent
from fivenines.lab.vm.power import VmPower


class VmFiles(HostFiles):
    """The files of a virtual machine. Sockets in it are reached through relays, which end with its kernel."""

    def __init__(self, node: Path, commands: HostCommands, agent: VmAgent, power: VmPower) -> None:
        super().__init__(node, all_ids=True)
        self._commands, self._agent, self._power = commands, agent, power
        self._sockets: list[str] = []
        self._relays: list[Process] = []
        power.after_boot.append(self._relay_all)

    def own(self, *parts: str, uid: int) -> None:
        """Change the owner of folders; a virtual machine has all user ids."""
        self._power.require()
        self._agent.ask("own", f"--uid={uid}", f"--folders={','.join(parts)}")

    def show_socket(self, name: str) -> None:
        self._sockets.append(name)
        if self._power.is_on:
            self._relays.append(self._relay(name))

    def _relay_all(self) -> None:
        self._relays = [self._relay(name) for name in self._sockets]

    def _relay(self, name: str) -> Process:
        folder = self._node / "run"
        command = [str(core_binary()), "agent", "relay", f"--folder={folder}", f"--name={name}"]
        return self._commands.spawn_outside([*command, f"--inside={NODE / 'run'}"], log="relay.log")
