"""Details of a load in load.json: types, schedule, steps, connects, errors, limits.

Absent or damaged parts are left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from fivenines.analysis.wording import listed


class _Part(BaseModel):
    """A part of load.json; other keys are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


_P = TypeVar("_P", bound=_Part)

# Limits of the load generator that no other process on its machine can cause.
_OWN_LIMITS = ("held_up", "busy", "exhausted")


class TypeCounts(_Part):
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


class Schedule(_Part):
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


class Connects(_Part):
    """Connects over the whole load or in a step; `count`: all attempts."""

    count: int = 0
    ok: int = 0
    failed: int = 0
    refused: int = 0
    timed_out: int = 0
    p50_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float | None = None


class Step(_Part):
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


class Inserted(_Part):
    """Rows that a workload inserted over the whole load, if it counts them."""

    per_second: float


class RequestedWork(_Part):
    """Requested transactions, of all connections or of each; with neither, the load ends by itself."""

    transactions: int | None = None
    each: int | None = None


class Work(_Part):
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


def offered_rate(
    schedule: Schedule | None, steps: list[Step], from_ms: float, until_ms: float
) -> float | None:
    """Return the mean rate that an open loop offers in a window; None for a closed loop, or if it is not
    known.
    """
    if schedule is None or not schedule.open:
        return None
    parts = [
        (min(step.to_s, until_ms / 1000) - max(step.from_s, from_ms / 1000), step.rate) for step in steps
    ]
    inside = [(seconds, rate) for seconds, rate in parts if seconds > 0]
    if not inside:
        return schedule.rate
    known = [(seconds, rate) for seconds, rate in inside if rate is not None]
    if len(known) < len(inside):
        return None
    return sum(seconds * rate for seconds, rate in known) / sum(seconds for seconds, _ in known)


def coarse(load: dict[str, Any]) -> bool:
    """Return whether another program made the load and reports rates once a second, which hides shorter
    stalls.
    """
    return str(load.get("program") or "fivenines") != "fivenines"


def types_of(load: dict[str, Any]) -> list[TypeCounts]:
    """Return the types of transactions; [] where they were not counted."""
    return _all(TypeCounts, load.get("types"))


def schedule_of(load: dict[str, Any]) -> Schedule | None:
    """Return the schedule, or None where nothing is known of it."""
    return _parsed(Schedule, load.get("schedule"))


def steps_of(load: dict[str, Any]) -> list[Step]:
    """Return the steps of the schedule; [] without steps."""
    return _all(Step, load.get("steps"))


def connects_of(load: dict[str, Any]) -> Connects | None:
    """Return the connects, or None where they were not measured."""
    return _parsed(Connects, load.get("connects"))


def work_of(load: dict[str, Any]) -> Work | None:
    """Return the result of a load of fixed work, or None for a load of fixed time."""
    return _parsed(Work, load)


def inserted_of(load: dict[str, Any]) -> Inserted | None:
    """Return the rows that were inserted, or None of a workload that does not count them."""
    return _parsed(Inserted, load.get("rows"))


def _all(model: type[_P], values: object) -> list[_P]:
    result = [_parsed(model, value) for value in values] if isinstance(values, list) else []
    return [item for item in result if item is not None]


def _parsed(model: type[_P], value: object) -> _P | None:
    try:
        return model.model_validate(value)
    except ValidationError:
        return None


def failures(load: Mapping[str, Any]) -> int:
    """Return how many transactions failed."""
    result = load.get("transactions")
    return int(result.get("failed", 0)) if isinstance(result, Mapping) else 0


def failed_share(load: Mapping[str, Any]) -> float:
    """Return the share of ended transactions that failed (0 to 1)."""
    failed = failures(load)
    return failed / (failed + int(load["transactions"].get("ok", 0))) if failed else 0.0


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


def errors_of(
    load: Mapping[str, Any], source: str | None = None, *, scripts: bool = True
) -> list[ErrorEntry]:
    """The failures in load.json's `errors`, the most frequent first; skips what is none.

    Args:
        load: load.json.
        source: only those of the `load`, or of the `ledger`.
        scripts: with what scripts counted themselves, of which no more is known than their number.
    """
    found = []
    entries = load.get("errors")
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("count"), int):
            names = ("class", "code", "message")
            kind, code, message = (str(entry.get(name, "")) for name in names)
            moments = (_moment(entry.get(name)) for name in ("first_ms", "last_ms"))
            whose = str(entry.get("source", "load"))
            found.append(ErrorEntry(whose, kind, code, message, entry["count"], *moments))
    counters = load.get("script_counters")
    if scripts and isinstance(counters, dict) and isinstance(counters.get("error"), int):
        words = "the script counted it itself, by sb_counter_inc"
        found.append(ErrorEntry("load", "script", "SB_CNT_ERROR", words, counters["error"]))
    wanted = [entry for entry in found if source in (None, entry.source)]
    return sorted(wanted, key=lambda entry: -entry.count)


def _moment(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def bottleneck(load: dict[str, Any], *, watched: bool = False) -> str:
    """Return the reasons in load.json's `client` why the load generator may be the bottleneck; "" if none.

    `watched`: CPU use of the machine was recorded, so `Sharing` judges waits for a CPU.
    """
    client = load.get("client")
    if watched and isinstance(client, dict) and isinstance(client.get("limits"), list):
        limits = [item for item in client["limits"] if isinstance(item, dict)]
        return " ".join(str(limit.get("text")) for limit in limits if limit.get("kind") in _OWN_LIMITS)
    if isinstance(client, dict) and isinstance(client.get("limit"), str):
        return str(client["limit"])
    if not isinstance(client, dict) or client.get("bottleneck") is not True:
        return ""
    reasons = []
    seconds = [client.get(key) for key in ("user_s", "system_s", "wall_s")]
    if all(isinstance(value, int | float) for value in seconds) and seconds[2]:
        busy = 100 * (float(seconds[0] or 0) + float(seconds[1] or 0)) / float(seconds[2])
        reasons.append(f"it used {busy:.0f} % of a core")
    if isinstance(client.get("lag_p99_us"), int):
        reasons.append(f"its timers were {client['lag_p99_us'] / 1000:.1f} ms late (p99)")
    return f"the load generator may have been the limit: {listed(reasons)}".rstrip(": ")
