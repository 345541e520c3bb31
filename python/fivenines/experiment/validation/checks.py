"""Check what spans several values: colliding names, contradictory settings, impossible cells.

Each check gets `(index in the file, settings)` pairs, so that it also works on a file with errors in
other parts: the user sees all errors at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from fivenines.analysis.measures.thresholds import ThresholdSettings
from fivenines.base.settings import Settings
from fivenines.base.units import format_duration
from fivenines.experiment import names
from fivenines.experiment.sections.availability import AvailabilitySettings
from fivenines.experiment.sections.cost import CostSettings
from fivenines.experiment.sections.ledger import LedgerSettings
from fivenines.experiment.sections.timing import Timing
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, dotted, of_entry, shown
from fivenines.experiment.validation.nested import path_of, problems_within
from fivenines.faults.settings import FaultSettings
from fivenines.lab.processes import ids
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.vm import requirements as vm_requirements
from fivenines.load.settings import LoadSettings
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.cluster.topology import CLIENT, Topology
from fivenines.solutions.settings import SolutionSettings


@dataclass
class Parts:
    """The valid entries of an experiment, by their index in the file."""

    solutions: list[tuple[int, SolutionSettings]] = field(default_factory=list)
    workloads: list[tuple[int, WorkloadSettings]] = field(default_factory=list)
    faults: list[tuple[int, FaultSettings]] = field(default_factory=list)
    networks: list[tuple[int, Any]] = field(default_factory=list)
    connections: list[tuple[int, int]] = field(default_factory=list)
    # The names of the load's hosts.
    clients: tuple[str, ...] = (CLIENT,)

    def topology(self, solution: SolutionSettings) -> Topology:
        """Return the topology of a solution, with the hosts of this load."""
        return replace(solution.topology(), clients=self.clients)


def solution_names(solutions: Sequence[SolutionSettings]) -> list[str]:
    """Return the names of solutions; default names are made distinct."""
    return _names([(solution.name, solution.default_name()) for solution in solutions], solutions)


def workload_names(workloads: Sequence[WorkloadSettings]) -> list[str]:
    """Return the names of workloads; default names are made distinct."""
    return _names([(workload.name, workload.workload) for workload in workloads], workloads)


def fault_names(faults: Sequence[FaultSettings]) -> list[str]:
    """Return the names of faults; default names are made distinct."""
    return _names([(fault.name, fault.fault) for fault in faults], [_effect(fault) for fault in faults])


def _effect(fault: FaultSettings) -> FaultSettings:
    """Return a fault without the settings that do not change its effect."""
    return fault.model_copy(update={"mtbf": None, "only": []})


def mistakes(parts: Parts) -> list[Mistake]:
    """Return all errors of the parts, each with the path of its value."""
    return [
        *_same_names("solutions", parts.solutions, solution_names([s for _, s in parts.solutions])),
        *_same_names("workloads", parts.workloads, workload_names([w for _, w in parts.workloads])),
        *_same_names("network", parts.networks, [n.name for _, n in parts.networks]),
        *_same_faults(parts.faults),
        *_same_connections(parts.connections),
        *_senseless("solutions", parts.solutions),
        *_senseless("workloads", parts.workloads),
        *_senseless("network", parts.networks),
        *_senseless("faults", parts.faults),
        *_senseless_faults(parts),
        *_unshaped(parts),
        *_unknown_names(parts),
        *_unknown_hosts(parts),
    ]


def machine_mistakes(solutions: Sequence[tuple[int, SolutionSettings]], only: Sequence[str]) -> list[Mistake]:
    """Return the solutions, all or those in `only`, that this user cannot run on this machine."""
    called = solution_names([solution for _, solution in solutions])
    return [
        Mistake(
            None, ("solutions", index, text.partition(":")[0].split(".")[0]), f"solutions[{index}].{text}"
        )
        for (index, solution), name in zip(solutions, called, strict=True)
        if not only or {name, *_swept([solution])} & set(only)
        if (text := machine_problem(solution))
    ]


def machine_problem(solution: SolutionSettings) -> str:
    """Return why this user cannot run a solution on this machine; empty if no obstacle is known."""
    if lacking := solution.machine_problem():
        return lacking
    if solution.machines == "virtual-machines" and (lacking := vm_requirements.problem()):
        return f"machines: virtual-machines: this machine cannot run virtual machines: {lacking}"
    if lacking := solution.access.machine_problem():
        return f"access.{lacking}"
    manager = solution.failover_manager
    if manager is not None and (lacking := manager.machine_problem()):
        return f"manager.{lacking}"
    lacking = ids.problem() if manager is not None and manager.all_ids else ""
    if not lacking:
        return ""
    kind = getattr(solution, "manager").kind  # noqa: B009  (not all solutions have one)
    return (
        f"manager: {kind} changes users, so its lab needs all user ids, but {lacking}. Or choose another "
        "failover manager, leave this solution out (name the others with --only), or measure an existing "
        "cluster with `solution: external`"
    )


def late_ends(faults: Sequence[tuple[int, FaultSettings]], recovery: float) -> list[Mistake]:
    """Return the faults that would end after the load; `recovery` in seconds."""
    found = []
    for index, fault in faults:
        longest = fault.longest()
        if longest < recovery or fault.fault == "none":
            continue
        key = fault.length_key() if fault.lasts is not None else ""
        key = "search" if fault.search is not None else key
        path: KeyPath = ("faults", index, key) if key else ("faults", index)
        what = (
            f"faults[{index}].{key}: {format_duration(longest)}"
            if key
            else (f"faults[{index}]: {fault.fault} takes up to {format_duration(longest)}, which")
        )
        text = (
            f"{what} is not shorter than timing.recovery ({format_duration(recovery)}), so the load "
            "would end first. Shorten it, lengthen timing.recovery, or set null for a permanent fault"
        )
        found.append(Mistake(None, path, text))
    return found


def missing_files(workloads: Sequence[tuple[int, WorkloadSettings]], base: Path) -> list[Mistake]:
    """Return missing files of workloads; `base` is the experiment file's folder."""
    return [
        of_entry("workloads", index, text)
        for index, workload in workloads
        for text in workload.missing_files(base)
    ]


