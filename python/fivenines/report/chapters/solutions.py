"""The chapter "Resources and cost": properties of each solution, its resource use, and costs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.measures import title
from fivenines.analysis.resources.cost import Prices, prices
from fivenines.analysis.resources.side_by_side import (
    LoadedResult,
    SolutionResult,
    loaded_results,
    solution_results,
)
from fivenines.analysis.statistics.means import Summary, scaled, summarise
from fivenines.analysis.wording import NOTHING, listed, mean_with_interval, number
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, before_faults
from fivenines.report.html.section import Drawer, Section, explained, folded
from fivenines.report.table import Table, right, without, without_empty
from fivenines.report.terminal.summary import loss_text, outage_text, split_text, spread, total_text
from fivenines.results.records import SolutionFacts


def chapter(data: Data) -> Section:
    """Return the properties and resource use of each solution."""
    every, priced = solution_results(data.done), prices(data.run.manifest.experiment)
    loaded = loaded_results(data.run.complete, before_faults(data.done), priced)
    under, cost = loaded_table(loaded, data.names), cost_table(loaded, priced, data.names)
    faults = faults_table(data.done, data.names)
    if not every:
        return Section("solutions", TITLE)
    drawers = [
        Drawer("Properties of each solution", [facts_table(every), sources_table(every)]),
        *folded(taken_table(every), under, deploy_table(every)),
        Drawer("Effects of each fault", [faults]),
        explained(TAKEN_LEGEND, LOADED_LEGEND, *([COST_LEGEND] if cost.rows else [])),
    ]
    return Section("solutions", TITLE, [_answer(every)], [cost], [], drawers)


TITLE = "Resources and cost"


def _answer(results: Sequence[SolutionResult]) -> str:
    """Return hosts and idle memory of each solution; equal ones together."""
    alike: dict[str, list[str]] = {}
    for one in results:
        memory = (
            f" and {number(node / 1e6)} MB of memory per node when idle"
            if (node := one.memory.node.mean)
            else ""
        )
        alike.setdefault(f"{_hosts(one)}{memory}", []).append(one.solution)
    return "; ".join(f"{listed(names)}: {what}" for what, names in alike.items()) + "."


# The heading of each field of `SolutionFacts` except the sources.
FACTS = {
    "replication": "Replication",
    "failover": "Automatic failover",
    "least_servers": "Minimum number of servers",
    "extra": "Extra components",
    "write_scaling": "Write scaling with more nodes",
    "read_scaling": "Read scaling with more nodes",
    "one_failure_loses": "One failure can lose",
    "partition": "In a partition",
    "one_down": "One node down",
    "two_down": "Two nodes down",
}

TAKEN_LEGEND = (
    "Resource use is measured in this run; figures are means over the trials. Memory: resident sets, with"
    " shared memory counted once. PSS: the kernel's proportional set size, which divides shared pages among"
    " the processes that map them. Idle: after the deployment, before the load. Others: all hosts except the"
    " database servers (proxy, manager, arbiter) together. Lines: lines of all configuration files, including"
    " the defaults of fivenines, without comments."
)
LOADED_LEGEND = (
    "Under load, in the steady window. Bytes are counted at the hosts' interfaces and divided by the load's"
    " successful transactions; the ledger's rows are included. Between its hosts: replication, votes and"
    " checks, without traffic that a proxy forwards."
)
COST_LEGEND = (
    "All hosts of the solution except the client, at the prices of the experiment and with the measured"
    " throughput: a solution on a machine of this size, not on dedicated servers."
)


def facts_table(results: Sequence[SolutionResult]) -> Table:
    """Return a row for each property; solutions with equal properties share a column."""
    groups = _alike(results)
    columns = ["Property", *(", ".join(names) for _, names in groups)]
    rows = [
        [heading, *(getattr(facts, name) or NOTHING for facts, _ in groups)]
        for name, heading in FACTS.items()
    ]
    caption = "Properties of each solution, according to manuals and papers (not measured)"
    return Table(caption, columns, rows if groups else [], wide=True)


def sources_table(results: Sequence[SolutionResult]) -> Table:
    """Return the sources of the properties."""
    rows = [[", ".join(names), source] for facts, names in _alike(results) for source in facts.sources]
    return Table("Sources of these properties", ["Solutions", "Source"], rows)


def taken_table(results: Sequence[SolutionResult]) -> Table:
    """Return the resource use of each solution without load."""
    columns = [
        "Solution",
        title("hosts"),
        "Trials",
        "Time to deploy",
        "Time to rejoin after a kill",
        "Rejoins",
        "Lines, per node",
        "Lines, others",
        "Idle memory, MB per node",
        "PSS, MB per node",
        "Idle memory, MB others",
        "Idle CPU, % of a core per node",
        "Idle CPU, % others",
    ]
    rows = [
        [
            one.solution,
            _hosts(one),
            str(one.trials),
            _seconds(one.deploy),
            _seconds(one.rejoin),
            str(one.rejoin.n),
            _lines(one, node=True),
            _lines(one, node=False),
            _scaled(one.memory.node, 1e-6),
            _scaled(one.pss.node, 1e-6),
            _scaled(one.memory.rest, 1e-6),
            _scaled(one.cpu.node, 100),
            _scaled(one.cpu.rest, 100),
        ]
        for one in results
    ]
    return Table("Resources of each solution", columns, rows, 1, right(columns, *columns[:2]))


def deploy_table(results: Sequence[SolutionResult]) -> Table:
    """Return the steps of the deployment."""
    columns = ["Solution", "Step", "n", "Mean", "Standard deviation", "Variation", "95 % interval"]
    rows = [
        [one.solution, phase, *spread(scaled(summary, 1000), milli=True)]
        for one in results
        for phase, summary in one.phases.items()
    ]
    return Table("Steps of the deployment", columns, rows, 2, right(columns, "Solution", "Step"))


def loaded_table(results: Sequence[LoadedResult], names: Names) -> Table:
    """Return memory, CPU and network use under each load."""
    columns = [
        "Solution",
        "Conditions",
        "Trials",
        "Memory, MB per node",
        "Memory, MB others",
        "CPU, cores per node",
        "CPU, cores others",
        "Bytes sent per transaction",
        "To clients",
        "Between its hosts",
    ]
    rows = [
        [
            one.key.solution,
            names.label(one.key),
            str(one.trials),
            _scaled(one.memory.node, 1e-6),
            _scaled(one.memory.rest, 1e-6),
            mean_with_interval(one.cpu.node),
            mean_with_interval(one.cpu.rest),
            mean_with_interval(one.sent),
            mean_with_interval(one.clients),
            mean_with_interval(one.between),
        ]
        for one in results
        if one.trials
    ]
    table = Table("Under load", columns, rows, 2, right(columns, *columns[:2]))
    return without_empty(table, "Conditions")


def cost_table(results: Sequence[LoadedResult], prices: Prices | None, names: Names) -> Table:
    """Return the cost of an hour and of a thousand transactions; empty without prices."""
    currency = prices.currency if prices else ""
    columns = [
        "Solution",
        "Conditions",
        "Trials",
        f"{currency} per hour",
        f"{currency} per thousand transactions",
    ]
    rows = [
        [
            one.key.solution,
            names.label(one.key),
            str(one.thousand.n),
            NOTHING if one.hour is None else number(one.hour),
            mean_with_interval(one.thousand),
        ]
        for one in results
        if one.thousand is not None
    ]
    table = Table("Cost", columns, rows, 2, right(columns, *columns[:2]))
    return without_empty(table, "Conditions")


def faults_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Return outage, loss and time to rejoin for each fault."""
    columns = [
        "Solution",
        "Conditions",
        "Trials",
        "Outage of writes",
        "Total",
        title("lost"),
        "Time to rejoin",
        title("split_brain"),
    ]
    rows = [
        [
            cell.key.solution,
            _fault(cell, names),
            str(cell.complete),
            outage_text(cell.writes),
            total_text(cell.writes),
            loss_text(cell),
            _seconds(_rejoins(cell)),
            split_text(cell),
        ]
        for cell in cells
        if cell.faulted and cell.complete
    ]
    caption = (
        "Effects of each fault (time to rejoin: from the server's restart, or the end of the fault, until it"
        " is a member)"
    )
    table = Table(caption, columns, rows, 2, right(columns, *columns[:2]))
    return table if any(cell.split for cell in cells) else without(table, title("split_brain"))


