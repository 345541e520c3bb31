"""Tests with limits: limit, never and share, on all sides of their borders."""

from typing import Any

import numpy as np
import pytest
from planted_figures import Planted, atom, judge, printed, row, trials

from fivenines.analysis.measures.measures import measure_named
from fivenines.experiment.validation.mistakes import validated
from fivenines.studies.claims.figures import Events, Sample
from fivenines.studies.claims.kinds import AnyTest


def limit(**more: Any) -> dict[str, Any]:
    return {"measure": "failover", "solution": "a", **more}


def measured(sample: Sample, measure: str = "failover") -> Planted:
    return Planted({(measure, "a", ""): sample})


EIGHT = trials([7900.0, 8000.0, 8100.0, 8050.0, 7950.0])


@pytest.mark.parametrize(
    ("limits", "status"),
    [
        ({"at_most": "9s"}, "holds"),
        ({"at_most": "8s"}, "inconclusive"),
        ({"at_most": "7s"}, "contradicted"),
        ({"at_least": "7s"}, "holds"),
        ({"at_least": "8s"}, "inconclusive"),
        ({"at_least": "9s"}, "contradicted"),
        ({"at_least": "7s", "at_most": "9s"}, "holds"),
        ({"at_least": "8.5s", "at_most": "9s"}, "contradicted"),
    ],
)
def test_a_limit_by_the_side_on_which_the_whole_interval_is(limits: dict[str, str], status: str) -> None:
    assert atom(measured(EIGHT), limit=limit(**limits)).status == status


def test_a_limit_is_said_with_its_unit() -> None:
    result = atom(measured(EIGHT), limit=limit(at_most="9s"))
    assert result.sentence == "Failover time: 8.00 s (7.90 to 8.10 s); at most 9.00 s was claimed."


def test_a_failover_that_did_not_end_is_over_a_limit_and_never_within() -> None:
    cut = trials([value.value for value in EIGHT.values], bounds=(2,))
    assert atom(measured(cut), limit=limit(at_most="7s")).status == "contradicted"
    assert atom(measured(cut), limit=limit(at_least="7s")).status == "holds"
    for limits in ({"at_most": "60s"}, {"at_least": "9s"}):
        result = atom(measured(cut), limit=limit(**limits))
        assert (result.status, result.why) == ("inconclusive", "bounds")
        assert result.sentence.startswith("Failover time: at least 8.00 s")


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        (trials([8000.0]), "trials"),
        (printed(30, 8000.0), "trials"),
        (trials([8000.0] * 4), "equal"),
        (Sample(missing="no fault"), "missing"),
        (trials([1.0, 2.0], limited="the client was busy"), "client"),
        (Sample(unavailable="a cloud account"), "unavailable"),
    ],
)
def test_a_limit_that_cannot_be_told(sample: Sample, why: str) -> None:
    assert atom(measured(sample), limit=limit(at_most="9s")).why == why


def test_none_at_all_takes_five_trials_and_one_refused_connection_contradicts_it() -> None:
    test = {"measure": "connects_refused", "solution": "a", "connections": 16000, "at_most": 0}
    for values, status in (
        ([0.0] * 5, "holds"),
        ([0.0] * 4, "inconclusive"),
        ([0.0, 0.0, 0.0, 1.0], "contradicted"),
    ):
        figures = row({16000: trials(values)}, "connects_refused")
        assert atom(figures, limit=test).status == status


def test_a_planted_trial_flips_a_limit() -> None:
    worse = trials([*(value.value for value in EIGHT.values), 8030.0, 7990.0])
    assert atom(measured(worse), limit=limit(at_most="9s")).status == "holds"
    outlier = trials([*(value.value for value in EIGHT.values), 60_000.0])
    assert atom(measured(outlier), limit=limit(at_most="9s")).status == "inconclusive"


# --- never -----------------------------------------------------------------------------------------


def never(**more: Any) -> dict[str, Any]:
    return {"measure": "lost", "solution": "a", **more}


@pytest.mark.parametrize(
    ("seen", "n", "status"),
    [
        (0, 29, "holds"),
        (0, 28, "inconclusive"),
        (0, 2, "inconclusive"),
        (1, 1000, "contradicted"),
        (1, 1, "contradicted"),
        (0, 1, "inconclusive"),
        (0, 0, "inconclusive"),
    ],
)
def test_never_takes_29_trials_and_one_event_contradicts_it(seen: int, n: int, status: str) -> None:
    assert atom(Planted(seen={"a": Events(seen, n)}), never=never()).status == status


def test_never_within_another_share() -> None:
    figures = Planted(seen={"a": Events(0, 10)})
    assert atom(figures, never=never(at_most="30%")).status == "holds"
    assert atom(figures, never=never(at_most="20%")).status == "inconclusive"


def test_a_client_that_limits_hides_events_and_takes_none_back() -> None:
    quiet = Planted(seen={"a": Events(0, 29, limited="the client was busy")})
    assert atom(quiet, never=never()).why == "client"
    lossy = Planted(seen={"a": Events(1, 29, limited="the client was busy")})
    assert atom(lossy, never=never()).status == "contradicted"


def test_never_says_how_many_trials_there_were() -> None:
    result = atom(Planted(seen={"a": Events(0, 10)}), never=never())
    assert "Acknowledged rows lost: seen in 0 of 10 trials (at most 26 %)" in result.sentence
    assert result.why == "width"


# --- occurs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "n", "status"),
    [
        (0, 29, "contradicted"),
        (0, 28, "inconclusive"),
        (0, 0, "inconclusive"),
        (1, 1, "holds"),
        (1, 1000, "holds"),
    ],
)
def test_one_event_shows_that_it_occurs_and_29_trials_without_that_it_is_rare(
    seen: int, n: int, status: str
) -> None:
    assert atom(Planted(seen={"a": Events(seen, n)}), occurs=never()).status == status


