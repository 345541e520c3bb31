"""The list of what went wrong, which stands before all figures; and what is said aloud at the very top."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.troubles import KINDS, TroubleResult, trouble_results
from fivenines.analysis.wording import NOTHING, count, listed
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, names_of
from fivenines.report.section import Drawer, Section
from fivenines.report.table import Table, without_empty


def chapter(data: Data) -> Section:
    """Where they are many, the first of each kind stands for the rest."""
    cells = data.swept.measured
    names, found = names_of(cells), trouble_results(data.run, cells)
    table = trouble_table(found, names)
    texts = [trouble_text(found)] if found else []
    if len(table.rows) <= _SHOWN:
        return Section("wrong", "What went wrong", texts, [table])
    first = {one.kind: one for one in reversed(found)}
    short = trouble_table(list(first.values())[::-1], names)
    return Section("wrong", "What went wrong", texts, [short], [], [Drawer("All of it", [table])])


_SHOWN = 6
"""Of more bad states than these the first of each kind stands for the rest."""

_TRIALS = 6
"""So many trials are named."""

_LONG = 600
"""Longer texts are cut; the whole stands in the trial's record."""


def trouble_table(found: Sequence[TroubleResult], names: Names) -> Table:
    """One row for each trouble of each cell, the worst first."""
    columns = ["What", "Solution", "Conditions", "Trials", "In words, of the first", "Node", "Which"]
    rows = [
        [
            one.kind.capitalize(),
            one.key.solution,
            names.label(one.key),
            f"{len(one.trials)} of {one.of}",
            _cut(one.text),
            ", ".join(one.where) or NOTHING,
            _named(one.trials),
        ]
        for one in found
    ]
    caption = "Bad states, the worst first; alike ones are counted together"
    table = Table(caption, columns, rows, 2, frozenset({3}))
    return without_empty(table, "Conditions")


def trouble_text(found: Sequence[TroubleResult]) -> str:
    """The list in a sentence; "" if nothing went wrong."""
    parts = []
    for kind in KINDS:
        trials = {(one.key, trial) for one in found if one.kind == kind for trial in one.trials}
        if trials:
            parts.append(f"{kind} in {count(len(trials), 'trial')}")
    return f"{listed(parts)}.".capitalize() if parts else ""


def alarms(cells: Sequence[CellResult]) -> list[str]:
    """What must not be overlooked: for each solution, in how many trials it had a split brain."""
    found = []
    for solution in dict.fromkeys(cell.key.solution for cell in cells if cell.split):
        members = [cell for cell in cells if cell.key.solution == solution]
        split = [one for cell in members for t in cell.trials for one in t.split_brains]
        hit, trials = sum(cell.split for cell in members), sum(cell.complete for cell in members)
        lost = [one.lost for one in split]
        rows = sum(one.acknowledged for one in split)
        known = sum(n for n in lost if n is not None)
        least = "at least " if None in lost else ""
        losses = (
            f" Of {count(rows, 'write')} acknowledged meanwhile, {least}{known} are lost."
            if any(one.counted for one in split)
            else ""
        )
        found.append(
            f"{solution} had a split brain in {hit} of {count(trials, 'trial')}: several nodes took"
            f" writes at the same time, where the design allows one.{losses}"
        )
    return found


def _named(trials: Sequence[str]) -> str:
    more = f" and {len(trials) - _TRIALS} more" if len(trials) > _TRIALS else ""
    return ", ".join(trials[:_TRIALS]) + more


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]} …"
