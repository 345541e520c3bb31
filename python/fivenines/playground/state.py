"""What the playground's keeper and its clients share."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fivenines import paths


@dataclass(frozen=True)
class NodeStatus:
    """One node now. `detail` says what is wrong with it; `here` is its port on this machine, host:port."""

    name: str
    address: str
    role: str
    healthy: bool
    detail: str = ""
    here: str = ""


@dataclass(frozen=True)
class Way:
    """A way into the lab: a node, or a part of the access layer (`node` is then empty).

    `lab` is its address in the lab, `here` on this machine; both host:port.
    """

    name: str
    lab: str
    here: str
    node: str = ""


@dataclass(frozen=True)
class Login:
    """How a client of one's own gets in from this machine.

    `dsn` leads to who takes writes, also after a failover; `command` is the engine's own client.
    """

    user: str
    password: str = field(repr=False)
    database: str
    dsn: str = field(repr=False)
    command: str = field(repr=False)


@dataclass(frozen=True)
class LoadStatus:
    """The load that `up --load` keeps running: per second asked and done, errors since its start.

    `tps` is None until its first second is over; `ended` says why it does not run any more.
    """

    workload: str
    rate: float
    tps: float | None
    errors: int
    ended: str = ""


@dataclass(frozen=True)
class Status:
    """The solution now: its name, its nodes, where clients in the lab reach it, what its manager did.

    `ways` are the ports of this machine that lead into the lab.
    """

    solution: str
    nodes: list[NodeStatus]
    endpoints: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    login: Login | None = None
    load: LoadStatus | None = None


@dataclass(frozen=True)
class Done:
    """A sentence about what was done, and when, in ns of CLOCK_MONOTONIC; None: no clients saw it."""

    said: str
    moment: int | None = None


@dataclass(frozen=True)
class Injected:
    """A fault by hand: whether it is over, and events and records as a trial has them (see `results`).

    `moment` is when it took effect, in ns of CLOCK_MONOTONIC; None: it has not, or no clients saw it.
    """

    over: bool
    events: list[dict[str, Any]]
    records: list[dict[str, Any]]
    moment: int | None = None


@dataclass(frozen=True)
class Rows:
    """What became of the rows that were acknowledged to the load's ledger.

    `lost` is None where it cannot be told; `detail` says why. `node` is where they were looked for. `before`
    were lost already when somebody asked the last time.
    """

    acknowledged: int
    in_doubt: int
    lost: int | None = None
    node: str = ""
    detail: str = ""
    before: int = 0


@dataclass(frozen=True)
class Clients:
    """What the load's clients saw since a moment; times in seconds.

    Attributes:
        observed: from the moment until the last figures.
        noticed: whether writes were away for longer than without any cause.
        outage: the longest time without a write; only a lower bound unless `back`.
        back: whether writes succeed again.
        times: how often they were away for that long.
        returned: from the moment until writes were back for good; None: they were not away, or are still.
        calm: since when writes have succeeded without a break; 0 unless `back`.
        rows: checked against the ledger, where that was asked for.
        unknown: why nothing can be told.
    """

    observed: float = 0.0
    noticed: bool = False
    outage: float = 0.0
    back: bool = False
    times: int = 0
    returned: float | None = None
    calm: float = 0.0
    rows: Rows | None = None
    unknown: str = ""


# How messages call it where somebody else uses it.
WHAT = "the playground"

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


def load() -> Path:
    """Files of the load that `up --load` keeps running."""
    return folder() / "load"
