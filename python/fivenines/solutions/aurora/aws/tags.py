"""Tags of resources that fivenines creates: run, owner, start, and whether the run is active."""

import getpass
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

RUN = "fivenines:run"
_OWNER, _HOST, _PID, _STARTED, _CREATED = (
    f"fivenines:{name}" for name in ("owner", "host", "pid", "born", "created")
)


def tags_of(run: str) -> dict[str, str]:
    """Return the tags of everything that this process creates for a run."""
    pid = os.getpid()
    return {
        RUN: run,
        _OWNER: getpass.getuser(),
        _HOST: platform.node(),
        _PID: str(pid),
        _STARTED: born(pid),
        _CREATED: datetime.now(UTC).isoformat(timespec="seconds"),
    }


@dataclass(frozen=True)
class Origin:
    """Origin of a resource of fivenines."""

    run: str
    owner: str
    host: str
    pid: int
    born: str
    created: str

    @property
    def is_mine(self) -> bool:
        """Return whether this account of this machine has created it."""
        return (self.owner, self.host) == (getpass.getuser(), platform.node())

    @property
    def in_use(self) -> bool:
        """Return whether the process that created it runs now, as far as this machine can tell."""
        return self.host == platform.node() and born(self.pid) == self.born != ""


def origin(tags: Mapping[str, str]) -> Origin | None:
    """Return the origin of a resource with these tags; None: it is not from fivenines."""
    if RUN not in tags:
        return None
    pid = tags.get(_PID, "")
    return Origin(
        tags[RUN],
        tags.get(_OWNER, "?"),
        tags.get(_HOST, "?"),
        int(pid) if pid.isdigit() else 0,
        tags.get(_STARTED, ""),
        tags.get(_CREATED, "?"),
    )


def born(pid: int) -> str:
    """Return a unique identity of a process, as its number may be reused: start time and boot."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # The name, in brackets, may contain anything.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return f"{boot} {fields[19]}"  # starttime, proc(5)
    except OSError:
        return ""
