"""The failover of each cell as a time line: a representative trial, with the others in grey."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from fivenines.analysis.availability.availability import Availability, Ints, Outage
from fivenines.analysis.availability.interruptions import Interruption, in_words, length_of
from fivenines.analysis.availability.traces import prepare_lines
from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.measures import title
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import MINUS, at_least, count, milliseconds
from fivenines.report.chapters.data import Data
from fivenines.report.charts import failover as charts
from fivenines.report.charts import theme
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Names
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Section, explained, in_row
from fivenines.report.html.timelines import BEFORE_MS, Plan, packed, plan, view
from fivenines.report.moments import moments
from fivenines.report.table import Table, right, without_empty


def chapter(data: Data) -> Section:
    """Return the time lines of failovers."""
    figures, left_out = timeline_figures(data)
    title = "Second by second"
    if not figures:
        return Section("failover", title)
    shown, others = in_row(figures, "The other cells")
    legend = [LEGEND]
    if left_out:
        legend.append(
            f"Only the tables contain the {count(left_out, 'cell')} with fewer connections, to keep the file"
            " small."
        )
    drawers = [*others, explained(*legend)]
    return Section("failover", title, [_answer(data)], [], shown, drawers)


def _answer(data: Data) -> str:
    """Return the shortest and longest outage of writes of the drawn trials, with their solutions."""
    seen = [
        (trial.availability.writes, cell)
        for cell in data.done
        if cell.faulted and (trial := representative(cell)) and trial.availability
    ]
    ranked = sorted(((one.ms, not one.back, cell.called) for one, cell in seen if one and one.noticed))
    if not ranked:
        return "No trial with a median outage shows a noticeable outage of writes."
    ends = [f"{at_least(milliseconds(ms), lost, 1)} ({name})" for ms, lost, name in (ranked[0], ranked[-1])]
    length = ends[0] if len(ranked) == 1 else f"{ends[0]} to {ends[1]}"
    return f"In the trial with the median outage writes were unavailable for {length}."


# Bounds on a report's size: figures, grey trials in each, points in total.
MAX_FIGURES = 12
MAX_FAINT = 8

# Grey lines of the drawing have wider slots: they are more than half of its bytes.
_COARSER = 2
MAX_POINTS = 45_000

LEGEND = (
    "Filled: the trial with the median outage of writes. Thin grey lines: other trials of the cell. Solid"
    " vertical lines are faults; numbered dashed lines are events, listed below: steps of the manager and"
    " ends of phases. Brackets are interruptions with their length and cause. Charts of the same conditions"
    " have the same scales."
)


def timeline_figures(data: Data) -> tuple[list[Figure], int]:
    """Return a figure for each cell with a fault, and the number of cells left out to bound the size.

    If not all fit, cells with many connections come first.
    """
    faulted = [cell for cell in data.done if cell.faulted and _candidates(cell)]
    chosen = sorted(faulted, key=lambda cell: -cell.key.connections)[:MAX_FIGURES]
    slot = _slot_ms(chosen)
    planned = plan([_ordered(cell) for cell in chosen])
    for cell in chosen:
        most = max(MAX_FAINT + 1, planned.trials)
        prepare_lines([trial.stored for trial in _ordered(cell)[:most]])
    drawn = _tops(chosen, data.names, slot)
    fine = drawn if slot == _FINE else _tops(chosen, data.names, _FINE)
    figures = []
    for cell in faulted:
        if cell in chosen:
            label = data.names.label(cell.key)
            tops = drawn[label], fine[label]
            figures.append(_figure(cell, data.names, slot, planned, tops))
    return figures, len(faulted) - len(figures)


# The largest number of successes in a slot, for writes and for reads.
Tops: TypeAlias = dict[str, float]

# The slots of the page's script in ms, before readers zoom in.
_FINE = 100


def _tops(cells: Sequence[CellResult], names: Names, slot: int) -> dict[str, Tops]:
    """Return the largest counts by conditions, whose charts are compared and so share a scale."""
    by_label: dict[str, Tops] = {}
    for cell in cells:
        tops = by_label.setdefault(names.label(cell.key), {"writes": 0.0, "reads": 0.0})
        for trial in _ordered(cell)[: MAX_FAINT + 1]:
            for what in tops:
                values = (value for _, value in _binned(trial, what, slot))
                tops[what] = max(tops[what], *values, 0.0)
    return by_label


def representative(cell: CellResult) -> TrialMeasures | None:
    """Return the trial with the median outage of writes (the lower of two medians), otherwise of reads."""

    def length(trial: TrialMeasures) -> tuple[float, float]:
        assert trial.availability
        writes, reads = trial.availability.writes, trial.availability.reads
        return (writes.ms if writes else 0.0, reads.ms if reads else 0.0)

    ranked = sorted(_candidates(cell), key=length)
    return ranked[(len(ranked) - 1) // 2] if ranked else None


def _ordered(cell: CellResult) -> list[TrialMeasures]:
    """The trials to choose from, the one that is shown first in front."""
    shown = representative(cell)
    return sorted(_candidates(cell), key=lambda trial: trial is not shown)


def _candidates(cell: CellResult) -> list[TrialMeasures]:
    return [t for t in cell.trials if t.availability and t.record.windows and t.slots]


def _slot_ms(cells: list[CellResult]) -> int:
    """Return the width of the drawn slots: 100 ms, or wider to bound the report's size."""
    total = 0.0
    for cell in cells:
        trials = _candidates(cell)[: MAX_FAINT + 1]
        total += sum(2 * (view(t)[1] - view(t)[0]) for t in trials)
    for slot in (100, 200, 500, 1000, 2000):
        if total / slot <= MAX_POINTS:
            return slot
    return 5000


