"""The tags of what fivenines has made: of which run, whose, since when, and whether that still runs."""

import getpass
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

RUN = "fivenines:run"
_OWNER, _HOST, _PID, _BORN, _CREATED = (
    f"fivenines:{name}" for name in ("owner", "host", "pid", "born", "created")
)


def tags_of(run: str) -> dict[str, str]:
    """What everything carries that this process makes for a run."""
    pid = os.getpid()
    return {
        RUN: run,
        _OWNER: getpass.getuser(),
        _HOST: platform.node(),
        _PID: str(pid),
        _BORN: born(pid),
        _CREATED: datetime.now(UTC).isoformat(timespec="seconds"),
    }


@dataclass(frozen=True)
class Origin:
    """Where something of ours comes from."""

    run: str
    owner: str
    host: str
    pid: int
    born: str
    created: str

    @property
    def is_mine(self) -> bool:
        """Whether this account of this machine has made it."""
        return (self.owner, self.host) == (getpass.getuser(), platform.node())

    @property
    def in_use(self) -> bool:
        """Whether the process that made it runs now, as far as can be seen from this machine."""
        return self.host == platform.node() and born(self.pid) == self.born != ""


def origin(tags: Mapping[str, str]) -> Origin | None:
    """Where something with these tags comes from; None: it is not ours."""
    if RUN not in tags:
        return None
    pid = tags.get(_PID, "")
    return Origin(
        tags[RUN],
        tags.get(_OWNER, "?"),
        tags.get(_HOST, "?"),
        int(pid) if pid.isdigit() else 0,
        tags.get(_BORN, ""),
        tags.get(_CREATED, "?"),
    )


def born(pid: int) -> str:
    """Which process that is, as text, as its number may be another's by now: its start since which boot."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        # the name, in brackets, may have anything in it
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return f"{boot} {fields[19]}"  # starttime, proc(5)
    except OSError:
        return ""
