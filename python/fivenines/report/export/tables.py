"""The tables of an exported file in their order, and the rows of each."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fivenines.report.export.attempts import Attempt, NamedRun
from fivenines.report.export.client_table import CLIENTS, client_rows
from fivenines.report.export.columns import ExportTable
from fivenines.report.export.counter_table import COUNTERS, counter_rows
from fivenines.report.export.fault_table import (
    EVENTS,
    FAULTS,
    INTERRUPTIONS,
    event_rows,
    fault_rows,
    interruption_rows,
)
from fivenines.report.export.interleaved_table import BLOCKS, WINDOWS, side_rows, window_rows
from fivenines.report.export.run_table import RUNS
from fivenines.report.export.second_table import LATENCIES, SECONDS, TimeCourse, time_course
from fivenines.report.export.stack_table import STACKS, stack_rows
from fivenines.report.export.trial_table import TRIALS

# The tables by name; the first one is the default of a Parquet file.
TABLES: dict[str, ExportTable[Any]] = {
    one.name: one
    for one in (
        TRIALS,
        CLIENTS,
        STACKS,
        SECONDS,
        FAULTS,
        INTERRUPTIONS,
        EVENTS,
        COUNTERS,
        LATENCIES,
        BLOCKS,
        WINDOWS,
        RUNS,
    )
}

# A table, and the source of a row.
Row = tuple[ExportTable[Any], Any]


def rows_of_attempt(of: Attempt, tables: set[str]) -> Iterator[Row]:
    """Yield all rows of an attempt of a trial for the named tables."""
    course = TimeCourse([], [])
    if {SECONDS.name, LATENCIES.name} & tables:
        course = time_course(of)
    yield TRIALS, replace(of, notes=course.notes)
    for table, rows in (
        (FAULTS, fault_rows),
        (INTERRUPTIONS, interruption_rows),
        (EVENTS, event_rows),
        (COUNTERS, counter_rows),
        (CLIENTS, client_rows),
        (STACKS, stack_rows),
    ):
        for row in rows(of) if table.name in tables else ():
            yield table, row
    yield from ((SECONDS, one) for one in course.seconds)
    yield from ((LATENCIES, one) for one in course.histograms)


def rows_of_run(of: NamedRun) -> Iterator[Row]:
    """Yield the rows of a run that do not belong to a trial."""
    yield RUNS, of
    yield from ((BLOCKS, one) for one in side_rows(of))
    for block in of.run.blocks:
        yield from ((WINDOWS, one) for one in window_rows(of, block))
