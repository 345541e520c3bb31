"""The chapter on isolation: anomalies by kind and solution, examples in words and as small drawings."""

from collections.abc import Iterator, Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import number
from fivenines.report.chapters.data import Data
from fivenines.report.charts.cycle import cycle_svg
from fivenines.report.groups import Names
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Section, folded, in_row
from fivenines.report.table import CELL, Table, right
from fivenines.results.records import Anomaly, Isolation, TrialRecord


def chapter(data: Data) -> Section:
    """Return anomalies of transactions, with a drawing of the first of each kind."""
    table = isolation_table(data)
    examples = example_table(data)
    texts = []
    if table.rows and not examples.rows:
        texts = ["No trial shows a violation of isolation."]
    figures, others = in_row(anomaly_figures(data), "Drawings of other anomalies")
    drawers = [*others, *folded(examples, note_table(data))]
    shown = [table] if examples.rows else []
    drawers += [] if shown else folded(table)
    return Section("isolation", "Isolation", texts, shown, figures, drawers)


# The number of drawn anomalies: the first of each kind and solution.
DRAWN = 12

MEANINGS = {
    "G0": "write cycle",
    "G1a": "aborted read",
    "G1b": "intermediate read",
    "G1c": "circular flow of information",
    "G-single": "read skew: a cycle with one anti-dependency",
    "G-nonadjacent": "long fork: a cycle with several anti-dependencies, no two in a row",
    "G2-item": "write skew: a cycle with several anti-dependencies, two in a row",
    "lost-update": "two transactions overwrote the same version",
    "dirty-update": "an update of what an aborted transaction had written",
    "internal": "a transaction contradicts itself",
    "incompatible-order": "reads disagree on the order of appends",
    "duplicate-elements": "an append took effect twice",
    "unknown-element": "a value that no transaction wrote",
    "lost-append": "an acknowledged append that no later read shows",
    "wrong-sum": "an audit read a different total",
    "wrong-end-sum": "money was made or lost for good",
    "negative-balance": "an account below zero",
}


def isolation_table(data: Data) -> Table:
    """Return anomalies of each cell by checker and kind; a line with "none" has no anomaly."""
    rows = []
    for cell in data.done:
        sources = sorted({one.source for _, one in _judged(cell)})
        for source in sources:
            mine = [one for _, one in _judged(cell) if one.source == source]
            size = number(sum(one.transactions for one in mine))
            head = [cell.key.solution, data.names.label(cell.key), source, str(len(mine)), size]
            kinds = {kind: n for (of, kind), n in cell.truth.anomalies.items() if of == source}
            rows += [[*head, kind, MEANINGS.get(kind, ""), number(n)] for kind, n in kinds.items()]
            rows += [] if kinds else [[*head, "none", "", "0"]]
    columns = [*CELL, "Checker", "Trials", "Transactions", "Anomaly", "Meaning", "Count"]
    left = (*CELL, "Checker", "Anomaly", "Meaning")
    return Table("Violations of isolation", columns, rows, 3, right(columns, *left))


def example_table(data: Data) -> Table:
    """Return all recorded examples in words."""
    rows = [
        [record.id, data.names.full(cell.key), one.kind, _list(one.transactions), one.explanation]
        for cell in data.done
        for record, one in _examples(cell)
    ]
    columns = ["Trial", "Cell", "Anomaly", "Transactions", "Explanation"]
    return Table("Anomalies, step by step (the first ten of each kind and trial)", columns, rows)


def note_table(data: Data) -> Table:
    """Return the notes of the checkers on their search."""
    rows = [
        [record.id, data.names.full(cell.key), one.source, one.note]
        for cell in data.done
        for record, one in _judged(cell)
        if one.note
    ]
    return Table("Notes of the checkers", ["Trial", "Cell", "Checker", "Note"], rows)


def anomaly_figures(data: Data) -> list[Figure]:
    """Return a drawing of the first anomaly with dependencies of each kind and solution."""
    seen: set[tuple[str, str]] = set()
    figures: list[Figure] = []
    for cell in data.done:
        for record, one in _examples(cell):
            key = (cell.key.solution, one.kind)
            if one.edges and key not in seen and len(figures) < DRAWN:
                seen.add(key)
                figures.append(_figure(cell, record, one, data.names))
    return figures


def _figure(cell: CellResult, record: TrialRecord, one: Anomaly, names: Names) -> Figure:
    rows = [[f"T{source}", label, f"T{target}"] for source, label, target in one.edges]
    return Figure(
        title=f"{one.kind}: {MEANINGS.get(one.kind, '')} ({names.full(cell.key)}, trial {record.id})",
        finding=one.explanation,
        svg=cycle_svg(one.edges),
        table=Table("Dependencies", ["From", "Kind and key", "To"], rows),
    )


def _judged(cell: CellResult) -> list[tuple[TrialRecord, Isolation]]:
    return [(trial.record, one) for trial in cell.trials for one in trial.record.isolation]


def _examples(cell: CellResult) -> Iterator[tuple[TrialRecord, Anomaly]]:
    for record, judged in _judged(cell):
        for one in judged.examples:
            yield record, one


def _list(transactions: Sequence[int]) -> str:
    return ", ".join(f"T{number}" for number in transactions)