def _availability(trial: TrialMeasures) -> Availability:
    assert trial.availability
    return trial.availability


def _figure(cell: CellResult, names: Names, slot: int, planned: Plan, tops: tuple[Tops, Tops]) -> Figure:
    chosen = representative(cell)
    assert chosen
    others = [trial for trial in _candidates(cell) if trial is not chosen][:MAX_FAINT]
    availability = _availability(chosen)
    start, end = view(chosen)
    notes = moments(chosen, since=BEFORE_MS)
    style = names.styles[cell.key.solution]
    panels = [
        _panel("writes", chosen, others, slot, style.colour, tops[0]),
        _panel("reads", chosen, others, slot, theme.INK, tops[0]),
    ]
    fault = chosen.record.fault
    chart = charts.Failover(
        (start - availability.fault_at) / 1000,
        (end - availability.fault_at) / 1000,
        [panel for panel in panels if panel.chosen],
        f"{fault.kind} {fault.role}" if fault else "fault",
        [
            charts.Mark(note.t, str(number), note.fault)
            for number, note in enumerate(notes, 1)
            if note.t <= (end - availability.fault_at) / 1000  # a node may rejoin after the load
        ],
    )
    return Figure(
        f"Failover: {names.full(cell.key)}",
        _finding(cell, chosen),
        to_svg(charts.failover(chart)),
        _table(cell, chosen),
        [(f"{note.t:+.2f} s", note.text) for note in notes],
        style,
        packed(_ordered(cell), planned, lambda trial: _finding(cell, trial), _label, tops[1]),
    )


def _panel(
    what: str, chosen: TrialMeasures, others: list[TrialMeasures], slot: int, colour: str, tops: Tops
) -> charts.Panel:
    at = _availability(chosen).fault_at
    interruptions: Sequence[Interruption] = getattr(chosen.interruptions, what)
    gaps = [((one.gap.start - at) / 1000, (one.gap.end - at) / 1000, _label(one)) for one in interruptions]
    return charts.Panel(
        f"Successful {what} per {milliseconds(slot)}",
        _binned(chosen, what, slot),
        [[(t, n / _COARSER) for t, n in _binned(trial, what, slot * _COARSER)] for trial in others],
        colour,
        gaps,
        tops[what],
    )


def _label(one: Interruption) -> str:
    """ "710 ms: return of node1"."""
    waited = " + client's time-out" if one.wait else ""
    length = at_least(milliseconds(one.ms), not one.gap.closed, 1)
    return f"{length}: {one.event or 'no event'}{waited}"


