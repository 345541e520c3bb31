"""The chapter on stale reads, sessions, order, replication lag, nodes that differ, and execution latency."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.consistency.truth import PERCENTILES, Shown
from fivenines.analysis.wording import NOTHING, count, mean_with_interval, milliseconds, number, percent
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, by_solution
from fivenines.report.html.section import Drawer, Section, folded
from fivenines.report.table import CELL, Table, ranges, right
from fivenines.results.records import Divergence, TableDifference, TrialRecord


def chapter(data: Data) -> Section:
    """Compare what reads and nodes showed with the acknowledged writes."""
    differences = difference_table(data)
    compared = divergence_table(data)
    measured = [
        Drawer("Reads by endpoint", [read_table(data)]),
        Drawer("Replication lag of each node", [view_table(data)]),
        Drawer("Nodes compared", [compared]),
        Drawer("Execution latency", [execution_table(data)]),
    ]
    texts = _without_stale_reads(data)
    if compared.rows and not differences.rows:
        texts += ["All tables are equal on all comparable nodes, in every trial."]
    order, left_out = order_table(data), left_out_table(data)
    drawers = [*measured, *folded(differences, left_out), Drawer("Rows out of order", [order])]
    return Section("truth", "Stale reads and diverged nodes", texts, drawers=drawers)


def _without_stale_reads(data: Data) -> list[str]:
    """Return that no read was stale; without reads, how often a node was behind."""
    endpoints = [shown for cell in data.done for shown in cell.truth.endpoints]
    nodes = [
        (shown.share, shown.name, cell) for cell in data.done for shown in cell.truth.nodes if shown.reads
    ]
    if endpoints:
        reads = sum(shown.reads for shown in endpoints)
        stale = any(shown.stale for shown in endpoints)
        return [] if stale else [f"None of {number(reads)} reads of the ledger was stale."]
    if not nodes:
        return []
    share, node, cell = max(nodes, key=lambda one: one[0])
    where = data.names.full(cell.key)
    return [f"At most {percent(100 * share)} % of a node's samples lacked a row ({node} of {where})."]


_AGES = ["Age p50", "p95", "p99", "Largest"]
_LAGS = ["Lag p50", "p95", "p99", "Largest"]
# The number of differing keys that are named.
_KEYS = 10


def read_table(data: Data) -> Table:
    """Return the ledger's reads through each endpoint: stale reads, ages, violations of sessions."""
    columns = [
        *CELL,
        "Endpoint",
        "Reads",
        "Stale",
        "Stale %",
        *_AGES,
        "Own write missed",
        "Backwards",
        "Missed only lost rows",
    ]
    rows = [
        [
            *_named(cell, data.names),
            shown.name,
            *_counted(shown),
            *_ages(shown),
            number(shown.own_missed),
            _with_loss(shown),
            number(shown.missed_lost),
        ]
        for cell in data.done
        for shown in cell.truth.endpoints
    ]
    caption = "Reads of the ledger by endpoint; ages of stale reads are means of the trials' percentiles"
    return Table(caption, columns, rows, 3, right(columns, *CELL, "Endpoint"))


def view_table(data: Data) -> Table:
    """Return how often and by how much each node was behind the ledger."""
    columns = [*CELL, "Node", "Samples", "Behind", "Behind %", *_LAGS]
    rows = [
        [*_named(cell, data.names), shown.name, *_counted(shown), *_ages(shown)]
        for cell in data.done
        for shown in cell.truth.nodes
    ]
    caption = "Actual replication lag, asked of each node outside the network; percentiles of samples behind"
    return Table(caption, columns, rows, 3, right(columns, *CELL, "Node"))


def divergence_table(data: Data) -> Table:
    """Return the number of trials in which nodes differed after settling."""
    columns = [*CELL, "Trials compared", "Trials that differ", "Differing keys"]
    rows = [
        [*_named(cell, data.names), *(number(n) for n in (truth.compared, truth.diverged, truth.differing))]
        for cell in data.done
        if (truth := cell.truth).compared
    ]
    caption = "All tables, compared between all nodes after the trial"
    return Table(caption, columns, rows, 2, right(columns, *CELL))


def difference_table(data: Data) -> Table:
    """Return the tables that differ in each trial, with rows by node and the first differing keys."""
    rows = [
        [
            record.id,
            data.names.full(cell.key),
            one.table,
            _rows_by_node(one),
            number(one.differing) if one.differing else NOTHING,
            _keys(one),
        ]
        for cell, record, divergence in _divergences(data)
        for one in divergence.differences
    ]
    columns = ["Trial", "Cell", "Table", "Rows", "Differing keys", "Keys"]
    return Table("Tables that differ between nodes", columns, rows, 1, frozenset({4}))


