"""The table `stacks`: each client stack of a complete trial."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fivenines.analysis.figure_cache import cached
from fivenines.analysis.stacks.cell import slowest
from fivenines.analysis.stacks.figures import Gap, Rows
from fivenines.analysis.stacks.trial import STACKS as MEASURED
from fivenines.analysis.stacks.trial import StackMeasures
from fivenines.report.export.attempts import Attempt
from fivenines.report.export.columns import Column, ExportTable, Known, bounded
from fivenines.report.export.keys import of_trial
from fivenines.results.stacks import StackRecord


@dataclass(frozen=True)
class StackRow:
    """A client stack of a trial, with its record."""

    of: Attempt
    stack: StackRecord
    measured: StackMeasures


def stack_rows(of: Attempt) -> Iterator[StackRow]:
    """Yield the client stacks of a complete trial in the experiment's order."""
    if of.stored is None or not of.stored.record.stacks:
        return
    (found,) = cached(MEASURED, [of.stored])
    for stack, measured in zip(of.stored.record.stacks, found.stacks, strict=False):
        yield StackRow(of, stack, measured)


def _known(gap: Gap | None) -> Known | None:
    return None if gap is None else (gap.length, gap.open)


def _of_rows(get: Callable[[Rows], int]) -> Callable[[StackRow], Any]:
    """Return a getter of a figure of rows, which may not have been read."""
    return lambda one: None if one.measured.figures.rows is None else get(one.measured.figures.rows)


STACKS: ExportTable[StackRow] = ExportTable(
    "stacks",
    "a client stack of a complete trial; figures are of the time from the first fault on, or of the steady "
    "window without a fault",
    [
        *of_trial(),
        Column("stack", "VARCHAR", "", "name of the stack", lambda one: one.stack.name),
        Column(
            "kind",
            "VARCHAR",
            "",
            "kind of the stack; NULL: a custom program",
            lambda one: one.stack.stack or None,
        ),
        Column("versions", "VARCHAR", "", "driver and pool", lambda one: one.stack.versions),
        Column("options", "JSON", "", "settings of driver and pool", lambda one: one.stack.options),
        *bounded(
            "gap",
            "ms",
            "longest time without a committed write",
            lambda one: _known(one.measured.figures.gap),
        ),
        Column(
            "calm_gap_ms",
            "DOUBLE",
            "ms",
            "the same before the fault; NULL: no steady window",
            lambda one: one.measured.before,
        ),
        *bounded(
            "slowest_worker",
            "ms",
            "longest time without a committed write of any worker",
            lambda one: _known(slowest(one.measured.figures.workers)),
        ),
        Column("workers", "BIGINT", "", "number of workers", lambda one: one.stack.workers),
        Column(
            "workers_recovered",
            "BIGINT",
            "",
            "workers that committed at the end of the observation",
            lambda one: one.measured.figures.back,
        ),
        Column(
            "connections_kept",
            "BIGINT",
            "",
            "connections to a host that was hit, at the end; NULL: not observed",
            lambda one: one.measured.held.at_end if one.measured.held else None,
        ),
        Column(
            "most_waiting",
            "BIGINT",
            "",
            "most workers without a connection, sampled once a second; NULL: not counted",
            lambda one: one.measured.pool.waiting,
        ),
        Column(
            "least_open",
            "BIGINT",
            "",
            "fewest open connections in its pool; NULL: not counted",
            lambda one: one.measured.pool.least,
        ),
        Column(
            "most_open",
            "BIGINT",
            "",
            "most open connections in its pool; NULL: not counted",
            lambda one: one.measured.pool.most,
        ),
        Column(
            "connections_opened",
            "BIGINT",
            "",
            "connections that its pool opened; NULL: not counted",
            lambda one: one.measured.pool.created,
        ),
        Column("committed", "BIGINT", "", "attempts", lambda one: one.measured.figures.committed),
        Column("failed", "BIGINT", "", "attempts", lambda one: one.measured.figures.failed),
        Column(
            "in_doubt",
            "BIGINT",
            "",
            "attempts whose COMMIT was sent and not answered",
            lambda one: one.measured.figures.in_doubt,
        ),
        Column(
            "committed_twice",
            "BIGINT",
            "",
            "operations with several rows; NULL: rows were not read",
            _of_rows(lambda rows: rows.twice),
        ),
        Column(
            "committed_twice_by_driver",
            "BIGINT",
            "",
            "those of them that were tried less often",
            _of_rows(lambda rows: rows.by_driver),
        ),
        Column(
            "lost", "BIGINT", "", "acknowledged operations without a row", _of_rows(lambda rows: rows.lost)
        ),
        Column(
            "program_ended_ms",
            "DOUBLE",
            "ms",
            "when its program ended by itself, from the fault on; NULL: it did not",
            lambda one: one.measured.died,
        ),
        Column(
            "errors",
            "JSON",
            "",
            "attempts by stage and code, the most frequent first",
            lambda one: [
                {"stage": stage, "code": code, "count": count}
                for stage, code, count in one.measured.figures.errors
            ],
        ),
    ],
)
