"""Check the section `clients:` together with the rest of an experiment."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fivenines.experiment.sections.clients import HOST, LOCAL, MOST_CLIENTS, ClientSettings, connections_of
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.checks import Parts, problems
from fivenines.experiment.validation.mistakes import Mistake, of_entry, shown
from fivenines.faults import targets
from fivenines.faults.network import peers
from fivenines.lab.network.sites import NODE
from fivenines.load.settings import LoadSettings
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.cluster.topology import CLIENT, Topology
from fivenines.solutions.settings import SolutionSettings

# Largest number of ledger clients that the load generator distinguishes.
_MOST_OF_LEDGER = 64

# A key of a client and its problem; an empty key: the client as a whole.
Problem = tuple[str, str]

# Reserved words: faults use them to name their targets.
_RESERVED = {LOCAL, "site", *targets.ROLES, *peers.WORDS}


def with_total(data: dict[str, Any]) -> dict[str, Any]:
    """Add the total number of connections if each client has a fixed number."""
    clients = data.get("clients")
    if "connections" in data or not isinstance(clients, list) or not clients:
        return data
    own = [client.get("connections") if isinstance(client, dict) else None for client in clients]
    if not all(type(number) is int and number > 0 for number in own):
        return data
    return {**data, "connections": [sum(own)]}


def names(data: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the load's hosts, from values not yet validated."""
    clients = data.get("clients")
    found = (
        [client.get("name") for client in clients if isinstance(client, dict)]
        if isinstance(clients, list)
        else []
    )
    return tuple(name for name in found if isinstance(name, str)) or (CLIENT,)


def mistakes(experiment: Experiment, parts: Parts, base: Path) -> Iterator[Mistake]:
    """Return all errors about the clients, whose files are relative to `base`."""
    clients = experiment.clients
    if not clients:
        return
    yield from _section(experiment)
    yield from _connections(experiment)
    for index, client in enumerate(clients):
        for key, text in _of_client(client, clients[:index], experiment):
            yield of_entry("clients", index, text, key)
        files = [("load", problem) for problem in client.load.missing_files(base)] if client.load else []
        files += (
            [("workload", problem) for problem in client.workload.missing_files(base)]
            if client.workload
            else []
        )
        for key, text in files:
            yield of_entry("clients", index, text, key)
        for _, solution in parts.solutions:
            if text := _endpoint_problem(client.endpoint, solution):
                yield of_entry("clients", index, text, "endpoint")
                break


def _section(experiment: Experiment) -> Iterator[Mistake]:
    """Find settings that exclude several clients."""
    clients = experiment.clients
    if len(clients) > MOST_CLIENTS:
        yield _at("clients", f"clients: found {len(clients)} clients; the maximum is {MOST_CLIENTS}")
    if experiment.design == "interleaved":
        yield _at(
            "clients",
            "clients: an interleaved comparison loads each solution from one client: leave `clients` out, or "
            "set `design: trials`",
        )
    for index, solution in enumerate(experiment.solutions):
        if solution.external:
            yield of_entry(
                "solutions",
                index,
                "an external cluster is loaded from this machine, by one client: leave `clients` out",
            )
    if experiment.load.connection_steps and len(clients) > 1:
        yield _at("load", "load.connection_steps: requires a single client: leave it out, or list one client")
    work = experiment.load.transactions
    if work is not None and work.together is not None and work.together < len(clients):
        yield _at(
            "load",
            f"load.transactions: {work.together} for {len(clients)} clients leave some "
            "without work: set a larger number",
        )
    ledger = experiment.ledger
    if ledger.rate and ledger.clients * len(clients) > _MOST_OF_LEDGER:
        yield Mistake(
            None,
            ("ledger", "clients"),
            f"ledger.clients: {ledger.clients} for each of "
            f"{len(clients)} clients exceeds {_MOST_OF_LEDGER} in total: set it to "
            f"{_MOST_OF_LEDGER // len(clients)} or less",
        )
    if len(clients) > 1:
        for index, workload in enumerate(experiment.workloads):
            if workload.ends_itself:
                yield of_entry("workloads", index, _ends_itself(workload))


def _ends_itself(workload: WorkloadSettings) -> str:
    return (
        f"{shown(workload.workload)} divides its work among the connections of one load generator, so "
        "several clients would repeat it: leave `clients` out"
    )


def _connections(experiment: Experiment) -> Iterator[Mistake]:
    clients = experiment.clients
    for index, total in enumerate(experiment.connections):
        found = connections_of(clients, total)
        if sum(found) != total:
            yield of_entry(
                "connections",
                index,
                f"found {total}, but the clients have "
                f"{sum(found)} connections in total: write that number, or leave `connections` out",
            )
        elif 0 in found:
            name = clients[found.index(0)].name
            yield of_entry(
                "connections",
                index,
                f"{total} connections leave none for the client "
                f"{shown(name)}: set a larger number, or `connections` of the client",
            )


