"""Resolve the peers of a partition: the hosts that its target is cut off from."""

import re
from collections.abc import Callable
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from fivenines.faults import targets
from fivenines.faults.context import FaultContext
from fivenines.faults.targets import Target
from fivenines.servers.cluster.topology import Topology

WORDS = ("all", "nodes", "replicas", "clients", "manager", "proxy")

_OTHER = re.compile(r"[a-z][a-z0-9-]*|site \S+")


def _checked(value: object) -> object:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not words:
        raise ValueError(f"{value!r} names no peers: write one or more of {', '.join(WORDS)}")
    for word in words:
        if not isinstance(word, str) or not (word in WORDS or _OTHER.fullmatch(word)):
            raise ValueError(
                f"{word!r} is not a peer: write {', '.join(WORDS)}, the name of a host, or site NAME"
            )
    return words


# Words for groups of hosts; a single word stands for a list with this word.
Peers = Annotated[
    list[str],
    BeforeValidator(_checked),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "string"},
            "allowed": f"a word or a list of words: {', '.join(WORDS)}, a host such as node2, or site NAME",
        }
    ),
]


def problems_of_peers(words: list[str], topology: Topology) -> list[str]:
    """Return why a solution does not have these peers; empty if it has."""
    if "replicas" in words and topology.nodes == 1:
        return ["replicas: the solution has one node and no replica"]
    groups = ("all", "nodes", "replicas", "clients")
    single = [word for word in words if word not in groups]
    return [problem for word in single for problem in targets.problems_of(word, topology)]


def resolve_peers(words: list[str], target: Target, context: FaultContext) -> list[str]:
    """Return the hosts that the words stand for now, without the target's hosts."""
    hosts = [host for word in words for host in _hosts(word, context)]
    return [host for host in dict.fromkeys(hosts) if host not in target.hosts]


def _hosts(word: str, context: FaultContext) -> list[str]:
    members = [member.name for member in context.solution.members]
    manager = context.manager.settings.host if context.manager else ""
    arbiter = context.solution.arbiter
    proxy = context.access.settings.host
    groups: dict[str, Callable[[], list[str]]] = {
        "all": lambda: list(context.lab.hosts),
        "nodes": lambda: [*members, manager, arbiter.name if arbiter else ""],
        "replicas": lambda: _replicas(context),
        "clients": lambda: [*context.clients, proxy],
        "manager": lambda: [manager],
        "proxy": lambda: [proxy],
    }
    if word not in groups:
        return list(targets.resolve(word, context).hosts)
    return [host for host in groups[word]() if host in context.lab.hosts]


def _replicas(context: FaultContext) -> list[str]:
    """Return the nodes without the primary; a silent one that could be it is awaited."""
    primary = context.solution.roles.certain_primary()
    return [node.name for node in context.solution.nodes if node is not primary]
