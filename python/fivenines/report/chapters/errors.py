"""Chapter `errors` of the report."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import number
from fivenines.report import sharing
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names
from fivenines.report.section import Section
from fivenines.report.table import CELL, Table


def chapter(data: Data) -> Section:
    """Of the load generator, of the machine, and by class of error."""
    limits = [
        bottleneck_table(data.done, data.names),
        sharing.table(data.done, data.names),
        errors_table(data.done, data.names),
    ]
    return Section("errors", "Errors and limits of the load", tables=limits)


def errors_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Failed operations by source, class and code, all trials of a cell together."""
    columns = [*CELL, "Source", "Class", "Code", "Failures", "First message"]
    rows = [
        [
            cell.key.solution, names.label(cell.key), error.source, error.kind, error.code,
            number(error.count), error.message,
        ]
        for cell in cells
        for error in cell.errors
    ]  # fmt: skip
    caption = "Failed operations by class, all trials of a cell together"
    return Table(caption, columns, rows, 2, frozenset({5}))


def bottleneck_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Where the load generator says that it was the limit."""
    rows = [
        [names.full(cell.key), "; ".join(dict.fromkeys(cell.bottlenecks))]
        for cell in cells
        if cell.bottlenecks
    ]
    return Table("Warnings of the load generator about itself", ["Cell", "Warning"], rows)
