"""Tests along an axis and of a sweep: trend, peak and choice, on all sides of their borders."""

from typing import Any

import pytest
from planted_figures import Planted, atom, judge, printed, row, spread, trials

from fivenines.studies.claims.figures import Sample, Variants


def trend(kind: str, **more: Any) -> dict[str, Any]:
    return {"measure": "tps", "over": "connections", "solution": "a", "is": kind, **more}


def along(means: list[float], cov: float = 0.04, n: int = 10) -> Planted:
    return row({2.0**index: spread(mean, cov, n) for index, mean in enumerate(means)})


# --- rises and falls -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("means", "rises", "falls"),
    [
        ([100, 150, 220], "holds", "contradicted"),
        ([220, 150, 100], "contradicted", "holds"),
        ([100, 101, 102], "inconclusive", "inconclusive"),
        ([100, 300, 200], "contradicted", "contradicted"),
        ([100, 99, 220], "holds", "contradicted"),
    ],
)
def test_rises_as_a_whole_and_in_no_step_falls(means: list[float], rises: str, falls: str) -> None:
    assert atom(along(means), trend=trend("rises")).status == rises
    assert atom(along(means), trend=trend("falls")).status == falls


def test_a_wide_spread_leaves_a_rise_open() -> None:
    result = atom(along([100, 150, 220], cov=0.9, n=3), trend=trend("rises"))
    assert (result.status, result.why) == ("inconclusive", "width")


def test_levels_without_numbers_stand_in_their_order() -> None:
    names = {"idle": 100.0, "half": 150.0, "full": 220.0}
    figures = Planted(
        {("tps", "a", name): spread(mean, 0.04) for name, mean in names.items()}, axis="workload"
    )
    test = trend("rises", over="workload")
    assert atom(figures, trend=test).status == "holds"
    turned = test | {"workload": ["full", "half", "idle"]}
    assert atom(figures, trend=turned).status == "contradicted"
    line = atom(figures, trend=trend("linear", over="workload"))
    assert line.why == "levels" and "no numbers" in line.reason


def test_a_bound_proves_a_rise_at_the_end_and_no_fall() -> None:
    low, high = trials([5.0, 5.2, 5.1]), trials([9.0, 9.3, 9.2], bounds=(1,))
    assert atom(row({1: low, 2: high}), trend=trend("rises")).status == "holds"
    assert atom(row({1: low, 2: high}), trend=trend("falls")).status == "contradicted"
    ended_later = atom(row({1: high, 2: trials([5.0, 5.2, 5.1])}), trend=trend("rises"))
    assert ended_later.status == "contradicted"
    open_ = atom(
        row({1: trials([5.0, 5.2, 5.1], bounds=(0,)), 2: trials([9.0, 9.3, 9.2])}), trend=trend("rises")
    )
    assert (open_.status, open_.why) == ("inconclusive", "bounds")


# --- flat ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("means", "cov", "status"),
    [
        ([100, 101, 99], 0.03, "holds"),
        ([100, 101, 99], 0.3, "inconclusive"),
        ([100, 109, 118], 0.02, "contradicted"),
        ([100, 110, 100], 0.03, "inconclusive"),
    ],
)
def test_flat_if_every_two_levels_are_the_same(means: list[float], cov: float, status: str) -> None:
    assert atom(along(means, cov), trend=trend("flat", within="10%")).status == status


def test_flat_is_not_shown_with_bounds() -> None:
    figures = row({1: trials([5.0, 5.1, 4.9, 5.0]), 2: trials([5.0, 5.1, 4.9, 5.05], bounds=(0,))})
    assert atom(figures, trend=trend("flat")).why == "bounds"


# --- linear ----------------------------------------------------------------------------------------

RTT = (0.0, 1.0, 10.0, 100.0, 500.0)


def line(slope: float, cov: float = 0.03, bend: float = 1.0, n: int = 10) -> Planted:
    means = {x: 5 + slope * x for x in RTT}
    means[10.0] *= bend
    samples = {x: spread(mean, cov, n) for x, mean in means.items()}
    return row(samples, "latency_mean", "rtt")


LINE = trend("linear", measure="latency_mean", over="rtt", slope=[15, 23])


@pytest.mark.parametrize(
    ("slope", "status"), [(19, "holds"), (15.1, "inconclusive"), (12, "contradicted"), (26, "contradicted")]
)
def test_a_line_by_its_slope(slope: float, status: str) -> None:
    assert atom(line(slope), trend=LINE).status == status


def test_a_line_that_is_bent_is_none() -> None:
    bent = atom(line(19, bend=2), trend=LINE)
    assert bent.status == "contradicted" and "largest deviation from the line is 85 % at 10" in bent.sentence
    assert atom(line(19, bend=1.12), trend=LINE).status == "inconclusive"


def test_that_no_bend_was_found_is_no_line() -> None:
    assert atom(line(19, cov=0.6), trend=LINE).why == "width"


