"""The chapter on the workload's invariants, conditions on the data after a load."""

from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import NOTHING, count
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Drawer, Section, folded, is_long
from fivenines.report.table import Table, right
from fivenines.results.records import InvariantCheck


def chapter(data: Data) -> Section:
    """Return violated and unknown invariants."""
    every = invariants_table(data)
    violated = violated_table(data)
    unknown = unknown_table(data)
    texts = []
    if every.rows and not violated.rows:
        texts = ["No invariant is violated in any trial in which it could be checked."]
    drawers = [Drawer("All invariants of all cells", [every]), *folded(unknown)]
    drawers += folded(violated) if is_long(violated) else []
    shown = [] if is_long(violated) else [violated]
    return Section("invariants", "Invariants", texts, shown, [], drawers)


def invariants_text(cell: CellResult) -> str:
    """Return the state of a cell in short: "13 hold", "VIOLATED in 1 of 3 trials", "2 of 13 not known"."""
    invariants = cell.invariants
    if not invariants:
        return NOTHING
    if cell.violated:
        return f"VIOLATED in {cell.violated} of {count(cell.complete, 'trial')}"
    unknown = sum(one.unknown > 0 for one in invariants)
    if unknown:
        return f"{unknown} of {len(invariants)} not known"
    return f"{len(invariants)} hold" if len(invariants) > 1 else "1 holds"


def offending_text(check: InvariantCheck) -> str:
    """Return the violation with its rows: "1 row found: o_id 3, lines 9; ..."."""
    rows = [", ".join(f"{column} {value}" for column, value in row.items()) for row in check.offending]
    return ": ".join(part for part in (check.detail, "; ".join(rows)) if part)


def invariants_table(data: Data) -> Table:
    """Return the number of trials in which each invariant holds, is violated, or is not known."""
    columns = ["Solution", "Conditions", "Invariant", "Source", "Holds", "Violated", "Not known"]
    rows = [
        [
            cell.key.solution,
            data.names.label(cell.key),
            one.name,
            one.source,
            str(one.holds),
            str(one.violated),
            str(one.unknown),
        ]
        for cell in data.done
        for one in cell.invariants
    ]
    caption = "Invariants of the workload's data, in number of trials"
    return Table(caption, columns, rows, 2, right(columns, "Solution", "Conditions", "Invariant", "Source"))


def violated_table(data: Data) -> Table:
    """Return the violated invariants of each trial, with the offending rows."""
    return _table("Violated invariants", "violated", data)


def unknown_table(data: Data) -> Table:
    """Return the invariants that could not be checked, with the reasons."""
    return _table("Invariants that could not be checked", "unknown", data)


def _table(caption: str, status: str, data: Data) -> Table:
    rows = [
        [check.name, offending_text(check), data.names.full(cell.key), trial.record.id, check.source]
        for cell in data.done
        for trial in cell.trials
        for check in trial.record.invariants
        if check.status == status
    ]
    return Table(caption, ["Invariant", "Result", "Cell", "Trial", "Source"], rows)
