"""The chapter "What each takes": what each solution is, what it takes, and what a transaction costs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.cost import Prices, prices
from fivenines.analysis.side_by_side import LoadedResult, SolutionResult, loaded_results, solution_results
from fivenines.analysis.statistics import Summary, scaled, summarise
from fivenines.analysis.wording import NOTHING, listed, mean_with_interval, number
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names, before_faults
from fivenines.report.section import Drawer, Section, explained, folded
from fivenines.report.summary import loss_text, outage_text, split_text, spread, total_text
from fivenines.report.table import Table, right, without, without_empty
from fivenines.results.records import SolutionFacts


def chapter(data: Data) -> Section:
    """What each solution is and takes."""
    every, priced = solution_results(data.done), prices(data.run.manifest.experiment)
    loaded = loaded_results(data.run.complete, before_faults(data.done), priced)
    under, cost = loaded_table(loaded, data.names), cost_table(loaded, priced, data.names)
    faults = faults_table(data.done, data.names)
    if not every:
        return Section("solutions", TITLE)
    drawers = [
        Drawer("What each solution is", [facts_table(every), sources_table(every)]),
        *folded(taken_table(every), under, deploy_table(every)),
        Drawer("What each fault took", [faults]),
        explained(TAKEN_LEGEND, LOADED_LEGEND, *([COST_LEGEND] if cost.rows else [])),
    ]
    return Section("solutions", TITLE, [_answer(every)], [cost], [], drawers)


TITLE = "What each takes"


def _answer(found: Sequence[SolutionResult]) -> str:
    """Hosts and idle memory of each; alike ones together."""
    alike: dict[str, list[str]] = {}
    for one in found:
        memory = (
            f" and {number(node / 1e6)} MB of memory a node, idle" if (node := one.memory.node.mean) else ""
        )
        alike.setdefault(f"{_hosts(one)}{memory}", []).append(one.solution)
    return "; ".join(f"{listed(names)}: {what}" for what, names in alike.items()) + "."


FACTS = {
    "replication": "Replication",
    "failover": "Automatic failover",
    "least_servers": "Least servers",
    "extra": "Extra components",
    "write_scaling": "More writes by more nodes",
    "read_scaling": "More reads by more nodes",
    "one_failure_loses": "One failure can lose",
    "partition": "In a partition",
    "one_down": "One node down",
    "two_down": "Two nodes down",
}
"""The heading of each field of `SolutionFacts` but the sources."""

TAKEN_LEGEND = (
    "What each solution takes is measured in this run; figures are means over the trials. Memory: resident"
    " sets, what is shared counts once; PSS: the kernel's proportional set size, which divides shared pages"
    " among those that map them. Idle: the moment after the deployment and before the load. Others: all hosts"
    " beside the database servers (proxy, manager, arbiter) together. Lines: of all configuration files, our"
    " own defaults included, comments left out."
)
LOADED_LEGEND = (
    "Under load, in the steady window. Bytes are those of the hosts' own interfaces, divided by the load's"
    " successful transactions; the ledger's rows are in them. Between its hosts: replication, votes and"
    " checks, without what a proxy passes on."
)
COST_LEGEND = (
    "All hosts of the solution but the client, at the prices of the experiment, and the throughput that was"
    " measured: a solution on a machine of this size, not on servers of its own."
)


def facts_table(found: Sequence[SolutionResult]) -> Table:
    """What each solution is: a row for each property; solutions that do not differ share a column."""
    groups = _alike(found)
    columns = ["Property", *(", ".join(names) for _, names in groups)]
    rows = [
        [heading, *(getattr(facts, name) or NOTHING for facts, _ in groups)]
        for name, heading in FACTS.items()
    ]
    caption = "What each solution is, by its manuals and by papers (not measured)"
    return Table(caption, columns, rows if groups else [], wide=True)


def sources_table(found: Sequence[SolutionResult]) -> Table:
    """Where these facts are from."""
    rows = [[", ".join(names), source] for facts, names in _alike(found) for source in facts.sources]
    return Table("Sources of these facts", ["Solutions", "Source"], rows)


def taken_table(found: Sequence[SolutionResult]) -> Table:
    """What each solution takes, whatever the load."""
    columns = [
        "Solution",
        "Hosts",
        "Trials",
        "Time to deploy",
        "Time to rejoin after a kill",
        "Rejoins",
        "Lines, a node",
        "Lines, others",
        "Idle memory, MB a node",
        "PSS, MB a node",
        "Idle memory, MB others",
        "Idle CPU, % of a core a node",
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
        for one in found
    ]
    return Table("What each solution takes", columns, rows, 1, right(columns, *columns[:2]))


def deploy_table(found: Sequence[SolutionResult]) -> Table:
    """The steps of the deployment."""
    columns = ["Solution", "Step", "n", "Mean", "Standard deviation", "Variation", "95 % interval"]
    rows = [
        [one.solution, phase, *spread(scaled(summary, 1000), milli=True)]
        for one in found
        for phase, summary in one.phases.items()
    ]
    return Table("Steps of the deployment", columns, rows, 2, right(columns, "Solution", "Step"))


def loaded_table(found: Sequence[LoadedResult], names: Names) -> Table:
    """Memory, CPU and network under each load."""
    columns = [
        "Solution",
        "Conditions",
        "Trials",
        "Memory, MB a node",
        "Memory, MB others",
        "CPU, cores a node",
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
        for one in found
        if one.trials
    ]
    table = Table("Under load", columns, rows, 2, right(columns, *columns[:2]))
    return without_empty(table, "Conditions")


def cost_table(found: Sequence[LoadedResult], prices: Prices | None, names: Names) -> Table:
    """What an hour and a thousand transactions cost; empty without prices."""
    currency = prices.currency if prices else ""
    columns = [
        "Solution",
        "Conditions",
        "Trials",
        f"{currency} an hour",
        f"{currency} for a thousand transactions",
    ]
    rows = [
        [
            one.key.solution,
            names.label(one.key),
            str(one.thousand.n),
            NOTHING if one.hour is None else number(one.hour),
            mean_with_interval(one.thousand),
        ]
        for one in found
        if one.thousand is not None
    ]
    table = Table("Cost", columns, rows, 2, right(columns, *columns[:2]))
    return without_empty(table, "Conditions")


def faults_table(cells: Sequence[CellResult], names: Names) -> Table:
    """What each fault took away, in short: outage, loss, time to rejoin."""
    columns = [
        "Solution",
        "Conditions",
        "Trials",
        "Outage of writes",
        "Total",
        "Lost rows",
        "Time to rejoin",
        "Split brain",
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
        "What each fault took (time to rejoin: from a server's restart, or the fault's end, until it is a"
        " member)"
    )
    table = Table(caption, columns, rows, 2, right(columns, *columns[:2]))
    return table if any(cell.split for cell in cells) else without(table, "Split brain")


def solution_figures(found: Sequence[SolutionResult]) -> list[dict[str, Any]]:
    """Everything as plain data, for the export: seconds, bytes, cores, lines."""
    return [asdict(one) | {"facts": one.facts.model_dump() if one.facts else None} for one in found]


def loaded_figures(found: Sequence[LoadedResult], prices: Prices | None) -> list[dict[str, Any]]:
    """The same of cells under load; with costs where there are prices."""
    figures = []
    for one in found:
        plain = asdict(one)
        del plain["key"]
        cost = {"hour": plain.pop("hour"), "thousand_transactions": plain.pop("thousand")}
        if prices is not None:
            plain["cost"] = {"currency": prices.currency, **cost}
        figures.append(one.key.model_dump(exclude={"fault"}) | plain)
    return figures


def _alike(found: Sequence[SolutionResult]) -> list[tuple[SolutionFacts, list[str]]]:
    groups: list[tuple[SolutionFacts, list[str]]] = []
    for one in found:
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
    # none at all: servers that others have configured
    found = {kind: n for kind, n in one.lines.items() if (kind == "node") == node and n}
    if node:
        return str(found["node"]) if found else NOTHING
    return ", ".join(f"{kind} {n}" for kind, n in found.items()) or NOTHING


def _fault(cell: CellResult, names: Names) -> str:
    """The conditions, the fault among them even if it is the same in all cells."""
    label = names.label(cell.key)
    return label if names.faults > 1 else ", ".join(filter(None, [label, cell.key.fault]))


def _rejoins(cell: CellResult) -> Summary:
    """Seconds from the restart, else from the end of the fault, to membership."""
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
