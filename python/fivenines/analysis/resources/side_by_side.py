"""Resources of each solution: hosts, memory, CPU, network, configuration, time to deploy and to rejoin.

Idle figures are from before the load (`Deployment.hosts`), loaded figures from the table `hosts` in the
steady window. A figure per node is the mean of the trial's nodes; the rest is the sum over all other hosts of
the solution (proxy, manager, arbiter, ...), without the client's host.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.availability import steady_window
from fivenines.analysis.cells import CellResult
from fivenines.analysis.figure_cache import Kind, cached
from fivenines.analysis.resources.cost import CLIENT, Prices, per_thousand
from fivenines.analysis.resources.counters import host_samples
from fivenines.analysis.resources.series import Samples, mean_between
from fivenines.analysis.resources.traffic import Traffic, traffic
from fivenines.analysis.statistics.means import Summary, summarise, summarise_known
from fivenines.analysis.trials import TrialMeasures
from fivenines.results.records import CellKey, Deployment, HostFacts, IdleUsage, SolutionFacts, TrialRecord
from fivenines.results.store import StoredTrial

_FIGURES = ("cpu_cores", "memory_bytes", "net_sent_bytes", "net_received_bytes")


@dataclass(frozen=True)
class PerNode:
    """A figure per node, and the sum over the solution's other hosts (no values where there are none)."""

    node: Summary
    rest: Summary


@dataclass(frozen=True)
class SolutionResult:
    """Resources of a solution over all its trials, in seconds, bytes, cores and lines.

    `hosts`: number of hosts by kind. `lines` by kind: the longest configuration of a node; for other kinds
    the sum. `rejoin`: after a killed process or host, from the restart to membership.
    """

    solution: str
    trials: int
    facts: SolutionFacts | None
    hosts: dict[str, int]
    lines: dict[str, int]
    deploy: Summary
    phases: dict[str, Summary]
    memory: PerNode
    pss: PerNode
    cpu: PerNode
    rejoin: Summary


@dataclass(frozen=True)
class LoadedResult:
    """Resources of a cell in the steady window; bytes are per successful transaction of the load.

    `sent`: by all hosts of the solution; `clients`: bytes that the client received; `between`: between hosts
    of the solution, without forwarded traffic. Costs are None without prices.
    """

    key: CellKey
    trials: int
    memory: PerNode
    cpu: PerNode
    sent: Summary
    clients: Summary
    between: Summary
    hour: float | None = None
    thousand: Summary | None = None


@dataclass(frozen=True)
class Use:
    """Resources of a trial's hosts in the steady window: means over nodes, sums over other hosts."""

    sampled: bool = False
    memory: tuple[float | None, float | None] = (None, None)
    cpu: tuple[float | None, float | None] = (None, None)
    traffic: Traffic | None = None


def solution_results(cells: Sequence[CellResult]) -> list[SolutionResult]:
    """Return the resources of each solution with complete trials, in the order of the cells."""
    result = []
    for name in dict.fromkeys(cell.key.solution for cell in cells):
        trials = [trial for cell in cells if cell.key.solution == name for trial in cell.trials]
        deployments = [trial.record.deployment for trial in trials if trial.record.deployment]
        if deployments:
            result.append(_solution(name, trials, deployments))
    return result


def loaded_results(
    trials: Sequence[StoredTrial], cells: Sequence[CellResult], prices: Prices | None
) -> list[LoadedResult]:
    """Return the resources of each cell whose hosts were sampled, or that has a price."""
    used = {trial.folder.name: use for trial, use in zip(trials, cached(USE, trials), strict=True)}
    result = [_loaded(cell, used, prices) for cell in cells]
    return [item for item in result if item.trials or item.thousand]


