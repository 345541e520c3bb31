"""The chapter on counters and hosts: curves of one trial of each cell, and the cost of a transaction."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fivenines.analysis.availability.availability import steady_window
from fivenines.analysis.cells import CellResult
from fivenines.analysis.figure_cache import cached
from fivenines.analysis.resources.counters import PerTransaction, Samples, curve, per_transaction, steady_mean
from fivenines.analysis.resources.panels import Panel
from fivenines.analysis.resources.sampled import WATCHED, Sampled, kinds, sampled
from fivenines.analysis.statistics.means import summarise
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import NOTHING, count, mean_with_interval, number
from fivenines.report.chapters.availability.failover import representative
from fivenines.report.chapters.data import Data
from fivenines.report.charts.multiples import Multiple, multiples, of_trial
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Names, drawn
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Drawer, Section
from fivenines.report.sentences.disk_writes import written_table
from fivenines.report.table import Table, right


def chapter(data: Data) -> Section:
    """Return the counters of servers and hosts under load; empty if nothing was sampled."""
    cells, names = data.done, data.names
    trials = [trial for cell in cells for trial in cell.trials]
    each = zip(trials, sampled([trial.stored for trial in trials]), strict=True)
    seen = {trial.record.id: samples for trial, samples in each}
    watched_cells = [cell for cell in cells if any(seen[t.record.id].watched for t in cell.trials)]
    if not watched_cells:
        return Section("counters", _TITLE)
    chosen, left_out = drawn(watched_cells, MAX_FIGURES)
    figures = [figure for cell in watched_cells if cell in chosen for figure in _figures(cell, names)]
    costs = cost_table(watched_cells, seen, names)
    means = mean_table(watched_cells, seen, names)
    if len(means.rows) > MAX_ROWS:
        means = mean_table(chosen, seen, names)
    drawers = [
        *([Drawer(costs.caption, [costs], texts=[COST_LEGEND])] if costs.rows else []),
        Drawer("Means of the steady window", [means]),
        Drawer("Disk writes", [written_table(watched_cells, seen, names)]),
        Drawer("Each cell over time", texts=[LEGEND, *left_out], figures=figures),
    ]
    return Section("counters", _TITLE, [_answer(costs, len(watched_cells))], drawers=drawers)


def _answer(costs: Table, cells: int) -> str:
    """Return the cost of a transaction in fsyncs and bytes; with many cells, only their number."""
    parts = [f"{row[0]} {' and '.join(words)}" for row in costs.rows if (words := _cost_words(row[2:4]))]
    if not parts or cells > _LISTED:
        return f"fivenines sampled counters of servers and hosts in {count(cells, 'cell')}."
    return f"Cost of a transaction: {'; '.join(parts)}."


def _cost_words(row: Sequence[str]) -> list[str]:
    values = [text.partition(" (")[0] for text in row]
    units = ("fsyncs", "bytes written")
    return [f"{value} {unit}" for value, unit in zip(values, units, strict=True) if value != NOTHING]


# Up to this number of cells the sentence lists costs; with more only the table does.
_LISTED = 6


_TITLE = "Servers and hosts"

# The number of cells with charts of servers and hosts; the tables have all cells.
MAX_FIGURES = 6

# A longer table of means is restricted to the cells with charts.
MAX_ROWS = 700

LEGEND = (
    "Each small chart shows one figure over the time since the start of the load, in one trial of the cell."
    " Rates are a counter's increase from one sample to the next. A line is interrupted where the server did"
    " not answer. Vertical lines are faults."
)
COST_LEGEND = (
    "Per transaction, in the steady window, all nodes together: fsyncs as the servers count them (MariaDB"
    " omits those of its binary log), bytes that servers count as written to their files and logs (left out"
    " where the block device counted less), and bytes that all hosts sent. The ledger and the observers are"
    " included."
)


def shown_trial(cell: CellResult) -> TrialMeasures:
    """Return the trial with the median outage; without a fault, with the median throughput."""

    def speed(trial: TrialMeasures) -> float:
        return trial.throughput.tps if trial.throughput else 0.0

    ranked = sorted(cell.trials, key=speed)
    return representative(cell) or ranked[(len(ranked) - 1) // 2]


def cost_table(cells: Sequence[CellResult], seen: dict[str, Sampled], names: Names) -> Table:
    """Return the cost of a transaction in each cell: the mean of its trials with its interval."""
    columns = ["Cell", "Trials", "fsyncs", "Bytes written", "Bytes on the network"]
    rows = []
    for cell in cells:
        costs = [cost for trial in cell.trials if (cost := _cost(seen, trial))]
        texts = [
            _summary(costs, get) for get in (lambda c: c.fsyncs, lambda c: c.written, lambda c: c.network)
        ]
        if any(text != NOTHING for text in texts):
            rows.append([names.full(cell.key), str(len(costs)), *texts])
    return Table("Cost of a transaction", columns, rows, numeric=right(columns, "Cell"))


def mean_table(cells: Sequence[CellResult], seen: dict[str, Sampled], names: Names) -> Table:
    """Return the mean of each panel's figure in the steady window, with a column for each host."""
    by_figure: dict[tuple[str, str], dict[str, list[float]]] = {}
    for cell in cells:
        for trial in cell.trials:
            for (title, host), mean in seen[trial.record.id].means.items():
                row = by_figure.setdefault((names.full(cell.key), title), {})
                row.setdefault(host, []).append(mean)
    hosts = sorted({host for row in by_figure.values() for host in row})
    rows = [
        [cell, title, *(mean_with_interval(summarise(row.get(host, []))) for host in hosts)]
        for (cell, title), row in by_figure.items()
    ]
    columns = ["Cell", "Figure", *hosts]
    return Table(
        "Counters and hosts in the steady window: mean of the trials",
        columns,
        rows,
        headers=2,
        numeric=right(columns, "Cell", "Figure"),
    )


