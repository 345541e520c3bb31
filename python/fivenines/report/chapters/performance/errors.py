"""Chapter `errors` of the report."""

from collections import Counter
from dataclasses import replace

from fivenines.analysis.wording import number
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance.transactions import connect_table
from fivenines.report.html.section import Drawer, Section, folded
from fivenines.report.sentences import sharing
from fivenines.report.table import CELL, Table


def chapter(data: Data) -> Section:
    """Return failed operations by class, CPU use, and warnings of the load generator."""
    drawers = [
        Drawer("Failed operations by class", [errors_table(data)]),
        Drawer("CPU use", [sharing.table(data.done, data.names)]),
        Drawer("Connecting", [connect_table(data)]),
    ]
    drawers += folded(bottleneck_table(data))
    section = Section("errors", TITLE, drawers=drawers)
    return replace(section, texts=[_answer(data)]) if section.filled else section


TITLE = "Errors"


def _answer(data: Data) -> str:
    """Return the number of failed operations, and the most frequent class."""
    classes: Counter[str] = Counter()
    for cell in data.done:
        for error in cell.errors:
            classes[error.kind] += error.count
    if not classes:
        return "No operation failed."
    kind, n = classes.most_common(1)[0]
    return f"{number(classes.total())} operations failed in all trials, {number(n)} of them as {kind}."


def errors_table(data: Data) -> Table:
    """Return failed operations by source, class and code, all trials of a cell together."""
    columns = [*CELL, "Source", "Class", "Code", "Failures", "First message"]
    rows = [
        [
            cell.key.solution,
            data.names.label(cell.key),
            error.source,
            error.kind,
            error.code,
            number(error.count),
            error.message,
        ]
        for cell in data.done
        for error in cell.errors
    ]
    caption = "Failed operations by class, all trials of a cell together"
    return Table(caption, columns, rows, 2, frozenset({5}))


def bottleneck_table(data: Data) -> Table:
    """Return the cells in which the load generator may have been the limit."""
    rows = [
        [data.names.full(cell.key), "; ".join(dict.fromkeys(cell.bottlenecks))]
        for cell in data.done
        if cell.bottlenecks
    ]
    return Table("Warnings of the load generator", ["Cell", "Warning"], rows)
