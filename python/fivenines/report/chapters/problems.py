"""The chapter on problems, which precedes all figures, and the alarms at the top of the page."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.troubles import KINDS, TroubleResult, trouble_results
from fivenines.analysis.wording import NOTHING, count, listed
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, names_of
from fivenines.report.html.section import Drawer, Section
from fivenines.report.table import Table, without_empty


def chapter(data: Data) -> Section:
    """Return the problems of the run; if there are many, the first of each kind, the others in a drawer."""
    cells = data.swept.measured
    names, problems = names_of(cells), trouble_results(data.run, cells)
    table = trouble_table(problems, names)
    texts = [trouble_text(problems)] if problems else []
    if len(table.rows) <= _SHOWN:
        return Section("problems", TITLE, texts, [table])
    first = {one.kind: one for one in reversed(problems)}
    short = trouble_table(list(first.values())[::-1], names)
    return Section("problems", TITLE, texts, [short], [], [Drawer("All problems", [table])])


TITLE = "Problems"

# With more problems, the first of each kind is shown.
_SHOWN = 6

# The number of trials that are named.
_TRIALS = 6

# Longer texts, in characters, are cut; the trial's record has the whole text.
_LONG = 600


def trouble_table(problems: Sequence[TroubleResult], names: Names) -> Table:
    """Return one row for each problem of each cell, the worst first."""
    columns = ["Problem", "Solution", "Conditions", "Trials", "First message", "Node", "Trial ids"]
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
        for one in problems
    ]
    caption = "Problems, the worst first; equal ones are counted together"
    table = Table(caption, columns, rows, 2, frozenset({3}))
    return without_empty(table, "Conditions")


def trouble_text(problems: Sequence[TroubleResult]) -> str:
    """Return the problems in a sentence; "" without any."""
    parts = []
    for kind in KINDS:
        trials = {(one.key, trial) for one in problems if one.kind == kind for trial in one.trials}
        if trials:
            parts.append(f"{kind} in {count(len(trials), 'trial')}")
    return f"{listed(parts)}.".capitalize() if parts else ""


def alarms(cells: Sequence[CellResult]) -> list[str]:
    """Return the alarms: for each solution, in how many trials it had a split brain."""
    texts = []
    for solution in dict.fromkeys(cell.key.solution for cell in cells if cell.split):
        members = [cell for cell in cells if cell.key.solution == solution]
        split = [one for cell in members for t in cell.trials for one in t.split_brains]
        hit, trials = sum(cell.split for cell in members), sum(cell.complete for cell in members)
        lost = [one.lost for one in split]
        rows = sum(one.acknowledged for one in split)
        known = sum(n for n in lost if n is not None)
        least = "at least " if None in lost else ""
        losses = (
            f" Of {count(rows, 'write')} acknowledged in that time, {least}{known} are lost."
            if any(one.counted for one in split)
            else ""
        )
        texts.append(
            f"{solution} had a split brain in {hit} of {count(trials, 'trial')}: several nodes accepted"
            f" writes at the same time, although the design allows one.{losses}"
        )
    return texts


def _named(trials: Sequence[str]) -> str:
    more = f" and {len(trials) - _TRIALS} more" if len(trials) > _TRIALS else ""
    return ", ".join(trials[:_TRIALS]) + more


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]} …"
