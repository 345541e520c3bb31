"""Expected needless failovers a year, from planted thresholds."""

import random

import pytest

from fivenines.analysis.availability.hiccups import parse_hiccups
from fivenines.analysis.availability.needless_rate import needless_rate
from fivenines.analysis.statistics.psychometric import Outcome
from fivenines.analysis.statistics.threshold import Design, next_length

DESIGN = Design(0.5, 30.0, 20)


def searched(threshold: float, seed: int = 1, width: float = 0.0) -> list[Outcome]:
    """Return the outcomes of a search for a manager with a timeout, and a polling interval as its width."""
    chance = random.Random(seed)
    found: list[Outcome] = []
    while (length := next_length(found, DESIGN)) is not None:
        found.append(Outcome(length, length > threshold + width * (chance.random() - 0.5)))
    return found


def test_a_threshold_within_the_lengths_gives_the_share_beyond_it() -> None:
    model = parse_hiccups("freeze 100/year uniform 2s..12s")
    rate = needless_rate([(model, searched(7.0), DESIGN)])
    assert rate is not None
    assert rate.low <= 50 <= rate.high and rate.median == pytest.approx(50, abs=5)


def test_a_calm_manager_has_a_bound_and_a_hasty_one_fails_over_each_time() -> None:
    model = parse_hiccups("freeze 100/year uniform 2s..8s")
    calm = needless_rate([(model, [Outcome(30.0, False)] * 6, DESIGN)])
    hasty = needless_rate([(model, [Outcome(0.5, True)] * 6, DESIGN)])
    assert calm is not None and hasty is not None
    assert calm.low == 0 and calm.median < 1
    assert hasty.high == pytest.approx(100) and hasty.median > 99


def test_kinds_of_hiccups_add_up() -> None:
    outcomes = searched(4.0)
    one = parse_hiccups("freeze 10/year fixed 20s")
    other = parse_hiccups("partition 5/year fixed 20s")
    rate = needless_rate([(one, outcomes, DESIGN), (other, outcomes, DESIGN)])
    assert rate is not None and rate.median == pytest.approx(15, rel=0.02)


def test_without_a_curve_there_is_no_rate() -> None:
    model = parse_hiccups("freeze 10/year fixed 20s")
    torn = [Outcome(length, length < 5) for length in (1.0, 9.0, 2.0, 8.0, 1.5, 12.0, 0.9, 20.0)]
    assert needless_rate([(model, torn, DESIGN)]) is None
    assert needless_rate([(model, [], DESIGN)]) is None


def test_the_interval_contains_the_rate_of_planted_managers() -> None:
    model = parse_hiccups("freeze 100/year uniform 1s..20s")
    held = 0
    for seed in range(100):
        threshold = random.Random(f"threshold {seed}").uniform(2, 18)
        rate = needless_rate([(model, searched(threshold, seed, width=2.0), DESIGN)])
        assert rate is not None
        held += rate.low <= 100 * (20 - threshold) / 19 <= rate.high
    # 95 expected; below 88 with a probability of 0.2 %.
    assert held >= 88
