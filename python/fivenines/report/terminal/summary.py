"""Summarise a run in a table with one row for each cell."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from fivenines.analysis.availability.outages import Outages
from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.measures import title
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.wording import (
    NOT_RECOVERED,
    NOTHING,
    bearable_parts,
    count,
    mean_with_interval,
    milliseconds,
    number,
    percent,
)
from fivenines.report.chapters.consistency.invariants import invariants_text
from fivenines.report.table import Table, right

Get: TypeAlias = Callable[[CellResult], Outages]

# What outages concern, in the order of sentences.
OUTAGES: dict[str, Get] = {
    "writes": lambda cell: cell.writes,
    "new connections": lambda cell: cell.connections,
    "reads": lambda cell: cell.reads,
}

# A line of a table: heading -> text. All rows of a table have the same headings.
Row: TypeAlias = dict[str, str]


def cell_rows(cells: Sequence[CellResult]) -> list[Row]:
    """Return one row for each cell, without empty columns.

    Network and fault are shown only if they vary, outages and similar columns only if they were measured.
    """
    rows = [{name: text(cell) for name, text in _COLUMNS.items()} for cell in cells]
    return [{name: row[name] for name in row if _says(rows, name)} for row in rows]


def summary_table(cells: Sequence[CellResult]) -> Table:
    """Return the rows of cells as a table."""
    rows = cell_rows(cells)
    headings = list(rows[0]) if rows else []
    return Table(
        "Summary of all cells",
        headings,
        [list(row.values()) for row in rows],
        numeric=right(headings, *_TEXT),
    )


def _says(rows: Sequence[Row], name: str) -> bool:
    if name in _ALWAYS:
        return True
    if name in _VARYING:
        return any(row[name] != rows[0][name] for row in rows)
    return any(row[name] != NOTHING for row in rows)


def throughput_text(cell: CellResult) -> str:
    """Return the mean rate, with the offered rate if there was one."""
    if cell.kept:
        return f"met the offered {number(cell.offered or 0.0)}"
    achieved = mean_with_interval(cell.tps)
    return achieved if cell.offered is None else f"{achieved} at {number(cell.offered)} offered"


def outage_text(outages: Outages) -> str:
    """Return the mean outage, as a lower bound if some trial did not recover; none if gaps were ordinary."""
    if outages.points and not outages.noticed:
        longest = max(point.ms for point in outages.points)
        return f"none noticed (longest gap {milliseconds(longest)})"
    return mean_with_interval(outages.summary, milli=True)


def total_text(outages: Outages) -> str:
    """Return the mean total of all interruptions of a trial; a dash if there was none."""
    return mean_with_interval(outages.total, milli=True) if outages.noticed else NOTHING


def interruptions_text(outages: Outages) -> str:
    """Return the number of interruptions by cause: "2 x kill primary, 1 x return of node1"."""
    return ", ".join(f"{n} x {event}" for event, n in outages.events.items()) or NOTHING


def stalls_text(cell: CellResult) -> str:
    """Return the stalls before any fault: "27 % of the time, up to 1.02 s (in 3 of 3 trials)"."""
    stalls = cell.stalls
    if cell.tps.n and not stalls.longest.n:
        return "not measured"
    if not stalls.trials:
        return NOTHING
    gaps = [gap for trial in cell.trials for gap in trial.stalls]
    longest = max(gaps, key=lambda gap: (gap.ms, not gap.closed))
    upto = "up to" if longest.closed else "up to at least"
    some = f"in {stalls.trials} of {count(stalls.longest.n, 'trial')}"
    return f"{percent(100 * stalls.share)} % of the time, {upto} {milliseconds(longest.ms)} ({some})"


def failover_text(cell: CellResult) -> str:
    """Return the mean failover time, as a lower bound if writes did not recover in some trial."""
    failover = cell.failover
    if failover.summary.n and not cell.writes.noticed:
        return "none noticed"
    return mean_with_interval(failover.summary, milli=True)


def loss_text(cell: CellResult) -> str:
    """Return the number of lost rows, and of trials or deaths in turn with a loss."""
    loss = cell.loss
    if not loss.checked:
        return NOTHING
    if not loss.total:
        return f"0 (in {loss.counted})"
    return f"{loss.total} (in {loss.hits} of {loss.counted})"


def split_text(cell: CellResult) -> str:
    """Return the number of trials in which several nodes accepted writes at once; a dash if none."""
    return f"{cell.split} of {count(cell.complete, 'trial')}" if cell.split else NOTHING


def spread(summary: Summary, milli: bool = False, why: str = NOT_RECOVERED) -> list[str]:
    """Return n, mean, standard deviation, coefficient of variation and interval as text.

    Lower bounds have only n and the mean.
    """
    if summary.bounds:
        mean = mean_with_interval(summary, milli, why)
        return [str(summary.n), mean, NOTHING, NOTHING, NOTHING]
    show = milliseconds if milli else number
    sd = NOTHING if summary.sd is None else show(summary.sd)
    cov = NOTHING if summary.cov is None else f"{percent(100 * summary.cov)} %"
    interval = NOTHING
    mean = NOTHING if summary.mean is None else show(summary.mean)
    if summary.mean is not None and summary.ci_low is not None and summary.ci_high is not None:
        mean, interval = bearable_parts(summary.mean, summary.ci_low, summary.ci_high, milli)
    return [str(summary.n), mean, sd, cov, interval]


def _trials(cell: CellResult) -> str:
    text = f"{cell.complete} of {cell.planned}" if cell.complete != cell.planned else f"{cell.complete}"
    return f"{text} ({cell.broken} broken)" if cell.broken else text


# The text of a cell in each column; figures are means with their 95 % intervals in brackets.
_COLUMNS: dict[str, Callable[[CellResult], str]] = {
    "Solution": lambda cell: cell.called,
    "Workload": lambda cell: cell.key.workload,
    "Connections": lambda cell: str(cell.key.connections),
    "Network": lambda cell: cell.key.network,
    "Fault": lambda cell: cell.key.fault,
    "Trials": _trials,
    title("tps"): throughput_text,
    title("latency_p95"): lambda cell: mean_with_interval(cell.latency["p95"], milli=True),
    "Invariants": invariants_text,
    "Stalls before": stalls_text,
    title("outage_writes"): lambda cell: outage_text(cell.writes),
    "Total, writes": lambda cell: total_text(cell.writes),
    title("outage_connections"): lambda cell: outage_text(cell.connections),
    title("outage_reads"): lambda cell: outage_text(cell.reads),
    title("failover"): failover_text,
    title("lost"): loss_text,
    title("split_brain"): split_text,
}

_ALWAYS = ("Solution", "Workload", "Connections", "Trials", title("tps"), title("latency_p95"))
_VARYING = ("Network", "Fault")
_TEXT = ("Solution", "Workload", "Network", "Fault")
