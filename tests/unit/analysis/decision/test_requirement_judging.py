"""A need is met or missed only when trials show it; shares have the intervals of the textbook."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.decision.judging import (
    Judgement,
    judge,
    judge_number,
    share_bounds,
    trials_without,
    worst,
)
from fivenines.analysis.measures.condition import parse_requirement


def _trial(
    tps: float | None = None, outage: float | None = None, back: bool = True, lost: int | None = None
) -> Any:
    writes = None if outage is None else SimpleNamespace(value=(outage, not back), back=back)
    return SimpleNamespace(
        throughput=None if tps is None else SimpleNamespace(tps=tps),
        availability=None if writes is None else SimpleNamespace(writes=writes),
        lost=lost,
        deaths=None,
        each_death=None,
        nominal=None,
        machine="",
    )


def _outages(text: str, *values: float, away: int = 0) -> Judgement:
    trials = [_trial(outage=value, back=index >= away) for index, value in enumerate(values)]
    return judge(parse_requirement(text), trials)


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ((4000, 4100, 4200), "met"),
        ((12_000, 12_100, 12_200), "missed"),
        ((4000, 9000, 14_000), "inconclusive"),
        ((4000,), "inconclusive"),
        ((), "inconclusive"),
    ],
)
def test_a_mean_counts_with_its_interval(values: tuple[float, ...], status: str) -> None:
    outages = _outages("outage_writes < 10s", *values)
    assert (outages.status, outages.n) == (status, len(values))


def test_what_is_untold_says_how_many_trials_more() -> None:
    few = _outages("outage_writes < 10s", 4000, 9000, 14_000)
    assert few.more is not None and few.more > 10
    assert _outages("outage_writes < 10s", 4000, 4100, 4200).more is None


def test_lower_bounds_prove_missed_and_never_met() -> None:
    assert _outages("outage_writes < 10s", 4000, 4100, 4200, away=3).status == "inconclusive"
    assert _outages("outage_writes < 3s", 4000, 4100, 4200, away=3).status == "missed"


def test_a_few_equal_values_prove_nothing() -> None:
    assert _outages("outage_writes < 10s", 30, 30).status == "inconclusive"
    assert _outages("outage_writes < 10s", *[30.0] * 5).status == "met"


def test_more_is_needed_of_a_rate() -> None:
    trials = [_trial(tps=value) for value in (900.0, 910.0, 905.0)]
    assert judge(parse_requirement("tps >= 500"), trials).status == "met"
    assert judge(parse_requirement("tps >= 1000"), trials).status == "missed"
    assert judge(parse_requirement("tps >= 905"), trials).status == "inconclusive"


def _lost(text: str, hit: int, n: int) -> Judgement:
    return judge(parse_requirement(text), [_trial(lost=int(index < hit)) for index in range(n)])


@pytest.mark.parametrize(
    ("text", "hit", "n", "status"),
    [
        ("lost = 0", 1, 40, "missed"),
        ("lost = 0", 0, 28, "inconclusive"),
        ("lost = 0", 0, 29, "met"),
        ("lost = 0", 0, 0, "inconclusive"),
        ("lost <= 50%", 0, 3, "inconclusive"),
        ("lost <= 50%", 0, 5, "met"),
        ("lost <= 50%", 9, 10, "missed"),
        ("lost <= 50%", 5, 10, "inconclusive"),
    ],
)
def test_an_event_is_missed_by_one_trial_and_met_by_many(text: str, hit: int, n: int, status: str) -> None:
    assert _lost(text, hit, n).status == status


def test_three_trials_leave_most_open_and_say_so() -> None:
    result = _lost("lost = 0", 0, 3)
    assert result.bound == pytest.approx(0.6316, abs=1e-4)
    assert result.more == 26


def test_what_was_not_measured_is_not_counted() -> None:
    result = judge(parse_requirement("lost = 0"), [_trial(), _trial()])
    assert (result.status, result.n) == ("inconclusive", 0)


def test_a_percentile_is_judged_by_the_share_beyond() -> None:
    text = "outage_writes p90 < 10s"
    assert _outages(text, *[5000.0] * 29).status == "met"
    assert _outages(text, *[5000.0] * 20).status == "inconclusive"
    assert _outages(text, *[5000.0] * 5, *[11_000.0] * 5).status == "missed"
    # service that was not back may be beyond the limit: it does not count for "met"
    assert _outages(text, *[5000.0] * 29, away=3).status == "inconclusive"


def test_a_number_of_a_solution_has_no_chance_in_it() -> None:
    requirement = parse_requirement("hosts <= 3")
    assert [judge_number(requirement, number).status for number in (3, 4, None)] == [
        "met",
        "missed",
        "inconclusive",
    ]


def test_the_worst_of_several_faults_decides() -> None:
    met, missed = _lost("lost <= 50%", 0, 9), _lost("lost <= 50%", 9, 9)
    assert worst([met, missed]) is missed and worst([met]) is met


def test_shares_have_the_intervals_of_clopper_and_pearson() -> None:
    low, high = share_bounds(5, 10)
    assert (round(low, 4), round(high, 4)) == (0.1871, 0.8129)
    assert share_bounds(0, 0) == (0.0, 1.0)
    assert trials_without(0.1) == 29


@given(st.integers(1, 60), st.data())
def test_a_share_lies_in_its_interval(n: int, data: st.DataObject) -> None:
    events = data.draw(st.integers(0, n))
    low, high = share_bounds(events, n)
    assert 0 <= low <= events / n <= high <= 1
