"""What the playground's keeper and its clients share."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fivenines import paths


@dataclass(frozen=True)
class NodeStatus:
    """One node now. `detail` says what is wrong with it."""

    name: str
    address: str
    role: str
    healthy: bool
    detail: str = ""


@dataclass(frozen=True)
class Status:
    """The solution now: its name, its nodes, where clients in the lab reach it, what its manager did."""

    solution: str
    nodes: list[NodeStatus]
    endpoints: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Injected:
    """A fault by hand: whether it is over, and events and records as a trial has them (see `results`)."""

    over: bool
    events: list[dict[str, Any]]
    records: list[dict[str, Any]]


WHAT = "the playground"
"""How messages call it where somebody else uses it."""

ADVICE = "`fivenines status` shows what is up, `fivenines down` ends it"


def folder() -> Path:
    """The playground's own folder."""
    return paths.playground()


def socket() -> Path:
    """Where the keeper listens."""
    return folder() / "keeper.sock"


def lock() -> Path:
    """Held by the keeper as long as it lives."""
    return folder() / "keeper.lock"


def log() -> Path:
    """What the keeper writes."""
    return folder() / "keeper.log"
