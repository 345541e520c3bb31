"""Which versions of a server's software go together, and what to say where they do not."""

import re
from collections.abc import Mapping

_SERIES = re.compile(r"(\d+)(?:\.(\d+))?")


def series(version: str) -> tuple[int, ...]:
    """What stays the same between releases that read each other's data: 18 of 18.6, 10.11 of 10.11.14.

    PostgreSQL's series has one number from 10 on (manual, "Upgrading a PostgreSQL Cluster"); MariaDB's and
    MySQL's have two. A version of two numbers is PostgreSQL's. Empty where no number is in it.
    """
    match = _SERIES.match(version)
    if match is None:
        return ()
    numbers = tuple(int(part) for part in match.groups() if part is not None)
    return numbers if version.count(".") > 1 else numbers[:1]


def mismatch(what: str, wanted: str, other: str, found: str) -> str:
    """Why two versions do not go together; empty if they do, or if one is not known.

    Args:
        what: the one that counts, as "the data set".
        wanted: its version.
        other: what is to work with it.
        found: that one's version.
    """
    ours, theirs = series(wanted), series(found)
    if not ours or not theirs or ours == theirs:
        return ""
    return f"{what} has version {wanted}, {other} has version {found}: they do not go together"


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Which engines have another version than when a run began, in words; empty if none has."""
    found = [
        f"{name} was {before[name]}, is {version}"
        for name, version in now.items()
        if before.get(name, version) != version
    ]
    return ", ".join(found)
