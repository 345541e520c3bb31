"""The plan of blocks: each solution once in each round, in seeded order; and what makes no sense in one."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fivenines.analysis.calibration import ROUND_SPREAD, TRIAL_SPREAD
from fivenines.base.errors import UsageError
from fivenines.campaign.calibration.judging import judge_alarms, judge_noise
from fivenines.experiment.interleaved_plan import blocks, deployment_order, windows
from fivenines.experiment.plan import plan
from fivenines.experiment.power import power_lines, seen_spread
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment
from fivenines.lab.machine import describe
from fivenines.results.calibration import Calibration, Step
from fivenines.trial.interleaved.memory import MemoryShortError, require_memory

TWO = (
    "solutions: [{solution: hot-standby, name: a}, {solution: hot-standby, name: b, "
    "synchronous_commit: local}]\n"
)


def experiment(text: str = "", solutions: str = TWO, design: str = "interleaved") -> Experiment:
    head = f"name: x\ndesign: {design}\n" + solutions
    if "workloads" not in text:
        head += "workloads: [{workload: oltp_read_write}]\n"
    return parse_experiment(head + text, "x.yaml")


# reading an experiment takes long on a busy machine
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 3), st.integers(3, 20), st.integers(0, 1000), st.integers(1, 3))
def test_each_round_has_one_window_of_each_solution_and_none_overlap(
    many: int, rounds: int, seed: int, connections: int
) -> None:
    text = f"seed: {seed}\ninterleaved: {{blocks: {many}, rounds: {rounds}, window: 500ms, skip: 100ms}}\n"
    text += f"connections: {list(range(1, connections + 1))}\n"
    one = experiment(text)
    planned = blocks(one)
    assert planned == blocks(one)
    assert len(planned) == many * connections
    assert len({block.id for block in planned}) == len(planned)
    for block in planned:
        found = windows(block, one)
        turns = Counter((window.round, window.index) for window in found)
        assert turns == Counter((r, i) for r in range(rounds + 1) for i in range(2))
        assert all(w.start < w.measured < w.to for w in found)
        assert all(a.to == pytest.approx(b.start) for a, b in pairwise(found))
        assert all(w.to - w.start == pytest.approx(0.5) for w in found if w.round)


def test_the_order_within_rounds_is_drawn() -> None:
    one = experiment("interleaved: {blocks: 2, rounds: 40}\n")
    firsts = [window.index for block in blocks(one) for window in windows(block, one)[::2]]
    assert 20 < sum(firsts) < 62
    many = blocks(experiment("interleaved: {blocks: 30}\n"))
    assert all(sorted(deployment_order(block)) == [0, 1] for block in many)
    assert 5 < sum(deployment_order(block)[0] for block in many) < 25


def test_trials_are_left_for_the_faults() -> None:
    faults = "faults: [none, {fault: kill, target: primary}]\n"
    assert {trial.cell.key.fault for trial in plan(experiment(faults))} == {"kill"}
    assert plan(experiment()) == []
    assert len(plan(experiment(design="trials"))) == 6
    assert blocks(experiment(design="trials")) == []


def test_a_interleaved_of_one_solution_is_none() -> None:
    assert blocks(experiment(), only=["a"]) == []
    assert len(blocks(experiment(), only=["a", "b"])) == 3


@pytest.mark.parametrize(
    ("text", "solutions", "said"),
    [
        ("load: {rate: 100}\n", TWO, "closed loop"),
        ("load: {burst: true}\n", TWO, "burst"),
        ("interleaved: {window: 200ms, skip: 150ms}\n", TWO, "more than half"),
        ("", "solutions: [{solution: hot-standby}]\n", "two or more solutions"),
        (
            "",
            "solutions: [{solution: hot-standby, sweep: {synchronous_commit: [on, off]}}]\ntrials: 4\n",
            "sweep",
        ),
        ("workloads: [{workload: bulkload}]\n", TWO, "ends by itself"),
        (
            "",
            "solutions: [{solution: hot-standby, name: a, limits: {memory: 90000GiB}},"
            " {solution: hot-standby, name: b}]\n",
            "this machine has",
        ),
    ],
)
def test_what_makes_no_sense_in_a_interleaved_is_refused(text: str, solutions: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        experiment(text, solutions)
    # the same is fine where nothing is compared side by side
    if "more than half" not in said:
        experiment(text, solutions, design="trials")


def test_what_does_not_fit_into_the_memory_is_refused_before_it_is_deployed() -> None:
    solutions = TWO.replace("name: a", "name: a, limits: {memory: 90000GiB}")
    (first, _) = experiment("", solutions, design="trials").solutions
    with pytest.raises(MemoryShortError, match=r"interleaved comparison runs a at once, .* are free"):
        require_memory(first, [])


def test_the_plan_says_what_it_can_tell() -> None:
    block, _ = power_lines(experiment("interleaved: {blocks: 2, rounds: 12}\n"))
    assert block.startswith("power: 24 rounds can detect differences in throughput of 6.2 % or more")
    first, second = power_lines(experiment("trials: 10\n", design="trials"))
    assert first.startswith(
        "power: 10 trials per solution can detect differences in throughput of 30 % or more"
    )
    assert "20 % takes 20 trials" in second and "assumed" in second
    same = Step(
        name="same",
        title="",
        at="",
        seconds=1.0,
        short=False,
        lines=[
            judge_noise("neighbouring windows", "48 windows", 0.05, 0.1, **{ROUND_SPREAD: 0.0707}),
            judge_alarms(0, 12),
            judge_noise("fresh servers, 5 of a side", "6 servers", 0.4, 0.5, **{TRIAL_SPREAD: 0.4}),
        ],
    )
    seen = seen_spread(Calibration(fivenines="1", machine=describe(), steps=[same]))
    first, second = power_lines(experiment("trials: 10\n", design="trials"), seen)
    assert "of 70 % or more" in first and "calibrate" in second
    first, second = power_lines(experiment("interleaved: {blocks: 2, rounds: 12}\n"), seen)
    assert "of 4.3 % or more" in first and "calibrate" in second
    assert seen_spread(None) is None
    assert seen_spread(Calibration(fivenines="1", machine=describe(), steps=[])) is None
    alone, _ = power_lines(experiment("trials: 1\n", design="trials"))
    assert alone == "power: 1 trial per solution cannot detect a difference in throughput"
    one = experiment("", "solutions: [{solution: hot-standby}]\n", design="trials")
    assert power_lines(one) == []
