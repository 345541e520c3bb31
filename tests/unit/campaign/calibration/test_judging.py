"""Bounds: what is right is within, what is planted wrong is out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fivenines.campaign.calibration.judging import (
    MeasuredOutage,
    judge_ages,
    judge_alarms,
    judge_bandwidth,
    judge_detected,
    judge_lateness,
    judge_noise,
    judge_offered,
    judge_outages,
    judge_round_trip,
    judge_share,
    judge_statements,
    most_alarms,
)


def outage(planted: float, error: float, how: str = "silent") -> MeasuredOutage:
    return MeasuredOutage(how, "sessions", round(planted, -1), planted, planted + error, 20.0, True)  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["silent", "reset"])
@pytest.mark.parametrize("planted", [50.0, 500.0, 5000.0])
def test_an_outage_within_its_resolution_is_within_bounds(planted: float, how: str) -> None:
    (line,) = judge_outages([outage(planted, error, how) for error in (-9.0, 4.0, 20.0)])
    assert line.within is True and line.figures["median_error_ms"] == 4.0
    assert line.error == "median +4.0 ms (\N{MINUS SIGN}9.0 to +20.0 ms)"


@pytest.mark.parametrize("how", ["silent", "reset"])
@pytest.mark.parametrize("wrong", [200.0, -200.0, 5000.0])
@given(planted=st.floats(50, 5000), ordinary=st.floats(0, 10_000))
def test_200_ms_off_is_out_of_bounds_however_noisy_the_load(
    planted: float, ordinary: float, how: str, wrong: float
) -> None:
    (line,) = judge_outages([replace(outage(planted, wrong, how), ordinary_ms=ordinary)])
    assert line.within is False


def test_new_connections_have_lines_of_their_own_and_time_to_log_in() -> None:
    fresh = replace(outage(500.0, 60.0), who="connections")
    sessions, connections = judge_outages([outage(500.0, 0.0), fresh])
    assert sessions.within is True and connections.within is True
    assert connections.planted.endswith("as new connections see it")
    assert judge_outages([replace(fresh, who="sessions")])[0].within is False


def test_an_outage_whose_end_was_not_seen_is_out_of_bounds() -> None:
    gone = replace(outage(500.0, 0.0), measured_ms=None)
    (line,) = judge_outages([outage(500.0, 0.0), gone])
    assert line.within is False and line.measured == "1 without an observed end"


def test_each_length_and_way_has_a_line_and_says_what_was_not_noticed() -> None:
    result = [outage(500.0, 0.0, "reset"), replace(outage(50.0, 0.0), noticed=False), outage(50.0, 9.0)]
    short, long = judge_outages(result)
    assert short.planted == "outage of 50.0 ms, nothing passes, 2 times"
    assert short.measured.endswith("1 of 2 counted as an outage")
    assert long.planted == "outage of 500 ms, connections reset, new ones refused, once"


@pytest.mark.parametrize(
    ("numbers", "error"),
    [
        ({1, 2, 3}, "none"),
        ({1, 2}, "missed 3"),
        ({1, 2, 3, 9}, "1 too many (9)"),
        (set(), "missed 1, 2 and 3"),
    ],
)
def test_all_that_is_planted_has_to_be_found_and_nothing_else(numbers: set[int], error: str) -> None:
    line = judge_detected("rows", {1, 2, 3}, numbers)
    assert (line.error, line.within) == (error, error == "none")


def test_nothing_planted_proves_nothing() -> None:
    assert judge_detected("rows", (), ()).within is False
    assert [line.within for line in judge_ages("reads", [], [])] == [False]
    assert judge_statements("statements", 0, 0).within is False


def test_stale_reads_and_their_ages() -> None:
    assert [judge_age.within for judge_age in judge_ages("reads", [100.0, 700.0], [110.0, 690.0])] == [
        True,
        True,
    ]
    missed = judge_ages("reads", [100.0, 700.0], [110.0, 0.0])
    assert [item.within for item in missed] == [False, False] and missed[0].error == "missed 1"
    assert [judge_age.within for judge_age in judge_ages("reads", [100.0, 700.0], [110.0, 900.0])] == [
        True,
        False,
    ]


def test_links() -> None:
    assert judge_round_trip(0.5, [0.6, 0.7, 9.0]).within is True
    assert judge_round_trip(0.5, [0.3, 0.3, 0.3]).within is False  # earlier than it can be
    assert judge_round_trip(10.0, [15.0] * 3).within is False
    assert judge_round_trip(100.0, [102.5] * 3).within is True
    assert judge_bandwidth(1e7, 9.6e6).within is True
    assert judge_bandwidth(1e7, 1.06e7).within is False
    assert judge_bandwidth(1e8, 8e7).error == "\N{MINUS SIGN}20 %"


def test_throughput_and_counts() -> None:
    assert judge_offered(50.0, 8.0, 400).within is True
    assert judge_offered(50.0, 8.0, 390).within is False
    assert judge_statements("statements", 5600, 5600).error == "none"
    off = judge_statements("statements", 5600, 5601)
    assert (off.within, off.error) == (False, "+1")


def test_noise_is_told_and_not_judged() -> None:
    line = judge_noise("fresh servers", "6 servers", 0.25, 0.365)
    assert (line.within is None and "up to 36 %" in line.error) or "up to 37 %" in line.error


@given(st.integers(1, 200))
def test_more_false_alarms_than_chance_makes_are_out_of_bounds(comparisons: int) -> None:
    most = most_alarms(comparisons)
    # as many or fewer are not rare; one more is
    assert stats.binom.sf(most, comparisons, 0.05) <= 0.01
    assert most == 0 or stats.binom.sf(most - 1, comparisons, 0.05) > 0.01
    assert judge_alarms(most, comparisons).within is True
    assert judge_alarms(most + 1, comparisons).within is False


def test_late_timers_and_stolen_time() -> None:
    assert judge_lateness([0.1] * 99 + [40.0], 1.0).within is True
    assert judge_lateness([0.1] * 98 + [6.0, 40.0], 1.0).within is False
    assert judge_share("stolen", 0.03, 0.02).within is False
    assert judge_share("waited", 0.9, None).within is None


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_the_quantiles_of_late_timers_are_values_of_the_sample(values: list[float]) -> None:
    figures = judge_lateness(values, 1.0).figures
    for name, share in (("p50_ms", 0.5), ("p99_ms", 0.99), ("max_ms", 1.0)):
        below = [value for value in values if round(value, 4) <= figures[name]]
        assert figures[name] in [round(value, 4) for value in values]
        assert len(below) >= share * len(values) - 1e-9
