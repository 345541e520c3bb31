"""Control groups: what the machine lets us do, and what is written into a host's groups."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab import limits
from fivenines.lab.limits import Groups, HostGroup, detect


class Machine:
    """The control groups of a pretended machine: /proc/self/cgroup and /sys/fs/cgroup."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = folder / "cgroup"
        self.root.mkdir()
        self.own = folder / "own"
        real = Path
        monkeypatch.setattr(limits, "_ROOT", self.root)
        monkeypatch.setattr(
            limits, "Path", lambda path: self.own if path == "/proc/self/cgroup" else real(path)
        )

    def says(self, text: str) -> None:
        self.own.write_text(text)

    def group(self, path: str, **files: str) -> Path:
        folder = self.root / path
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(text)
        return folder


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is writable (root could write everywhere)."""
    monkeypatch.setattr(limits.os, "access", lambda path, mode: False)


def test_version_2_creates_siblings_of_our_group(machine: Machine) -> None:
    machine.says("0::/user.slice/session.scope\n")
    machine.group("", cgroup__controllers="cpu memory pids\n")
    parent = machine.group("user.slice", cgroup__subtree_control="cpu memory pids\n")
    machine.group("user.slice/session.scope")
    assert detect() == Groups({"memory": parent, "cpu": parent}, 2)
    assert detect().usable


def test_version_2_at_the_root_creates_children(machine: Machine) -> None:
    machine.says("0::/\n")
    machine.group("", cgroup__controllers="cpu memory", cgroup__subtree_control="memory cpu")
    assert detect().parents == {"memory": machine.root, "cpu": machine.root}


@pytest.mark.parametrize("offered", ["", "cpu pids", "memory"])
def test_version_2_without_both_controllers_is_no_use(machine: Machine, offered: str) -> None:
    machine.says("0::/a/b\n")
    machine.group("", cgroup__controllers="cpu memory")
    machine.group("a", cgroup__subtree_control=offered)
    found = detect()
    assert not found.usable
    assert found.reason == (f"no memory and cpu control groups are delegated to us at {machine.root / 'a'}")


def test_version_2_that_is_not_ours_is_no_use(machine: Machine, locked: None) -> None:
    machine.says("0::/a/b\n")
    machine.group("", cgroup__controllers="cpu memory")
    machine.group("a", cgroup__subtree_control="cpu memory")
    assert "delegated to us" in detect().reason


def test_version_2_that_cannot_be_read_says_so(machine: Machine) -> None:
    machine.says("0::/gone/here\n")
    machine.group("", cgroup__controllers="cpu memory")
    assert detect() == Groups({}, 2, "control groups cannot be read: No such file or directory")


HYBRID = (
    "12:cpu,cpuacct:/docker/1\n9:memory:/docker/1\n2:pids:/docker/1\n"
    "1:name=systemd:/x:with:colons\n0::/system.slice\n"
)


def test_version_1_with_a_version_2_without_controllers(machine: Machine) -> None:
    machine.says(HYBRID)
    memory, cpu = machine.group("memory/docker/1"), machine.group("cpu/docker/1")
    assert detect() == Groups({"memory": memory, "cpu": cpu}, 1)


def test_version_1_is_roots_alone(machine: Machine, locked: None) -> None:
    machine.says(HYBRID)
    assert detect() == Groups({}, 1, "only root can change control groups of version 1 (memory, cpu)")


@pytest.mark.parametrize("text", ["", "0::/\n", "3:pids:/\n"])
def test_a_machine_without_control_groups(machine: Machine, text: str) -> None:
    machine.says(text)
    assert detect() == Groups({}, 1, "no control groups are mounted")


@pytest.fixture
def made() -> Iterator[list[HostGroup]]:
    """Groups to be removed; their files would be no obstacle in a real hierarchy."""
    groups: list[HostGroup] = []
    yield groups
    for group in groups:
        for folder in group.folders:
            for file in folder.glob("*"):
                file.unlink()
        group.remove()


def _written(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_limits_of_version_1(tmp_path: Path, made: list[HostGroup]) -> None:
    memory, cpu = tmp_path / "memory", tmp_path / "cpu"
    memory.mkdir()
    cpu.mkdir()
    group = HostGroup(Groups({"memory": memory, "cpu": cpu}, 1), "node1", 2**30, 0.5)
    made.append(group)
    in_memory, in_cpu = group.folders
    assert (in_memory.parent, in_cpu.parent) == (memory, cpu)
    assert re.fullmatch(rf"fivenines-{os.getpid()}-\d+-node1", in_memory.name)
    assert _written(in_memory) == {"memory.limit_in_bytes": str(2**30)}
    assert _written(in_cpu) == {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"}


def test_limits_of_version_2_share_one_group(tmp_path: Path, made: list[HostGroup]) -> None:
    group = HostGroup(Groups({"memory": tmp_path, "cpu": tmp_path}, 2), "node1", 4096, 1.5)
    made.append(group)
    (folder,) = group.folders
    assert _written(folder) == {"memory.max": "4096", "cpu.max": "150000 100000"}


def test_sets_only_requested_limits(tmp_path: Path, made: list[HostGroup]) -> None:
    groups = Groups({"memory": tmp_path, "cpu": tmp_path}, 2)
    made += [HostGroup(groups, "node1", None, 2.0), HostGroup(groups, "node1", 4096, None)]
    first, second = (group.folders[0] for group in made)
    assert first != second
    assert _written(first) == {"cpu.max": "200000 100000"}
    assert _written(second) == {"memory.max": "4096"}


@pytest.mark.parametrize("usable", [True, False])
def test_creates_no_group_without_limits(tmp_path: Path, usable: bool) -> None:
    groups = Groups({"memory": tmp_path}, 2) if usable else Groups({}, 2, "none")
    group = HostGroup(groups, "node1", *((None, None) if usable else (4096, 1.0)))
    assert group.wrap(["mariadbd", "--x"]) == ["mariadbd", "--x"]
    group.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_wrapped_command_is_itself_the_member(tmp_path: Path, made: list[HostGroup]) -> None:
    parents = {"memory": tmp_path / "it's memory", "cpu": tmp_path / "cpu $HOME"}
    for parent in parents.values():
        parent.mkdir()
    group = HostGroup(Groups(parents, 1), "node1", 4096, 1.0)
    made.append(group)
    output = subprocess.run(
        group.wrap(["sh", "-c", 'echo $$ "$@"', "sh", "a b", "$c"]),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split(maxsplit=1)
    assert output[1] == "a b $c\n"
    assert [(folder / "cgroup.procs").read_text() for folder in group.folders] == [f"{output[0]}\n"] * 2


def test_groups_are_swept_when_we_let_go_even_if_a_process_lingers(tmp_path: Path) -> None:
    group = HostGroup(Groups({"memory": tmp_path}, 1), "node1", None, 1.0)
    (folder,) = group.folders
    (folder / "busy").touch()
    sweeper = group._sweeper
    assert sweeper is not None and sweeper.stdin is not None
    sweeper.stdin.close()
    with pytest.raises(subprocess.TimeoutExpired):
        sweeper.wait(0.15)
    assert folder.exists()
    (folder / "busy").unlink()
    group.remove()
    assert not folder.exists()
    group.remove()


@pytest.mark.parametrize("version", [1, 2])
def test_cpu_is_taken_from_all_processes_and_given_back(tmp_path: Path, version: int) -> None:
    """The kernel's files are plain files here: what is written into them is what it would get."""
    own, limited = tmp_path / "cpu", 0.5
    own.mkdir()
    group = HostGroup(Groups({"cpu": own}, version), "node1", None, limited)
    (folder,) = group.folders
    listed = iter([[11, 12], [11, 12, 13], [11, 12, 13]])
    group.take_cpu(0.1, lambda: next(listed))
    name, given = ("cpu.max", "10000 100000") if version == 2 else ("cpu.cfs_quota_us", "10000")
    assert (folder / name).read_text() == given
    assert (folder / "cgroup.procs").read_text() == "13", "a process that started meanwhile was moved, too"
    (folder / "cpu.stat").write_text("nr_periods 40\nnr_throttled 31\nthrottled_time 5\n")
    group.give_cpu_back()
    assert group.cpu_periods() == (40, 31)
    assert (folder / name).read_text() == ("50000 100000" if version == 2 else "50000")
    _removed(group)


