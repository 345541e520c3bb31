"""The parts of a load's summary: types of transactions, schedule, steps, connects, fixed work, search.

Each part is read from JSON. Keys that fivenines does not use are ignored; absent ones have their defaults.
"""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """A part of load.json; other keys are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Transactions(Part):
    """The ended transactions of the whole load; `in_doubt`: those whose commit had no reply."""

    ok: int = 0
    failed: int = 0
    in_doubt: int = 0


class TypeCounts(Part):
    """The transactions of one type over the whole load.

    `expected`: ended without effect as the workload's specification demands of some; `retries`:
    attempts after the first.
    """

    name: str
    writes: bool = False
    ok: int = 0
    expected: int = 0
    failed: int = 0
    in_doubt: int = 0
    retries: int = 0


class Schedule(Part):
    """Schedule of transaction starts. Lags are from the intended to the actual start.

    `rate` is that of the first step; `abandoned` transactions were intended, but given up before they began.
    """

    kind: str
    rate: float | None = None
    arrivals: str | None = None
    burst: bool = False
    started: int = 0
    abandoned: int = 0
    backlog_max: int | None = None
    backlog_end: int | None = None
    lag_p50_us: float | None = None
    lag_p99_us: float | None = None
    lag_max_us: float | None = None

    @property
    def open(self) -> bool:
        """Return whether transactions started at scheduled times, independent of earlier ones (open loop)."""
        return self.kind != "closed"


class Connects(Part):
    """Connects over the whole load or in a step; `count`: all attempts."""

    count: int = 0
    ok: int = 0
    failed: int = 0
    refused: int = 0
    timed_out: int = 0
    p50_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float | None = None


class Step(Part):
    """One step of a schedule: seconds from the start of the load, response times in ms."""

    from_s: float
    to_s: float
    rate: float | None = None
    connections: int | None = None
    ok: int = 0
    failed: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float | None = None
    connects: Connects | None = None


class Inserted(Part):
    """Rows that a workload inserted over the whole load, if it counts them."""

    inserted: int = 0
    per_second: float | None = None


class RequestedWork(Part):
    """Requested transactions, of all connections or of each; with neither, the load ends by itself.

    The work lasted from `from_s` to `to_s`, in seconds from the start of the load.
    """

    transactions: int | None = None
    each: int | None = None
    from_s: float | None = None
    to_s: float | None = None


class Work(Part):
    """A load of fixed work: how it ended.

    `done` transactions of it in `total_s` from its first start to its last end; where it was not `completed`,
    until it was cut.
    """

    total_s: float
    completed: bool
    done: int = 0
    connections: int = 0
    work: RequestedWork = RequestedWork()

    @property
    def share(self) -> float | None:
        """Return the completed share of the work; None if its amount is unknown."""
        requested = self.work.transactions or (self.work.each or 0) * self.connections
        if not requested:
            return 1.0 if self.completed else None
        return self.done / requested


class SearchWindow(Part):
    """A rate that a search tried, per second, from `from_s` to `to_s` in seconds from the start of the load.

    `achieved`: transactions per second; `value_ms`: the figure that the search limits; `reason`: why the rate
    was not `kept`.
    """

    from_s: float
    to_s: float
    rate: float
    achieved: float
    value_ms: float | None = None
    kept: bool
    reason: str | None = None


class Search(Part):
    """The highest `rate` per second whose `percentile` of response times is within `bound` ms.

    `rate` is None if no rate meets the bound; `low` and `high` are the ends of its 95 % interval.
    """

    percentile: str | None = None
    bound: float | None = None
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    windows: list[SearchWindow] = Field(default_factory=list)


class TurnLatency(Part):
    """Response times of a window, in ms; None without a transaction that succeeded."""

    mean: float | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None


class Turn(Part):
    """One window of a load that takes turns with others, in seconds from its start.

    `expected` transactions ended without effect as specified; `failed` ones failed or are in doubt.
    """

    from_s: float
    to_s: float
    ok: int
    expected: int
    failed: int
    latency_ms: TurnLatency


class Limit(Part):
    """One way in which the load generator limited the result: its kind, and a sentence."""

    kind: str | None = None
    text: str | None = None


class GeneratorUse(Part):
    """What the load generator used, and how it limited the result.

    CPU seconds in user and system mode during `wall_s` seconds; `lag_p99_us`: lateness of its timers.
    `limit`: all `limits` in words; None: there was none. Without `limits`, only `bottleneck` is known.
    """

    user_s: float | None = None
    system_s: float | None = None
    wall_s: float | None = None
    lag_p99_us: int | None = None
    limit: str | None = None
    limits: list[Limit] | None = None
    bottleneck: bool = False

    @property
    def cpu_s(self) -> float | None:
        """Return the CPU time in seconds; None if it was not measured."""
        return None if self.user_s is None or self.system_s is None else self.user_s + self.system_s


@dataclass(frozen=True)
class ErrorEntry:
    """Failures of one class and code; `source` is `load` or `ledger`, `message` the first one's.

    Attributes:
        first_ms: when the first one came, from the start of the load; None where that is not known.
        last_ms: when the last one came.
    """

    source: str
    kind: str
    code: str
    message: str
    count: int
    first_ms: float | None = None
    last_ms: float | None = None


@dataclass(frozen=True)
class ClientBounds:
    """Time-outs of the load's clients in s; None: unlimited, or not recorded."""

    answer_s: float | None = None
    connect_s: float | None = None
