"""Limit the memory and CPU of a host with control groups, if this machine permits it.

Needs version 2 with delegated controllers, or version 1 as root. Otherwise `Groups.reason` gives the reason.
"""

import contextlib
import itertools
import os
import shlex
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.base.listing import until_none_is_new

_ROOT = Path("/sys/fs/cgroup")
_PERIOD_US = 100_000
_number = itertools.count(1)

# Control groups are files of the machine. Unlike everything else in a lab, they remain when we are killed.
# This script waits until our end of its input closes, and then at most 30 s for the groups' processes.
_SWEEPER = """
read -r _
for try in $(seq 300); do
  left=
  for group in "$@"; do rmdir "$group" 2>/dev/null; [ -d "$group" ] && left=yes; done
  [ -z "$left" ] && exit
  sleep 0.1
done
"""


@dataclass(frozen=True)
class Groups:
    """Folders for new groups, by controller; empty if `reason` is set."""

    parents: dict[str, Path]
    version: int
    reason: str = ""

    @property
    def usable(self) -> bool:
        """Whether limits can be set."""
        return bool(self.parents)


def detect() -> Groups:
    """Detect which limits this user can set on this machine."""
    own = _own_groups()
    if "" in own and (_ROOT / "cgroup.controllers").exists():
        return _version_2(_ROOT / own[""].lstrip("/"))
    parents: dict[str, Path] = {
        name: _ROOT / name / own[name].lstrip("/") for name in ("memory", "cpu") if name in own
    }
    if not parents:
        return Groups({}, 1, "no control groups are mounted")
    denied = [name for name, path in parents.items() if not os.access(path, os.W_OK)]
    if denied:
        return Groups({}, 1, f"only root can change control groups of version 1 ({', '.join(denied)})")
    return Groups(parents, 1)


class HostGroup:
    """The control groups of one host."""

    def __init__(self, groups: Groups, name: str, memory: int | None, cpus: float | None) -> None:
        """Create them with a memory limit in bytes and a CPU limit in cores; without limits, when needed."""
        self.folders: list[Path] = []
        self._sweeper: subprocess.Popen[bytes] | None = None
        self._groups, self._cpus = groups, cpus
        self._unique = f"fivenines-{os.getpid()}-{next(_number)}-{name}"
        if (memory is not None or cpus is not None) and groups.usable:
            self._create()
            if memory is not None and "memory" in groups.parents:
                self._limit_memory(memory)
            if cpus is not None and "cpu" in groups.parents:
                self._limit_cpu(cpus)

    def take_cpu(self, cpus: float, running: Callable[[], Iterable[int]]) -> None:
        """Let all processes of the host, and those that start from now on, share this many cores.

        Args:
            cpus: number of cores, at least 0.01.
            running: lists the PIDs of the host's processes.

        Raises:
            FiveninesError: this user cannot set limits here; with the reason.
        """
        if "cpu" not in self._groups.parents:
            reason = self._groups.reason or "the controller cpu is not mounted"
            raise FiveninesError(f"the CPU of a host cannot be limited: {reason}")
        if not self.folders:
            self._create()
        try:
            self._limit_cpu(cpus if self._cpus is None else min(cpus, self._cpus))
        except OSError as error:
            raise FiveninesError(f"the kernel refuses {cpus:g} cores as a limit: {error.strerror}") from None
        for pid in until_none_is_new(running):
            with contextlib.suppress(ProcessLookupError):
                (self._cpu_folder / "cgroup.procs").write_text(str(pid))

    def give_cpu_back(self) -> None:
        """End `take_cpu`: the limit with which the host began applies again."""
        self._limit_cpu(self._cpus)

    def cpu_periods(self) -> tuple[int, int]:
        """Return in how many periods of 0.1 s its processes wanted CPU time, and in how many they waited.

        Both since the group exists; only periods with a limit count.
        """
        lines = (self._cpu_folder / "cpu.stat").read_text().splitlines()
        found = dict(line.split() for line in lines)
        return int(found["nr_periods"]), int(found["nr_throttled"])

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return the command line that runs a command and its children in the groups."""
        if not self.folders:
            return list(command)
        joins = "; ".join(f"echo $$ > {shlex.quote(f'{path}/cgroup.procs')}" for path in self.folders)
        return ["sh", "-c", f'{joins}; exec "$@"', "sh", *command]

    def remove(self) -> None:
        """Remove the groups; their processes must have ended."""
        if self._sweeper is not None and self._sweeper.stdin is not None:
            self._sweeper.stdin.close()
            self._sweeper.wait()
            self._sweeper = None

    @property
    def _cpu_folder(self) -> Path:
        return self._groups.parents["cpu"] / self._unique

    def _create(self) -> None:
        self.folders = list(dict.fromkeys(parent / self._unique for parent in self._groups.parents.values()))
        self._sweeper = _sweep(self.folders)
        for folder in self.folders:
            folder.mkdir(exist_ok=True)

    def _limit_memory(self, memory: int) -> None:
        file = "memory.max" if self._groups.version == 2 else "memory.limit_in_bytes"
        (self._groups.parents["memory"] / self._unique / file).write_text(str(memory))

    def _limit_cpu(self, cpus: float | None) -> None:
        """Set the limit in cores; None: no limit."""
        quota = None if cpus is None else round(cpus * _PERIOD_US)
        if self._groups.version == 2:
            (self._cpu_folder / "cpu.max").write_text(f"{'max' if quota is None else quota} {_PERIOD_US}")
        else:
            (self._cpu_folder / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
            (self._cpu_folder / "cpu.cfs_quota_us").write_text(str(-1 if quota is None else quota))


def _sweep(folders: Sequence[Path]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["sh", "-c", _SWEEPER, "sh", *map(str, folders)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _own_groups() -> dict[str, str]:
    paths: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths


def _version_2(own: Path) -> Groups:
    # Processes can only be in leaf groups (cgroups(7)), so new groups are siblings of our group.
    parent = own.parent if own != _ROOT else own
    try:
        offered = set((parent / "cgroup.subtree_control").read_text().split())
    except OSError as error:
        return Groups({}, 2, f"control groups cannot be read: {error.strerror}")
    missing = {"memory", "cpu"} - offered
    if missing or not os.access(parent, os.W_OK):
        return Groups({}, 2, f"no memory and cpu control groups are delegated to us at {parent}")
    return Groups({"memory": parent, "cpu": parent}, 2)
