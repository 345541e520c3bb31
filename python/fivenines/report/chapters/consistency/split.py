"""The chapter on split brain: time, nodes, duration, and the writes of each side."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.consistency.split_brain import SplitBrain
from fivenines.analysis.measures.measures import title
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import NOT_ENDED, NOTHING, at_least, count, listed, milliseconds, number
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, names_of
from fivenines.report.html.section import Section, explained, folded, is_long
from fivenines.report.table import Table


def chapter(data: Data) -> Section:
    """Return the split brains, which are also an alarm at the top of the page."""
    table = split_table(data.swept.measured, names_of(data.swept.measured))
    if not table.rows:
        return Section("split", title("split_brain"))
    trials = len({row[0] for row in table.rows})
    text = f"Several nodes accepted writes at the same time in {count(trials, 'trial')}."
    shown, drawers = ([], folded(table)) if is_long(table) else ([table], [])
    return Section("split", title("split_brain"), [text], shown, [], [*drawers, explained(LEGEND)])


LEGEND = (
    "Outside the network under test, fivenines asks each node whether it accepts writes. Here several did at"
    " the same time, although the solution's design allows one. Acknowledged: writes of the ledger in that"
    " time, by the node of the client's connection. Lost: those that the primary of record lacks at the end."
)


def split_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Return every split brain of every trial."""
    columns = ["Trial", "Cell", "Nodes", "From", "Duration", "Acknowledged writes", "Lost of these"]
    rows = [
        [
            trial.record.id,
            names.full(cell.key),
            listed(list(one.overlap.nodes)),
            _from(trial, one),
            _length(one),
            *_writes(one),
        ]
        for cell in cells
        for trial in cell.trials
        for one in trial.split_brains
    ]
    caption = "Split brains: several nodes accepted writes at the same time"
    return Table(caption, columns, rows, 2, frozenset({3, 4}))


def split_figures(cell: CellResult) -> list[dict[str, Any]]:
    """Return all split brains of a cell as plain data; times in ms of the load."""
    return [
        {
            "trial": trial.record.id,
            "start_ms": one.overlap.start,
            "end_ms": one.overlap.end,
            "still_in_the_end": one.overlap.open_,
            "nodes": list(one.overlap.nodes),
            "acknowledged": one.acknowledged if one.counted else None,
            "lost": one.lost,
            "sides": [asdict(side) for side in one.sides],
        }
        for trial in cell.trials
        for one in trial.split_brains
    ]


def _from(trial: TrialMeasures, one: SplitBrain) -> str:
    before = [fault for fault in trial.record.faults if fault.at <= one.overlap.start]
    if not before:
        return f"{milliseconds(one.overlap.start)} after the start of the load"
    return f"{milliseconds(one.overlap.start - before[-1].at)} after {before[-1].kind}"


def _length(one: SplitBrain) -> str:
    return at_least(milliseconds(one.overlap.ms), one.overlap.open_, 1, NOT_ENDED)


def _writes(one: SplitBrain) -> tuple[str, str]:
    if not one.counted:
        return NOTHING, NOTHING
    if not one.sides:
        return "0", "0"
    acknowledged = [f"{side.node}: {number(side.acknowledged)}" for side in one.sides]
    lost = [f"{side.node}: {'not known' if side.lost is None else number(side.lost)}" for side in one.sides]
    return "; ".join(acknowledged), "; ".join(lost)
