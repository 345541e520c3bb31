"""What a program's own log tells, line by line, by patterns that its user gives.

The moment of an event is when its line was read: a few milliseconds after it was written. What a program
writes late, or the whole second that it writes itself, cannot be told from that.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from fivenines.cluster.events import ManagerEvent
from fivenines.settings import Settings

Meaning = Literal["missed", "decided", "fenced", "promoted", "repointed", "failed"]
"""The steps of a failover that are told of every manager."""

_LONGEST = 300
"""Characters of a line that are kept as an event's detail."""


def _regular(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error
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
                named = match.groupdict().get("node")
                known = self._names.get(named) if named else primary
                detail = line.strip()[:_LONGEST]
                if known is None:
                    # that somebody else was promoted would be believed, and cannot be
                    kind = "failed" if means == "promoted" else means
                    return ManagerEvent(now, kind, named or "", f"no node is {named!r}: {detail}")
                return ManagerEvent(now, means, known, detail)
        return None


def names_of(nodes: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    """What a log may call nodes; `nodes` are address and port by name."""
    found: dict[str, str] = {}
    for name, (address, port) in nodes.items():
        found |= dict.fromkeys((name, address, f"{address}:{port}"), name)
    return found