def _solution(
    name: str, trials: Sequence[TrialMeasures], deployments: Sequence[Deployment]
) -> SolutionResult:
    first = deployments[0]
    phases = dict.fromkeys(phase for deployment in deployments for phase in deployment.phases)
    kinds = [host.kind for host in first.hosts.values() if host.kind != CLIENT]
    return SolutionResult(
        solution=name,
        trials=len(trials),
        facts=next((deployment.facts for deployment in deployments if deployment.facts), None),
        hosts={kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        lines=_lines(first.hosts),
        deploy=summarise([deployment.seconds for deployment in deployments]),
        phases={
            phase: summarise(
                [deployment.phases[phase] for deployment in deployments if phase in deployment.phases]
            )
            for phase in phases
        },
        memory=_idle(deployments, lambda idle: idle.memory_bytes),
        pss=_idle(deployments, lambda idle: idle.pss_bytes),
        cpu=_idle(deployments, lambda idle: idle.cpu_cores),
        rejoin=summarise([seconds for trial in trials for seconds in _rejoins(trial)]),
    )


def _lines(hosts: Mapping[str, HostFacts]) -> dict[str, int]:
    result: dict[str, int] = {}
    for host in hosts.values():
        before = result.get(host.kind, 0)
        own = host.configuration_lines
        result[host.kind] = max(before, own) if host.kind == "node" else before + own
    result.pop(CLIENT, None)
    return result


def _rejoins(trial: TrialMeasures) -> list[float]:
    """Return the seconds from restart to membership, of nodes whose process or host was killed."""
    return [
        (fault.rejoined_at - fault.restarted) / 1000
        for fault in trial.record.faults
        if fault.kind in ("kill", "host-kill")
        and fault.rejoined
        and fault.rejoined_at is not None
        and fault.restarted is not None
        and fault.rejoined_at >= fault.restarted
    ]


def _idle(deployments: Sequence[Deployment], get: Callable[[IdleUsage], float | None]) -> PerNode:
    values = []
    for deployment in deployments:
        result = {name: get(host.idle) if host.idle else None for name, host in deployment.hosts.items()}
        values.append(_split(deployment.hosts, result))
    return _per_node(values)


def _split(
    hosts: Mapping[str, HostFacts], values: Mapping[str, float | None]
) -> tuple[float | None, float | None]:
    """Return the mean of the nodes and the sum of the other hosts; None where a value is missing, or no
    host.
    """
    nodes = [values.get(name) for name, host in hosts.items() if host.kind == "node"]
    rest = [values.get(name) for name, host in hosts.items() if host.kind not in ("node", CLIENT)]
    known = [value for value in nodes if value is not None]
    others = [value for value in rest if value is not None]
    mean = sum(known) / len(known) if known and len(known) == len(nodes) else None
    return mean, sum(others) if others and len(others) == len(rest) else None


def _per_node(values: Sequence[tuple[float | None, float | None]]) -> PerNode:
    return PerNode(*(summarise_known(value[part] for value in values) for part in (0, 1)))


def _uses(trials: Sequence[StoredTrial]) -> list[Use]:
    sampled = host_samples(trials, _FIGURES)
    return [_use(trial.record, sampled.get(trial.folder.name)) for trial in trials]


USE = Kind("use", Use, _uses)


def _use(record: TrialRecord, samples: Samples | None) -> Use:
    start, end = steady_window(record)
    if samples is None or end <= start or record.deployment is None:
        return Use()
    hosts = record.deployment.hosts
    memory, cpu = (
        _split(hosts, _means(samples, figure, (start, end))) for figure in ("memory_bytes", "cpu_cores")
    )
    return Use(True, memory, cpu, traffic(samples, hosts, start, end))


def _loaded(cell: CellResult, used: Mapping[str, Use], prices: Prices | None) -> LoadedResult:
    memory, cpu, sent, clients, between = [], [], [], [], []
    for trial in cell.trials:
        use = used.get(trial.record.id)
        if use is None or not use.sampled:
            continue
        memory.append(use.memory)
        cpu.append(use.cpu)
        wire, commits = use.traffic, trial.commits
        if wire and commits:
            sent.append(wire.sent / commits)
            clients.append(wire.clients / commits)
            between.append(wire.between / commits)
    return LoadedResult(
        cell.key,
        len(memory),
        _per_node(memory),
        _per_node(cpu),
        summarise(sent),
        summarise(clients),
        summarise(between),
        *_cost(cell, prices),
    )


def _cost(cell: CellResult, prices: Prices | None) -> tuple[float | None, Summary | None]:
    deployment = next((t.record.deployment for t in cell.trials if t.record.deployment), None)
    hosts = deployment.hosts.values() if deployment else ()
    if prices is None or deployment is None or not any(host.kind == "node" for host in hosts):
        return None, None
    hour = prices.hour(deployment)
    return hour, per_thousand(hour, [t.throughput.tps for t in cell.trials if t.throughput])


def _means(sampled: Samples, figure: str, window: tuple[float, float]) -> dict[str, float | None]:
    return {host: mean_between(item, *window) for host, item in sampled.get(figure, {}).items()}