def test_two_levels_are_no_line() -> None:
    result = atom(row({1: spread(1, 0.1), 2: spread(2, 0.1)}), trend=trend("linear"))
    assert result.why == "levels" and "2 levels" in result.sentence


def test_a_mean_of_zero_is_on_no_line_in_per_cent() -> None:
    figures = row({1: printed(10, 0, 1), 2: spread(2, 0.1), 3: spread(3, 0.1)})
    assert atom(figures, trend=trend("linear")).why == "zero"


# --- peak ------------------------------------------------------------------------------------------


def peak(*where: float, **more: Any) -> dict[str, Any]:
    return {"measure": "tps", "over": "connections", "solution": "a", "in": list(where), **more}


CURVE = {1: 100.0, 8: 300.0, 16: 480.0, 32: 500.0, 64: 400.0, 80: 300.0}


def curve(cov: float = 0.03, n: int = 10) -> Planted:
    return row({at: spread(mean, cov, n) for at, mean in CURVE.items()})


def test_a_peak_holds_if_all_that_may_be_it_are_in_the_range() -> None:
    result = atom(curve(), peak=peak(16, 64))
    assert result.status == "holds" and result.members in (["16", "32"], ["32"])
    assert "the highest is at" in result.sentence


def test_a_peak_is_contradicted_if_none_is() -> None:
    assert atom(curve(), peak=peak(64, 80)).status == "contradicted"
    assert atom(curve(), peak=peak(1, 8)).status == "contradicted"


def test_a_peak_is_inconclusive_if_some_are() -> None:
    result = atom(curve(cov=0.08), peak=peak(32, 64))
    assert (result.status, result.why) == ("inconclusive", "width")
    assert result.members == ["16", "32"]


def test_the_lowest_may_be_asked_for() -> None:
    assert atom(curve(), peak=peak(1, best="lowest")).status == "holds"


def test_a_peak_of_bounds_is_the_highest_and_never_the_lowest() -> None:
    short, long = trials([5.0, 5.2, 5.1]), trials([9.0, 9.3, 9.2], bounds=(0,))
    figures = row({1: short, 2: long})
    assert atom(figures, peak=peak(2)).status == "holds"
    figures = row({1: trials([5.0, 5.2, 5.1], bounds=(0,)), 2: trials([9.0, 9.3, 9.2])})
    result = atom(figures, peak=peak(1, best="lowest"))
    assert (result.status, result.why) == ("inconclusive", "bounds")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (trials([500.0]), "trials"),
        (trials([500.0, 510.0], limited="the client was busy"), "client"),
        (Sample(missing="no trial is complete"), "missing"),
    ],
)
def test_a_level_that_tells_nothing_leaves_the_axis_open(change: Sample, why: str) -> None:
    figures = curve().but(lambda _: change, ("tps", "a", "32"))
    assert atom(figures, peak=peak(16, 64)).why == why
    for kind in ("rises", "flat", "linear"):
        assert atom(figures, trend=trend(kind)).why == why


def test_a_planted_change_of_one_level_moves_the_peak() -> None:
    moved = curve().but(lambda _: spread(900.0, 0.03), ("tps", "a", "80"))
    assert atom(moved, peak=peak(16, 64)).status == "contradicted"


# --- choice ----------------------------------------------------------------------------------------


def sweep(means: dict[str, float], cov: float = 0.04, n: int = 10, *, more: bool = True) -> Planted:
    samples = {name: spread(mean, cov, n) for name, mean in means.items()}
    best = (max if more else min)(means, key=lambda name: means[name])
    return Planted(swept={"s": Variants(samples, more, best, "tps")})


def choice(*names: int | str) -> dict[str, Any]:
    return {"solution": "s", "in": list(names)}


def test_a_choice_is_what_cannot_be_told_from_the_best() -> None:
    figures = sweep({"0": 100, "1000": 70, "1500": 60})
    assert atom(figures, choice=choice(0)).status == "holds"
    assert atom(figures, choice=choice(1000, 1500)).status == "contradicted"
    assert "the sweep chose 0" in atom(figures, choice=choice(0)).sentence


def test_a_choice_of_what_is_alike_is_inconclusive() -> None:
    figures = sweep({"0": 100, "1000": 99, "1500": 60})
    assert atom(figures, choice=choice(0)).why == "width"
    assert atom(figures, choice=choice(0, 1000)).status == "holds"


def test_a_choice_of_the_least() -> None:
    assert atom(sweep({"0": 100, "1": 50}, more=False), choice=choice(1)).status == "holds"


def test_a_choice_that_cannot_be_made() -> None:
    assert atom(Planted(), choice=choice(0)).why == "missing"
    gone = Planted(swept={"s": Variants(unavailable="a cloud account")})
    assert judge(gone, choice=choice(0)).outcome == "cannot be run here"
    item = Planted(swept={"s": Variants({"0": trials([1.0]), "1": trials([2.0])}, measure="tps")})
    assert atom(item, choice=choice(0)).why == "trials"
