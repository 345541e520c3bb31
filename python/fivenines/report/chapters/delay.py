"""The chapter on replication delay: what servers say, the truth, and where the two part."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fivenines.analysis.cells import CellResult
from fivenines.analysis.delay import IN_MS, DelayFigures, Delays, Verdict, delay_figures, delays, verdicts
from fivenines.analysis.delay import Figure as Told
from fivenines.analysis.series import Floats
from fivenines.analysis.wording import NOTHING, listed, milliseconds, number
from fivenines.report.chapters.counters import shown_trial
from fivenines.report.chapters.data import Data
from fivenines.report.charts.multiples import Multiple, multiples, of_trial
from fivenines.report.charts.svg import to_svg
from fivenines.report.figures import Figure
from fivenines.report.groups import Names, drawn
from fivenines.report.section import Drawer, Section, explained, folded
from fivenines.report.table import Table, right


def chapter(data: Data) -> Section:
    """What servers say of their delay, and the truth; empty where nothing was sampled."""
    cells, names = data.done, data.names
    told: list[list[str]] = []
    misled: list[list[str]] = []
    worst: list[tuple[float, str]] = []
    wanted = []
    for cell in cells:
        # one cell after the other: the samples of all trials are many
        trials = [one for one in delay_figures([t.stored for t in cell.trials]) if one.known]
        if not trials:
            continue
        wanted.append(cell)
        judged, name = verdicts(trials), names.full(cell.key)
        told += _delay_rows(name, trials, judged)
        misled += _misled_rows(name, judged)
        truths = [one.truth for one in trials if one.truth is not None and len(one.truth)]
        worst += [(max(float(truth.max()) for truth in truths), name)] if truths else []
    if not wanted:
        return Section("delay", _TITLE)
    chosen, left_out = drawn(wanted, MAX_FIGURES)
    figures = [_figure(cell, names) for cell in wanted if cell in chosen]
    drawn_ones = [figure for figure in figures if figure]
    drawers = [
        *folded(_misled_table(misled), _delay_table(told)),
        Drawer("Each cell over time", texts=[LEGEND, *left_out], figures=drawn_ones),
        explained(MISLED),
    ]
    return Section("delay", _TITLE, [_answer(worst, misled)], drawers=drawers)


def _answer(worst: Sequence[tuple[float, str]], misled: Sequence[Sequence[str]]) -> str:
    """How far behind nodes were in truth, and whether the servers' own figures said so."""
    if not worst:
        return "The truth was not sampled; the tables have what the servers say."
    most, where = max(worst)
    text = "No view of any node lacked an acknowledged write."
    if most >= 1:
        text = f"Nodes were at most {milliseconds(most)} behind in truth ({where})."
    figures = list(dict.fromkeys(row[1] for row in misled))
    if not figures:
        return f"{text} No figure of the servers misled in any trial."
    return f"{text} Figures of the servers that misled: {listed(figures)}."


_TITLE = "Replication delay"

MAX_FIGURES = 12
"""So many cells are drawn; of the others there are the tables."""

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
"""Figures of the servers that are drawn below the truth; all of them stand in the table."""

LEGEND = (
    "The truth is how long ago the oldest acknowledged write of the ledger was acknowledged that the node"
    " does not hold, ten times a second. Below it, what the servers say, as often as they were asked. A"
    " line is broken where there was no answer, or the answer was NULL. The upright rule is a fault."
)
MISLED = (
    "A figure misleads where it says 0 although the truth exceeds 1 s, says NULL meanwhile, or names a delay"
    " that is at least 1 s below or above the truth (2 s where it has whole seconds only). A figure about"
    " what was received may rightly say 0 while nothing is applied: it misleads who takes it for the delay of"
    " reads."
)


def _delay_table(rows: list[list[str]]) -> Table:
    """Percentiles of each figure and of the truth at the same moments, all trials of a cell together."""
    columns = ["Cell", "Figure", "Unit", "Samples", "Says p50", "p95", "Max", "Truth p50", "p95", "Max"]
    return Table(
        "What servers say, and the truth at the same moments",
        columns,
        rows,
        headers=2,
        numeric=right(columns, "Cell", "Figure", "Unit"),
    )


def _delay_rows(
    name: str, trials: Sequence[DelayFigures], judged: Mapping[tuple[str, str], Verdict]
) -> list[list[str]]:
    rows = []
    everything = [one.truth for one in trials if one.truth is not None]
    if everything:
        truth = np.concatenate(everything)
        says = [NOTHING] * 3
        rows.append(
            [name, "the truth, all views", "ms", str(len(truth)), *says, *_percentiles(truth, milliseconds)]
        )
    return rows + [
        [
            name,
            source,
            unit,
            str(verdict.samples),
            *_percentiles(verdict.told, _text_of(unit)),
            *_percentiles(verdict.truth, milliseconds),
        ]
        for (source, unit), verdict in judged.items()
    ]


def _misled_table(rows: list[list[str]]) -> Table:
    """Where a figure of the servers was badly wrong."""
    columns = [
        "Cell",
        "Figure",
        "Samples",
        "Said 0, truth above 1 s",
        "Worst truth then",
        "Said NULL",
        "Worst truth then",
        "1 s too little",
        "1 s too much",
    ]
    return Table(
        "Where the servers' figures misled, in samples",
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
    (seen,) = delays([shown.stored])
    charts = [Multiple("The truth, ms", seen.truth, IN_MS["ms"])] if seen.truth else []
    charts += [
        Multiple(f"{told.source}, {told.unit}", told.nodes, IN_MS.get(told.unit))
        for source in DRAWN
        for told in seen.told
        if told.source == source
    ]
    if not charts:
        return None
    title = f"Replication delay: {names.full(cell.key)}"
    return Figure(
        title,
        f"{_finding(seen)} Shown is trial {shown.record.id}, one of {len(cell.trials)}.",
        to_svg(multiples(of_trial(shown.record, charts, wide=True))),
        _table(title, seen),
        style=names.styles[cell.key.solution],
    )


def _finding(seen: Delays) -> str:
    worst = [(float(series.v.max()), node) for node, series in seen.truth.items() if len(series)]
    if not worst:
        return "The truth was not sampled."
    most, node = max(worst)
    if most < 1:
        return "No view of any node lacked an acknowledged write."
    text = f"At most {milliseconds(most)} behind in truth ({node})"
    seconds = [
        float(np.nanmax(series.v)) * IN_MS[told.unit]
        for told in seen.told
        if told.source in DRAWN and told.unit in IN_MS
        for series in told.nodes.values()
        if not np.isnan(series.v).all()
    ]
    return f"{text}, at most {milliseconds(max(seconds))} as the servers say." if seconds else f"{text}."


def _table(title: str, seen: Delays) -> Table:
    columns = ["Figure", "Unit", "Node", "Samples", "p50", "p95", "Max", "NULL"]
    told = [Told("the truth", "ms", seen.truth), *seen.told]
    rows = [
        [
            figure.source,
            figure.unit,
            node,
            str(len(series)),
            *_percentiles(series.v[~np.isnan(series.v)], number),
            str(int(np.isnan(series.v).sum())),
        ]
        for figure in told
        for node, series in figure.nodes.items()
    ]
    return Table(title, columns, rows, headers=1, numeric=right(columns, "Figure", "Unit", "Node"))


def _percentiles(values: Floats, show: Callable[[float], str]) -> list[str]:
    if not len(values):
        return [NOTHING] * 3
    return [show(float(value)) for value in np.percentile(values, [50, 95, 100])]


def _text_of(unit: str) -> Callable[[float], str]:
    return milliseconds if unit == "ms" else number