def _removed(group: HostGroup) -> None:
    """Remove the groups: plain files would keep their folders, as the kernel's files do not."""
    for file in (file for folder in group.folders for file in folder.iterdir()):
        file.unlink()
    group.remove()


def test_a_host_without_limits_gets_groups_when_its_cpu_is_taken(tmp_path: Path) -> None:
    group = HostGroup(Groups({"cpu": tmp_path}, 1), "node1", None, None)
    assert group.folders == [] and group.wrap(["true"]) == ["true"]
    group.take_cpu(0.01, list)
    assert group.wrap(["true"])[0] == "sh", "what starts from now on is limited as well"
    group.give_cpu_back()
    assert (group.folders[0] / "cpu.cfs_quota_us").read_text() == "-1"
    _removed(group)


def test_a_smaller_limit_of_the_host_stays(tmp_path: Path) -> None:
    group = HostGroup(Groups({"cpu": tmp_path}, 1), "node1", None, 0.1)
    group.take_cpu(0.5, list)
    assert (group.folders[0] / "cpu.cfs_quota_us").read_text() == "10000"
    _removed(group)


def test_without_control_groups_the_reason_is_given() -> None:
    group = HostGroup(Groups({}, 1, "only root can change them"), "node1", None, None)
    with pytest.raises(FiveninesError, match="cannot be limited: only root can change them"):
        group.take_cpu(0.5, list)
