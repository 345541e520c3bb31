"""Whom a host is cut off from."""

import re
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from fivenines.cluster.topology import Topology
from fivenines.faults import targets
from fivenines.faults.context import FaultContext
from fivenines.faults.targets import Target

WORDS = ("all", "nodes", "replicas", "clients", "manager", "proxy", "arbiter")

_OTHER = re.compile(r"node[1-9][0-9]*|etcd[1-3]|site \S+")


def _checked(value: object) -> object:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not words:
        raise ValueError(f"{value!r} names no peers: write one or several of {', '.join(WORDS)}")
    for word in words:
        if not isinstance(word, str) or not (word in WORDS or _OTHER.fullmatch(word)):
            raise ValueError(
                f"{word!r} is not a peer: write {', '.join(WORDS)}, node2 or site NAME"
            )
    return words


Peers = Annotated[
    list[str],
    BeforeValidator(_checked),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "string"},
            "allowed": f"a word or a list of words: {', '.join(WORDS)}, node2, or site NAME",
        }
    ),
]
"""Words for groups of hosts; one word stands for a list of it."""


def problems_of_peers(words: list[str], topology: Topology) -> list[str]:
    """Why a solution has no such peers."""
    if "replicas" in words and topology.nodes == 1:
        return ["replicas: the solution has one node, and no replica"]
    known = [word for word in words if word in targets.OTHERS or word.startswith("node")]
    single = [word for word in known if word != "nodes"]
    return [problem for word in single for problem in targets.problems_of(word, topology)]


def resolve_peers(words: list[str], target: Target, context: FaultContext) -> list[str]:
    """The hosts that the words mean now, without the target's own."""
    found = [host for word in words for host in _hosts(word, context)]
    return [host for host in dict.fromkeys(found) if host not in target.hosts]


def _hosts(word: str, context: FaultContext) -> list[str]:
    nodes = [node.name for node in context.solution.nodes]
    manager = context.manager.settings.host if context.manager else ""
    proxy = context.access.settings.host
    primary = context.solution.primary()
    groups = {
        "all": list(context.world.hosts),
        "nodes": [*nodes, manager, "arbiter"],
        "replicas": [name for name in nodes if primary is None or name != primary.name],
        "clients": ["client", proxy],
        "manager": [manager],
        "proxy": [proxy],
        "arbiter": ["arbiter"],
    }
    if word not in groups:
        return list(targets.resolve(word, context).hosts)
    return [host for host in groups[word] if host in context.world.hosts]
