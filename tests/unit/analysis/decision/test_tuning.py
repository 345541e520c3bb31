"""The search among sets of timeouts, requirements, and recommendations."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.hiccups import parse_hiccups
from fivenines.analysis.availability.needless import Response
from fivenines.analysis.availability.needless_rate import NeedlessRate
from fivenines.analysis.availability.outages import Outages
from fivenines.analysis.cells import CellResult
from fivenines.analysis.consistency.split_brain import SplitBrain
from fivenines.analysis.decision.tuning import SetResult, judged, next_set, parse_wanted, recommended
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.trials import TrialMeasures
from fivenines.results import layout, store
from fivenines.results.store import open_run


@given(count=st.integers(1, 40), data=st.data())
def test_the_search_finds_the_quickest_calm_set(count: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, count))
    measured: dict[int, bool] = {}
    given_set = data.draw(st.one_of(st.none(), st.integers(0, count - 1)))
    if given_set is not None:
        measured[given_set] = given_set >= first
    while (place := next_set(measured, count)) is not None:
        assert place not in measured
        measured[place] = place >= first
    calm = [place for place, is_calm in measured.items() if is_calm]
    assert min(calm, default=count) == first
    # A bisection of n sets takes at most log2(n) + 1 measurements.
    assert len(measured) <= count.bit_length() + 1


def test_contradictory_sets_end_the_search() -> None:
    # A quick set was calm by chance: the quickest calm one after the last restless one counts.
    assert next_set({0: True, 3: False, 4: True}, 6) is None


def test_requirements() -> None:
    wanted = parse_wanted(["needless < 2/month", "outage p95 < 10s", "lost = 0"])
    assert wanted.needless.per_year == pytest.approx(24)
    assert [one.text for one in wanted.conditions] == ["outage_writes p95 < 10s", "lost = 0"]
    assert parse_wanted(["needless <= 1 per year", "split_brain <= 5%"]).conditions[0].limit == 0.05


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["outage < 10s"], "write one requirement on needless failovers"),
        (["needless < 1/year", "needless < 2/year"], "write one requirement on needless failovers"),
        (["needless < 1"], "write a number a time"),
        (["needless = 0"], "write a number a time"),
        (["needless < 1/yr"], "write one of hour, day, week, month, year"),
        (["needless < 1/year", "outag < 3s"], "outag"),
    ],
)
def test_wrong_requirements_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_wanted(texts)
    assert message in str(caught.value)


def result(name: str, outage: float, rate: NeedlessRate | None) -> SetResult:
    """Return a set with a mean outage in ms, known within 10 %."""
    summary = Summary(10, mean=outage, sd=outage / 10, ci_low=0.9 * outage, ci_high=1.1 * outage)
    outages = cast(Outages, type("Planted", (), {"summary": summary}))
    deaths = cast(CellResult, type("Planted", (), {"writes": outages, "complete": 10}))
    return SetResult(name, deaths, {}, (), rate, 1.0)


CALM, RESTLESS = NeedlessRate(0.5, 0.2, 0.9), NeedlessRate(4.0, 2.0, 6.0)


def test_the_quickest_set_with_few_needless_failovers_is_recommended() -> None:
    as_given = result("as given", 9000, CALM)
    sets = [result("set 1", 1000, RESTLESS), result("set 2", 3000, CALM), result("set 3", 6000, CALM)]
    assert recommended(sets, as_given) is sets[1]


def test_the_given_settings_stay_where_no_set_is_clearly_faster() -> None:
    as_given = result("as given", 3200, CALM)
    assert recommended([result("set 2", 3000, CALM)], as_given) is as_given


def test_no_set_is_recommended_that_fails_over_too_often_or_is_unknown() -> None:
    sets = [result("set 1", 1000, RESTLESS), result("set 2", 2000, None)]
    assert recommended(sets, result("as given", 3000, RESTLESS)) is None
    alone = replace(result("set 1", 1000, CALM), deaths=None)
    assert recommended([alone], result("as given", 3000, RESTLESS)) is None


def test_verdicts_on_needless_failovers() -> None:
    assert result("a", 1, CALM).needless == "met"
    assert result("a", 1, RESTLESS).needless == "missed"
    wide = result("a", 1, NeedlessRate(0.5, 0.1, 3.0))
    assert (wide.needless, wide.calm) == ("inconclusive", True)
    assert (result("a", 1, None).needless, result("a", 1, None).calm) == ("inconclusive", False)


def planted(folder: Path, hiccup_s: float, *, split_after_death: bool = False) -> SetResult:
    """Return a set with a split brain after each hiccup of this length."""
    write_run(folder, Matrix([Recipe("set 1")], faults=["kill", "freeze"], trials=6))
    manifest = open_run(folder).manifest
    plan = [
        item.model_copy(update={"search": (0.5, 30.0)} if item.cell.fault == "freeze" else {})
        for item in manifest.plan
    ]
    experiment = {**manifest.experiment, "trials": 20}
    changed = manifest.model_copy(update={"plan": plan, "experiment": experiment})
    store.write_json(folder / layout.MANIFEST, changed)
    run = open_run(folder)
    swept = compared(run)
    response = Response("none", hiccup_ms=1000 * hiccup_s)
    split = [cast(SplitBrain, "two primaries")]

    def changed_to(cells: list[CellResult], kind: str, split_brains: list[SplitBrain]) -> list[CellResult]:
        def one(trial: TrialMeasures) -> TrialMeasures:
            faults = [fault.model_copy(update={"kind": kind}) for fault in trial.record.faults]
            record = trial.record.model_copy(update={"faults": faults})
            own = response if kind == "freeze" else None
            return replace(trial, record=record, watched=True, response=own, split_brains=split_brains)

        return [replace(cell, trials=[one(trial) for trial in cell.trials]) for cell in cells]

    shown = replace(
        swept,
        searched=changed_to(swept.searched, "freeze", split),
        cells=changed_to(swept.cells, "kill", split if split_after_death else []),
    )
    wanted = parse_wanted(["needless < 1/year"])
    return judged("set 1", shown, run.manifest, wanted, [parse_hiccups("freeze 4/month lognormal 2s..8s")])


def test_a_split_brain_counts_after_a_death_or_an_expected_hiccup(tmp_path: Path) -> None:
    expected = planted(tmp_path / "a", 7.0)
    assert [one.requirement.text for one in expected.judgements] == ["split_brain = 0"]
    assert expected.status == "missed" and expected.split_beyond is None
    longer = planted(tmp_path / "b", 20.0)
    assert longer.judgements == () and longer.split_beyond == pytest.approx(20.0)
    death = planted(tmp_path / "c", 20.0, split_after_death=True)
    assert death.status == "missed" and not death.fast
