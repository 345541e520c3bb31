"""Settings and environment in full, loss, errors and broken trials, as tables."""

from collections.abc import Sequence
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.comparisons import METRICS, comparisons
from fivenines.analysis.wording import NOTHING, milliseconds, number
from fivenines.report.answers import rejoin_failures
from fivenines.report.groups import Names
from fivenines.report.summary import spread
from fivenines.report.table import Table, ranges, right
from fivenines.results.basics import Machine
from fivenines.results.records import Deployment, NodeCheck
from fivenines.results.store import Run

_CELL = ["Solution", "Conditions"]


def flatten(value: Any, path: str = "") -> list[tuple[str, str]]:
    """Nested settings as (path, text): `solutions[0].manager.kind`, `operator`."""
    if isinstance(value, dict) and value:
        return [
            row
            for key, inner in value.items()
            for row in flatten(inner, f"{path}.{key}" if path else str(key))
        ]
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return [row for n, inner in enumerate(value) for row in flatten(inner, f"{path}[{n}]")]
    return [(path, plain(value))]


def plain(value: Any) -> str:
    """A scalar or a plain list as people write it."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(plain(item) for item in value) or "none"
    return "empty" if value in ("", {}) else str(value)


def loss_table(cells: Sequence[CellResult], names: Names) -> Table:
    """What the ledger found in each cell, judged on the primary of record."""
    columns = [
        *_CELL, "Trials checked", "Acknowledged writes", "Lost rows", "Trials with loss", "Phantom",
        "Duplicate", "Out of order", "In doubt", "In doubt, present", "In doubt, absent",
    ]  # fmt: skip
    rows = [
        [
            cell.key.solution, names.label(cell.key), str(cell.loss.checked),
            number(sum(t.record.check.acknowledged for t in cell.trials if t.record.check)),
            *(str(n) for n in (
                cell.loss.total, cell.loss.trials_with_loss, cell.loss.phantom,
                cell.loss.duplicate, cell.truth.disordered, cell.in_doubt, cell.truth.applied,
                cell.truth.absent,
            )),
        ]
        for cell in cells
        if any(trial.record.check for trial in cell.trials)
    ]  # fmt: skip
    return Table("Acknowledged writes of the ledger", columns, rows, 2, right(columns, *_CELL))


def lost_ids_table(cells: Sequence[CellResult], names: Names) -> Table:
    """The nodes of each trial with lost, phantom or duplicate rows, the ids named.

    Nodes of a trial that lack the same rows share a line.
    """
    columns = [
        "Trial",
        "Cell",
        "Nodes",
        "Lost",
        "Ids of lost rows",
        "Phantom",
        "Ids of phantom rows",
    ]
    rows = []
    for cell in cells:
        for trial in cell.trials:
            alike: dict[tuple[str, ...], list[str]] = {}
            check = trial.record.check
            for node in check.nodes if check else []:
                if node.lost or node.phantom or node.duplicate:
                    role = " (primary of record)" if check and node.node == check.primary else ""
                    alike.setdefault(tuple(_named(node)), []).append(node.node + role)
            rows += [
                [trial.record.id, names.full(cell.key), ", ".join(nodes), *named]
                for named, nodes in alike.items()
            ]
    caption = "Nodes on which rows were lost, or present though refused"
    return Table(caption, columns, rows, 1, frozenset({3, 5}))


def unreadable_nodes(cells: Sequence[CellResult], names: Names) -> Table:
    """Nodes whose rows could not be read after the trial, so that nothing is known of them."""
    rows = [
        [trial.record.id, names.full(cell.key), node.node, node.detail]
        for cell in cells
        for trial in cell.trials
        for node in (trial.record.check.nodes if trial.record.check else [])
        if not node.reachable
    ]
    return Table("Nodes that could not be checked", ["Trial", "Cell", "Node", "Why"], rows)


def difference_tables(
    cells: Sequence[CellResult], names: Names, *, speed: bool = True
) -> list[Table]:
    """All pairs of solutions, one table for each measure; `speed`: also of those that duets compare."""
    found = comparisons(cells, speed=speed)
    tables = []
    for metric in METRICS:
        rows = [
            [names.label(comparison.a) or "all cells", comparison.text]
            for comparison in found
            if comparison.metric == metric.name
        ]
        if rows:
            tables.append(Table(metric.name.capitalize(), ["Conditions", "Finding"], rows))
    return tables


def errors_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Failed operations by source, class and code, all trials of a cell together."""
    columns = [*_CELL, "Source", "Class", "Code", "Failures", "First message"]
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


def broken_table(run: Run, names: Names) -> Table:
    """All broken attempts with their reasons."""
    done = {trial.record.id for trial in run.complete}
    rows = [
        [
            stored.record.id, names.full(stored.record.cell), str(stored.record.attempt),
            stored.record.reason or "no reason was recorded",
            "complete" if stored.record.id in done else "not complete",
            f"trials/{stored.folder.name}/",
        ]
        for stored in run.broken
    ]  # fmt: skip
    columns = ["Trial", "Cell", "Attempt", "Reason", "The trial in the end", "Folder"]
    return Table("Broken attempts", columns, rows)


def notes_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Measures that are missing in complete trials, and why."""
    rows = [
        [trial.record.id, names.full(cell.key), "; ".join(trial.notes)]
        for cell in cells
        for trial in cell.trials
        if trial.notes
    ]
    return Table("Measures that are missing", ["Trial", "Cell", "Why"], rows)


def rejoin_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Nodes that did not rejoin, and why."""
    rows = [
        [trial, names.full(cell.key), node, reason]
        for cell, trial, node, reason in rejoin_failures(list(cells))
    ]
    return Table("Nodes that did not rejoin", ["Trial", "Cell", "Node", "Why"], rows)


