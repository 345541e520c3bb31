"""Hiccups in turn on one cluster, from planted states and events."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fivenines.analysis.availability.in_turn import InTurn, in_turn, yearly
from fivenines.analysis.availability.node_states import StateChange
from fivenines.analysis.decision.judging import share_bounds
from fivenines.base.units import YEAR
from fivenines.results.records import Event, FaultRecord, HostFacts, Windows

WINDOWS = Windows(warmup_end=1000, steady_end=5000, end=60_000)
DAY = 86_400.0


def freeze(at: float, length: float = 4000.0, **other: Any) -> FaultRecord:
    values = {"kind": "freeze", "node": "node1", "nodes": ["node1"], "role": "primary", "detail": ""}
    ends = {"ended": at + length, "ended_verified": True}
    return FaultRecord(**{"at": at, "verified": True, "mtbf": DAY, **values, **ends, **other})


THREE = (freeze(5000), freeze(20_000, 2000), freeze(40_000, 6000))

# A frozen node does not answer, and accepts writes again.
FROZEN = [(5010, "away"), (9020, "writable"), (20_010, "away"), (22_020, "writable"), (40_010, "away")]


def of(
    faults: Sequence[FaultRecord] = THREE,
    node1: Sequence[tuple[float, str]] = (*FROZEN, (46_020, "writable")),
    node2: Sequence[tuple[float, str]] = (),
    events: Sequence[Event] = (),
    hosts: dict[str, HostFacts] | None = None,
) -> InTurn | None:
    states = {
        "node1": [StateChange(0, "writable"), *(StateChange(t, state) for t, state in node1)],
        "node2": [StateChange(0, "read_only"), *(StateChange(t, state) for t, state in node2)],
    }
    deployment = None if hosts is None else SimpleNamespace(hosts=hosts)
    record: Any = SimpleNamespace(
        windows=WINDOWS, faults=list(faults), events=list(events), deployment=deployment
    )
    return in_turn(record, states)


def test_all_hiccups_count_without_a_failover() -> None:
    assert of() == InTurn((4000.0, 2000.0, 6000.0), 3, None, DAY)


def test_the_count_ends_with_the_first_failover() -> None:
    assert of(node2=[(24_000, "writable")]) == InTurn((4000.0, 2000.0), 3, "promoted", DAY)
    fenced = Event(t=8000, kind="fenced", node="node1", detail="")
    assert of(events=[fenced]) == InTurn((4000.0,), 3, "fenced", DAY)
    # The strongest response of the whole trial is a promotion; the first failover is a demotion.
    demoted = Event(t=8000, kind="demoted", node="node1", detail="")
    assert of(events=[demoted], node2=[(24_000, "writable")]) == InTurn((4000.0,), 3, "demoted", DAY)


def test_a_hiccup_that_was_not_verified_ends_the_count() -> None:
    unverified = freeze(20_000, 2000, verified=False)
    assert of((THREE[0], unverified, THREE[2])) == InTurn((4000.0,), 3, None, DAY)
    without_end = freeze(40_000, ended=None, ended_verified=None)
    assert of((*THREE[:2], without_end)) == InTurn((4000.0, 2000.0), 3, None, DAY)


def test_a_death_ends_the_count_before_its_hiccup() -> None:
    died = Event(t=25_000, kind="restarted", node="node1", detail="")
    assert of(node2=[(24_000, "writable")], events=[died]) == InTurn((4000.0,), 3, None, DAY)


def test_a_hiccup_that_meets_another_state_does_not_count() -> None:
    # A replica that is away when the second hiccup begins, and is back for the third.
    assert of(node2=[(15_000, "away"), (30_000, "read_only")]) == InTurn((4000.0,), 3, None, DAY)


def test_a_single_hiccup_is_no_turn_and_neither_are_other_faults() -> None:
    assert of((THREE[0],)) is None
    assert of((THREE[0], freeze(20_000, kind="partition"))) is None
    assert of((THREE[0], freeze(20_000, kind="kill"))) is None
    assert of(tuple(freeze(at, kind="kill") for at in (5000, 20_000))) is None
    assert of((THREE[0], freeze(20_000, role="replica"))) is None


def test_a_hiccup_that_outlasts_the_beginning_of_the_next_ends_the_count() -> None:
    # The failover before it counts.
    late = (THREE[0], freeze(20_000, 25_000), freeze(40_000))
    assert of(late) == InTurn((4000.0,), 3, None, DAY)
    assert of(late, node2=[(8000, "writable")]) == InTurn((4000.0,), 3, "promoted", DAY)
    beyond = (*THREE[:2], freeze(56_000, 9000))
    assert of(beyond, node2=[(24_000, "writable")]) == InTurn((4000.0, 2000.0), 3, "promoted", DAY)


def test_a_first_hiccup_with_a_failover_counts_if_the_others_were_not_injected() -> None:
    only = freeze(5000, planned=10)
    assert of((only,), node2=[(8000, "writable")]) == InTurn((4000.0,), 10, "promoted", DAY)


def test_a_member_that_cannot_be_watched_is_not_judged() -> None:
    data = freeze(5000, node="data1", nodes=["data1"])
    hosts: Any = {"data1": SimpleNamespace(kind="data")}
    assert of((data, freeze(20_000)), hosts=hosts) is None


def test_a_year_follows_from_the_assumed_rate() -> None:
    assert yearly(0.02, [InTurn((1.0,), 1, None, DAY)]) == pytest.approx(0.02 * YEAR / DAY)
    assert yearly(0.02, [InTurn((1.0,), 1)]) is None
    assert yearly(0.02, [InTurn((1.0,), 1, None, DAY), InTurn((1.0,), 1, None, 2 * DAY)]) is None


@pytest.mark.parametrize("chance", [0.01, 0.1, 0.5])
def test_the_interval_holds_although_a_trial_ends_with_its_first_failover(chance: float) -> None:
    rng = np.random.default_rng(20261130)
    inside = 0
    for _ in range(1000):
        first = rng.geometric(chance, 15)
        hiccups, failovers = int(np.minimum(first, 10).sum()), int((first <= 10).sum())
        low, high = share_bounds(failovers, hiccups)
        inside += low <= chance <= high
    # An exact interval holds in 95 % or more; less than 925 of 1,000 has a probability below 0.1 %.
    assert inside >= 925
