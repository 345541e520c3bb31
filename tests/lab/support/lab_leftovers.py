"""Look for the processes, namespaces and mounts that a finished run left on this machine."""

import contextlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from lab_support import PATIENCE

_NAMESPACES = ("user", "mnt", "net", "pid", "uts", "ipc")


def _machine() -> dict[str, set[str]]:
    # Other programs mount file systems too: only mounts that could come from a run count.
    mounts = {
        line.split()[1]
        for line in Path("/proc/self/mounts").read_text().splitlines()
        if line.startswith("overlay") or "fivenines" in line or "/lab/" in line
    }
    devices = {path.name for path in Path("/sys/class/net").iterdir()}
    return {"mount": mounts, "network device": devices}


@dataclass
class RunTraces:
    """Record the processes and namespaces of a run, and the machine's state before it."""

    processes: set[psutil.Process] = field(default_factory=set)
    namespaces: dict[str, int] = field(default_factory=dict)
    """Each namespace is held open, because the kernel reuses the number of a closed one."""
    controllers: set[int] = field(default_factory=set)
    before: dict[str, set[str]] = field(default_factory=_machine)

    def note(self, controller: int) -> None:
        """Record the controller's current descendants and their namespaces."""
        own = _namespaces(os.getpid())
        for process in psutil.Process(controller).children(recursive=True):
            self.processes.add(process)
            for name, path in _namespaces(process.pid).items():
                if name not in own and name not in self.namespaces:
                    self._hold(name, path)
        self.controllers |= {controller} | {process.pid for process in self.processes}

    def _hold(self, name: str, path: Path) -> None:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY)
            # The process may have ended and its PID may have been reused.
            if str(Path(f"/proc/self/fd/{descriptor}").readlink()) == name:
                self.namespaces[name] = descriptor
            else:
                os.close(descriptor)

    def __del__(self) -> None:
        for descriptor in self.namespaces.values():
            os.close(descriptor)

    def users(self) -> set[int]:
        """Return the real user ids of the processes that still run."""
        found = set()
        for process in self.processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                found.add(process.uids().real)
        return found

    def left(self, timeout: float = 15.0 * PATIENCE) -> list[str]:
        """Return the leftovers, after giving the kernel a moment to end everything."""
        deadline = time.monotonic() + timeout
        while (leftovers := self._left()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return leftovers

    def _left(self) -> list[str]:
        leftovers = [f"process {process}" for process in self.processes if _runs(process)]
        for process in psutil.process_iter():
            shared = self.namespaces.keys() & _namespaces(process.pid).keys()
            leftovers += [f"{name} of {process}" for name in sorted(shared)]
        for kind, now in _machine().items():
            leftovers += [f"{kind} {name}" for name in now - self.before[kind]]
        return leftovers + [f"control group {name}" for name in self.groups()]

    def groups(self) -> list[str]:
        """Return the control groups of the run: their names contain the controller's PID."""
        root = Path("/sys/fs/cgroup")
        paths = [path for stars in ("", "*/", "*/*/") for path in root.glob(f"{stars}fivenines-*")]
        return [str(path) for path in paths if int(path.name.split("-")[1]) in self.controllers]


def _namespaces(pid: int) -> dict[str, Path]:
    """Return a process's namespaces by name, and the paths at which they can be opened."""
    descriptors = {}
    for kind in _NAMESPACES:
        path = Path(f"/proc/{pid}/ns/{kind}")
        with contextlib.suppress(OSError):
            descriptors[str(path.readlink())] = path
    return descriptors


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