def load_mistakes(load: LoadSettings, timing: Timing, base: Path) -> list[Mistake]:
    """Check the section `load:`, alone and together with the phases of a trial."""
    found = [f"load.{text}" for text in problems(load)]
    found += load.problems_with(timing.warmup + timing.steady)
    found += [f"load.{text}" for text in load.missing_files(base)]
    return [Mistake(None, ("load",), text) for text in found]


def availability_mistakes(availability: AvailabilitySettings) -> list[Mistake]:
    """Check the kinds of faults in the section `availability:`."""
    return [
        Mistake(None, ("availability", "mtbf", kind), text, ", ".join(availability.known()), at_key=True)
        for kind, text in availability.problems_by_key().items()
    ]


def cost_mistakes(cost: CostSettings) -> list[Mistake]:
    """Check the kinds of hosts in the section `cost:`."""
    return [
        Mistake(None, ("cost", "others", kind), text, at_key=True)
        for kind, text in cost.problems_by_key().items()
    ]


def ledger_mistakes(
    ledger: LedgerSettings, workloads: Sequence[tuple[int, WorkloadSettings]]
) -> list[Mistake]:
    """Check that no additional workload of the ledger is also the load."""
    return [
        of_entry("workloads", index, f"ledger.{text}")
        for index, workload in workloads
        for text in ledger.problems_with(workload)
    ]


def problems(settings: Settings) -> list[str]:
    """Return the problems of settings and of nested settings."""
    return problems_within(settings, _own_problems)


def _own_problems(settings: Settings) -> list[str]:
    found = list(settings.problems())
    if isinstance(settings, SolutionSettings):
        found += settings.checks.problems_with_parts()
        found += _refused(settings)
    return found


def _names(given_and_default: list[tuple[str, str]], settings: Sequence[Settings]) -> list[str]:
    """Make default names distinct from each other and from given names."""
    filled = [given or default for given, default in given_and_default]
    unique = names.distinct(filled, settings)
    return [given or other for (given, _), other in zip(given_and_default, unique, strict=True)]


def _same_names(key: str, parts: Sequence[tuple[int, Settings]], called: list[str]) -> Iterator[Mistake]:
    first: dict[str, int] = {}
    for (index, settings), name in zip(parts, called, strict=True):
        given = bool(getattr(settings, "name", ""))
        path: KeyPath = (key, index, "name") if given else (key, index)
        if problem := names.problem_of(name):
            yield Mistake(None, path, f"{key}[{index}].name: found {shown(name)}; {problem}")
        if name in first:
            yield Mistake(
                None,
                path,
                f"{key}[{index}] and {key}[{first[name]}] have the same name {shown(name)}: "
                "set another `name:` for one of them",
            )
        first.setdefault(name, index)


def _same_faults(faults: Sequence[tuple[int, FaultSettings]]) -> Iterator[Mistake]:
    first: dict[str, tuple[int, FaultSettings]] = {}
    for (index, fault), name in zip(faults, fault_names([one for _, one in faults]), strict=True):
        if fault.name and (problem := names.problem_of(name)):
            yield of_entry("faults", index, f"found {shown(name)}; {problem}", "name")
        if name in first:
            other, known = first[name]
            text = (
                f"faults[{index}] repeats faults[{other}]: remove one of them"
                if _effect(fault) == _effect(known)
                else f"faults[{index}] and faults[{other}] have the same name {shown(name)}: "
                "set another `name:` for one of them"
            )
            yield Mistake(None, ("faults", index), text)
        first.setdefault(name, (index, fault))


def _same_connections(connections: Sequence[tuple[int, int]]) -> Iterator[Mistake]:
    seen: set[int] = set()
    for index, number in connections:
        if number in seen:
            text = f"{number} is repeated: remove one of them"
            yield of_entry("connections", index, text)
        seen.add(number)


