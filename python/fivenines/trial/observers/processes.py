"""Measure the resource usage of each host's processes with one scan of /proc.

A process belongs to the host whose PID namespace it is in: servers, our tools in the host's network, HAProxy,
the load, the failover manager. The processes that start them are outside. Source of all values: proc(5).
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fivenines.lab.network.network import DEVICE

# PID and start time, which together are unique.
Key = tuple[int, int]

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# PF_KTHREAD of the kernel's include/linux/sched.h.
_KERNEL_THREAD = 0x00200000


@dataclass(frozen=True)
class Used:
    """Cumulative usage: CPU seconds, bytes read from storage, and bytes charged as written to storage."""

    cpu: float = 0.0
    read: int = 0
    written: int = 0

    def __add__(self, other: "Used") -> "Used":
        return Used(self.cpu + other.cpu, self.read + other.read, self.written + other.written)

    def or_more(self, other: "Used") -> "Used":
        """Return the larger value of each field."""
        return Used(max(self.cpu, other.cpu), max(self.read, other.read), max(self.written, other.written))


@dataclass(frozen=True)
class Seen:
    """One process: its parent's PID, usage including ended children, and memory in bytes."""

    parent: int
    used: Used
    private: int = 0
    shared: int = 0


@dataclass(frozen=True)
class Other:
    """A process that is on no host: its name, PID namespace ("-": not readable), and CPU seconds.

    `seen` is as for processes of hosts, but without memory and storage; `cpu` excludes children.
    """

    name: str
    namespace: str
    kernel: bool
    seen: Seen
    cpu: float


@dataclass(frozen=True)
class Look:
    """All processes of this machine at one time: processes of hosts, by host, and all others."""

    hosts: dict[str, dict[Key, Seen]]
    others: dict[Key, Other]


@dataclass
class Total:
    """The total usage of a host's processes, including those that have ended. It never decreases.

    When a parent waits for a child, the kernel adds the child's usage to the parent; the host's first process
    waits for orphans. So an ended process is added here only if its parent is outside the host, as the
    starter of a server's first process is.
    """

    used: Used = field(default_factory=Used)
    _ended: Used = field(default_factory=Used)
    _last: Mapping[Key, Seen] = field(default_factory=dict)

    def update(self, now: Mapping[Key, Seen]) -> Used:
        """Update with the current processes and return the total usage."""
        before = {pid for pid, _ in self._last}
        for key, seen in self._last.items():
            if key not in now and seen.parent not in before:
                self._ended += seen.used
        self._last = now
        current = sum((seen.used for seen in now.values()), self._ended)
        # A child that has ended but was not waited for yet can be missing in one scan.
        self.used = self.used.or_more(current)
        return self.used


class Processes:
    """Find the processes of hosts; cache each process's namespace, so that a scan is cheap."""

    def __init__(self) -> None:
        self._home: dict[Key, str] = {}

    def look(self, hosts: Mapping[str, int]) -> Look:
        """Return the current processes; `hosts` has the PID of each host's first process."""
        named = {_namespace(pid): name for name, pid in hosts.items()}
        look = Look({name: {} for name in hosts}, {})
        homes: dict[Key, str] = {}
        for pid in _pids():
            parts = _stat(pid)
            if parts is None:
                continue
            called, stat = parts
            key = (pid, int(stat[19]))
            homes[key] = self._home.get(key) or _namespace(pid)
            name = named.get(homes[key], "") if homes[key] else ""
            if name:
                look.hosts[name][key] = _seen(pid, stat)
            else:
                look.others[key] = _other(called, homes[key], stat)
        self._home = homes
        return look


# Name that the process of a live page sets for itself (proc(5), comm).
SERVE = "fivenines-serve"


def serve_seconds() -> float:
    """Return the CPU seconds of all live pages on this machine, including their ended children."""
    seconds = 0.0
    for pid in _pids():
        if (parts := _stat(pid)) is not None and parts[0] == SERVE:
            seconds += sum(int(ticks) for ticks in parts[1][11:15]) / _TICKS
    return seconds


def memory(processes: Iterable[Seen]) -> int:
    """Return the resident bytes of processes; shared memory counts once, with its largest value."""
    every = list(processes)
    return sum(seen.private for seen in every) + max((seen.shared for seen in every), default=0)


def proportional(processes: Iterable[Key]) -> int | None:
    """Return the sum of proportional set sizes in bytes: of a page that n processes map, each has 1/n.

    The kernel walks all page tables, which takes milliseconds for a large server, so this is not for regular
    samples. None if a process is not readable, as smaps_rollup needs more rights than other files (proc(5)).
    """
    total = 0
    for pid, _ in processes:
        rollup = _read(f"/proc/{pid}/smaps_rollup")
        sizes = [line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")]
        if not sizes and _read(f"/proc/{pid}/statm").split()[:2] not in ([], ["0", "0"]):
            return None
        total += sum(int(size) for size in sizes) * 1024
    return total


def network(pid: int, device: str = DEVICE) -> tuple[int, int] | None:
    """Return the bytes received and sent by a device in the network namespace of this process."""
    for line in _read(f"/proc/{pid}/net/dev").splitlines():
        name, _, figures = line.partition(":")
        if name.strip() == device:
            numbers = figures.split()
            return int(numbers[0]), int(numbers[8])
    return None


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208  (much cheaper)


def _namespace(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")  # noqa: PTH115  (as above)
    except OSError:
        return "-"  # The process belongs to another user, or has ended.


def _stat(pid: int) -> tuple[str, list[str]] | None:
    """Return the name, and the fields of /proc/PID/stat after it, starting with the state."""
    text = _read(f"/proc/{pid}/stat")
    return _parts(text) if text else None


def _parts(text: str) -> tuple[str, list[str]]:
    end = text.rindex(")")
    return text[text.index("(") + 1 : end], text[end + 2 :].split()


def _other(name: str, namespace: str, stat: list[str]) -> Other:
    own, children = (sum(int(ticks) for ticks in stat[at : at + 2]) / _TICKS for at in (11, 13))
    kernel = bool(int(stat[6]) & _KERNEL_THREAD)
    return Other(name, namespace, kernel, Seen(int(stat[1]), Used(own + children)), own)


def remote_processes(processes: Iterable[tuple[int, str, str, str]]) -> dict[Key, Seen]:
    """Parse the processes of a host on another machine: PID and contents of stat, statm and io."""
    seen = {}
    for pid, text, statm, io in processes:
        _, stat = _parts(text)
        seen[pid, int(stat[19])] = _used(stat, statm, io)
    return seen


def _seen(pid: int, stat: list[str]) -> Seen:
    return _used(stat, _read(f"/proc/{pid}/statm"), _read(f"/proc/{pid}/io"))


def _used(stat: list[str], statm: str, io: str) -> Seen:
    cpu = sum(int(ticks) for ticks in stat[11:15]) / _TICKS
    pages = statm.split()
    resident, shared = (int(pages[1]), int(pages[2])) if len(pages) > 2 else (0, 0)
    read, written = _storage(io)
    return Seen(int(stat[1]), Used(cpu, read, written), (resident - shared) * _PAGE, shared * _PAGE)


def _storage(text: str) -> tuple[int, int]:
    """Return read_bytes, and write_bytes minus cancelled_write_bytes, of /proc/PID/io; 0 if not readable."""
    counts = {key: int(value) for key, value in (line.split(": ") for line in text.splitlines())}
    written = counts.get("write_bytes", 0) - counts.get("cancelled_write_bytes", 0)
    return counts.get("read_bytes", 0), max(0, written)


def _read(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(descriptor, 65536).decode(errors="replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
