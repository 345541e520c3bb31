"""What is wrong with several clients that no single value shows."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fivenines.cluster.topology import CLIENT, Topology
from fivenines.experiment.checks import Parts, problems
from fivenines.experiment.clients import HOST, LOCAL, MOST_CLIENTS, ClientSettings, connections_of
from fivenines.experiment.mistakes import Mistake, of_entry, shown
from fivenines.experiment.spec import Experiment
from fivenines.faults import peers, targets
from fivenines.lab.sites import NODE
from fivenines.load.settings import LoadSettings
from fivenines.solutions.settings import SolutionSettings
from fivenines.workloads.settings import WorkloadSettings

# Clients of the ledger that the load generator can tell apart.
_MOST_OF_LEDGER = 64

# A key of a client and what is wrong with it; no key: with the client as a whole.
Said = tuple[str, str]

# Words that mean somebody else where faults name whom they hit.
_TAKEN = {LOCAL, "site", *targets.ROLES, *peers.WORDS}


def with_total(data: dict[str, Any]) -> dict[str, Any]:
    """The file's values with the number of connections, where each client has a number of its own."""
    clients = data.get("clients")
    if "connections" in data or not isinstance(clients, list) or not clients:
        return data
    own = [one.get("connections") if isinstance(one, dict) else None for one in clients]
    if not all(type(number) is int and number > 0 for number in own):
        return data
    return {**data, "connections": [sum(own)]}


def names(data: dict[str, Any]) -> tuple[str, ...]:
    """What the hosts of the load are called, as far as the file's values say it."""
    clients = data.get("clients")
    found = [one.get("name") for one in clients if isinstance(one, dict)] if isinstance(clients, list) else []
    return tuple(name for name in found if isinstance(name, str)) or (CLIENT,)


def mistakes(experiment: Experiment, parts: Parts, base: Path) -> Iterator[Mistake]:
    """All mistakes about the clients, whose files `base` holds; none where there is no such section."""
    clients = experiment.clients
    if not clients:
        return
    yield from _wholes(experiment)
    yield from _connections(experiment)
    for index, client in enumerate(clients):
        for key, text in _of_client(client, clients[:index], experiment):
            yield of_entry("clients", index, text, key)
        files = [("load", one) for one in client.load.missing_files(base)] if client.load else []
        files += [("workload", one) for one in client.workload.missing_files(base)] if client.workload else []
        for key, text in files:
            yield of_entry("clients", index, text, key)
        for _, solution in parts.solutions:
            if text := _endpoint_problem(client.endpoint, solution):
                yield of_entry("clients", index, text, "endpoint")
                break


def _wholes(experiment: Experiment) -> Iterator[Mistake]:
    """What does not go together with several clients at all."""
    clients = experiment.clients
    if len(clients) > MOST_CLIENTS:
        yield _at("clients", f"clients: {len(clients)} clients, at most {MOST_CLIENTS} are possible")
    if experiment.design == "interleaved":
        yield _at(
            "clients",
            "clients: an interleaved comparison loads each solution by one client: leave `clients` out, or "
            "choose `design: trials`",
        )
    for index, solution in enumerate(experiment.solutions):
        if solution.external:
            yield of_entry(
                "solutions",
                index,
                "a cluster that others run is loaded from this machine, by one client: leave `clients` out",
            )
    if experiment.load.connection_steps and len(clients) > 1:
        yield _at(
            "load", "load.connection_steps: they are for one client: leave them out, or name one client alone"
        )
    work = experiment.load.transactions
    if work is not None and work.together is not None and work.together < len(clients):
        yield _at(
            "load",
            f"load.transactions: {work.together} for {len(clients)} clients leave some "
            "without work: ask for more",
        )
    ledger = experiment.ledger
    if ledger.rate and ledger.clients * len(clients) > _MOST_OF_LEDGER:
        yield Mistake(
            None,
            ("ledger", "clients"),
            f"ledger.clients: {ledger.clients} for each of "
            f"{len(clients)} clients are more than {_MOST_OF_LEDGER}: set it to "
            f"{_MOST_OF_LEDGER // len(clients)} or less",
        )
    if len(clients) > 1:
        for index, workload in enumerate(experiment.workloads):
            if workload.ends_itself:
                yield of_entry("workloads", index, _ends_itself(workload))


def _ends_itself(workload: WorkloadSettings) -> str:
    return (
        f"{shown(workload.workload)} shares out its work among the connections of one load generator, so "
        "that several clients would do it several times: leave `clients` out"
    )