def _binned(trial: TrialMeasures, what: str, slot: int) -> list[tuple[float, float]]:
    """Return successes per slot as (seconds from the fault, number), only where the number changes."""
    availability = _availability(trial)
    start, end = view(trial)
    counts: Ints = trial.timeline.writes if what == "writes" else trial.timeline.reads
    inside = (trial.timeline.slot >= start) & (trial.timeline.slot < end)
    offsets = (trial.timeline.slot[inside] - start) // slot
    size = max(1, int((end - start) // slot))  # the last, incomplete slot is left out
    sums = np.bincount(offsets.astype(np.int64), weights=counts[inside], minlength=size)[:size]
    if not sums.any():
        return []
    changes = np.flatnonzero(np.append(True, sums[1:] != sums[:-1]))
    points = [
        (round(float(start + index * slot - availability.fault_at) / 1000, 3), float(sums[index]))
        for index in changes
    ]
    return [*points, (round(float(end - availability.fault_at) / 1000, 3), float(sums[-1]))]


def _finding(cell: CellResult, trial: TrialMeasures) -> str:
    every, availability = trial.interruptions, _availability(trial)
    parts = [
        _sentence(what, outage, interruptions)
        for what, outage, interruptions in (
            ("Writes", availability.writes, every.writes),
            ("New connections", availability.connections, every.connections),
            ("Reads", availability.reads, every.reads),
        )
        if outage
    ]
    shown = f"The chart shows trial {trial.record.id}, one of {len(cell.trials)}."
    return " ".join([*parts, shown])


def _sentence(what: str, outage: Outage, interruptions: Sequence[Interruption]) -> str:
    if not outage.noticed:
        return f"{what}: none noticed (longest gap {milliseconds(outage.ms)})."
    if len(interruptions) == 1:
        return f"{what} were unavailable for {length_of(interruptions[0])}."
    total = milliseconds(outage.total_ms)
    return f"{what} were unavailable {len(interruptions)} times, {total} in total: {in_words(interruptions)}."


def _table(cell: CellResult, chosen: TrialMeasures) -> Table:
    columns = [
        "Trial",
        "Writes unavailable",
        "from",
        "to",
        "Interruptions of writes",
        "total",
        "New connections unavailable",
        "Reads unavailable",
        "Interruptions of reads",
        "total",
        title("failover"),
    ]
    rows = []
    for trial in _candidates(cell):
        availability = _availability(trial)
        mark = " (shown in full)" if trial is chosen else ""
        bound = availability.failover_ms is None and availability.writes is not None
        failover = availability.observed_ms if bound else availability.failover_ms
        rows.append(
            [
                trial.record.id + mark,
                *_outage_cells(availability.writes, availability.fault_at),
                *_all(availability.writes, trial.interruptions.writes),
                _length(availability.connections),
                _length(availability.reads),
                *_all(availability.reads, trial.interruptions.reads),
                "" if failover is None else at_least(milliseconds(failover), bound, 1),
            ]
        )
    caption = "Interruptions of all trials of the cell, in time from the fault"
    words = ("Interruptions of writes", "Interruptions of reads")
    table = Table(caption, columns, rows, numeric=right(columns, "Trial", *words))
    return without_empty(table, "New connections unavailable")


def _all(outage: Outage | None, interruptions: Sequence[Interruption]) -> list[str]:
    """Return each interruption, and their sum."""
    if outage is None or not outage.noticed:
        return ["", ""]
    return [in_words(interruptions), at_least(milliseconds(outage.total_ms), not outage.back, 1)]


def _length(outage: Outage | None) -> str:
    return at_least(milliseconds(outage.ms), not outage.back, 1) if outage else ""


def _outage_cells(outage: Outage | None, at: float) -> list[str]:
    if outage is None:
        return ["not measured", "", ""]
    ends = _since(outage.gap.end - at) if outage.gap.closed else "the end"
    return [_length(outage), _since(outage.gap.start - at), ends]


def _since(ms: float) -> str:
    return f"{ms / 1000:+.2f} s".replace("-", MINUS)
