"""Who is hit: from a word in the experiment file to servers and hosts, at the moment of the injection.

| word | means |
|---|---|
| primary | the primary of record |
| replica, standby | the first node that is a replica now |
| minority | as many nodes as can be missed without losing the majority of votes, never the primary |
| majority | the fewest nodes that have more than half of the votes, the primary among them |
| all | every node |
| any | one node, by the trial's seed |
| node2 | the node of this name |
| site a | all hosts of a site |
| proxy, manager, client | the host of the access layer, of the failover manager, of the load |
| arbiter, etcd1, ... | another host of this name, where the solution has one |
| data, group1, ... | servers of its own kinds, where the solution has such words |
"""

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from fivenines.cluster.topology import Topology
from fivenines.errors import FiveninesError
from fivenines.faults.context import FaultContext
from fivenines.lab.sites import NODE
from fivenines.servers.base import Server
from fivenines.servers.member import Member
from fivenines.spelling import nearest_word

ROLES = ("primary", "replica", "standby", "minority", "majority", "all", "any")
"""Words for nodes."""

_SITE = re.compile(r"site (\S+)")
_HOST = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Target:
    """Who is hit now: the word that was asked for, the hosts, and the servers on them."""

    role: str
    hosts: tuple[str, ...]
    servers: tuple[Member, ...] = ()


_NO_SERVERS = ("proxy", "manager", "client", "arbiter")
"""Hosts on which no server of the cluster runs, in any solution."""


def node_target(word: str) -> str:
    """The word, if it can name servers.

    Raises:
        ValueError: it cannot.
    """
    if word in ROLES or NODE.fullmatch(word) or _SITE.fullmatch(word):
        return word
    known = word in _NO_SERVERS or word.startswith("node") or nearest_word(word, ROLES)
    if _HOST.fullmatch(word) and not known:
        return word  # which servers of other kinds there are, a solution says
    raise ValueError(f"{word!r} is not a target: write {', '.join(ROLES)}, node1, or site NAME")


def _of_hosts(word: str) -> str:
    return word if _HOST.fullmatch(word) else node_target(word)


_WORDS = ", ".join(ROLES)

NodeTarget = Annotated[
    str,
    Field(description="who is hit, see Targets in the page about faults"),
    AfterValidator(node_target),
    WithJsonSchema({"type": "string", "allowed": f"{_WORDS}, node1, or site NAME"}),
]
"""A word for servers of the cluster."""

HostTarget = Annotated[
    str,
    Field(description="who is hit, see Targets in the page about faults"),
    AfterValidator(_of_hosts),
    WithJsonSchema(
        {"type": "string", "allowed": f"{_WORDS}, node1, site NAME, or a host as proxy or client"}
    ),
]
"""A word for any hosts."""


Hit = Literal["nodes", "servers", "hosts"]
"""What a fault hits: database servers that clients speak to, all servers of the cluster, or any hosts."""


def problems_of(target: str, topology: Topology, hit: Hit = "hosts") -> list[str]:
    """Why there is no such target in a solution."""
    nodes = topology.nodes
    if target in topology.words:
        return [f"{target}: it is no database server that takes SQL"] if hit == "nodes" else []
    if target in ("replica", "standby") and nodes == 1:
        return [f"{target}: the solution has one node, and no replica"]
    if target == "minority" and topology.votes < 3:
        return [f"minority: of {nodes} nodes none can be missed without losing the majority"]
    if NODE.fullmatch(target) and int(target[4:]) > nodes:
        return [f"{target}: the solution has {nodes} {'node' if nodes == 1 else 'nodes'}"]
    if target in ROLES or NODE.fullmatch(target) or _SITE.fullmatch(target):
        return []
    missing = _missing_host(target, topology) if hit == "hosts" else _no_server(target, topology)
    return [missing] if missing else []


def _no_server(target: str, topology: Topology) -> str:
    words = "".join(f"{word}, " for word in topology.words)
    return f"{target}: there is no such server; write {_WORDS}, node1, {words}or site NAME"


def _missing_host(target: str, topology: Topology) -> str:
    if target == "proxy" and not topology.access_host:
        return f"proxy: the access layer {topology.access} has no host of its own"
    if target == "manager" and not topology.manager_host:
        return "manager: the solution has no failover manager on a host of its own"
    if target in ("proxy", "manager") or topology.has_host(target):
        return ""
    hosts = ", ".join(topology.host_names)
    return f"{target}: there is no such target; write {_WORDS}, node1, site NAME, or a host of {hosts}"


def sites_in(target: str) -> list[str]:
    """The site that a target names."""
    found = _SITE.fullmatch(target)
    return [found[1]] if found else []


def resolve(target: str, context: FaultContext) -> Target:
    """Who that is now.

    Raises:
        FiveninesError: nobody is; says what was looked for.
    """
    if site := sites_in(target):
        members = context.lab.sites.get(site[0])
        if not members:
            raise FiveninesError(f"no host is at site {site[0]}")
        return Target(target, tuple(members), _servers(context, members))
    if target in context.solution.topology.words:
        called = tuple(context.solution.members_called(target))
        if not called:
            raise FiveninesError(f"there is no {target} now")
        return Target(target, tuple(one.name for one in called), called)
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
        return [solution.target("replica")]
    primary = solution.target("primary")
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
        raise FiveninesError(f"there is no host of the {target}")
    return name


def _servers(context: FaultContext, names: "list[str]") -> tuple[Member, ...]:
    return tuple(one for one in context.solution.members if one.name in names)


def databases(target: Target) -> list[Server]:
    """The servers of a target that take SQL.

    Raises:
        FiveninesError: it has none.
    """
    found = [one for one in target.servers if isinstance(one, Server)]
    if not found:
        raise FiveninesError(f"{target.role}: no database server that takes SQL")
    return found
