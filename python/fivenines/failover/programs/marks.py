"""Events of a custom program, found in its log line by line with the user's patterns.

The time of an event is when its line was read, a few milliseconds after it was written. If a program writes
late, or logs whole seconds, the event is late by as much.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from fivenines.base.settings import Settings, invalid
from fivenines.servers.cluster.events import ManagerEvent

# The failover events that every manager can log.
Meaning = Literal["missed", "decided", "fenced", "promoted", "repointed", "failed"]

# Events about a node that is not the primary yet.
_OF_OTHERS = ("promoted", "repointed")

# Seconds after which a failover without a logged end no longer delays anything.
LONGEST_FAILOVER = 30.0

# Number of characters of a line that an event keeps as its detail.
_LONGEST = 300


def _regular(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise invalid(f"{text!r} is not a regular expression: {error}") from error
    return text


# A regular expression of Python's `re`, searched for in each line.
Pattern = Annotated[str, Field(min_length=1), AfterValidator(_regular)]


class MarkSettings(Settings):
    """A pattern for log lines that mark an event of a failover."""

    says: Pattern = Field(
        description="regular expression for the line; its group `node` matches the node's name, its address, "
        "or address:port"
    )
    means: Meaning = Field(description=f"the event that the line marks: {', '.join(get_args(Meaning))}")


def problems(marks: Sequence[MarkSettings]) -> list[str]:
    """Return what is wrong with the marks as a whole."""
    return [
        f"marks[{number}].says: the line must name the promoted node: add a group (?P<node>…) to the pattern"
        for number, mark in enumerate(marks)
        if mark.means == "promoted" and "node" not in re.compile(mark.says).groupindex
    ]


def goes_on(events: Sequence[ManagerEvent], now: int) -> bool:
    """Return whether a recent failover was decided and has no logged end; `now` as in the events."""
    for event in reversed(events):
        if event.kind in ("promoted", "failed"):
            return False
        if event.kind == "decided":
            return now - event.monotonic_ns < LONGEST_FAILOVER * 1e9
    return False


class Reader:
    """Turns lines into events.

    Args:
        marks: patterns and their events; the first match in a line counts.
        names: the node of each name, address and address:port.
    """

    def __init__(self, marks: Sequence[MarkSettings], names: Mapping[str, str]) -> None:
        self._marks = [(re.compile(mark.says), mark.means) for mark in marks]
        self._names = names

    def read(self, line: str, now: int, primary: str) -> ManagerEvent | None:
        """Return the event that a line marks, if any.

        Args:
            line: without its end.
            now: ns of CLOCK_MONOTONIC.
            primary: the node of a line that names none.
        """
        for pattern, means in self._marks:
            if match := pattern.search(line):
                named = match.groupdict().get("node") or ""
                # A line without a node is about the primary, unless the event is about another node.
                about = "" if means in _OF_OTHERS else primary
                known = self._names.get(named) if named else about
                detail = line.strip()[:_LONGEST]
                if known is None or (means == "promoted" and not known):
                    # A promotion of an unknown node must not be recorded: the primary would be wrong from
                    # then on.
                    kind = "failed" if means == "promoted" else means
                    return ManagerEvent(now, kind, named, f"there is no node {named!r}: {detail}")
                return ManagerEvent(now, means, known, detail)
        return None


def names_of(nodes: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    """Return what a log may call the nodes; `nodes`: address and port by name."""
    known: dict[str, str] = {}
    for name, (address, port) in nodes.items():
        known |= dict.fromkeys((name, address, f"{name}:{port}", f"{address}:{port}"), name)
    return known