def _figures(cell: CellResult, names: Names) -> list[Figure]:
    trial = shown_trial(cell)
    (samples_of,) = cached(WATCHED, [trial.stored])
    return [
        replace(
            _figure(f"{what}: {names.full(cell.key)}", trial, samples, panels),
            style=names.styles[cell.key.solution],
        )
        for what, samples, panels in kinds(samples_of)
        if panels
    ]


def _figure(title: str, trial: TrialMeasures, samples: Samples, panels: Sequence[Panel]) -> Figure:
    charts = [Multiple(panel.title, curve(samples, panel)) for panel in panels]
    columns = ["Figure", "Host", "Steady window", "Largest"]
    rows = []
    start, end = steady_window(trial.record)
    for panel, chart in zip(panels, charts, strict=True):
        means = steady_mean(samples, panel, start, end)
        for host, series in chart.lines.items():
            known = series.v[~np.isnan(series.v)]
            largest = number(float(known.max())) if len(known) else NOTHING
            mean = number(means[host]) if host in means else NOTHING
            rows.append([panel.title, host, mean, largest])
    return Figure(
        title,
        f"Trial {trial.record.id}. Largest: {'; '.join(_peak(chart) for chart in charts)}.",
        to_svg(multiples(of_trial(trial.record, charts))),
        Table(f"{title}, trial {trial.record.id}", columns, rows, 2, frozenset({2, 3})),
    )


def _peak(chart: Multiple) -> str:
    """Return the largest value of a chart in words."""
    peaks = {
        host: float(np.nanmax(series.v))
        for host, series in chart.lines.items()
        if not np.isnan(series.v).all()
    }
    host = max(peaks, key=peaks.__getitem__)
    return f"{chart.title} {number(peaks[host])} ({host})"


def _cost(seen: dict[str, Sampled], trial: TrialMeasures) -> PerTransaction | None:
    samples = seen[trial.record.id]
    if trial.throughput is None or not samples.watched:
        return None
    start, end = steady_window(trial.record)
    return per_transaction(samples.gained, trial.throughput.tps * (end - start) / 1000)


def _summary(costs: Sequence[PerTransaction], get: Callable[[PerTransaction], float | None]) -> str:
    known = [value for cost in costs if (value := get(cost)) is not None]
    return mean_with_interval(summarise(known)) if known else NOTHING
