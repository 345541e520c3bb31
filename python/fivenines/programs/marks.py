"""What a program's own log tells, line by line, by patterns that its user gives.

The moment of an event is when its line was read: a few milliseconds after it was written. What a program
writes late, or the whole second that it writes itself, cannot be told from that.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from fivenines.cluster.events import ManagerEvent
from fivenines.settings import Settings, told

Meaning = Literal["missed", "decided", "fenced", "promoted", "repointed", "failed"]
"""The steps of a failover that are told of every manager."""

_OF_OTHERS = ("promoted", "repointed")
"""What is told of a node that is not the primary until then."""

LONGEST_FAILOVER = 30.0
"""Seconds after which a failover that was decided, and told no end, holds up nobody any more."""

_LONGEST = 300
"""Characters of a line that are kept as an event's detail."""


def _regular(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise told(f"{text!r} is no regular expression: {error}") from error
    return text


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_regular)]
"""A regular expression of Python's `re`, searched for in each line."""


class MarkSettings(Settings):
    """A line of the log that tells a step of a failover."""

    says: Pattern = Field(
        description="regular expression in the line; what its group `node` finds is the node: its name, "
        "its address, or address:port"
    )
    means: Meaning = Field(description=f"what it tells: {', '.join(get_args(Meaning))}")


def problems(marks: Sequence[MarkSettings]) -> list[str]:
    """What is wrong with marks as a whole."""
    return [
        f"marks[{number}].says: who was promoted must be told: give the pattern a group (?P<node>…)"
        for number, mark in enumerate(marks)
        if mark.means == "promoted" and "node" not in re.compile(mark.says).groupindex
    ]


def goes_on(events: Sequence[ManagerEvent], now: int) -> bool:
    """Whether a failover was decided that has told of no end, not too long ago; `now` as in the events."""
    for event in reversed(events):
        if event.kind in ("promoted", "failed"):
            return False
        if event.kind == "decided":
            return now - event.monotonic_ns < LONGEST_FAILOVER * 1e9
    return False


class Reader:
    """Turns lines into events.

    Args:
        marks: which lines tell what; the first that is found in a line counts.
        names: the node of each name, address and address:port.
    """

    def __init__(self, marks: Sequence[MarkSettings], names: Mapping[str, str]) -> None:
        self._marks = [(re.compile(mark.says), mark.means) for mark in marks]
        self._names = names

    def read(self, line: str, now: int, primary: str) -> ManagerEvent | None:
        """The event that a line tells, if any.

        Args:
            line: without its end.
            now: ns of CLOCK_MONOTONIC.
            primary: the node that is meant where a line names none.
        """
        for pattern, means in self._marks:
            if match := pattern.search(line):
                named = match.groupdict().get("node") or ""
                # a line that names nobody is about the primary, but for what happens to others
                about = "" if means in _OF_OTHERS else primary
                known = self._names.get(named) if named else about
                detail = line.strip()[:_LONGEST]
                if known is None or (means == "promoted" and not known):
                    # that somebody else was promoted would be believed, and cannot be
                    kind = "failed" if means == "promoted" else means
                    return ManagerEvent(now, kind, named, f"no node is {named!r}: {detail}")
                return ManagerEvent(now, means, known, detail)
        return None


def names_of(nodes: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    """What a log may call nodes; `nodes` are address and port by name."""
    found: dict[str, str] = {}
    for name, (address, port) in nodes.items():
        found |= dict.fromkeys((name, address, f"{name}:{port}", f"{address}:{port}"), name)
    return found
