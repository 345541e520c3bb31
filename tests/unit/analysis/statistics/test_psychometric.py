"""The posterior of a threshold agrees with direct sums, and the next length has the most information."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.statistics.psychometric import (
    LAPSE,
    Floats,
    Outcome,
    Posterior,
    grid,
    posterior,
    ratio_quantiles,
)

# A short range keeps direct sums over all lengths fast.
SPACE = grid(2.0, 5.0)

lengths = st.floats(1.0, 10.0)
trials = st.lists(st.builds(Outcome, lengths, st.booleans()), max_size=12)


def _after(*pairs: tuple[float, int]) -> Posterior:
    return posterior(SPACE, tuple(Outcome(length, bool(failover)) for length, failover in pairs))


def test_a_ramp_has_its_threshold_in_the_middle_and_lapses_at_its_ends() -> None:
    width = 5
    threshold = int(np.searchsorted(SPACE.thresholds, 3.0))
    middle, share = SPACE.thresholds[threshold], SPACE.widths[width]
    quarter, low, high = (
        SPACE.chance(middle * (1 + k * share))[width, threshold] for k in (-0.25, -0.6, 0.6)
    )
    assert SPACE.chance(middle)[width, threshold] == pytest.approx(0.5)
    assert quarter == pytest.approx(LAPSE + (1 - 2 * LAPSE) / 4)
    assert low == pytest.approx(LAPSE)
    assert high == pytest.approx(1 - LAPSE)


def _information(space_weights: Floats, length: float) -> float:
    """Return the fall of the entropy of the posterior that a trial at a length is expected to bring."""

    def entropy(weights: Floats) -> float:
        positive = weights[weights > 0]
        return float(-(positive * np.log(positive)).sum())

    chance = SPACE.chance(length)
    expected = 0.0
    for likelihood in (chance, 1 - chance):
        joint = space_weights * likelihood
        expected += float(joint.sum()) * entropy(joint / joint.sum())
    return entropy(space_weights) - expected


@pytest.mark.parametrize("pairs", [(), ((3.0, 0),), ((3.0, 0), (4.0, 1), (3.5, 1), (3.2, 0))])
def test_the_information_is_the_expected_fall_of_the_entropy(pairs: tuple[tuple[float, int], ...]) -> None:
    known = _after(*pairs)
    information = SPACE.information(known.weights)
    for place in range(1, len(SPACE.lengths) - 1, 10):
        direct = _information(known.weights, float(SPACE.lengths[place]))
        assert information[place] == pytest.approx(direct, abs=1e-9)
    assert known.next_length() == SPACE.lengths[int(np.argmax(information))]


@given(trials)
def test_the_evidence_is_the_probability_of_the_outcomes_in_any_order(outcomes: list[Outcome]) -> None:
    likelihood = SPACE.prior.copy()
    for outcome in outcomes:
        chance = SPACE.chance(outcome.length)
        likelihood *= chance if outcome.failover else 1 - chance
    forward, backward = (posterior(SPACE, tuple(order)) for order in (outcomes, outcomes[::-1]))
    assert math.exp(forward.evidence) == pytest.approx(float(likelihood.sum()))
    assert backward.evidence == pytest.approx(forward.evidence)
    assert np.allclose(forward.weights, backward.weights)


@given(trials, lengths, st.integers(0, len(SPACE.widths) - 1))
def test_a_failover_never_raises_the_threshold_of_a_known_width(
    outcomes: list[Outcome], length: float, width: int
) -> None:
    # With an unknown width it may: a failover at a short length is evidence for a wide ramp.
    def below(failover: bool) -> Floats:
        weights = posterior(SPACE, (*outcomes, Outcome(length, failover))).weights[width]
        return np.asarray(np.cumsum(weights) / weights.sum(), dtype=np.float64)

    assert (below(True) >= below(False) - 1e-9).all()


def test_quantiles_of_the_prior_are_log_uniform() -> None:
    low, middle, high = _after().thresholds((0.0, 0.5, 1.0))
    assert middle == pytest.approx(math.sqrt(2.0 * 5.0), rel=0.01)
    assert low == pytest.approx(2.0 / 3, rel=0.02)
    assert high == pytest.approx(5.0 * 3, rel=0.02)


def test_the_spread_of_a_sharp_step_is_small_and_of_a_ramp_is_not() -> None:
    step = _after(*((3.0, 0), (3.1, 1)) * 8)
    wide = _after((2.0, 0), (2.3, 1), (2.6, 0), (2.9, 1), (3.2, 0), (3.5, 1), (3.8, 0), (4.1, 1))
    assert step.spreads((0.95,))[0] < 1 < wide.spreads((0.5,))[0]


def test_a_ratio_of_a_posterior_and_itself_is_centred_at_1() -> None:
    known = _after((3.0, 0), (4.0, 1), (3.5, 1), (3.2, 0))
    low, middle, high = ratio_quantiles(known, known, (0.025, 0.5, 0.975))
    assert middle == pytest.approx(1.0, abs=0.01)
    assert low * high == pytest.approx(1.0, abs=0.02)
    later = _after((3.8, 0), (4.4, 1), (4.1, 1), (4.0, 0))
    assert ratio_quantiles(known, later, (0.5,))[0] > 1.1


@pytest.mark.parametrize("length", [0.0, -1.0, math.nan, math.inf])
def test_a_length_is_positive_and_finite(length: float) -> None:
    with pytest.raises(ValueError, match="positive number of seconds"):
        Outcome(length, True)
