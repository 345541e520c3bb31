"""Figures of a load from its summary: offered rate, failures, bottlenecks of the load generator."""

from collections.abc import Sequence

from fivenines.analysis.wording import listed
from fivenines.results.load_parts import ErrorEntry, Schedule, Step
from fivenines.results.load_summary import LoadSummary

# Limits of the load generator that no other process on its machine can cause.
_OWN_LIMITS = ("held_up", "busy", "exhausted")


def offered_rate(
    schedule: Schedule | None, steps: Sequence[Step], from_ms: float, until_ms: float
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


def coarse(load: LoadSummary) -> bool:
    """Return whether another program made the load and reports rates once a second, which hides shorter
    stalls.
    """
    return load.foreign


# Code of a transaction that was running when the load ended.
CUT_OFF = "end"


def failed_share(load: LoadSummary) -> float:
    """Return the share of ended transactions that failed (0 to 1).

    Those that the end of the load cut off have not ended: with many slow ones they are more than the errors.
    """
    cut = sum(entry.count for entry in load.errors if (entry.source, entry.code) == ("load", CUT_OFF))
    failed = max(0, load.transactions.failed - cut)
    return failed / (failed + load.transactions.ok) if failed else 0.0


def errors_of(load: LoadSummary, source: str | None = None, *, scripts: bool = True) -> list[ErrorEntry]:
    """Return the failures of a load, the most frequent first.

    Args:
        load: the load.
        source: only those of the `load`, or of the `ledger`.
        scripts: with what scripts counted themselves, of which no more is known than their number.
    """
    found = list(load.errors)
    if scripts and load.script_errors is not None:
        words = "the script counted it itself, by sb_counter_inc"
        found.append(ErrorEntry("load", "script", "SB_CNT_ERROR", words, load.script_errors))
    wanted = [entry for entry in found if source in (None, entry.source)]
    return sorted(wanted, key=lambda entry: -entry.count)


def bottleneck(load: LoadSummary, *, watched: bool = False) -> str:
    """Return the reasons why the load generator may be the bottleneck; "" if none.

    `watched`: CPU use of the machine was recorded, so `Sharing` judges waits for a CPU.
    """
    client = load.client
    if client is None:
        return ""
    if watched and client.limits is not None:
        return " ".join(str(limit.text) for limit in client.limits if limit.kind in _OWN_LIMITS)
    if client.limit is not None:
        return client.limit
    if not client.bottleneck:
        return ""
    reasons = []
    if client.cpu_s is not None and client.wall_s:
        reasons.append(f"it used {100 * client.cpu_s / client.wall_s:.0f} % of a core")
    if client.lag_p99_us is not None:
        reasons.append(f"its timers were {client.lag_p99_us / 1000:.1f} ms late (p99)")
    return f"the load generator may have been the limit: {listed(reasons)}".rstrip(": ")
