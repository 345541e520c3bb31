"""A host's folder and command lines, without its namespaces."""

import os
from pathlib import Path
from typing import Any

import pytest

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.lab.limits import Groups, HostGroup
from fivenines.lab.namespaces.host import NamespaceHost
from fivenines.lab.processes import lifeline


def make(folder: Path, root: Root | None = None, *, all_ids: bool = False) -> NamespaceHost:
    group = HostGroup(Groups({}, 1), "node1", None, None)
    return NamespaceHost("node1", "10.99.0.11", folder, root or Root(), group, all_ids=all_ids)


def test_a_host_creates_its_folders_and_keeps_their_files(tmp_path: Path) -> None:
    host = make(tmp_path)
    assert {path.name for path in host.node.iterdir()} == {"data", "log", "conf", "run"}
    (host.node / "data/file").touch()
    assert (make(tmp_path).node / "data/file").exists()


def test_a_host_that_is_not_running_says_so(tmp_path: Path) -> None:
    host = make(tmp_path)
    with pytest.raises(FiveninesError, match=r"^host node1 is not running$"):
        host.commands.inside(["true"], None)
    host.end()


def test_the_way_inside(tmp_path: Path) -> None:
    host = make(tmp_path)
    host.namespaces._first = lifeline.FirstProcess(4711, None, None)  # type: ignore[arg-type]
    way = [str(core_binary()), "init", "inside", "--target=4711"]
    assert host.commands.inside(["mariadbd", "--x"], None) == [*way, "--", "mariadbd", "--x"]
    assert host.commands.inside(["mariadbd"], 999) == [*way, "--uid=999", "--", "mariadbd"]


def test_where_all_ids_are_mapped_a_user_is_a_user(tmp_path: Path) -> None:
    host = make(tmp_path, all_ids=True)
    host.namespaces._first = lifeline.FirstProcess(4711, None, None)  # type: ignore[arg-type]
    assert host.commands.inside(["mariadbd"], 999)[-4:] == ["--uid=999", "--all-ids", "--", "mariadbd"]
    assert host.commands.inside(["corosync"], None)[-3:] == ["--all-ids", "--", "corosync"]


def test_changes_owners_only_on_hosts_with_all_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, int]] = []
    monkeypatch.setattr(os, "chown", lambda path, uid, _gid, **_: given.append((Path(path).name, uid)))
    plain = make(tmp_path / "plain")
    plain.files.own("data", uid=999)
    assert given == []
    host = make(tmp_path / "full", all_ids=True)
    (host.node / "data/file").touch()
    host.files.own("data", "run", uid=999)
    assert sorted(given) == [("data", 999), ("file", 999), ("run", 999)]


def test_a_tool_outside_a_host_has_the_machines_files(tmp_path: Path) -> None:
    host = make(tmp_path)
    host.namespaces._first = lifeline.FirstProcess(4711, None, None)  # type: ignore[arg-type]
    command = host.commands.outside(["tool", "-v"])
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
    make(tmp_path, root).start(12)
    ((command, log),) = asked
    before, _, after = " ".join(command).partition(" init host ")
    assert " init enter --target=12 --into=user,mnt,net,pid -- " in before
    scratch = f"--scratch {tmp_path} --bind {tmp_path}/node:/run/node"
    assert after == f"--name node1 {scratch}{flags}"
    assert log == tmp_path / "host.log"
