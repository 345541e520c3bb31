"""Dead zones: from planted trials, and the search that finds them."""

import random
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from fivenines.analysis.availability.availability import Timeline
from fivenines.analysis.availability.hiccup_served import with_served
from fivenines.analysis.availability.needless import Response
from fivenines.analysis.availability.severity import Severity, Try, design, next_value, tried
from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics.psychometric import Outcome
from fivenines.analysis.statistics.threshold import estimate
from fivenines.results.records import FaultRecord, PlannedSeverity, TrialRecord, Windows

DELAY = PlannedSeverity(of="delay", unit="time", at_least=0.005, at_most=20.0)


def searched(starved: float, failover: float, planned: PlannedSeverity = DELAY, trials: int = 30) -> Severity:
    """Return a search on a cluster that is starved and fails over from these severities on."""
    of = design(planned, trials)
    tries: list[Try] = []
    while (value := next_value(tries, of)) is not None:
        tries.append(Try(value, 0.2 if value > starved else 0.98, value > failover))
    outcomes = [Outcome(item.value, item.failover) for item in tries]
    served = [Outcome(item.value, (item.served or 0) < 0.5) for item in tries]
    cell = cast(CellResult, None)
    return Severity(cell, planned, tuple(tries), estimate(served, of), estimate(outcomes, of), 0)


@pytest.mark.parametrize(("starved", "failover"), [(0.1, 3.0), (0.02, 0.5), (0.4, 9.0)])
def test_a_dead_zone_is_found_with_both_its_ends(starved: float, failover: float) -> None:
    zone = searched(starved, failover).zone
    assert zone is not None and zone.end is not None
    assert zone.begin == pytest.approx(starved, rel=0.25) and zone.end == pytest.approx(failover, rel=0.25)


def test_a_dead_zone_without_an_end_reaches_the_largest_value() -> None:
    found = searched(0.1, float("inf"))
    assert found.failover.state == "never"
    assert found.zone is not None and found.zone.end is None
    assert found.zone.begin == pytest.approx(0.1, rel=0.25)


def test_a_manager_that_acts_first_leaves_no_dead_zone() -> None:
    assert searched(3.0, 0.1).zone is None
    assert searched(float("inf"), float("inf")).zone is None
    # Thresholds that cannot be distinguished show nothing.
    assert searched(1.0, 1.05).zone is None


def test_shares_are_searched_as_well() -> None:
    loss = PlannedSeverity(of="loss", unit="share", at_least=0.01, at_most=0.9)
    zone = searched(0.1, 0.5, loss).zone
    assert zone is not None and zone.begin == pytest.approx(0.1, rel=0.25)


def test_the_search_ends_when_both_are_known_and_uses_no_more_than_its_trials() -> None:
    assert 16 <= len(searched(0.1, 3.0).tries) < 30
    assert len(searched(0.1, 3.0, trials=8).tries) == 8


def test_planted_clusters_have_their_dead_zone_within_the_intervals() -> None:
    chance = random.Random(1)
    for _ in range(20):
        starved = chance.uniform(0.02, 0.5)
        failover = starved * chance.uniform(4, 20)
        found = searched(starved, failover)
        assert (found.starved.low or 0) <= starved <= (found.starved.high or 99)
        assert (found.failover.low or 0) <= failover <= (found.failover.high or 99)
        assert found.zone is not None


def test_trials_without_a_response_say_nothing() -> None:
    response = Response("promoted", ms=500.0, hiccup_ms=9000.0, served=0.1)
    assert tried(0.1, response) == Try(0.1, 0.1, True)
    assert tried(None, response) is None and tried(0.1, None) is None
    assert tried(0.1, replace(response, why="node1 died")) is None


def test_a_zone_begins_at_the_smallest_value_where_all_of_them_starve() -> None:
    found = searched(0.001, 3.0)
    assert found.starved.state == "always"
    assert found.zone is not None and found.zone.begin == DELAY.at_least


def record() -> TrialRecord:
    fault = FaultRecord(
        kind="slow-disk", node="node1", role="primary", detail="", at=5000.0, verified=True, ended=15000.0
    )
    return TrialRecord(
        **{
            "id": "0001",
            "cell": {
                "solution": "a",
                "workload": "w",
                "connections": 1,
                "network": "lan",
                "fault": "slow-disk",
            },
            "number": 1,
            "seed": 1,
            "attempt": 1,
            "status": "complete",
            "started": "2026-11-29T00:00:00+00:00",
            "seconds": 20.0,
            "windows": Windows(warmup_end=1000.0, steady_end=5000.0, end=20000.0),
            "faults": [fault],
        }
    )


def line(during: int) -> Timeline:
    """Return 20 transactions in each 100 ms, and so many during the fault, of 10 s."""
    slot = np.arange(0, 20_000, 100)
    rates = np.where((slot >= 5000) & (slot < 15_000), during, 20)
    return Timeline(slot, rates, rates, rates, rates)


def test_the_share_that_was_served_is_that_of_the_hiccup() -> None:
    response = Response("none", hiccup_ms=10_000.0)
    found = with_served(response, record(), line(5))
    assert found is not None and found.served == pytest.approx(0.25)
    # What a failover serves is not counted.
    early = with_served(replace(response, kind="promoted", ms=4000.0), record(), line(5))
    assert early is not None and early.served == pytest.approx(0.25)
    short = with_served(replace(response, kind="promoted", ms=900.0), record(), line(5))
    assert short is not None and short.served is None
    assert with_served(None, record(), line(5)) is None
