"""A host's folder and command lines; what it runs, without its namespaces."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host, Root
from fivenines.lab.limits import Groups, HostGroup
from fivenines.lab.processes import lifeline


class ThisMachine(Host):
    """A host that runs its commands directly on this machine."""

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        return list(command)

    def outside(self, command: Sequence[str]) -> list[str]:
        return list(command)


def make(kind: type[Host], folder: Path, root: Root | None = None) -> Any:
    group = HostGroup(Groups({}, 1), "node1", None, None)
    return kind("node1", "10.99.0.11", folder, root or Root(), group)


def test_a_host_creates_its_folders_and_keeps_their_files(tmp_path: Path) -> None:
    host = make(Host, tmp_path)
    assert {path.name for path in host.node.iterdir()} == {"data", "log", "conf", "run"}
    (host.node / "data/file").touch()
    assert (make(Host, tmp_path).node / "data/file").exists()


def test_a_host_that_is_not_running_says_so(tmp_path: Path) -> None:
    host = make(Host, tmp_path)
    with pytest.raises(FiveninesError, match=r"^host node1 is not running$"):
        host.inside(["true"], None)
    host.end()


def test_the_way_inside(tmp_path: Path) -> None:
    host = make(Host, tmp_path)
    host._first = lifeline.FirstProcess(4711, None, None)  # type: ignore[arg-type]
    way = [str(core_binary()), "init", "inside", "--target=4711"]
    assert host.inside(["mariadbd", "--x"], None) == [*way, "--", "mariadbd", "--x"]
    assert host.inside(["mariadbd"], 999) == [*way, "--uid=999", "--", "mariadbd"]


def test_where_all_ids_are_mapped_a_user_is_a_user(tmp_path: Path) -> None:
    group = HostGroup(Groups({}, 1), "node1", None, None)
    host = Host("node1", "10.99.0.11", tmp_path, Root(), group, all_ids=True)
    host._first = lifeline.FirstProcess(4711, None, None)  # type: ignore[arg-type]
    assert host.inside(["mariadbd"], 999)[-4:] == ["--uid=999", "--all-ids", "--", "mariadbd"]
    assert host.inside(["corosync"], None)[-3:] == ["--all-ids", "--", "corosync"]


def test_changes_owners_only_on_hosts_with_all_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, int]] = []
    monkeypatch.setattr(os, "chown", lambda path, uid, _gid, **_: given.append((Path(path).name, uid)))
    plain = make(Host, tmp_path / "plain")
    plain.own("data", uid=999)
    assert given == []
    group = HostGroup(Groups({}, 1), "node1", None, None)
    host = Host("node1", "10.99.0.11", tmp_path / "full", Root(), group, all_ids=True)
    (host.node / "data/file").touch()
    host.own("data", "run", uid=999)
    assert sorted(given) == [("data", 999), ("file", 999), ("run", 999)]


def test_a_tool_outside_a_host_has_the_machines_files(tmp_path: Path) -> None:
    host = make(Host, tmp_path)
    host._first = lifeline.FirstProcess(4711, None, None)  # type: ignore[arg-type]
    command = host.outside(["tool", "-v"])
    assert "--into=user,net,pid" in command
    assert command[-3:] == ["--", "tool", "-v"]


@pytest.mark.parametrize(
    ("root", "flags"),
    [
        (Root(), ""),
        (Root(lower=Path("/cache/tree")), " --lower /cache/tree"),
        (Root(show=(Path("/opt/pg"), Path("/srv/x"))), " --show=/opt/pg --show=/srv/x"),
        (Root(engine=Path("/cache/pg")), " --bind-ro=/cache/pg:/run/engine"),
    ],
)
def test_how_a_host_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Root, flags: str
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(lifeline, "start", lambda *arguments: asked.append(arguments))
    make(Host, tmp_path, root).start(12)
    ((command, log),) = asked
    before, _, after = " ".join(command).partition(" init host ")
    assert " init enter --target=12 --into=user,mnt,net,pid -- " in before
    scratch = f"--scratch {tmp_path} --bind {tmp_path}/node:/run/node"
    assert after == f"--name node1 {scratch}{flags}"
    assert log == tmp_path / "host.log"


def test_returns_the_output_of_a_command(tmp_path: Path) -> None:
    host = make(ThisMachine, tmp_path)
    assert host.run(["cat"], stdin="hello") == "hello"
    script = 'echo "$HOME $LANG $MORE ${FIVENINES_SECRET-unset}"'
    assert host.run(["sh", "-c", script], env={"MORE": "x"}) == "/tmp C.UTF-8 x unset\n"


def test_reports_a_failed_command_with_its_last_lines(tmp_path: Path) -> None:
    host = make(ThisMachine, tmp_path)
    script = "for n in $(seq 9); do echo line $n >&2; done; echo out; exit 1"
    with pytest.raises(FiveninesError) as refused:
        host.run(["/bin/sh", "-c", script])
    lines = "\n".join(f"line {number}" for number in range(2, 10))
    assert str(refused.value) == f"node1: sh failed: {lines}"
    with pytest.raises(FiveninesError, match=r"^node1: sh failed: only here$"):
        host.run(["sh", "-c", "echo only here; exit 1"])


def test_a_command_that_hangs_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match=r"^node1: sleep did not end within 0\.05 s$"):
        make(ThisMachine, tmp_path).run(["sleep", "60"], timeout=0.05)


def test_spawned_commands_write_into_the_hosts_log_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "kept")
    host = make(ThisMachine, tmp_path)
    script = "echo ${OURS-unset} $MORE; echo error >&2"
    first = host.spawn(["sh", "-c", script], env={"MORE": "more"})
    second = host.spawn(["sh", "-c", script], log="server.out")
    third = host.spawn_outside(["sh", "-c", script], log="tool.out", env={"MORE": "more"})
    for process in (first, second, third):
        assert process.wait(5.0)
    log = host.node / "log"
    assert (log / "sh.out").read_text() == "unset more\nerror\n"
    assert second.log_tail() == "unset\nerror"
    assert (log / "tool.out").read_text() == "kept more\nerror\n"
    # A second run does not erase the output of the first.
    assert host.spawn(["echo", "again"], log="tool.out").wait(5.0)
    assert third.log_tail(1) == "again"