def _of_client(
    client: ClientSettings, before: Sequence[ClientSettings], experiment: Experiment
) -> Iterator[Problem]:
    yield from _name_problems(client, before, experiment.solutions)
    yield from _site_problems(client, experiment)
    if client.connections is not None and client.share is not None:
        yield "share", "the client also has `connections`: leave one of them out"
    for key, inner in (("load", client.load), ("workload", client.workload)):
        yield from ((key, text) for text in (problems(inner) if inner else ()))
    timing = experiment.timing
    for text in client.load.problems_with(timing.warmup + timing.steady) if client.load else ():
        yield "load", text.removeprefix("load.")
    if client.load is not None:
        yield from (("load", text) for text in _load_problems(client.load, experiment.load))
    if client.workload is not None:
        yield from _workload_problems(client.workload, experiment)


def _load_problems(own: LoadSettings, common: LoadSettings) -> Iterator[str]:
    """Find settings that a single client's load cannot have."""
    if own.cap is not None:
        yield "cap: applies to all clients: set it in the section `load:`"
    if own.transactions is not None and common.transactions is None:
        yield (
            "transactions: either all clients have fixed work or none: set "
            "`transactions` in the section `load:`, too"
        )
    if common.transactions is not None and (own.rate is not None or own.steps):
        yield "rate and steps: not possible with fixed work (load.transactions): leave them out"
    if own.connection_steps:
        yield "connection_steps: requires a single client: leave it out, or leave `clients` out"


def _name_problems(
    client: ClientSettings, before: Sequence[ClientSettings], solutions: Sequence[SolutionSettings]
) -> Iterator[Problem]:
    name = client.name
    if not HOST.fullmatch(name):
        yield (
            "name",
            (
                f"found {shown(name)}; a client's name has at most 12 lower-case letters, digits and "
                "hyphens, and begins with a letter"
            ),
        )
    others = {host for solution in solutions for host in _hosts(solution.topology())}
    if NODE.fullmatch(name) or name in _RESERVED or name in others:
        yield (
            "name",
            f"{shown(name)} is the name of another host of the lab, or reserved: choose another name",
        )
    if name in [one.name for one in before]:
        yield "name", f"another client has the name {shown(name)}: choose another name"


def _hosts(topology: Topology) -> list[str]:
    return [name for name in topology.host_names if name not in topology.clients]


def _site_problems(client: ClientSettings, experiment: Experiment) -> Iterator[Problem]:
    stretched = [one for one in experiment.network if one.sites]
    if client.site is None:
        return
    if not stretched:
        yield (
            "site",
            f"no network has sites: leave it out, or set `sites: [{client.site}, ...]` of the network",
        )
    for network in stretched:
        if client.site not in network.site_names:
            known = ", ".join(network.site_names)
            where = f"the network {shown(network.name)} has no site {shown(client.site)}"
            yield "site", f"{where}; its sites: {known}"
        elif network.named_hosts.get(client.name, client.site) != client.site:
            yield (
                "site",
                f"the network {shown(network.name)} places it in another site: remove one of the two",
            )


def _workload_problems(own: WorkloadSettings, experiment: Experiment) -> Iterator[Problem]:
    if own.ends_itself:
        yield "workload", _ends_itself(own)
    for text in experiment.ledger.problems_with(own):
        yield "workload", f"ledger.{text}"
    for workload in experiment.workloads:
        if own.data_set() != workload.data_set():
            yield (
                "workload",
                (
                    f"its data set differs from that of {shown(workload.name or workload.workload)}, but a "
                    "cell has one data set: use the same tables and the same scale for both"
                ),
            )
            return
        if list(own.invariants()) != list(workload.invariants()):
            yield (
                "workload",
                (
                    f"its invariants differ from those of "
                    f"{shown(workload.name or workload.workload)}, but both use the same data: "
                    "use the same workload with the same settings (as `batch`) for both"
                ),
            )
            return


def _endpoint_problem(endpoint: str | None, solution: SolutionSettings) -> str:
    if endpoint is None:
        return ""
    name = shown(solution.name or solution.default_name())
    node = NODE.fullmatch(endpoint)
    if endpoint != LOCAL and node is None:
        return f"found {shown(endpoint)}; write a node, as node1, or {LOCAL}"
    if solution.access.kind != "direct":
        return (
            f"clients reach {name} through {solution.access.kind}, which chooses the node: leave it "
            "out, or set `access: {kind: direct}`"
        )
    if node is not None and int(node[1]) > solution.traits.nodes:
        return f"{name} has no {endpoint}; it has node1 to node{solution.traits.nodes}"
    if node is not None and solution.traits.single_writer:
        return (
            f"{name} has one writable node at a time, which may not be {endpoint}: leave "
            f"it out, or write {LOCAL}"
        )
    return ""


def _at(key: str, text: str) -> Mistake:
    return Mistake(None, (key,), text)
