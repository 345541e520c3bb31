"""The table `counters`: each counter of the servers in the steady window of each complete trial."""

from collections.abc import Iterator
from dataclasses import dataclass

from fivenines.analysis.counted import Counted, counted
from fivenines.export.attempts import Attempt
from fivenines.export.columns import Column, ExportTable
from fivenines.export.keys import of_trial


@dataclass(frozen=True)
class CounterRow:
    """A counter of a trial."""

    of: Attempt
    name: str
    found: Counted

    @property
    def gained(self) -> float | None:
        """What it gained in the window."""
        return self.found.gain(self.name)

    @property
    def per_transaction(self) -> float | None:
        """The same for each transaction of the load."""
        commits = self.of.measures.commits if self.of.measures else 0
        return self.gained / commits if self.gained is not None and commits else None


def counter_rows(of: Attempt) -> Iterator[CounterRow]:
    """The counters of a complete trial by their names."""
    if of.stored is not None:
        found = counted(of.stored)
        yield from (CounterRow(of, name, found) for name in found.names)


COUNTERS: ExportTable[CounterRow] = ExportTable(
    "counters",
    "a counter of the servers in the steady window of a complete trial, all nodes together",
    [
        *of_trial(),
        Column("name", "VARCHAR", "", "the servers' own", lambda one: one.name),
        Column(
            "per_second",
            "DOUBLE",
            "1/s",
            "its gain per second, of a running count; NULL: not known",
            lambda one: None if one.gained is None else one.gained / one.found.seconds,
        ),
        Column(
            "per_transaction",
            "DOUBLE",
            "",
            "its gain for each transaction of the load",
            lambda one: one.per_transaction,
        ),
        Column(
            "mean",
            "DOUBLE",
            "",
            "its mean, of what is no running count",
            lambda one: one.found.mean(one.name),
        ),
    ],
)
