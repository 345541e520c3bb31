"""Chapter `loss` of the report."""

from fivenines.analysis.measures.measures import title
from fivenines.analysis.wording import number
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Drawer, Section, folded
from fivenines.report.table import CELL, Table, ranges, right, without
from fivenines.results.records import NodeCheck


def chapter(data: Data) -> Section:
    """Return the acknowledged rows that are missing."""
    checked = loss_table(data)
    lost = lost_ids_table(data)
    if not checked.rows:
        return Section("loss", title("lost"))
    texts = [] if lost.rows else ["No readable node lacks an acknowledged row."]
    drawers = [Drawer("Lost rows of each trial, by node and id", [lost])]
    legend = [_OUT_OF_ORDER] if "Out of order" in checked.columns else []
    drawers.append(Drawer(checked.caption, [checked], texts=legend))
    drawers += folded(unreadable_nodes(data))
    return Section("loss", title("lost"), texts, drawers=drawers)


def loss_table(data: Data) -> Table:
    """Return the ledger's results for each cell, judged on the primary of record."""
    columns = [
        *CELL,
        "Trials checked",
        "Acknowledged writes",
        title("lost"),
        "Trials with loss",
        "Phantom",
        "Duplicate",
        "Out of order",
        "In doubt",
        "In doubt, present",
        "In doubt, absent",
    ]
    rows = [
        [
            cell.key.solution,
            data.names.label(cell.key),
            str(cell.loss.checked),
            number(sum(t.record.check.acknowledged for t in cell.trials if t.record.check)),
            *(
                str(n)
                for n in (
                    cell.loss.total,
                    cell.loss.trials_with_loss,
                    cell.loss.phantom,
                    cell.loss.duplicate,
                    cell.truth.disordered,
                    cell.in_doubt,
                    cell.truth.applied,
                    cell.truth.absent,
                )
            ),
        ]
        for cell in data.done
        if any(trial.record.check for trial in cell.trials)
    ]
    table = Table("Acknowledged writes of the ledger", columns, rows, 2, right(columns, *CELL))
    for rare in _RARE:
        index = table.columns.index(rare)
        if all(row[index] == "0" for row in table.rows):
            table = without(table, rare)
    return table


# Columns that are shown only if any cell has such rows.
_RARE = ("Phantom", "Duplicate", "Out of order")

_OUT_OF_ORDER = "Out of order: rows that are present although an earlier row of the same client is lost."


def lost_ids_table(data: Data) -> Table:
    """Return the nodes of each trial with lost, phantom or duplicate rows, with the ids.

    Nodes of a trial that lack the same rows share a line.
    """
    columns = ["Trial", "Cell", "Nodes", "Lost", "Ids of lost rows", "Phantom", "Ids of phantom rows"]
    rows = []
    for cell in data.done:
        for trial in cell.trials:
            alike: dict[tuple[str, ...], list[str]] = {}
            check = trial.record.check
            for node in check.nodes if check else []:
                if node.lost or node.phantom or node.duplicate:
                    role = " (primary of record)" if check and node.node == check.primary else ""
                    alike.setdefault(tuple(_named(node)), []).append(node.node + role)
            rows += [
                [trial.record.id, data.names.full(cell.key), ", ".join(nodes), *named]
                for named, nodes in alike.items()
            ]
    caption = "Nodes that lack acknowledged rows, or have refused ones"
    return Table(caption, columns, rows, 1, frozenset({3, 5}))


def unreadable_nodes(data: Data) -> Table:
    """Return the nodes whose rows could not be read after the trial."""
    rows = [
        [trial.record.id, data.names.full(cell.key), node.node, node.detail]
        for cell in data.done
        for trial in cell.trials
        for node in (trial.record.check.nodes if trial.record.check else [])
        if not node.reachable
    ]
    return Table("Nodes that could not be checked", ["Trial", "Cell", "Node", "Reason"], rows)


def _named(node: NodeCheck) -> list[str]:
    lost = ranges(node.lost_ids) + _cut(node.lost, node.lost_ids)
    phantom = ranges(node.phantom_ids) + _cut(node.phantom, node.phantom_ids)
    if node.duplicate:
        phantom = f"{phantom} ({node.duplicate} duplicates)".strip()
    return [str(node.lost), lost, str(node.phantom), phantom]


def _cut(total: int, recorded: list[int]) -> str:
    return f" and {total - len(recorded)} without a recorded id" if total > len(recorded) else ""
