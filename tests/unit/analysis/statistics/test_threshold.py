"""The search for a threshold: states, bounds, drift, and what holds for all outcomes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_managers import Manager, ramp, search, step

from fivenines.analysis.statistics.psychometric import Outcome
from fivenines.analysis.statistics.threshold import (
    LEAST,
    SAME,
    Design,
    contradiction,
    drift,
    estimate,
    finished,
    next_length,
)

DESIGN = Design()

trials = st.lists(
    st.builds(Outcome, st.floats(math.log(0.1), math.log(120)).map(math.exp), st.booleans()), max_size=20
)


def outcomes(*pairs: tuple[float, int]) -> list[Outcome]:
    return [Outcome(length, bool(failover)) for length, failover in pairs]


def _campaign(manager: Manager, design: Design = DESIGN, seed: int = 1) -> list[Outcome]:
    return search(manager, design, np.random.default_rng(seed))


NEVER = Manager(math.inf, lambda _: 0.0)
ALWAYS = Manager(0.0, lambda _: 1.0)


# --- states --------------------------------------------------------------------------------------


def test_nothing_is_known_without_trials() -> None:
    result = estimate([], DESIGN)
    assert (result.state, result.trials, result.median, result.low, result.high) == ("open", 0, *[None] * 3)
    assert result.half_width is None


def test_a_step_is_bracketed_within_the_target() -> None:
    found = _campaign(step(3))
    result = estimate(found, DESIGN)
    assert result.state == "bracketed" and next_length(found, DESIGN) is None
    assert result.low is not None and result.median is not None and result.high is not None
    assert result.low <= 3 <= result.high
    assert result.half_width is not None and result.half_width <= 0.1 * result.median
    assert result.spread is not None and result.spread < 0.3
    assert LEAST <= result.trials < DESIGN.at_most


def test_no_failover_at_all_gives_a_lower_bound_and_no_value() -> None:
    found = _campaign(NEVER)
    result = estimate(found, DESIGN)
    assert (result.state, result.median, result.high, result.spread) == ("never", None, None, None)
    assert result.low is not None and result.low >= DESIGN.longest
    # Five trials at the longest length, and a check that the shortest one does not fail over, either.
    assert min(outcome.length for outcome in found) < 0.11
    assert len(found) < DESIGN.at_most


def test_failovers_only_give_an_upper_bound_and_no_value() -> None:
    found = _campaign(ALWAYS)
    result = estimate(found, DESIGN)
    assert (result.state, result.median, result.low) == ("always", None, None)
    assert result.high is not None and result.high < 0.2
    assert max(outcome.length for outcome in found) >= DESIGN.longest


def test_a_bound_needs_five_equal_outcomes() -> None:
    same = outcomes(*((length, 0) for length in (120, 110, 100, 90, 80)))
    assert estimate(same, DESIGN).low == 80
    assert estimate(same[: SAME - 1], DESIGN).state == "open"


def test_a_lapse_among_hiccups_without_failover_leaves_a_lower_bound() -> None:
    found = outcomes((3.3, 1), *((3.3, 0),) * 5, *((120, 0),) * 9)
    result = estimate(found, DESIGN)
    assert (result.state, result.median, result.low, result.high) == ("open", None, DESIGN.longest, None)
    assert next_length(found, DESIGN) == DESIGN.shortest
    assert finished([*found, Outcome(0.15, False)], DESIGN)


def test_a_reversed_manager_is_inconsistent() -> None:
    for seed in range(5):
        found = _campaign(Manager(3, lambda length: float(length < 3)), seed=seed)
        result = estimate(found, DESIGN)
        assert (result.state, result.median, result.low, result.high) == ("inconsistent", *[None] * 3)
        assert len(found) < DESIGN.at_most


def test_a_single_odd_outcome_contradicts_nothing() -> None:
    same = [(120, 0)] * 10
    assert estimate(outcomes(*same, (0.1, 1)), DESIGN).state == "open"
    assert estimate(outcomes(*same, (0.1, 1), (0.1, 1)), DESIGN).state == "inconsistent"


def test_the_most_surprising_outcome_is_tried_again() -> None:
    found = outcomes(*[(120, 0)] * 10, (0.1, 1))
    assert contradiction(found, DESIGN) > 0
    assert next_length(found, DESIGN) == pytest.approx(0.1)


def test_a_lapse_moves_little() -> None:
    pairs = [(2.0, 0), (4.0, 1), (2.8, 0), (3.2, 1), (2.9, 0), (3.1, 1), (2.95, 0), (3.05, 1)]
    clean, odd = estimate(outcomes(*pairs), DESIGN), estimate(outcomes((20.0, 0), *pairs), DESIGN)
    assert clean.median is not None and odd.median is not None
    assert abs(odd.median / clean.median - 1) < 0.05


# --- the design ----------------------------------------------------------------------------------


def test_the_first_length_is_the_middle_of_the_logarithmic_range() -> None:
    assert next_length([], DESIGN) == pytest.approx(math.sqrt(0.1 * 120), rel=0.1)


def test_the_search_uses_no_more_trials_than_permitted() -> None:
    assert len(_campaign(ramp(20, 30), Design(at_most=12))) == 12


def test_a_finer_target_uses_all_trials_and_narrows_the_interval() -> None:
    fine = Design(within_seconds=0, within_share=0)
    result = estimate(_campaign(step(3), fine), fine)
    assert result.trials == 20
    assert result.half_width is not None and result.half_width <= 0.1


@pytest.mark.parametrize("seed", range(20))
def test_a_step_is_found_within_a_tenth_of_a_second_in_20_trials(seed: int) -> None:
    fine = Design(within_seconds=0, within_share=0)
    result = estimate(_campaign(step(3), fine, seed), fine)
    assert result.median == pytest.approx(3.0, abs=0.1)


def test_the_longer_of_both_targets_counts() -> None:
    assert (DESIGN.target(1.0), DESIGN.target(25.0)) == (0.25, 2.5)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"shortest": 0.0}, "range"),
        ({"shortest": 5.0, "longest": 5.0}, "range"),
        ({"longest": math.inf}, "range"),
        ({"at_most": 0}, "number of trials"),
        ({"at_most": 501}, "number of trials"),
        ({"within_share": -0.1}, "target"),
    ],
)
def test_settings_out_of_range_are_errors(settings_: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Design(**settings_)  # type: ignore[arg-type]


# --- drift ---------------------------------------------------------------------------------------


def _half(at: float) -> list[tuple[float, int]]:
    return [(at * factor, int(factor > 1)) for factor in (0.7, 1.3, 0.9, 1.1, 0.95, 1.05, 0.97, 1.03)]


def test_equal_halves_show_no_drift() -> None:
    result = drift(outcomes(*_half(3), *_half(3)), DESIGN)
    assert result is not None and not result.changed
    assert result.ratio == pytest.approx(1.0, abs=0.02)
    assert result.low is not None and result.high is not None and result.low < 1 < result.high


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_a_threshold_that_doubles_or_halves_is_a_drift(factor: float) -> None:
    result = drift(outcomes(*_half(3), *_half(3 * factor)), DESIGN)
    assert result is not None and result.changed
    assert result.ratio == pytest.approx(factor, rel=0.05)


def test_a_second_half_without_failovers_has_no_upper_end() -> None:
    result = drift(outcomes(*_half(3), *((length, 0) for length in (4, 5, 8, 20, 60, 110, 120, 120))), DESIGN)
    assert result is not None and result.changed
    assert (result.ratio, result.high) == (None, None)
    assert result.low is not None and result.low > 1


def test_few_trials_show_no_drift() -> None:
    assert drift(outcomes(*_half(3))[:7], DESIGN) is None


# --- what holds for all outcomes -----------------------------------------------------------------


@given(trials)
@settings(max_examples=60)
def test_ends_are_ordered_and_inside_the_range(found: list[Outcome]) -> None:
    result = estimate(found, DESIGN)
    ends = [DESIGN.shortest, result.low, result.median, result.high, DESIGN.longest]
    known = [end for end in ends if end is not None]
    assert known == sorted(known)
    assert (result.median is not None) == (result.state == "bracketed")
    if result.state == "bracketed":
        assert None not in (result.low, result.high, result.spread_low, result.spread_high)
        assert (result.spread_low or 0) <= (result.spread or 0) <= (result.spread_high or 0)


@given(trials)
@settings(max_examples=60)
def test_the_next_length_is_permitted_and_always_the_same(found: list[Outcome]) -> None:
    length = next_length(found, DESIGN)
    assert length == next_length(list(found), Design())
    assert (length is None) == (len(found) >= 20 or finished(found, DESIGN))
    if length is not None:
        assert DESIGN.shortest <= length <= DESIGN.longest


@given(trials, st.floats(0.2, 5.0))
@settings(max_examples=40)
def test_other_units_give_the_same_threshold(found: list[Outcome], factor: float) -> None:
    scaled = [Outcome(outcome.length * factor, outcome.failover) for outcome in found]
    design = Design(0.1 * factor, 120 * factor)
    result, other = estimate(found, DESIGN), estimate(scaled, design)
    if result.state == other.state == "bracketed":
        assert result.median is not None
        assert other.median == pytest.approx(result.median * factor, rel=1e-6)


@given(trials)
@settings(max_examples=40)
def test_mirrored_outcomes_are_as_contradictory_as_the_outcomes_are_not(found: list[Outcome]) -> None:
    # Of outcomes and their mirror image at most one contradicts a rising curve in favour of a falling one.
    mirrored = [Outcome(outcome.length, not outcome.failover) for outcome in found]
    assert contradiction(found, DESIGN) + contradiction(mirrored, DESIGN) >= -1e-9