def test_an_event_counts_as_absent_below_the_share_that_is_written() -> None:
    figures = Planted(seen={"a": Events(0, 10)})
    assert atom(figures, occurs=never(at_least="30%")).status == "contradicted"
    result = atom(figures, occurs=never(at_least="20%"))
    assert (result.status, result.why) == ("inconclusive", "width")
    assert "seen in 0 of 10 trials (at most 26 %); that it occurs was claimed" in result.sentence


def test_events_that_cannot_be_observed_are_not_absent() -> None:
    busy = Planted(seen={"a": Events(0, 29, limited="the client was busy")})
    assert atom(busy, occurs=never()).why == "client"
    seen = Planted(seen={"a": Events(2, 29, limited="the client was busy")})
    assert atom(seen, occurs=never()).status == "holds"
    blind = Planted(seen={"a": Events(missing="lost could not be observed in any trial")})
    assert atom(blind, occurs=never()).why == "missing"
    cloud = Planted(seen={"a": Events(unavailable="a cloud account")})
    assert atom(cloud, occurs=never()).why == "unavailable"


# --- share -----------------------------------------------------------------------------------------


def share(**more: Any) -> dict[str, Any]:
    return {"phase": "route", "of": "outage_writes", "solution": "a", **more}


def phases(part: Sample, whole: Sample) -> Planted:
    return Planted({("phase:route", "a", ""): part, ("outage_writes", "a", ""): whole})


def outages(of: float, n: int = 8, noise: float = 0.05) -> Planted:
    chance = np.random.default_rng(7)
    whole = chance.normal(8000, 2000, n)
    part = of * whole + chance.normal(0, noise * 8000, n)
    return phases(trials(part.tolist()), trials(whole.tolist()))


@pytest.mark.parametrize(("of", "status"), [(0.75, "holds"), (0.6, "inconclusive"), (0.45, "contradicted")])
def test_a_share_of_an_outage(of: float, status: str) -> None:
    assert atom(outages(of), share=share(at_least=0.6)).status == status
    turned = {"holds": "contradicted", "contradicted": "holds"}.get(status, status)
    assert atom(outages(of), share=share(at_most="60%")).status == turned


def test_phase_and_whole_are_compared_trial_by_trial() -> None:
    result = outages(0.7, noise=0.02)
    assert atom(result, share=share(at_least="60%")).status == "holds"
    # of the same means and spreads without trials the widest interval counts
    bare = result.but(lambda item: Sample(item.summary))
    assert atom(bare, share=share(at_least="60%")).status == "inconclusive"


def test_trials_without_the_phase_are_left_out() -> None:
    whole = trials([8.0, 8.2, 7.9, 30.0])
    part = Sample(trials([6.0, 6.1, 5.9]).summary, trials([6.0, 6.1, 5.9]).values)
    result = atom(phases(part, whole), share=share(at_least="60%"))
    assert result.status == "holds" and result.figures[1].sample.summary.n == 3


def test_an_outage_that_did_not_end_shows_that_a_share_is_less_and_never_more() -> None:
    part = trials([6.0, 6.1, 5.9, 6.0])
    cut = trials([8.0, 8.2, 7.9, 8.1], bounds=(0,))
    assert atom(phases(part, cut), share=share(at_most="90%")).status == "holds"
    assert atom(phases(part, cut), share=share(at_least="90%")).status == "contradicted"
    result = atom(phases(part, cut), share=share(at_least="60%"))
    assert (result.status, result.why) == ("inconclusive", "bounds")
    assert "route is at most" in result.sentence
    long_phase = phases(trials([6.0, 6.1, 5.9, 6.0], bounds=(1,)), trials([8.0, 8.2, 7.9, 8.1]))
    assert atom(long_phase, share=share(at_least="60%")).status == "holds"
    assert atom(long_phase, share=share(at_most="90%")).why == "bounds"


def test_a_share_that_cannot_be_told() -> None:
    item = phases(trials([6.0]), trials([8.0]))
    assert atom(item, share=share(at_least="60%")).why == "trials"
    assert atom(Planted(), share=share(at_least="60%")).why == "missing"
    apart = phases(trials([6.0, 6.1]), Sample(trials([8.0, 8.1]).summary, ()))
    assert atom(apart, share=share(at_least="60%")).status in ("holds", "inconclusive")
    assert judge(Planted(), share=share(at_least="60%")).outcome == "inconclusive"


def test_a_phase_is_asked_for_by_the_name_of_its_measure() -> None:
    made = validated(AnyTest, {"share": share(at_least="60%")})
    assert [name for _, name, _ in made.measures()] == ["phase:route", "outage_writes"]
    assert all(measure_named(name) for _, name, _ in made.measures())
    other = validated(AnyTest, {"share": share(at_least="60%") | {"phase": "execution_p99"}})
    assert next(other.measures())[1] == "execution_p99"


def test_what_may_be_below_zero_is_not_above_it_by_one_trial() -> None:
    test = {"measure": "actual_lag_growth", "solution": "a", "at_most": 0}
    figures = measured(trials([-3.0, 1.0, 4.0]), "actual_lag_growth")
    assert atom(figures, limit=test).why == "width"


def test_work_that_was_cut_did_not_end() -> None:
    figures = measured(trials([9000.0, 9100.0], bounds=(0,)), "total_time")
    result = atom(figures, limit={"measure": "total_time", "solution": "a", "at_most": "20s"})
    assert "total_time did not end in 1 of 2 trials" in result.sentence
