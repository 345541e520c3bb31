"""The data types and paths that the keeper and its clients share."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fivenines.base import paths


@dataclass(frozen=True)
class NodeStatus:
    """The state of a node. `detail` is its problem, `here` its forwarded port, as host:port."""

    name: str
    address: str
    role: str
    healthy: bool
    detail: str = ""
    here: str = ""


@dataclass(frozen=True)
class Way:
    """A forwarded port of a node, or of an endpoint of the access layer (`node` is then empty).

    `lab` is the address in the lab, `here` on this machine; both as host:port.
    """

    name: str
    lab: str
    here: str
    node: str = ""


@dataclass(frozen=True)
class Login:
    """How any client connects from this machine.

    `dsn` selects the writable node, also after a failover; `command` runs the engine's client.
    """

    user: str
    password: str = field(repr=False)
    database: str
    dsn: str = field(repr=False)
    command: str = field(repr=False)


@dataclass(frozen=True)
class LoadStatus:
    """The load of `up --load`: requested and achieved rates per second, errors since its start.

    `tps` is None during its first second; `ended` is the reason if it has ended.
    """

    workload: str
    rate: float
    tps: float | None
    errors: int
    ended: str = ""


@dataclass(frozen=True)
class Status:
    """The state of the deployment: its name, nodes, endpoints in the lab, and events of its manager.

    `ways` are the forwarded ports of this machine.
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
    """A message about an action, and its time in ns of CLOCK_MONOTONIC; None without a load."""

    message: str
    moment: int | None = None


@dataclass(frozen=True)
class Injected:
    """A manual fault: whether it is over, and its events and records, as in a trial (see `results`).

    `moment` is the time of its effect, in ns of CLOCK_MONOTONIC; None: no effect yet, or no load.
    """

    over: bool
    events: list[dict[str, Any]]
    records: list[dict[str, Any]]
    moment: int | None = None


@dataclass(frozen=True)
class Rows:
    """The fate of the rows that were acknowledged to the load's ledger.

    `lost` is None if the check was inconclusive; `detail` is the reason. `node` is the node that was read.
    `before` is the number of rows reported as lost earlier.
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
        observed: time from the moment to the last figures.
        noticed: whether writes were unavailable for longer than in normal operation.
        outage: the longest time without a write; a lower bound unless `back`.
        back: whether writes succeed again.
        times: number of outages.
        returned: time from the moment to the end of the last outage; None: no outage, or not recovered.
        calm: time since the last outage; 0 unless `back`.
        rows: the check against the ledger, if requested.
        unknown: why there is no result.
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


# Name of the lock in messages.
WHAT = "the running deployment"

ADVICE = "`fivenines status` shows it, `fivenines down` tears it down"


def folder() -> Path:
    """Return the folder of the running deployment."""
    return paths.playground()


def socket() -> Path:
    """Return the path of the keeper's socket."""
    return folder() / "keeper.sock"


def lock() -> Path:
    """Return the path of the keeper's lock."""
    return folder() / "keeper.lock"


def log() -> Path:
    """Return the path of the keeper's log."""
    return folder() / "keeper.log"


def load() -> Path:
    """Return the folder of the background load's files."""
    return folder() / "load"
