"""Limit the memory and CPU of a host with control groups, if this machine permits it.

Needs version 2 with delegated controllers, or version 1 as root. Otherwise `Groups.reason` gives the reason.
"""

import itertools
import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
        """Create them with a memory limit in bytes and a CPU limit in cores."""
        self.folders: list[Path] = []
        self._sweeper: subprocess.Popen[bytes] | None = None
        if (memory is None and cpus is None) or not groups.usable:
            return
        unique = f"fivenines-{os.getpid()}-{next(_number)}-{name}"
        self.folders = list(dict.fromkeys(parent / unique for parent in groups.parents.values()))
        self._sweeper = _sweep(self.folders)
        for controller, parent in groups.parents.items():
            (parent / unique).mkdir(exist_ok=True)
            self._set(parent / unique, controller, groups.version, memory, cpus)

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

    def _set(
        self, folder: Path, controller: str, version: int, memory: int | None, cpus: float | None
    ) -> None:
        if version == 2:
            if memory is not None:
                (folder / "memory.max").write_text(str(memory))
            if cpus is not None:
                (folder / "cpu.max").write_text(f"{round(cpus * _PERIOD_US)} {_PERIOD_US}")
        elif controller == "memory" and memory is not None:
            (folder / "memory.limit_in_bytes").write_text(str(memory))
        elif controller == "cpu" and cpus is not None:
            (folder / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
            (folder / "cpu.cfs_quota_us").write_text(str(round(cpus * _PERIOD_US)))


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
