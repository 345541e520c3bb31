"""Judgement of measured figures by their bounds: pure functions from figures to lines.

Each bound has a reason, which docs/explanation/calibration.md gives in full.
"""

import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from fivenines.analysis.wording import MINUS, count, listed, milliseconds, number, percent
from fivenines.results.calibration import Line
from fivenines.results.layout import SLOT_MS

# Delay of the ledger's clients before they reconnect.
RETRY_MS = 10.0

# Permitted time for a new connection, its login and its first write.
CONNECT_MS = 50.0

# Maximum allowance for an ordinary gap: longer ones are the machine's error.
ORDINARY_MOST_MS = 100.0

ROUND_TRIP_MS = 1.0
ROUND_TRIP_SHARE = 0.02
# Permitted error of a round trip: four wake-ups of an emulator, and a share of it; and the error if early.
EARLY_MS = 0.05

BANDWIDTH_SHARE = 0.05
OFFERED_SHARE = 0.01
# Permitted error of a stale read's age: the time between two writes of the ledger, and to stop the replay.
AGE_MS = 100.0

LATE_MS = SLOT_MS / 2
STOLEN_SHARE = 0.02
ALARM_SHARE = 0.05
# Probability below which a number of false alarms is no chance.
RARE = 0.01


# Kind of service of an outage: established sessions or new connections.
Who = Literal["sessions", "connections"]


@dataclass(frozen=True)
class MeasuredOutage:
    """One planted outage; `planted_ms` as the proxy recorded it, `measured_ms` None: it did not end."""

    how: Literal["silent", "reset"]
    who: Who
    nominal_ms: float
    planted_ms: float
    measured_ms: float | None
    ordinary_ms: float
    noticed: bool


_FAILURES = {"silent": "nothing passes", "reset": "connections reset, new ones refused"}


def judge_outages(outages: Sequence[MeasuredOutage]) -> list[Line]:
    """Return a line for each length, kind of failure, and kind of service."""
    groups: dict[tuple[float, str, str], list[MeasuredOutage]] = {}
    for item in sorted(outages, key=lambda item: (item.nominal_ms, item.how != "silent")):
        groups.setdefault((item.nominal_ms, item.how, item.who), []).append(item)
    return [_outages(members) for members in groups.values()]


def _outages(outages: Sequence[MeasuredOutage]) -> Line:
    first = outages[0]
    planted = f"outage of {milliseconds(first.nominal_ms)}, {_FAILURES[first.how]}, {_times(len(outages))}"
    if first.who == "connections":
        planted += ", as new connections see it"
    ordinary = min(max(item.ordinary_ms for item in outages), ORDINARY_MOST_MS)
    low, high = -SLOT_MS, SLOT_MS + ordinary
    if first.how == "reset" or first.who == "connections":
        high += RETRY_MS + CONNECT_MS
    bounds = f"median {signed(low)} to {signed(high)} ms"
    errors = [item.measured_ms - item.planted_ms for item in outages if item.measured_ms is not None]
    if len(errors) < len(outages):
        endless = f"{len(outages) - len(errors)} without an observed end"
        return Line(planted=planted, measured=endless, error="unknown", bounds=bounds, within=False)
    middle = statistics.median(errors)
    values = [item.measured_ms for item in outages if item.measured_ms is not None]
    noticed = sum(item.noticed for item in outages)
    unnoticed = "" if noticed == len(outages) else f"; {noticed} of {len(outages)} counted as an outage"
    return Line(
        planted=planted,
        measured=f"median {milliseconds(statistics.median(values))}{unnoticed}",
        error=f"median {signed(middle)} ms ({signed(min(errors))} to {signed(max(errors))} ms)",
        bounds=bounds,
        within=low <= middle <= high,
        figures={
            "nominal_ms": first.nominal_ms,
            "n": len(outages),
            "median_error_ms": round(middle, 3),
            "least_error_ms": round(min(errors), 3),
            "largest_error_ms": round(max(errors), 3),
            "ordinary_gap_ms": round(max(item.ordinary_ms for item in outages), 3),
            "noticed": noticed,
        },
    )


def judge_detected(what: str, planted: Collection[object], values: Collection[object]) -> Line:
    """Compare planted items with those that a checker reported: it must report all of them and no others."""
    missed = sorted(map(str, set(planted) - set(values)))
    more = sorted(map(str, set(values) - set(planted)))
    parts = [f"missed {listed(missed[:3])}"] if missed else []
    parts += [f"{len(more)} too many ({listed(more[:3])})"] if more else []
    return Line(
        planted=f"{len(planted)} {what}",
        measured=f"{len(values)} found",
        error="; ".join(parts) or "none",
        bounds="all of them, no others",
        within=not parts and bool(planted),
        figures={"planted": len(planted), "missed": len(missed), "too_many": len(more)},
    )


def judge_ages(what: str, expected_ms: Sequence[float], measured_ms: Sequence[float]) -> list[Line]:
    """Judge reads that must be stale by their ages; a read that was not detected as stale has the age 0."""
    stale = sum(age > 0 for age in measured_ms)
    line = Line(
        planted=f"{len(expected_ms)} {what}",
        measured=f"{stale} found",
        error="none" if stale == len(expected_ms) else f"missed {len(expected_ms) - stale}",
        bounds="all of them",
        within=stale == len(expected_ms) > 0,
        figures={"planted": len(expected_ms), "missed": len(expected_ms) - stale},
    )
    if not expected_ms:
        return [line]
    errors = [age - right for age, right in zip(measured_ms, expected_ms, strict=True)]
    worst = max(errors, key=abs)
    age = Line(
        planted=f"their ages, up to {milliseconds(max(expected_ms))}",
        measured=f"up to {milliseconds(max(measured_ms))}",
        error=f"at most {signed(worst)} ms",
        bounds=f"{MINUS}{AGE_MS:.0f} to +{AGE_MS:.0f} ms",
        within=abs(worst) <= AGE_MS,
        figures={"worst_error_ms": round(worst, 3)},
    )
    return [line, age]


