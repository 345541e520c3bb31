"""Check whether a lab can map all user ids of this machine, and not only our own.

Programs that change their user (setuid, setgroups, chown) need all ids. An ordinary user can map only one id
(user_namespaces(7)), so this needs root.
"""

import os
from pathlib import Path

_ALL = 65536
_CAP_SETUID = 7


def problem() -> str:
    """Return why the lab cannot map all user ids here; empty if it can."""
    if os.geteuid() != 0 or not _may_set_ids(Path("/proc/self/status").read_text()):
        return "only root can map all user ids: run fivenines as root, for example with sudo"
    if not _has_all(Path("/proc/self/uid_map").read_text()):
        return "this container has fewer than 65536 user ids: run fivenines as root outside the container"
    return ""


def _may_set_ids(status: str) -> bool:
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> _CAP_SETUID & 1)


def _has_all(uid_map: str) -> bool:
    """Return whether the ids from 0 to 65535 exist in our own user namespace."""
    ranges = [tuple(map(int, line.split())) for line in uid_map.splitlines()]
    return any(first == 0 and count >= _ALL for first, _, count in ranges)
