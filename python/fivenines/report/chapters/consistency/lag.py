"""The chapter on replication lag: the lag that servers report, the actual lag, and misleading figures."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fivenines.analysis.cells import CellResult
from fivenines.analysis.figure_cache import cached
from fivenines.analysis.replication.lag import CURVES, IN_MS, LagFigures, Lags, Verdict, lag_figures, verdicts
from fivenines.analysis.replication.lag import Figure as Reported
from fivenines.analysis.resources.series import Floats
from fivenines.analysis.wording import NOTHING, listed, milliseconds, number
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance.counters import shown_trial
from fivenines.report.charts.multiples import Multiple, multiples, of_trial
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Names, drawn
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Drawer, Section, explained, folded
from fivenines.report.table import Table, right


def chapter(data: Data) -> Section:
    """Return reported and actual replication lag; empty if nothing was sampled."""
    cells, names = data.done, data.names
    reported: list[list[str]] = []
    misled: list[list[str]] = []
    worst: list[tuple[float, str]] = []
    sampled = []
    for cell in cells:
        # The samples of all trials together would take too much memory, so cells are read one by one.
        trials = [one for one in lag_figures([t.stored for t in cell.trials]) if one.known]
        if not trials:
            continue
        sampled.append(cell)
        judged, name = verdicts(trials), names.full(cell.key)
        reported += _lag_rows(name, trials, judged)
        misled += _misled_rows(name, judged)
        actual = [one.truth for one in trials if one.truth is not None and len(one.truth)]
        worst += [(max(float(lag.max()) for lag in actual), name)] if actual else []
    if not sampled:
        return Section("lag", _TITLE)
    chosen, left_out = drawn(sampled, MAX_FIGURES)
    figures = [_figure(cell, names) for cell in sampled if cell in chosen]
    drawers = [
        *folded(_misled_table(misled), _lag_table(reported)),
        Drawer(
            "Each cell over time", texts=[LEGEND, *left_out], figures=[figure for figure in figures if figure]
        ),
        explained(MISLED),
    ]
    return Section("lag", _TITLE, [_answer(worst, misled)], drawers=drawers)


def _answer(worst: Sequence[tuple[float, str]], misled: Sequence[Sequence[str]]) -> str:
    """Return the largest actual lag, and the figures of servers that misled."""
    if not worst:
        return "The actual lag was not sampled. The tables have the lag that servers report."
    most, where = max(worst)
    text = "No sample of any node lacked an acknowledged write."
    if most >= 1:
        text = f"The actual replication lag was at most {milliseconds(most)} ({where})."
    figures = list(dict.fromkeys(row[1] for row in misled))
    if not figures:
        return f"{text} No figure of the servers misled in any trial."
    return f"{text} Misleading figures of the servers: {listed(figures)}."


_TITLE = "Replication lag"

# The number of cells with charts; the tables have all cells.
MAX_FIGURES = 12

# The reported figures in the charts, below the actual lag; the tables have all figures.
DRAWN = (
    "Seconds_Behind_Master",
    "gtid_binlog_pos - gtid_slave_pos",
    "wsrep_local_recv_queue",
    "max(wsrep_last_committed) - wsrep_last_committed",
    "pg_stat_replication.replay_lag",
    "pg_current_wal_lsn - replay_lsn",
    "Seconds_Behind_Source",
    "max(gtid_executed) - gtid_executed",
    "COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE",
    "AuroraReplicaLag",
)

LEGEND = (
    "Actual lag: the age of the oldest acknowledged write of the ledger that the node lacks, ten times a"
    " second. Below it is the lag that servers report, as often as they were asked. A line is interrupted"
    " where there was no answer, or the answer was NULL. Vertical lines are faults."
)
MISLED = (
    "A figure misleads if it is 0 or NULL although the actual lag exceeds 1 s, or if it is at least 1 s below"
    " or above the actual lag (2 s for figures in whole seconds). A figure about received data may correctly"
    " be 0 while nothing is applied; it misleads readers who take it for the lag of reads."
)


def _lag_table(rows: list[list[str]]) -> Table:
    """Return percentiles of each reported figure, and of the actual lag at the same moments."""
    columns = ["Cell", "Figure", "Unit", "Samples", "Reported p50", "p95", "Max", "Actual p50", "p95", "Max"]
    return Table(
        "Reported lag, and the actual lag at the same moments",
        columns,
        rows,
        headers=2,
        numeric=right(columns, "Cell", "Figure", "Unit"),
    )


def _lag_rows(
    name: str, trials: Sequence[LagFigures], judged: Mapping[tuple[str, str], Verdict]
) -> list[list[str]]:
    rows = []
    every = [one.truth for one in trials if one.truth is not None]
    if every:
        actual = np.concatenate(every)
        blank = [NOTHING] * 3
        rows.append(
            [
                name,
                "actual lag, all samples",
                "ms",
                str(len(actual)),
                *blank,
                *_percentiles(actual, milliseconds),
            ]
        )
    return rows + [
        [
            name,
            source,
            unit,
            str(verdict.samples),
            *_percentiles(verdict.reported, _text_of(unit)),
            *_percentiles(verdict.truth, milliseconds),
        ]
        for (source, unit), verdict in judged.items()
    ]


def _misled_table(rows: list[list[str]]) -> Table:
    """Return the reported figures that misled."""
    columns = [
        "Cell",
        "Figure",
        "Samples",
        "Reported 0, actual above 1 s",
        "Worst actual lag",
        "Reported NULL",
        "Worst actual lag",
        "At least 1 s too low",
        "At least 1 s too high",
    ]
    return Table(
        "Misleading figures of the servers, in samples",
        columns,
        rows,
        headers=2,
        numeric=right(columns, "Cell", "Figure"),
    )


def _misled_rows(name: str, judged: Mapping[tuple[str, str], Verdict]) -> list[list[str]]:
    return [
        [
            name,
            source,
            str(verdict.samples),
            str(verdict.zero),
            milliseconds(verdict.zero_worst) if verdict.zero else NOTHING,
            str(verdict.null),
            milliseconds(verdict.null_worst) if verdict.null else NOTHING,
            *(str(n) if unit in IN_MS else NOTHING for n in (verdict.under, verdict.over)),
        ]
        for (source, unit), verdict in judged.items()
        if verdict.misled
    ]


def _figure(cell: CellResult, names: Names) -> Figure | None:
    shown = shown_trial(cell)
    (seen,) = cached(CURVES, [shown.stored])
    charts = [Multiple("Actual lag, ms", seen.truth, IN_MS["ms"])] if seen.truth else []
    charts += [
        Multiple(f"{figure.source}, {figure.unit}", figure.nodes, IN_MS.get(figure.unit))
        for source in DRAWN
        for figure in seen.reported
        if figure.source == source
    ]
    if not charts:
        return None
    title = f"Replication lag: {names.full(cell.key)}"
    return Figure(
        title,
        f"{_finding(seen)} Shown is trial {shown.record.id}, one of {len(cell.trials)}.",
        to_svg(multiples(of_trial(shown.record, charts, wide=True))),
        _table(title, seen),
        style=names.styles[cell.key.solution],
    )


def _finding(seen: Lags) -> str:
    worst = [(float(series.v.max()), node) for node, series in seen.truth.items() if len(series)]
    if not worst:
        return "The actual lag was not sampled."
    most, node = max(worst)
    if most < 1:
        return "No sample of any node lacked an acknowledged write."
    text = f"The actual lag was at most {milliseconds(most)} ({node})"
    reported = [
        float(np.nanmax(series.v)) * IN_MS[figure.unit]
        for figure in seen.reported
        if figure.source in DRAWN and figure.unit in IN_MS
        for series in figure.nodes.values()
        if not np.isnan(series.v).all()
    ]
    return f"{text}, the reported lag at most {milliseconds(max(reported))}." if reported else f"{text}."


def _table(title: str, seen: Lags) -> Table:
    columns = ["Figure", "Unit", "Node", "Samples", "p50", "p95", "Max", "NULL"]
    figures = [Reported("actual lag", "ms", seen.truth), *seen.reported]
    rows = [
        [
            figure.source,
            figure.unit,
            node,
            str(len(series)),
            *_percentiles(series.v[~np.isnan(series.v)], number),
            str(int(np.isnan(series.v).sum())),
        ]
        for figure in figures
        for node, series in figure.nodes.items()
    ]
    return Table(title, columns, rows, headers=1, numeric=right(columns, "Figure", "Unit", "Node"))


def _percentiles(values: Floats, show: Callable[[float], str]) -> list[str]:
    if not len(values):
        return [NOTHING] * 3
    return [show(float(value)) for value in np.percentile(values, [50, 95, 100])]


def _text_of(unit: str) -> Callable[[float], str]:
    return milliseconds if unit == "ms" else number
