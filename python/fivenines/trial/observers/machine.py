"""Measure which processes use this machine's CPUs: the lab, its controller, live pages, and all others.

One scan of /proc lists every process (`processes.Look`). Processes on a host belong to the lab, descendants
of the controller to the controller, and live pages with their descendants to `serve`. All others are foreign:
another user, another lab, a compiler.
Source of the sums of all CPUs: /proc/stat, proc(5).
"""

import os
import pwd
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from fivenines.trial.observers.processes import SERVE, Key, Look, Other, Total

_TICKS = os.sysconf("SC_CLK_TCK")
# Minimum CPU seconds of other processes for a row with their name.
_LEAST = 0.05

# Prefix of the row for other processes with the same name.
OTHERS = "others_s:"


class Machine:
    """Convert scans to rows of the table `machine`: CPU seconds since the first scan, by owner."""

    def __init__(self, controller: int | None = None) -> None:
        self._controller = os.getpid() if controller is None else controller
        self._hosts: dict[str, Total] = {}
        self._others = Total()
        # CPU seconds of each process outside the hosts at the last scan, without its children.
        self._alone: dict[Key, float] = {}
        self._own = self._kernel = self._serve = 0.0
        self._named: dict[str, float] = {}
        self._first: dict[str, float] | None = None
        self._ours = os.sched_getaffinity(0)
        self._all_are_ours = len(self._ours) == (os.cpu_count() or 1)
        self._elsewhere: dict[Key, bool] = {}

    def rows(self, look: Look) -> Iterator[tuple[str, float]]:
        """Yield the current names and values."""
        pages = {pid for (pid, _), other in look.others.items() if other.name == SERVE}
        serve = self._descendants(look, pages)
        # A run that was continued from a page descends from the page, and a page that a run has started
        # descends from the run.
        own = self._descendants(look, {self._controller}, besides=pages)
        serve -= own
        self._count(look, own, serve)
        foreign = {
            key: other.seen
            for key, other in look.others.items()
            if key not in own and key not in serve and not other.kernel and not self._apart(key)
        }
        lab = sum(self._hosts.setdefault(name, Total()).update(seen).cpu for name, seen in look.hosts.items())
        sums = {
            "lab_s": lab,
            "controller_s": self._own,
            "serve_s": self._serve,
            "kernel_s": self._kernel,
            "others_s": self._others.update(foreign).cpu,
            **_processors(),
        }
        if self._first is None:
            self._first = dict(sums)
        yield "cores", float(len(os.sched_getaffinity(0)))
        yield "machine_cores", float(os.cpu_count() or 1)
        for name, value in sums.items():
            yield name, round(value - self._first[name], 3)
        for name, used in self._named.items():
            if used >= _LEAST:
                yield OTHERS + name, round(used, 3)

    def _count(self, look: Look, own: set[Key], serve: set[Key]) -> None:
        """Add the CPU time since the last scan: of fivenines, of the kernel, and of others by name."""
        before, self._alone = self._alone, {key: each.cpu for key, each in look.others.items()}
        if not before:
            return
        for key, other in look.others.items():
            gained = other.cpu - before.get(key, 0.0)
            if gained <= 0:
                continue
            if key in own:
                self._own += gained
            elif key in serve:
                self._serve += gained
            elif other.kernel:
                self._kernel += gained
            elif not self._apart(key):
                name = self._called(key, other)
                self._named[name] = self._named.get(name, 0.0) + gained

    def _apart(self, key: Key) -> bool:
        """Return whether a process cannot use any of our CPUs, for example another worker's process."""
        if self._all_are_ours:
            return False
        if key not in self._elsewhere:
            try:
                self._elsewhere[key] = not os.sched_getaffinity(key[0]) & self._ours
            except OSError:  # The process has ended.
                return False
        return self._elsewhere[key]

    def _called(self, key: Key, other: Other) -> str:
        foreign = other.namespace not in (_own_namespace(), "-")
        place = "another lab or container, " if foreign else ""
        return f"{other.name} ({place}user {_user(key[0])})"

    def _descendants(self, look: Look, ancestors: Set[int], besides: Set[int] = frozenset()) -> set[Key]:
        """Return these processes and all below them that are on no host: namespaces, emulators, helpers.

        Processes in `besides` and their descendants are excluded, unless an ancestor is nearer.
        """
        parents: Mapping[int, int] = {
            **{pid: other.seen.parent for (pid, _), other in look.others.items()},
            **{pid: seen.parent for host in look.hosts.values() for (pid, _), seen in host.items()},
        }
        return {key for key in look.others if _descends(key[0], ancestors, besides, parents)}


def _descends(pid: int, ancestors: Set[int], besides: Set[int], parents: Mapping[int, int]) -> bool:
    for _ in range(len(parents) + 1):
        if pid in ancestors:
            return True
        if pid in besides or pid not in parents:
            return False
        pid = parents[pid]
    return False


def _processors() -> dict[str, float]:
    """Return the CPU seconds of the CPUs of this process: busy, stolen by the hypervisor, idle."""
    allowed = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    seconds = {"busy_s": 0.0, "steal_s": 0.0, "idle_s": 0.0}
    for line in Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name in allowed:
            ticks = [int(field) / _TICKS for field in fields[:8]]
            user, nice, system, idle, iowait, irq, softirq, steal = ticks
            seconds["busy_s"] += user + nice + system + irq + softirq
            seconds["steal_s"] += steal
            seconds["idle_s"] += idle + iowait
    return seconds


def _user(pid: int) -> str:
    try:
        number = os.stat(f"/proc/{pid}").st_uid  # noqa: PTH116  (much cheaper)
        return pwd.getpwuid(number).pw_name
    except OSError:
        return "unknown"
    except KeyError:
        return str(number)


def _own_namespace() -> str:
    return os.readlink("/proc/self/ns/pid")  # noqa: PTH115  (much cheaper)