def _connections(experiment: Experiment) -> Iterator[Mistake]:
    clients = experiment.clients
    for index, total in enumerate(experiment.connections):
        found = connections_of(clients, total)
        if sum(found) != total:
            yield of_entry(
                "connections",
                index,
                f"{total} connections, and the clients have "
                f"{sum(found)} of their own: write that, or leave `connections` out",
            )
        elif 0 in found:
            name = clients[found.index(0)].name
            yield of_entry(
                "connections",
                index,
                f"{total} connections leave none for the client "
                f"{shown(name)}: give more, or `connections` of its own",
            )


def _of_client(
    client: ClientSettings, before: Sequence[ClientSettings], experiment: Experiment
) -> Iterator[Said]:
    yield from _name_problems(client, before, experiment.solutions)
    yield from _site_problems(client, experiment)
    if client.connections is not None and client.share is not None:
        yield "share", "the client has `connections` of its own: one of them is enough"
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
    """What a client's own load cannot have beside the loads of others."""
    if own.cap is not None:
        yield "cap: all clients end together at the latest: write it in the section `load:`"
    if own.transactions is not None and common.transactions is None:
        yield (
            "transactions: clients that have work and clients that have none do not go together: write "
            "`transactions` in the section `load:`, too"
        )
    if common.transactions is not None and (own.rate is not None or own.steps):
        yield "rate and steps: the clients have work (load.transactions), which is done as fast as it goes"
    if own.connection_steps:
        yield "connection_steps: they are for one client: leave them out, or leave `clients` out"


def _name_problems(
    client: ClientSettings, before: Sequence[ClientSettings], solutions: Sequence[SolutionSettings]
) -> Iterator[Said]:
    name = client.name
    if not HOST.fullmatch(name):
        yield (
            "name",
            (
                f"found {shown(name)}; a client is called as a host: at most 12 small letters, digits and "
                "hyphens, a letter first"
            ),
        )
    others = {host for one in solutions for host in _hosts(one.topology())}
    if NODE.fullmatch(name) or name in _TAKEN or name in others:
        yield "name", f"{shown(name)} means another host of the lab: choose another name"
    if name in [one.name for one in before]:
        yield "name", f"another client is called {shown(name)}, too: choose another name"


def _hosts(topology: Topology) -> list[str]:
    return [name for name in topology.host_names if name not in topology.clients]


def _site_problems(client: ClientSettings, experiment: Experiment) -> Iterator[Said]:
    stretched = [one for one in experiment.network if one.sites]
    if client.site is None:
        return
    if not stretched:
        yield ("site", f"no network has sites: leave it out, or write `sites: [{client.site}, ...]` there")
    for network in stretched:
        if client.site not in network.site_names:
            known = ", ".join(network.site_names)
            where = f"the network {shown(network.name)} has no site {shown(client.site)}"
            yield "site", f"{where}; its sites: {known}"
        elif network.named_hosts.get(client.name, client.site) != client.site:
            yield ("site", f"the network {shown(network.name)} puts it into another site: say it once")


def _workload_problems(own: WorkloadSettings, experiment: Experiment) -> Iterator[Said]:
    if own.ends_itself:
        yield "workload", _ends_itself(own)
    for text in experiment.ledger.problems_with(own):
        yield "workload", f"ledger.{text}"
    for workload in experiment.workloads:
        if own.data_set() != workload.data_set():
            yield (
                "workload",
                (
                    f"its data are not those of {shown(workload.name or workload.workload)}, and a "
                    "cell has one data set: give both the same kind of tables and the same scale"
                ),
            )
            return
        if list(own.invariants()) != list(workload.invariants()):
            yield (
                "workload",
                (
                    f"what must be true of its data afterwards is not what must be true after "
                    f"{shown(workload.name or workload.workload)}, and the data of both are the same: "
                    "give both the same workload with the same settings (as `batch`)"
                ),
            )
            return


def _endpoint_problem(endpoint: str | None, solution: SolutionSettings) -> str:
    if endpoint is None:
        return ""
    name = shown(solution.name or solution.default_name())
    node = NODE.fullmatch(endpoint)
    if endpoint != LOCAL and node is None:
        return f"found {shown(endpoint)}; write a node as node1, or {LOCAL}"
    if solution.access.kind != "direct":
        return (
            f"clients reach {name} through {solution.access.kind}, which says where they write: leave it "
            "out, or choose `access: {kind: direct}`"
        )
    if node is not None and int(node[1]) > solution.nodes:
        return f"{name} has no {endpoint}; it has node1 to node{solution.nodes}"
    if node is not None and solution.single_writer:
        return (
            f"{name} has one node at a time that takes writes, which may be another than {endpoint}: leave "
            f"it out, or write {LOCAL}"
        )
    return ""


def _at(key: str, text: str) -> Mistake:
    return Mistake(None, (key,), text)
