"""What the processes of each host use, by one look through /proc.

A process belongs to the host in whose PID namespace it lives: servers, our tools beside them, HAProxy, the
load, the failover manager. What starts them stays outside. Source of all figures: proc(5).
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fivenines.lab.network import DEVICE

# PID and start time: together they are never used twice.
Key = tuple[int, int]

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# PF_KTHREAD of the kernel's include/linux/sched.h.
_KERNEL_THREAD = 0x00200000


@dataclass(frozen=True)
class Used:
    """What grows: CPU seconds, and bytes that were fetched from storage, and charged as written to it."""

    cpu: float = 0.0
    read: int = 0
    written: int = 0

    def __add__(self, other: "Used") -> "Used":
        return Used(self.cpu + other.cpu, self.read + other.read, self.written + other.written)

    def or_more(self, other: "Used") -> "Used":
        """The larger of both in each figure."""
        return Used(max(self.cpu, other.cpu), max(self.read, other.read), max(self.written, other.written))


@dataclass(frozen=True)
class Seen:
    """One process: its parent's PID, what it and its ended children have used, and its memory in bytes."""

    parent: int
    used: Used
    private: int = 0
    shared: int = 0


@dataclass(frozen=True)
class Other:
    """A process that is on no host: its name, PID namespace ("-": not ours to know), and CPU seconds.

    `seen` is as for those of hosts, but without memory and storage; `cpu` is of the process alone.
    """

    name: str
    namespace: str
    kernel: bool
    seen: Seen
    cpu: float


@dataclass(frozen=True)
class Look:
    """All processes of this machine at one moment: those of hosts by host, and the others."""

    hosts: dict[str, dict[Key, Seen]]
    others: dict[Key, Other]


@dataclass
class Total:
    """What the processes of a host have used together, also those that are gone. It never shrinks.

    The kernel adds what a process has used to its parent when that waits for it; for orphans the host's
    first process waits. So what a process that is gone had used counts by itself only if its parent is
    outside of the host, as what starts it is: that of a server's first process.
    """

    used: Used = field(default_factory=Used)
    _gone: Used = field(default_factory=Used)
    _last: Mapping[Key, Seen] = field(default_factory=dict)

    def update(self, now: Mapping[Key, Seen]) -> Used:
        """Take the processes that there are now; what has been used so far."""
        before = {pid for pid, _ in self._last}
        for key, seen in self._last.items():
            if key not in now and seen.parent not in before:
                self._gone += seen.used
        self._last = now
        current = sum((seen.used for seen in now.values()), self._gone)
        # a child that has ended, but not yet been waited for, may be missing in one look
        self.used = self.used.or_more(current)
        return self.used


class Processes:
    """Finds the processes of hosts; remembers where each lives, so that a look costs little."""

    def __init__(self) -> None:
        self._home: dict[Key, str] = {}

    def look(self, hosts: Mapping[str, int]) -> Look:
        """The processes now; `hosts` has the PID of each host's first process."""
        named = {_namespace(pid): name for name, pid in hosts.items()}
        found = Look({name: {} for name in hosts}, {})
        homes: dict[Key, str] = {}
        for pid in _pids():
            told = _stat(pid)
            if told is None:
                continue
            called, stat = told
            key = (pid, int(stat[19]))
            homes[key] = self._home.get(key) or _namespace(pid)
            name = named.get(homes[key], "") if homes[key] else ""
            if name:
                found.hosts[name][key] = _seen(pid, stat)
            else:
                found.others[key] = _other(called, homes[key], stat)
        self._home = homes
        return found


# The name that the process of a live page has given itself (proc(5), comm).
SERVE = "fivenines-serve"


def serve_seconds() -> float:
    """CPU seconds that all live pages on this machine have used so far, with what they have started."""
    found = 0.0
    for pid in _pids():
        if (told := _stat(pid)) is not None and told[0] == SERVE:
            found += sum(int(ticks) for ticks in told[1][11:15]) / _TICKS
    return found


def memory(processes: Iterable[Seen]) -> int:
    """Resident bytes; what is shared counts once, as large as the largest of them sees it."""
    every = list(processes)
    return sum(seen.private for seen in every) + max((seen.shared for seen in every), default=0)


def proportional(processes: Iterable[Key]) -> int | None:
    """The sum of proportional set sizes in bytes: of a page that n processes map, each has 1/n.

    Walking all page tables costs a large server some milliseconds: nothing for regular samples. None if one
    of them cannot be read, as smaps_rollup asks for more rights than other files (proc(5)).
    """
    total = 0
    for pid, _ in processes:
        found = _read(f"/proc/{pid}/smaps_rollup")
        sizes = [line.split()[1] for line in found.splitlines() if line.startswith("Pss:")]
        if not sizes and _read(f"/proc/{pid}/statm").split()[:2] not in ([], ["0", "0"]):
            return None
        total += sum(int(size) for size in sizes) * 1024
    return total


def network(pid: int, device: str = DEVICE) -> tuple[int, int] | None:
    """Bytes received and sent by an interface of the network that this process is in."""
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
        return "-"  # of somebody else, or gone


def _stat(pid: int) -> tuple[str, list[str]] | None:
    """The name, and the fields of /proc/PID/stat after it, from the state on."""
    text = _read(f"/proc/{pid}/stat")
    return _parts(text) if text else None


def _parts(text: str) -> tuple[str, list[str]]:
    end = text.rindex(")")
    return text[text.index("(") + 1 : end], text[end + 2 :].split()


def _other(name: str, namespace: str, stat: list[str]) -> Other:
    own, children = (sum(int(ticks) for ticks in stat[at : at + 2]) / _TICKS for at in (11, 13))
    kernel = bool(int(stat[6]) & _KERNEL_THREAD)
    return Other(name, namespace, kernel, Seen(int(stat[1]), Used(own + children)), own)


def told(processes: Iterable[tuple[int, str, str, str]]) -> dict[Key, Seen]:
    """The processes of a host on another machine: of each its PID, and its files stat, statm and io there."""
    found = {}
    for pid, text, statm, io in processes:
        _, stat = _parts(text)
        found[pid, int(stat[19])] = _used(stat, statm, io)
    return found


def _seen(pid: int, stat: list[str]) -> Seen:
    return _used(stat, _read(f"/proc/{pid}/statm"), _read(f"/proc/{pid}/io"))


def _used(stat: list[str], statm: str, io: str) -> Seen:
    cpu = sum(int(ticks) for ticks in stat[11:15]) / _TICKS
    pages = statm.split()
    resident, shared = (int(pages[1]), int(pages[2])) if len(pages) > 2 else (0, 0)
    read, written = _storage(io)
    return Seen(int(stat[1]), Used(cpu, read, written), (resident - shared) * _PAGE, shared * _PAGE)


def _storage(text: str) -> tuple[int, int]:
    """read_bytes, and write_bytes less cancelled_write_bytes, of /proc/PID/io; 0 where it may not be read."""
    found = {key: int(value) for key, value in (line.split(": ") for line in text.splitlines())}
    written = found.get("write_bytes", 0) - found.get("cancelled_write_bytes", 0)
    return found.get("read_bytes", 0), max(0, written)


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
