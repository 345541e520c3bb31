"""The table `counters`: each counter of the servers in the steady window of each complete trial."""

from collections.abc import Iterator
from dataclasses import dataclass

from fivenines.analysis.resources.counted import Counted, counted
from fivenines.report.export.attempts import Attempt
from fivenines.report.export.columns import Column, ExportTable
from fivenines.report.export.keys import of_trial


@dataclass(frozen=True)
class CounterRow:
    """A counter of a trial."""

    of: Attempt
    name: str
    counted: Counted

    @property
    def gained(self) -> float | None:
        """Return the counter's increase in the steady window."""
        return self.counted.gain(self.name)

    @property
    def per_transaction(self) -> float | None:
        """Return the counter's increase per transaction of the load."""
        commits = self.of.measures.commits if self.of.measures else 0
        return self.gained / commits if self.gained is not None and commits else None


def counter_rows(of: Attempt) -> Iterator[CounterRow]:
    """Yield the counters of a complete trial."""
    if of.stored is not None:
        counters = counted(of.stored)
        yield from (CounterRow(of, name, counters) for name in counters.names)


COUNTERS: ExportTable[CounterRow] = ExportTable(
    "counters",
    "a counter of the servers in the steady window of a complete trial, all nodes together",
    [
        *of_trial(),
        Column("name", "VARCHAR", "", "the servers' name of the counter", lambda one: one.name),
        Column(
            "per_second",
            "DOUBLE",
            "1/s",
            "increase per second, for a running count; NULL: not known",
            lambda one: None if one.gained is None else one.gained / one.counted.seconds,
        ),
        Column(
            "per_transaction",
            "DOUBLE",
            "",
            "increase per transaction of the load",
            lambda one: one.per_transaction,
        ),
        Column(
            "mean",
            "DOUBLE",
            "",
            "mean, for a level that is not a running count",
            lambda one: one.counted.mean(one.name),
        ),
    ],
)