def _senseless(key: str, parts: Sequence[tuple[int, Settings]]) -> Iterator[Mistake]:
    for index, settings in parts:
        own = _refused(settings) if isinstance(settings, SolutionSettings) else {}
        for problem in problems(settings):
            if problem not in own:
                mistake = of_entry(key, index, problem)
                # Commands may be many lines away from the beginning of their entry.
                inner = path_of(settings, problem) if key in ("faults", "solutions") else ()
                yield replace(mistake, path=(*mistake.path, *inner))
        for problem, keys in own.items():
            yield Mistake(None, (key, index, *keys), f"{key}[{index}].{problem}", at_key=True)


def _refused(solution: SolutionSettings) -> dict[str, KeyPath]:
    """Return the settings that a solution refuses, as sentences with their keys."""
    return {f"{dotted(keys)}: {text}": keys for keys, text in solution.checks.refused().items()}


def _senseless_faults(parts: Parts) -> Iterator[Mistake]:
    """Find faults that do not apply to one of their solutions."""
    names = solution_names([solution for _, solution in parts.solutions])
    for index, fault in parts.faults:
        for (_, solution), name in zip(parts.solutions, names, strict=True):
            if fault.only and not {name, *_swept([solution])} & set(fault.only):
                continue
            if why := problems_with(fault, solution, parts.topology(solution)):
                text = (
                    f"{fault.fault} does not apply to {shown(name)}: {why[0]}. Change the fault, or "
                    "list the solutions that it applies to in its `only:`"
                )
                yield of_entry("faults", index, text)
                break


def _swept(solutions: Sequence[SolutionSettings]) -> list[str]:
    """Return the names of the sweeps of which solutions are variants."""
    return list(dict.fromkeys(solution.variant.of for solution in solutions if solution.variant is not None))


def problems_with(
    fault: FaultSettings, solution: SolutionSettings, topology: Topology | None = None
) -> list[str]:
    """Return why a fault, or one of its steps, does not apply to a solution; empty if it does.

    `topology`: the solution's topology, if it has other hosts of the load than usual.
    """
    singles = [step.fault for step in fault.schedule(Random(0))]
    refused = [text for single in singles for text in solution.checks.problems_with_fault(single)]
    return [*fault.problems_with(topology or solution.topology()), *refused]


def _unshaped(parts: Parts) -> Iterator[Mistake]:
    """Find networks that a solution does not support."""
    names = solution_names([solution for _, solution in parts.solutions])
    for index, network in parts.networks:
        for (_, solution), name in zip(parts.solutions, names, strict=True):
            for problem in solution.checks.problems_with_network(network):
                text = f"{shown(network.name)} is not possible with {shown(name)}: {problem}"
                yield of_entry("network", index, text)


def _unknown_hosts(parts: Parts) -> Iterator[Mistake]:
    """Find hosts in sites that no solution has."""
    solutions = [solution for _, solution in parts.solutions]
    for index, network in parts.networks if solutions else ():
        for problem in unknown_hosts(network, [parts.topology(one) for one in solutions]):
            yield of_entry("network", index, problem)


def unknown_hosts(network: NetworkSettings, topologies: Sequence[Topology]) -> list[str]:
    """Return the problems of hosts that a network names but none of these solutions has."""
    most = max(topology.nodes for topology in topologies)
    others = ", ".join(dict.fromkeys(name for one in topologies for name in one.host_names))
    return [
        f"sites: unknown host {shown(host)}; the hosts are node1 to node{most}, {others}"
        for host in network.named_hosts
        if not any(topology.has_host(host) for topology in topologies)
    ]


def threshold_mistakes(parts: Parts, thresholds: Sequence[ThresholdSettings]) -> Iterator[Mistake]:
    """Find unknown solutions in thresholds."""
    solutions = [solution for _, solution in parts.solutions]
    known = [*_swept(solutions), *solution_names(solutions)]
    for index, one in enumerate(thresholds):
        if one.solution is not None and one.solution not in known:
            all_names = ", ".join(shown(name) for name in known)
            text = (
                f"thresholds[{index}]: unknown solution {shown(one.solution)}; the solutions are {all_names}"
            )
            yield Mistake(None, ("thresholds", index), text)


def _unknown_names(parts: Parts) -> Iterator[Mistake]:
    """Find unknown solutions and sites in faults."""
    names = solution_names([solution for _, solution in parts.solutions])
    swept = _swept([solution for _, solution in parts.solutions])
    for index, fault in parts.faults:
        for name in fault.only:
            if name not in [*names, *swept] and parts.solutions:
                known = ", ".join(shown(one) for one in [*swept, *names])
                text = f"unknown solution {shown(name)}; the solutions are {known}"
                yield of_entry("faults", index, text, "only")
        for site in fault.sites():
            for _, network in parts.networks or [(0, NetworkSettings())]:
                if site not in network.site_names:
                    known = ", ".join(network.site_names)
                    where = f"the network {shown(network.name)} has no site {shown(site)}"
                    yield of_entry("faults", index, f"{where}; its sites: {known}")