def spread_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Every measure of every cell with n, mean, standard deviation, variation and interval."""
    columns = [*_CELL, "Measure", "n", "Mean", "Standard deviation", "Variation", "95 % interval"]
    rows = []
    for cell in cells:
        measures = [
            ("transactions/s", cell.tps, False), ("queries/s", cell.qps, False),
            *((f"response, {name}", cell.latency[key], True) for key, name in _LATENCIES.items()),
            ("stalls before the fault, longest", cell.stalls.longest, True),
            ("stalls before the fault, in all", cell.stalls.total, True),
            ("outage of writes", cell.writes.summary, True),
            ("outage of writes, in all", cell.writes.total, True),
            ("outage of new connections", cell.connections.summary, True),
            ("outage of new connections, in all", cell.connections.total, True),
            ("outage of reads", cell.reads.summary, True),
            ("outage of reads, in all", cell.reads.total, True),
            ("failover time", cell.failover.summary, True),
            ("deployment, s", cell.deployment, False),
        ]  # fmt: skip
        rows += [
            [cell.key.solution, names.label(cell.key), name, *spread(summary, milli)]
            for name, summary, milli in measures
            if summary.n
        ]
    caption = "All measures of all cells"
    return Table(caption, columns, rows, 3, right(columns, *_CELL, "Measure"))


_LATENCIES = {
    "mean": "mean", "p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9", "max": "maximum"
}  # fmt: skip


def experiment_table(run: Run) -> Table:
    """The experiment with all its defaults."""
    rows = [list(row) for row in flatten(run.manifest.experiment)]
    return Table("The experiment, defaults included", ["Setting", "Value"], rows)


def machine_table(machine: Machine) -> Table:
    """Where the run took place."""
    rows = [
        ["Host", machine.hostname], ["Operating system", machine.os], ["Kernel", machine.kernel],
        ["Processor", machine.cpu], ["Cores", str(machine.cores)],
        ["Memory", f"{machine.memory_bytes / 2**30:.1f} GiB"], ["Python", machine.python],
        ["Run as", "root" if machine.user == "root" else "an ordinary user"],
        ["Limits of hosts", machine.limits or "none"],
        ["Congestion control of TCP", machine.congestion_control],
    ]  # fmt: skip
    return Table("The machine", ["What", "Value"], rows)


def trials_table(run: Run, names: Names) -> Table:
    """All planned trials in the order in which they ran, with their seeds."""
    done = {stored.record.id: stored.record for stored in run.complete}
    failed = {stored.record.id for stored in run.broken}
    rows = []
    for planned in run.manifest.plan:
        record = done.get(planned.id)
        state = "complete" if record else "broken" if planned.id in failed else "not run"
        seconds = f"{record.seconds:.1f}" if record else NOTHING
        cpu = NOTHING if record is None or record.controller_cpu is None else (
            f"{100 * record.controller_cpu:.1f} %"
        )  # fmt: skip
        rows.append([planned.id, names.full(planned.cell), str(planned.number), str(planned.seed),
                     state, seconds, cpu])  # fmt: skip
    columns = ["Trial", "Cell", "Number", "Seed", "State", "Seconds", "CPU of the controller"]
    return Table("All trials in the order of the plan", columns, rows, 1,
                 right(columns, "Trial", "Cell", "State"))  # fmt: skip


def solution_tables(cells: Sequence[CellResult]) -> dict[str, list[Table]]:
    """For each solution: manager, access, roles and phases, then the effective server settings."""
    found: dict[str, list[Table]] = {}
    for cell in cells:
        for trial in cell.trials:
            deployment = trial.record.deployment
            if deployment and cell.called not in found:
                found[cell.called] = _solution(deployment, trial.record.id)
    return found


def _solution(deployment: Deployment, trial: str) -> list[Table]:
    rows = [["manager: " + key, value] for key, value in deployment.manager.items()]
    rows += [["access: " + key, value] for key, value in deployment.access.items()]
    rows += [["role of " + key, value] for key, value in deployment.roles.items()]
    rows += [
        ["deployment: " + key, milliseconds(1000 * seconds)]
        for key, seconds in deployment.phases.items()
    ]
    rows += [["limits", deployment.limits]] if deployment.limits else []
    about = Table(f"Manager, access and deployment (of trial {trial})", ["What", "Value"], rows)
    return [about, _server_settings(deployment, trial)]


def _server_settings(deployment: Deployment, trial: str) -> Table:
    nodes = list(deployment.settings)
    keys = sorted({key for settings in deployment.settings.values() for key in settings})
    alike, different = [], []
    for key in keys:
        values = [deployment.settings[node].get(key, NOTHING) for node in nodes]
        row = [key, values[0] if len(set(values)) == 1 else ""]
        if len(set(values)) == 1:
            alike.append(row)
        else:
            by_node = "; ".join(f"{n}: {v}" for n, v in zip(nodes, values, strict=True))
            different.append([key, by_node])
    caption = f"Effective server settings of {', '.join(nodes)} (of trial {trial};"
    caption += " those that differ between the nodes first)"
    return Table(caption, ["Setting", "Value"], different + alike)


def _named(node: NodeCheck) -> list[str]:
    lost = ranges(node.lost_ids) + _cut(node.lost, node.lost_ids)
    phantom = ranges(node.phantom_ids) + _cut(node.phantom, node.phantom_ids)
    if node.duplicate:
        phantom = f"{phantom} ({node.duplicate} duplicates)".strip()
    return [str(node.lost), lost, str(node.phantom), phantom]


def _cut(total: int, kept: list[int]) -> str:
    return f" and {total - len(kept)} that were not kept" if total > len(kept) else ""
