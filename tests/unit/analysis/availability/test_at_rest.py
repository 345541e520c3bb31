"""Failovers at rest, from planted states and events."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fivenines.analysis.availability.at_rest import HOUR, Rest, at_rest, hourly
from fivenines.analysis.availability.node_states import StateChange, States
from fivenines.results.records import Event, Windows

WINDOWS = Windows(warmup_end=1000, steady_end=5000, end=30_000)
CALM: States = {"node1": [StateChange(0, "writable")], "node2": [StateChange(0, "read_only")]}


def of(states: States = CALM, fault_at: float | None = 6000, *events: Event) -> Rest | None:
    faults = [] if fault_at is None else [SimpleNamespace(at=fault_at)]
    record: Any = SimpleNamespace(windows=WINDOWS, faults=faults, events=list(events))
    return at_rest(record, states)


def promoted_at(t: float) -> States:
    return {
        "node1": [StateChange(0, "writable"), StateChange(t - 200, "read_only")],
        "node2": [StateChange(0, "read_only"), StateChange(t, "writable")],
    }


def test_rest_ends_with_the_first_fault() -> None:
    assert of() == Rest(5000)
    assert of(CALM, None) == Rest(29_000)
    assert of(promoted_at(8000)) == Rest(5000), "what follows a fault is no rest"


def test_a_failover_without_a_fault_ends_it() -> None:
    assert of(promoted_at(4000)) == Rest(3000, "promoted")
    assert of(promoted_at(8000), None) == Rest(7000, "promoted")
    assert of(CALM, 6000, Event(t=2500, kind="fenced", node="node2", detail="")) == Rest(1500, "fenced")


def test_what_happens_before_the_end_of_the_warm_up_does_not_count() -> None:
    assert of(promoted_at(800)) == Rest(5000)


def test_nothing_is_known_without_states_or_after_a_death() -> None:
    assert of({}) is None
    assert of(promoted_at(4000), 6000, Event(t=3000, kind="restarted", node="node1", detail="")) is None


def test_a_primary_that_did_not_answer_before_is_no_needless_failover() -> None:
    # Patroni and Group Replication report no death of a server.
    states = {
        "node1": [StateChange(0, "writable"), StateChange(2000, "away")],
        "node2": [StateChange(0, "read_only"), StateChange(4000, "writable")],
    }
    assert of(states) is None


def test_what_follows_the_load_does_not_count() -> None:
    assert of(CALM, 90_000) == Rest(29_000)


def test_the_rate_of_rare_failovers_is_within_its_interval() -> None:
    rng = np.random.default_rng(20261129)
    rate, hours, inside = 1.7, 2.0, 0
    for count in rng.poisson(rate * hours, 2000):
        rests = [Rest(hours * HOUR / 8, "promoted" if n < count else None) for n in range(8)]
        low, high = hourly(rests)
        inside += low <= rate <= high
    # An exact interval holds in 95 % or more; less than 1,870 of 2,000 has a probability below 0.1 %.
    assert inside >= 1870


def test_a_rate_needs_time() -> None:
    assert hourly([Rest(HOUR)]) == pytest.approx((0.0, 2.996), abs=0.001)
    with pytest.raises(ValueError, match="no time at rest"):
        hourly([])
