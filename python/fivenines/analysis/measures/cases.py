"""Cases of a decision: named conditions, each with its own decision and, if stated, its own requirements."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, field_validator

from fivenines.analysis.measures.condition import Condition
from fivenines.analysis.measures.preference import Preference, as_conditions
from fivenines.base.settings import Settings, invalid
from fivenines.base.units import Fraction

_RANGE = re.compile(r"(?P<how><=|>=|<|>)?\s*(?P<number>\d{1,6})")

RANGE_EXAMPLES = "'< 25', '>= 25', or 8"


@dataclass(frozen=True)
class ConnectionRange:
    """Numbers of connections, as `< 25` or `8`."""

    relation: str
    number: int
    text: str

    def holds(self, connections: int) -> bool:
        """Return whether a number of connections is in the range."""
        return {
            "<": connections < self.number,
            "<=": connections <= self.number,
            ">": connections > self.number,
            ">=": connections >= self.number,
            "": connections == self.number,
        }[self.relation]


def _range(value: object) -> object:
    if isinstance(value, ConnectionRange | bool) or not isinstance(value, str | int):
        return value
    match = _RANGE.fullmatch(str(value).strip())
    if match is None:
        raise invalid(f"{value!r} is not a range of connections: write {RANGE_EXAMPLES}")
    relation = match["how"] or ""
    return ConnectionRange(relation, int(match["number"]), f"{relation} {match['number']}".strip())


AnyRange = Annotated[
    ConnectionRange,
    BeforeValidator(_range),
    PlainSerializer(lambda value: value.text, return_type=str),
    WithJsonSchema({"type": ["string", "integer"], "allowed": f"a range, as {RANGE_EXAMPLES}"}),
]


def _among(names: Iterable[str], patterns: Iterable[str] | None) -> bool:
    """Return whether any name matches any pattern; without patterns every name does. Only * is special."""
    if patterns is None:
        return True
    found = [re.compile(".*".join(map(re.escape, pattern.split("*")))) for pattern in patterns]
    return any(one.fullmatch(name) for one in found for name in names)


Names = Annotated[list[str], Field(min_length=1)]


class CaseSettings(Settings):
    """A named condition with a decision of its own. What is left out is as in the section `decide`."""

    name: str = Field(min_length=1, description="name of the case, as reports show it")
    workload: Names | None = Field(
        None, description="names or kinds of workloads, as [oltp_read_only]; * stands for any text; null: all"
    )
    connections: AnyRange | None = Field(
        None, description="numbers of connections, as '< 25' or '>= 25'; null: all"
    )
    network: Names | None = Field(
        None, description="names of networks, in which * stands for any text; null: all"
    )
    solutions: Names | None = Field(
        None, description="names of the solutions to choose from, in which * stands for any text; null: all"
    )
    requirements: list[Condition] | None = Field(
        None, description="requirements of this case, instead of those of the section"
    )
    prefer: list[Preference] | None = Field(
        None, min_length=1, description="preferences of this case, instead of those of the section"
    )
    margin: Fraction | None = Field(None, lt=1, description="margin of this case, instead of the section's")

    _mapping = field_validator("requirements", mode="before")(as_conditions)

    def covers(self, solution: str, workload: Iterable[str], connections: int, network: str) -> bool:
        """Return whether a cell belongs to the case; `workload`: the workload's name and kind."""
        return (
            _among([solution], self.solutions)
            and _among(workload, self.workload)
            and _among([network], self.network)
            and (self.connections is None or self.connections.holds(connections))
        )

    @property
    def named(self) -> list[str]:
        """Return the solutions that are named in full, without a pattern."""
        return [name for name in self.solutions or [] if "*" not in name]

    @property
    def asked(self) -> str:
        """Return the conditions in words: "workload oltp_read_only, connections < 25"."""
        parts = [(self.solutions, "solution"), (self.workload, "workload"), (self.network, "network")]
        words = [f"{word} {' or '.join(names)}" for names, word in parts if names]
        if self.connections is not None:
            words.append(f"{self.connections.text} connections")
        return ", ".join(words)