def left_out_table(data: Data) -> Table:
    """Return the nodes and tables that could not be compared, with the reasons."""
    rows = []
    for cell, record, divergence in _divergences(data):
        nodes = [*divergence.left_out.items()]
        nodes += [("", divergence.incomplete)] if divergence.incomplete else []
        rows += [[record.id, data.names.full(cell.key), node or "(all)", why] for node, why in nodes]
    columns = ["Trial", "Cell", "Node", "Reason"]
    return Table("Nodes and tables that could not be compared", columns, rows)


def order_table(data: Data) -> Table:
    """Return the rows out of their client's order, by trial and node."""
    rows = [
        [
            trial.record.id,
            data.names.full(cell.key),
            node.node,
            number(node.disordered),
            ranges(node.disordered_ids, 20),
        ]
        for cell in data.done
        for trial in cell.trials
        for node in (trial.record.check.nodes if trial.record.check else [])
        if node.disordered
    ]
    columns = ["Trial", "Cell", "Node", "Rows out of order", "Ids"]
    caption = "Rows that are present although an earlier acknowledged row of their client is absent"
    return Table(caption, columns, rows, 1, frozenset({3}))


def execution_table(data: Data) -> Table:
    """Return the times from sending to execution on the server."""
    columns = [*CELL, "Writes", "Mean", "p50", "p95", "p99", "Largest"]
    rows = [
        [
            *_named(cell, data.names),
            number(cell.truth.executed),
            *(mean_with_interval(cell.truth.execution[name], True) for name in ("mean", *PERCENTILES)),
        ]
        for cell in data.done
        if cell.truth.executed
    ]
    caption = "Execution latency: from sending a write to its execution on the server"
    return Table(caption, columns, rows, 2, right(columns, *CELL))


def stale_answers(cells: Sequence[CellResult]) -> list[str]:
    """Return sentences on nodes that differ and on stale reads, by solution."""
    texts = []
    for name, mine in by_solution(cells).items():
        texts += [*_differing(name, mine), *_stale_answer(name, mine)]
    return texts


def differing_answers(cells: Sequence[CellResult]) -> list[str]:
    """Return sentences on nodes that differ, by solution."""
    return [text for name, mine in by_solution(cells).items() for text in _differing(name, mine)]


def _differing(name: str, cells: Sequence[CellResult]) -> list[str]:
    compared = sum(cell.truth.compared for cell in cells)
    diverged = sum(cell.truth.diverged for cell in cells)
    if not diverged:
        return []
    return [f"{name}: the nodes' tables differ after {diverged} of {count(compared, 'trial')}."]


def _stale_answer(name: str, cells: Sequence[CellResult]) -> list[str]:
    """Return a sentence on the worst endpoint of a solution with stale reads."""
    shown = [each for cell in cells for each in cell.truth.endpoints if each.stale]
    if not shown:
        return []
    worst = max(shown, key=lambda each: each.share)
    largest = max(each.ages["max"].mean or 0.0 for each in shown)
    return [
        f"{name}: up to {percent(100 * worst.share)} % of the reads through {worst.name} were stale,"
        f" by at most {milliseconds(largest)}."
    ]


def _divergences(data: Data) -> list[tuple[CellResult, TrialRecord, Divergence]]:
    return [
        (cell, trial.record, trial.record.divergence)
        for cell in data.done
        for trial in cell.trials
        if trial.record.divergence
    ]


def _named(cell: CellResult, names: Names) -> list[str]:
    return [cell.key.solution, names.label(cell.key)]


def _counted(shown: Shown) -> list[str]:
    return [number(shown.reads), number(shown.stale), percent(100 * shown.share)]


def _ages(shown: Shown) -> list[str]:
    return [mean_with_interval(shown.ages[name], True) for name in PERCENTILES]


def _with_loss(shown: Shown) -> str:
    lost = f" ({number(shown.backwards_lost)} by loss)" if shown.backwards_lost else ""
    return number(shown.backwards) + lost


def _rows_by_node(one: TableDifference) -> str:
    if one.rows:
        return ", ".join(f"{node}: {number(rows)}" for node, rows in one.rows.items())
    return ", ".join(f"{node}: {what}" for node, what in one.checksums.items())


def _keys(one: TableDifference) -> str:
    shown = "; ".join(one.keys[:_KEYS])
    rest = max(one.differing, len(one.keys)) - _KEYS
    return shown + (f"; and {rest} more" if rest > 0 else "")


def truth_figures(cell: CellResult) -> dict[str, Any]:
    """Return all figures of the chapter as plain data."""
    figures = asdict(cell.truth)
    figures["anomalies"] = [
        {"source": source, "kind": kind, "count": n} for (source, kind), n in cell.truth.anomalies.items()
    ]
    return figures