def judge_round_trip(planted_ms: float, measured_ms: Sequence[float]) -> Line:
    """Judge round trips over a link."""
    middle = statistics.median(measured_ms)
    error = middle - planted_ms
    high = ROUND_TRIP_MS + ROUND_TRIP_SHARE * planted_ms
    return Line(
        planted=f"round trip of {milliseconds(planted_ms)}, {_times(len(measured_ms))}",
        measured=f"median {milliseconds(middle)}",
        error=f"{signed(error, 2)} ms (most {signed(max(measured_ms) - planted_ms, 2)} ms)",
        bounds=f"median {signed(-EARLY_MS, 2)} to {signed(high, 2)} ms",
        within=-EARLY_MS <= error <= high,
        figures={"planted_ms": planted_ms, "median_error_ms": round(error, 4)},
    )


def judge_bandwidth(planted: float, measured: float) -> Line:
    """Judge the rate of whole frames through a link, in bit/s."""
    return _judge_share(
        f"bandwidth of {planted / 1e6:.0f} Mbit/s",
        f"{number(measured / 1e6)} Mbit/s",
        measured / planted - 1,
        BANDWIDTH_SHARE,
        planted_bit_s=planted,
    )


def judge_offered(rate: float, seconds: float, done: int) -> Line:
    """Judge the number of transactions of an open loop."""
    achieved = done / seconds
    return _judge_share(
        f"{number(rate)} transactions/s offered for {seconds:.1f} s",
        f"{number(achieved)} transactions/s",
        achieved / rate - 1,
        OFFERED_SHARE,
        offered=rate,
        achieved=round(achieved, 3),
    )


def _judge_share(planted: str, measured: str, share: float, bound: float, **figures: float) -> Line:
    return Line(
        planted=planted,
        measured=measured,
        error=f"{percent(100 * share, signed=True)} %",
        bounds=f"{MINUS}{100 * bound:.0f} to +{100 * bound:.0f} %",
        within=abs(share) <= bound,
        figures={**figures, "error_share": round(share, 5)},
    )


def judge_statements(what: str, server: int, counted: int) -> Line:
    """Compare the statements that the server executed with those that the load counted."""
    error = counted - server
    return Line(
        planted=f"{number(server)} {what} by the server's own count",
        measured=f"{number(counted)} by the load's",
        error="none" if not error else f"{signed(error, 0)}",
        bounds="equal",
        within=error == 0 and server > 0,
        figures={"server": server, "load": counted},
    )


def judge_noise(where: str, of: str, cov: float, half: float, **figures: float) -> Line:
    """Report how much a solution differs from itself: a property of the machine, without a bound."""
    return Line(
        planted=f"no difference, {where}",
        measured=f"variation {percent(100 * cov)} % over {of}",
        error=f"a difference up to {percent(100 * half)} % is noise",
        bounds="",
        within=None,
        figures={"cov": round(cov, 5), "noise_share": round(half, 5), **figures},
    )


def judge_alarms(alarms: int, comparisons: int) -> Line:
    """Judge the number of comparisons of a solution with itself that showed a difference."""
    most = most_alarms(comparisons)
    return Line(
        planted=f"no difference, in {count(comparisons, 'comparison')}",
        measured=f"{count(alarms, 'false alarm')}",
        error=f"{percent(100 * alarms / comparisons)} %, where 5 % are expected",
        bounds=f"at most {most} of {comparisons}",
        within=alarms <= most,
        figures={"alarms": alarms, "comparisons": comparisons},
    )


def most_alarms(comparisons: int) -> int:
    """Return the maximum number of false alarms that is not rarer than `RARE`, at a rate of 5 %."""
    most = 0
    # the probability of more than `most`; binomial tail
    while 1 - special.bdtr(most, comparisons, ALARM_SHARE) > RARE:
        most += 1
    return most


def judge_lateness(late_ms: Sequence[float], seconds: float) -> Line:
    """Judge the lateness of a timer without other work."""
    # Percentiles are values of the sample.
    result = np.quantile(late_ms, (0.5, 0.99, 1.0), method="inverted_cdf")
    p50, p99, most = (float(value) for value in result)
    return Line(
        planted=f"a timer every 1 ms for {seconds:.0f} s",
        measured=f"late by {milliseconds(p50)} (median), {milliseconds(p99)} (p99)",
        error=f"at most {milliseconds(most)}",
        bounds=f"p99 up to {LATE_MS:.0f} ms",
        within=p99 <= LATE_MS,
        figures={"p50_ms": round(p50, 4), "p99_ms": round(p99, 4), "max_ms": round(most, 4)},
    )


def judge_share(what: str, share: float, bound: float | None) -> Line:
    """Judge the share of time that other processes took."""
    return Line(
        planted="nothing",
        measured=f"{percent(100 * share)} % {what}",
        error=f"{percent(100 * share)} %",
        bounds="" if bound is None else f"up to {100 * bound:.0f} %",
        within=None if bound is None else share <= bound,
        figures={"share": round(share, 5)},
    )


def signed(value: float, digits: int = 1) -> str:
    """Return a number with its sign: +3.2, 0."""
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return "0"
    return (MINUS if value < 0 else "+") + text


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"
