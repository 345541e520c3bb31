"""What a host's commands return and write, without a host."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.hosts.commands import HostCommands


class Direct(HostCommands):
    """Commands that run directly on this machine."""

    def __init__(self, logs: Path) -> None:
        super().__init__("node1", logs)

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        return list(command)

    def outside(self, command: Sequence[str]) -> list[str]:
        return list(command)


def test_returns_the_output_of_a_command(tmp_path: Path) -> None:
    commands = Direct(tmp_path)
    assert commands.run(["cat"], stdin="hello") == "hello"
    script = 'echo "$HOME $LANG $MORE ${FIVENINES_SECRET-unset}"'
    assert commands.run(["sh", "-c", script], env={"MORE": "x"}) == "/tmp C.UTF-8 x unset\n"


def test_reports_a_failed_command_with_its_last_lines(tmp_path: Path) -> None:
    commands = Direct(tmp_path)
    script = "for n in $(seq 9); do echo line $n >&2; done; echo out; exit 1"
    with pytest.raises(FiveninesError) as refused:
        commands.run(["/bin/sh", "-c", script])
    lines = "\n".join(f"line {number}" for number in range(2, 10))
    assert str(refused.value) == f"node1: sh failed: {lines}"
    with pytest.raises(FiveninesError, match=r"^node1: sh failed: only here$"):
        commands.run(["sh", "-c", "echo only here; exit 1"])


def test_a_command_that_hangs_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match=r"^node1: sleep did not end within 0\.05 s$"):
        Direct(tmp_path).run(["sleep", "60"], timeout=0.05)


def test_spawned_commands_write_into_the_hosts_log_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "kept")
    commands = Direct(tmp_path)
    script = "echo ${OURS-unset} $MORE; echo error >&2"
    first = commands.spawn(["sh", "-c", script], env={"MORE": "more"})
    second = commands.spawn(["sh", "-c", script], log="server.out")
    third = commands.spawn_outside(["sh", "-c", script], log="tool.out", env={"MORE": "more"})
    for process in (first, second, third):
        assert process.wait(5.0)
    log = tmp_path
    assert (log / "sh.out").read_text() == "unset more\nerror\n"
    assert second.log_tail() == "unset\nerror"
    assert (log / "tool.out").read_text() == "kept more\nerror\n"
    # A second run does not erase the output of the first.
    assert commands.spawn(["echo", "again"], log="tool.out").wait(5.0)
    assert third.log_tail(1) == "again"
