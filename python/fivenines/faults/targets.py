"""Resolve the target of a fault from a word in the experiment file, at the time of the injection.

| word | target |
|---|---|
| primary | the primary of record |
| replica, standby | the first node that is a replica now |
| minority | the most nodes that can fail without losing the majority of votes, never the primary |
| majority | the fewest nodes with more than half of the votes, including the primary |
| all | every node |
| any | one node, chosen by the trial's seed |
| node2 | the node with this name |
| site a | all hosts of a site |
| proxy, manager, client | the host of the access layer, of the failover manager, of the load |
| arbiter, etcd1, ... | another host with this name, if the solution has it |
| data, group1, ... | servers of kinds that only this solution has |
"""

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from fivenines.base.errors import FiveninesError
from fivenines.base.spelling import nearest_word
from fivenines.faults.context import FaultContext
from fivenines.lab.network.sites import NODE
from fivenines.servers.base import Server
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.member import Member

# Words for nodes.
ROLES = ("primary", "replica", "standby", "minority", "majority", "all", "any")

_SITE = re.compile(r"site (\S+)")
_HOST = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Target:
    """A resolved target: the word in the experiment, the hosts, and the servers on them."""

    role: str
    hosts: tuple[str, ...]
    servers: tuple[Member, ...] = ()


# Hosts on which no server of the cluster runs, in any solution.
_NO_SERVERS = ("proxy", "manager", "client", "arbiter")


def node_target(word: str) -> str:
    """Return the word if it can name servers.

    Raises:
        ValueError: the word cannot name servers.
    """
    if word in ROLES or NODE.fullmatch(word) or _SITE.fullmatch(word):
        return word
    known = word in _NO_SERVERS or word.startswith("node") or nearest_word(word, ROLES)
    if _HOST.fullmatch(word) and not known:
        return word  # Only the solution knows its other kinds of servers.
    raise ValueError(f"{word!r} is not a target: write {', '.join(ROLES)}, node1, or site NAME")


def _of_hosts(word: str) -> str:
    return word if _HOST.fullmatch(word) else node_target(word)


_WORDS = ", ".join(ROLES)

# Target word for servers of the cluster.
NodeTarget = Annotated[
    str,
    Field(description="target of the fault, see Targets in the page about faults"),
    AfterValidator(node_target),
    WithJsonSchema({"type": "string", "allowed": f"{_WORDS}, node1, or site NAME"}),
]

# Target word for any hosts.
HostTarget = Annotated[
    str,
    Field(description="target of the fault, see Targets in the page about faults"),
    AfterValidator(_of_hosts),
    WithJsonSchema(
        {"type": "string", "allowed": f"{_WORDS}, node1, site NAME, or a host such as proxy or client"}
    ),
]


# What a fault targets: database servers that accept SQL, all servers of the cluster, or any hosts.
Hit = Literal["nodes", "servers", "hosts"]


def problems_of(target: str, topology: Topology, hit: Hit = "hosts") -> list[str]:
    """Return why a solution does not have this target; empty if it has."""
    nodes = topology.nodes
    if target in topology.words:
        return [f"{target}: not a database server that accepts SQL"] if hit == "nodes" else []
    if target in ("replica", "standby") and nodes == 1:
        return [f"{target}: the solution has one node and no replica"]
    if target == "minority" and topology.votes < 3:
        return [f"minority: none of {nodes} nodes can fail without losing the majority"]
    if NODE.fullmatch(target) and int(target[4:]) > nodes:
        return [f"{target}: the solution has {nodes} {'node' if nodes == 1 else 'nodes'}"]
    if target in ROLES or NODE.fullmatch(target) or _SITE.fullmatch(target):
        return []
    missing = _missing_host(target, topology) if hit == "hosts" else _no_server(target, topology)
    return [missing] if missing else []


def _no_server(target: str, topology: Topology) -> str:
    words = "".join(f"{word}, " for word in topology.words)
    return f"{target}: unknown server; write {_WORDS}, node1, {words}or site NAME"


def _missing_host(target: str, topology: Topology) -> str:
    if target == "proxy" and not topology.access_host:
        return f"proxy: the access layer {topology.access} has no separate host"
    if target == "manager" and not topology.manager_host:
        return "manager: the solution has no failover manager on a separate host"
    if target in ("proxy", "manager") or topology.has_host(target):
        return ""
    hosts = ", ".join(topology.host_names)
    return f"{target}: unknown target; write {_WORDS}, node1, site NAME, or a host of {hosts}"


def sites_in(target: str) -> list[str]:
    """Return the site that a target names, as a list of at most one name."""
    match = _SITE.fullmatch(target)
    return [match[1]] if match else []


def resolve(target: str, context: FaultContext) -> Target:
    """Return the current hosts and servers of a target.

    Raises:
        FiveninesError: no host or server matches; the message names the target.
    """
    if site := sites_in(target):
        members = context.lab.sites.members().get(site[0])
        if not members:
            raise FiveninesError(f"site {site[0]} has no host")
        return Target(target, tuple(members), _servers(context, members))
    if target in context.solution.topology.words:
        called = tuple(context.solution.members_called(target))
        if not called:
            raise FiveninesError(f"the target {target} has no server now")
        return Target(target, tuple(member.name for member in called), called)
    if target not in ROLES and not NODE.fullmatch(target):
        return Target(target, (_other(target, context),))
    chosen = _nodes(target, context)
    return Target(target, tuple(node.name for node in chosen), tuple(chosen))


def _nodes(target: str, context: FaultContext) -> list[Server]:
    solution = context.solution
    nodes = list(solution.nodes)
    if NODE.fullmatch(target):
        return [solution.node(target)]
    if target in ("all", "any"):
        return nodes if target == "all" else [context.random.choice(nodes)]
    if target in ("replica", "standby"):
        return [solution.roles.target("replica")]
    primary = solution.roles.target("primary")
    others = [node for node in nodes if node is not primary]
    if target == "primary":
        return [primary]
    votes = solution.topology.votes
    if target == "minority":
        return others[len(others) - (votes - 1) // 2 :]
    return [primary, *others[: votes // 2]]


def _other(target: str, context: FaultContext) -> str:
    name = target
    if target == "proxy":
        name = str(context.access.settings.host)
    if target == "manager":
        name = str(context.manager.settings.host) if context.manager else ""
    if name not in context.lab.hosts:
        raise FiveninesError(f"the lab has no host for the target {target}")
    return name


def _servers(context: FaultContext, names: "list[str]") -> tuple[Member, ...]:
    return tuple(member for member in context.solution.members if member.name in names)


def databases(target: Target) -> list[Server]:
    """Return the servers of a target that accept SQL.

    Raises:
        FiveninesError: the target has no such server.
    """
    servers = [server for server in target.servers if isinstance(server, Server)]
    if not servers:
        raise FiveninesError(f"the target {target.role} has no database server that accepts SQL")
    return servers
