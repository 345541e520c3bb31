"""The plan: complete, repeatable, interleaved; and parts of it."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fivenines.analysis.measures.trials import exactly
from fivenines.base.errors import UsageError
from fivenines.experiment.plan import (
    CHECK_SECONDS,
    REJOIN_SECONDS,
    Trial,
    cells,
    expected_seconds,
    plan,
    select,
)
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment


def experiment(connections: list[int], trials: int, seed: int, faults: str = "[none, kill]") -> Experiment:
    return parse_experiment(
        f"name: x\nseed: {seed}\ntrials: {trials}\nconnections: {connections}\nfaults: {faults}\n"
        "solutions: [{solution: hot-standby, name: a}, {solution: galera, name: b}]\n"
        "workloads: [oltp_read_only, oltp_read_write]\n"
        "timing: {warmup: 1s, steady: 2s, recovery: 6s}\n",
        "x.yaml",
    )


experiments = st.builds(
    experiment,
    st.lists(st.integers(1, 100), min_size=1, max_size=3, unique=True),
    st.integers(1, 4),
    st.integers(-5, 2**40),
)


@settings(max_examples=30, deadline=None)
@given(experiments)
def test_every_cell_has_every_trial_exactly_once(asked: Experiment) -> None:
    trials = plan(asked)
    counted = Counter((trial.cell.key, trial.number) for trial in trials)
    assert set(counted.values()) == {1}
    assert set(counted) == {
        (cell.key, number) for cell in cells(asked) for number in range(1, asked.trials.at_most + 1)
    }
    assert len({trial.id for trial in trials}) == len(trials)


@settings(max_examples=30, deadline=None)
@given(experiments)
def test_trials_are_interleaved_in_whole_blocks(asked: Experiment) -> None:
    trials, size = plan(asked), len(cells(asked))
    for start in range(0, len(trials), size):
        block = trials[start : start + size]
        assert len({trial.cell.key for trial in block}) == size
        assert {trial.number for trial in block} == {start // size + 1}


@settings(max_examples=20, deadline=None)
@given(experiments, st.integers(1, 3))
def test_the_same_seed_gives_the_same_order_and_more_trials_continue_it(asked: Experiment, more: int) -> None:
    assert plan(asked) == plan(asked)
    longer = plan(asked.model_copy(update={"trials": exactly(asked.trials.at_most + more)}))
    assert longer[: len(plan(asked))] == plan(asked)


def test_another_seed_gives_another_order() -> None:
    orders = {tuple(trial.cell.key for trial in plan(experiment([1, 2], 2, n))) for n in range(5)}
    assert len(orders) == 5


def test_ids_count_from_one() -> None:
    assert [trial.id for trial in plan(experiment([1], 1, 1))[:2]] == ["0001", "0002"]


def test_two_faults_of_a_kind_are_different_cells() -> None:
    faults = "[none, kill, {fault: kill, target: replica}]"
    found = {cell.key.fault for cell in cells(experiment([1], 1, 1, faults))}
    assert found == {"none", "kill (target primary)", "kill (target replica)"}


def test_only_some_solutions_keep_their_ids() -> None:
    trials = plan(experiment([1], 2, 1))
    chosen = select(trials, ["b"])
    assert chosen == [trial for trial in trials if trial.cell.key.solution == "b"]
    assert select(trials, ["a", "b"]) == select(trials) == trials


def test_fewer_trials_are_the_first_of_each_cell() -> None:
    trials = plan(experiment([1], 3, 1))
    assert select(trials, [], 1) == plan(experiment([1], 1, 1))
    with pytest.raises(UsageError) as refused:
        select(trials, [], 4)
    assert str(refused.value) == "found 4 trials per cell, but only 3 are planned"


def test_an_unknown_solution_is_refused_with_the_nearest() -> None:
    trials = plan(
        parse_experiment("name: x\nsolutions: [hot-standby, galera]\nworkloads: [oltp_read_only]\n", "x.yaml")
    )
    with pytest.raises(UsageError) as refused:
        select(trials, ["galaxy"])
    assert str(refused.value) == (
        "unknown solution 'galaxy'; did you mean 'galera'?\n    allowed: 'galera', 'hot-standby on'"
    )


def test_the_expected_time_counts_recovery_only_after_a_fault() -> None:
    asked = experiment([1], 1, 1)
    setup = sum(one.setup_seconds for one in asked.solutions) / len(asked.solutions)
    quiet = setup + 3 + CHECK_SECONDS
    broken = quiet + 6 + REJOIN_SECONDS
    pauses = sum(trial.pause for trial in plan(asked))
    assert expected_seconds(plan(asked), asked) == pytest.approx(4 * quiet + 4 * broken + pauses)


def with_fault(solution: str, fault: str = "kill") -> list[Trial]:
    return plan(
        parse_experiment(
            f"name: x\ntrials: 40\nfaults: [{fault}]\nsolutions: [{solution}]\nworkloads: [oltp_read_only]\n",
            "x.yaml",
        )
    )


@pytest.mark.parametrize(
    ("solution", "period"),
    [
        ("{solution: replication, manager: {kind: operator, interval: 2s}}", 2),
        ("{solution: replication, manager: {kind: mha, ping_interval: 3}}", 3),
        ("{solution: replication, mode: after_sync, manager: pacemaker, access: virtual-address}", 4),
        ("{solution: hot-standby, manager: {kind: operator, interval: 1s}, access: haproxy}", 3),
        ("{solution: patroni, loop_wait: 5s, retry_timeout: 5s, ttl: 20s}", 5),
        ("{solution: galera}", 1),
        ("{solution: galera, access: {kind: haproxy, interval: 3s}}", 3),
        ("{solution: innodb-cluster, member_expel_timeout: 0s}", 1),
        ("{solution: innodb-cluster, member_expel_timeout: 5s}", 15),
    ],
)
def test_a_trial_with_a_fault_waits_at_random_up_to_the_longest_period_of_checks(
    solution: str, period: float
) -> None:
    trials = with_fault(solution)
    assert {trial.longest_pause for trial in trials} == {period}
    pauses = [trial.pause for trial in trials]
    assert all(0 <= pause <= period for pause in pauses)
    # of 40 even draws each quarter has some, but for one in 25,000
    assert {int(4 * pause / period) for pause in pauses} >= {0, 1, 2, 3}
    assert pauses == [trial.pause for trial in with_fault(solution)]


def test_a_trial_without_failure_detector_or_fault_does_not_wait() -> None:
    assert {trial.pause for trial in with_fault("{solution: standalone}")} == {0}
    assert {trial.pause for trial in with_fault("{solution: galera}", "none")} == {0}