def solution_figures(results: Sequence[SolutionResult]) -> list[dict[str, Any]]:
    """Return all figures of solutions as plain data: seconds, bytes, cores, lines."""
    return [asdict(one) | {"facts": one.facts.model_dump() if one.facts else None} for one in results]


def loaded_figures(results: Sequence[LoadedResult], prices: Prices | None) -> list[dict[str, Any]]:
    """Return all figures of cells under load as plain data, with costs if there are prices."""
    figures = []
    for one in results:
        plain = asdict(one)
        del plain["key"]
        cost = {"hour": plain.pop("hour"), "thousand_transactions": plain.pop("thousand")}
        if prices is not None:
            plain["cost"] = {"currency": prices.currency, **cost}
        figures.append(one.key.model_dump(exclude={"fault"}) | plain)
    return figures


def _alike(results: Sequence[SolutionResult]) -> list[tuple[SolutionFacts, list[str]]]:
    groups: list[tuple[SolutionFacts, list[str]]] = []
    for one in results:
        if one.facts is None:
            continue
        same = next((names for facts, names in groups if facts == one.facts), None)
        if same is None:
            groups.append((one.facts, [one.solution]))
        else:
            same.append(one.solution)
    return groups


def _hosts(one: SolutionResult) -> str:
    return ", ".join(f"{n} {kind}{'s' * (n > 1)}" for kind, n in one.hosts.items()) or NOTHING


def _lines(one: SolutionResult, node: bool) -> str:
    # External servers have no lines.
    lines = {kind: n for kind, n in one.lines.items() if (kind == "node") == node and n}
    if node:
        return str(lines["node"]) if lines else NOTHING
    return ", ".join(f"{kind} {n}" for kind, n in lines.items()) or NOTHING


def _fault(cell: CellResult, names: Names) -> str:
    """Return the conditions, including the fault even if it is the same in all cells."""
    label = names.label(cell.key)
    return label if names.faults > 1 else ", ".join(filter(None, [label, cell.key.fault]))


def _rejoins(cell: CellResult) -> Summary:
    """Return the time from the restart, or else from the end of the fault, to membership, in seconds."""
    return summarise(
        [
            (fault.rejoined_at - start) / 1000
            for trial in cell.trials
            for fault in trial.record.faults
            if fault.rejoined
            and fault.rejoined_at is not None
            and (start := fault.ended if fault.restarted is None else fault.restarted) is not None
            and fault.rejoined_at >= start
        ]
    )


def _seconds(summary: Summary) -> str:
    return mean_with_interval(scaled(summary, 1000), milli=True)


def _scaled(summary: Summary, factor: float) -> str:
    return mean_with_interval(scaled(summary, factor))
