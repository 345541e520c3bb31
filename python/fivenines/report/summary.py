"""The summary of a run: one row for each cell, in words that fit a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fivenines.analysis.cells import CellResult
from fivenines.analysis.outages import Outages
from fivenines.analysis.statistics import Summary
from fivenines.analysis.sweeps import compared
from fivenines.analysis.wording import (
    NOT_BACK,
    NOTHING,
    count,
    mean_with_interval,
    milliseconds,
    number,
    percent,
    span,
)
from fivenines.report.chapters.invariants import invariants_text
from fivenines.report.table import Table, right
from fivenines.results.store import Run, opened


@dataclass(frozen=True)
class CellRow:
    """A cell as text; figures are means with their 95 % interval in brackets.

    `network` and `fault` repeat for all rows of most runs: see `columns`, which leaves out such
    fields.
    """

    solution: str
    workload: str
    connections: str
    network: str
    fault: str
    trials: str
    throughput: str
    p95: str
    invariants: str
    stalls: str
    outage_writes: str
    total_writes: str
    outage_connections: str
    outage_reads: str
    failover: str
    lost: str
    split_brain: str


HEADINGS = {
    "solution": "Solution",
    "workload": "Workload",
    "connections": "Connections",
    "network": "Network",
    "fault": "Fault",
    "trials": "Trials",
    "throughput": "Transactions/s",
    "p95": "p95 response",
    "invariants": "Invariants",
    "stalls": "Stalls before",
    "outage_writes": "Outage, writes",
    "total_writes": "Total, writes",
    "outage_connections": "Outage, new connections",
    "outage_reads": "Outage, reads",
    "failover": "Failover time",
    "lost": "Lost rows",
    "split_brain": "Split brain",
}
"""The heading of each field of a `CellRow`."""

_TEXT = ("Solution", "Workload", "Network", "Fault")


SummaryRow: TypeAlias = dict[str, str]
"""A cell for the terminal: heading -> text. All rows of a run have the same headings."""


def summary_rows(run: Run | Path) -> list[SummaryRow]:
    """One row for each cell, in the order of the experiment; only columns that say something.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    rows = [row(cell) for cell in compared(opened(run)).cells]
    names = columns(rows)
    return [{HEADINGS[name]: getattr(each, name) for name in names} for each in rows]


def row(cell: CellResult) -> CellRow:
    """The summary of one cell."""
    key = cell.key
    return CellRow(
        solution=cell.called,
        workload=key.workload,
        connections=str(key.connections),
        network=key.network,
        fault=key.fault,
        trials=_trials(cell),
        throughput=throughput_text(cell),
        p95=mean_with_interval(cell.latency["p95"], milli=True),
        stalls=stalls_text(cell),
        outage_writes=outage_text(cell.writes),
        total_writes=total_text(cell.writes),
        outage_connections=outage_text(cell.connections),
        outage_reads=outage_text(cell.reads),
        failover=failover_text(cell),
        lost=loss_text(cell),
        split_brain=split_text(cell),
        invariants=invariants_text(cell),
    )


def columns(rows: Sequence[CellRow]) -> list[str]:
    """The fields worth a column: network and fault only where they vary, outages where measured."""

    def varies(name: str) -> bool:
        return len({getattr(row, name) for row in rows}) > 1

    def measured(name: str) -> bool:
        return any(getattr(row, name) != NOTHING for row in rows)

    keep: dict[str, Callable[[str], bool]] = {
        "network": varies, "fault": varies, "stalls": measured,
        "outage_writes": measured, "total_writes": measured, "outage_connections": measured,
        "outage_reads": measured, "failover": measured, "lost": measured, "invariants": measured,
        "split_brain": measured,
    }  # fmt: skip
    return [name for name in HEADINGS if name not in keep or keep[name](name)]


def summary_table(rows: Sequence[CellRow]) -> Table:
    """The rows as a table of the columns that say something."""
    names = columns(rows)
    headings = [HEADINGS[name] for name in names]
    return Table(
        "Summary of all cells: mean of the complete trials, with its 95 % interval in brackets",
        headings,
        [[getattr(row, name) for name in names] for row in rows],
        numeric=right(headings, *_TEXT),
    )


def throughput_text(cell: CellResult) -> str:
    """The mean rate; with the rate that was offered, where there was one."""
    if cell.kept:
        return f"kept the {number(cell.offered or 0.0)} offered"
    achieved = mean_with_interval(cell.tps)
    return achieved if cell.offered is None else f"{achieved} at {number(cell.offered)} offered"


def outage_text(outages: Outages) -> str:
    """The mean outage; says so if it is a lower bound or no longer than ordinary pauses."""
    if outages.points and not outages.noticed:
        longest = max(point.ms for point in outages.points)
        return f"none noticed (longest gap {milliseconds(longest)})"
    return mean_with_interval(outages.summary, milli=True)


def total_text(outages: Outages) -> str:
    """All interruptions of a trial together; a dash where none was noticed."""
    return mean_with_interval(outages.total, milli=True) if outages.noticed else NOTHING


def interruptions_text(outages: Outages) -> str:
    """How many interruptions belong to what: "2 x kill primary, 1 x return of node1"."""
    return ", ".join(f"{n} x {event}" for event, n in outages.events.items()) or NOTHING


def stalls_text(cell: CellResult) -> str:
    """What stood still before any fault: "27 % of the time, up to 1.02 s (in 3 of 3 trials)"."""
    found = cell.stalls
    if not found.trials:
        return NOTHING
    longest = max(gap.ms for trial in cell.trials for gap in trial.stalls)
    some = f"in {found.trials} of {count(found.longest.n, 'trial')}"
    return f"{percent(100 * found.share)} % of the time, up to {milliseconds(longest)} ({some})"


def failover_text(cell: CellResult) -> str:
    """The mean failover time; a lower bound where writes did not come back in some trial."""
    failover = cell.failover
    if failover.summary.n and not cell.writes.noticed:
        return "none noticed"
    return mean_with_interval(failover.summary, milli=True)


def loss_text(cell: CellResult) -> str:
    """Lost rows in all and the number of trials with loss."""
    loss = cell.loss
    if not loss.checked:
        return NOTHING
    trials = count(loss.checked, "trial")
    if not loss.total:
        return f"0 (in {trials})"
    return f"{loss.total} (in {loss.trials_with_loss} of {trials})"


def split_text(cell: CellResult) -> str:
    """In how many trials several nodes took writes at the same time; a dash if in none."""
    return f"{cell.split} of {count(cell.complete, 'trial')}" if cell.split else NOTHING


def spread(summary: Summary, milli: bool = False, why: str = NOT_BACK) -> list[str]:
    """n, mean, standard deviation, coefficient of variation and interval as text.

    Of lower bounds only n and the mean say something.
    """
    if summary.bounds:
        mean = mean_with_interval(summary, milli, why)
        return [str(summary.n), mean, NOTHING, NOTHING, NOTHING]
    show = milliseconds if milli else number
    sd = NOTHING if summary.sd is None else show(summary.sd)
    cov = NOTHING if summary.cov is None else f"{percent(100 * summary.cov)} %"
    interval = NOTHING
    if summary.ci_low is not None and summary.ci_high is not None:
        interval = span(summary.ci_low, summary.ci_high, milli)
    mean = NOTHING if summary.mean is None else show(summary.mean)
    return [str(summary.n), mean, sd, cov, interval]


def _trials(cell: CellResult) -> str:
    text = (
        f"{cell.complete} of {cell.planned}"
        if cell.complete != cell.planned
        else f"{cell.complete}"
    )
    return f"{text} ({cell.broken} broken)" if cell.broken else text
