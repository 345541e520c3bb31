"""Chapter `errors` of the report."""

from fivenines.analysis.wording import number
from fivenines.report import sharing
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section
from fivenines.report.table import CELL, Table


def chapter(data: Data) -> Section:
    """Of the load generator, of the machine, and by class of error."""
    limits = [
        bottleneck_table(data),
        sharing.table(data.done, data.names),
        errors_table(data),
    ]
    return Section("errors", "Errors and limits of the load", tables=limits)


def errors_table(data: Data) -> Table:
    """Failed operations by source, class and code, all trials of a cell together."""
    columns = [*CELL, "Source", "Class", "Code", "Failures", "First message"]
    rows = [
        [
            cell.key.solution, data.names.label(cell.key), error.source, error.kind, error.code,
            number(error.count), error.message,
        ]
        for cell in data.done
        for error in cell.errors
    ]  # fmt: skip
    caption = "Failed operations by class, all trials of a cell together"
    return Table(caption, columns, rows, 2, frozenset({5}))


def bottleneck_table(data: Data) -> Table:
    """Where the load generator says that it was the limit."""
    rows = [
        [data.names.full(cell.key), "; ".join(dict.fromkeys(cell.bottlenecks))]
        for cell in data.done
        if cell.bottlenecks
    ]
    return Table("Warnings of the load generator about itself", ["Cell", "Warning"], rows)
