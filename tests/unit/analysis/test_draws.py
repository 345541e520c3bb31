"""Deaths and hiccups in turn: each is a draw of a share, and their trial is one value of a mean."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis import trials as of_trials
from fivenines.analysis.availability.deaths_in_turn import Death, Deaths
from fivenines.analysis.availability.in_turn import InTurn
from fivenines.analysis.availability.nines import availabilities
from fivenines.analysis.cells import CellResult, analyse, cell_result
from fivenines.analysis.decision.candidates import candidate
from fivenines.analysis.decision.judging import Judgement, judge
from fivenines.analysis.measured import draws_of, summary_of
from fivenines.analysis.measures.condition import parse_requirement
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.trials import TrialMeasures
from fivenines.campaign.figures import figures_of
from fivenines.report.sentences.evidence import evidence, mark, of_design
from fivenines.results.store import open_run


@pytest.fixture(name="alone", scope="module")
def alone_fixture(tmp_path_factory: pytest.TempPathFactory) -> CellResult:
    """Return a cell of twelve kills, each on a cluster of its own."""
    run = tmp_path_factory.mktemp("run") / "run"
    write_run(run, Matrix([Recipe("safe")], trials=12))
    (cell,) = analyse(open_run(run))
    return cell


def in_turn(
    alone: CellResult, lost: Sequence[Sequence[int | None]], apart: bool = True
) -> list[TrialMeasures]:
    """Return a trial for each series of lost rows, whose deaths are the kills of the cell in turn."""
    kills = iter([trial.faults[0] for trial in alone.trials] * 10)
    trials = []
    for trial, rows in zip(alone.trials, lost, strict=False):
        faults = [next(kills) for _ in rows]
        writes = [fault.availability.writes for fault in faults]
        deaths = tuple(
            Death(number + 1, own.ms if own else None, own is not None and own.back, each)
            for number, (own, each) in enumerate(zip(writes, rows, strict=True))
        )
        total = None if None in rows else sum(row or 0 for row in rows)
        made = Deaths(deaths, len(deaths), apart)
        trials.append(replace(trial, faults=faults, deaths=made, lost=total))
    return trials


def judged(text: str, trials: Sequence[TrialMeasures]) -> Judgement:
    return judge(parse_requirement(text), trials)


def test_29_deaths_without_a_loss_confirm_as_29_trials_do(alone: CellResult) -> None:
    found = judged("lost = 0", in_turn(alone, [[0] * 10, [0] * 10, [0] * 9]))
    assert (found.status, found.n, found.trials, found.unit) == ("met", 29, 3, "death")
    assert evidence(found) == "0 of 29 deaths of 3 clusters"
    assert mark(found) == "✓ met (0 of 29 deaths failed)"


def test_what_is_missing_is_said_in_trials(alone: CellResult) -> None:
    found = judged("lost = 0", in_turn(alone, [[0] * 10, [0] * 10]))
    assert (found.status, found.more, found.enough) == ("inconclusive", 1, 3)
    few = judged("lost = 0", in_turn(alone, [[0, 0]]))
    assert (few.more, few.enough) == (14, 15)


def test_one_death_with_a_loss_is_one_of_many(alone: CellResult) -> None:
    found = judged("lost = 0", in_turn(alone, [[0, 5, 0], [0, 0, 0]]))
    assert (found.status, found.events, found.n) == ("missed", 1, 6)
    design = replace(found, design="a commit waits for no replica")
    assert of_design(design).endswith(", 1 of 6 deaths of 2 clusters lost some")


def test_a_loss_of_no_death_that_counts_is_not_forgotten(alone: CellResult) -> None:
    first, *others = in_turn(alone, [[0] * 20, [0] * 20])
    found = judged("lost = 0", [replace(first, lost=3), *others])
    assert (found.status, found.events, found.n) == ("missed", 1, 41)


def test_where_the_losses_of_deaths_are_unknown_the_trial_counts(alone: CellResult) -> None:
    first, second = in_turn(alone, [[0, None], [0, 0]])
    assert first.lost is None and draws_of("lost", [first]).values == []
    found = draws_of("lost", [replace(first, lost=0), second])
    assert (len(found.values), found.trials, found.unit) == (3, 2, "death")


def test_deaths_before_the_recovery_from_the_last_one_are_no_draws(alone: CellResult) -> None:
    together = in_turn(alone, [[0, 0], [0, 0]], apart=False)
    found = draws_of("lost", together)
    assert (len(found.values), found.unit) == (2, "trial")
    cell = cell_result(alone.key, 2, 0, together)
    assert [(fault.number, fault.times, fault.in_turn) for fault in cell.faults] == [
        (1, 2, False),
        (2, 2, False),
    ]


def test_a_percentile_is_that_of_deaths_and_a_mean_that_of_clusters(alone: CellResult) -> None:
    trials = in_turn(alone, [[0] * 2, [0] * 4])
    outages = [death.outage_ms or 0.0 for trial in trials if trial.deaths for death in trial.deaths.deaths]
    limit = sorted(outages)[-2] + 0.001
    found = judged(f"outage_writes p50 < {limit:.3f}ms", trials)
    assert (found.events, found.n, found.trials) == (1, 6, 2)
    mean = summary_of("outage_writes", trials)
    assert mean.n == 2
    assert mean.mean == pytest.approx((sum(outages[:2]) / 2 + sum(outages[2:]) / 4) / 2)


def test_deaths_in_turn_are_one_fault_of_their_cell(alone: CellResult) -> None:
    cell = cell_result(alone.key, 3, 0, in_turn(alone, [[0] * 4, [0] * 4, [0, 0]]))
    (fault,) = cell.faults
    assert (fault.trials, fault.times, fault.called) == (3, 10, "kill primary, in turn")
    assert cell.writes.counted == "10 deaths" and cell.writes.summary.n == 3
    mean = summary_of("outage_writes", cell.trials).mean
    assert cell.writes.summary.mean == fault.writes.summary.mean == mean
    assert fault.phase("detect").summary.n == 3 and len(fault.phase("detect").values) == 10
    assert (cell.loss.draws, cell.loss.hits, cell.loss.counted) == (10, 0, "10 deaths")
    # As in a trial with one kill, the availability is that of one fault.
    single, turns = (availabilities([one], {"kill": 86_400.0}) for one in (alone, cell))
    assert len(single) == len(turns) == 1 and turns[0].unavailable is not None


def test_the_line_of_a_finished_trial_has_the_mean(
    alone: CellResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    (trial,) = in_turn(alone, [[0] * 4])
    monkeypatch.setattr(of_trials, "measures", lambda _: [trial])
    found = figures_of(trial.folder.parents[1], trial.record)
    assert found.outage_ms == summary_of("outage_writes", [trial]).mean


def test_a_death_counts_with_kills_of_fresh_clusters_unless_the_order_matters(alone: CellResult) -> None:
    key = alone.key.model_copy(update={"fault": "in turn"})
    turns = cell_result(key, 2, 0, in_turn(alone, [[0] * 10, [0] * 10]))
    settings = DecideSettings.model_validate({"requirements": ["lost = 0"]})
    (both,) = candidate("safe", [alone, turns], settings, None).judgements
    assert (both.status, both.n, both.trials) == ("met", 32, 14)
    assert len(availabilities([alone, turns], {"kill": 86_400.0})) == 2
    steps = [replace(trial, deaths=_steps(trial)) for trial in turns.trials]
    (apart,) = candidate("safe", [alone, replace(turns, trials=steps)], settings, None).judgements
    assert (apart.status, apart.n, apart.where) == ("inconclusive", 12, "kill")


def _steps(trial: TrialMeasures) -> Deaths:
    assert trial.deaths is not None
    made = [replace(one, outage_ms=1000.0 * one.number) for one in trial.deaths.deaths]
    return replace(trial.deaths, deaths=tuple(made))


@pytest.mark.parametrize(("failover", "events"), [(None, 0), ("promoted", 1)])
def test_each_hiccup_in_turn_is_a_draw(alone: CellResult, failover: str | None, events: int) -> None:
    hiccups = InTurn((100.0, 200.0, 300.0), 5, failover)  # type: ignore[arg-type]
    trials = [replace(trial, in_turn=hiccups, response=None) for trial in alone.trials[:2]]
    found = judged("needless_failover = 0", trials)
    assert (found.events, found.n, found.trials, found.unit) == (2 * events, 6, 2, "hiccup")


def test_several_hiccups_are_faults_of_one_course(alone: CellResult) -> None:
    three = [one.faults[0] for one in alone.trials[:3]]
    first, second = alone.trials[:2]
    counted = InTurn((100.0, 200.0, 300.0), 3)
    trials = [replace(first, faults=three, in_turn=counted), replace(second, faults=three, in_turn=counted)]
    cell = cell_result(alone.key, 2, 0, trials)
    assert [(fault.number, fault.times) for fault in cell.faults] == [(1, 2), (2, 2), (3, 2)]
    assert cell.writes.counted == "2 trials"
    assert judged("not_recovered = 0", trials).unit == "trial"
