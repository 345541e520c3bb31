"""The tags of what fivenines has made: of which run, whose, since when, and whether that still runs."""

import getpass
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import psutil

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
        _BORN: _born(pid),
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
    def in_use(self) -> bool:
        """Whether the process that made it runs now, as far as can be seen from this machine."""
        return self.host == platform.node() and _born(self.pid) == self.born != ""


def origin(tags: Mapping[str, str]) -> Origin | None:
    """Where something with these tags comes from; None: it is not ours."""
    if RUN not in tags:
        return None
    pid = tags.get(_PID, "")
    return Origin(
        tags[RUN], tags.get(_OWNER, "?"), tags.get(_HOST, "?"), int(pid) if pid.isdigit() else 0,
        tags.get(_BORN, ""), tags.get(_CREATED, "?"),
    )  # fmt: skip


def _born(pid: int) -> str:
    """When a process began, as text: a number of a process may be another's by now."""
    try:
        return str(round(psutil.Process(pid).create_time())) if pid else ""
    except psutil.Error:
        return ""
