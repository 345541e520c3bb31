"""What experiment files say of faults: pairs that fit, ends that the load sees, names, estimates."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.plan import CHECK_SECONDS, REJOIN_SECONDS, cells, expected_seconds, plan
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment

SOLUTIONS = "[{solution: standalone, name: alone}, {solution: galera, name: three}]"


def _parsed(faults: str, more: str = "", solutions: str = SOLUTIONS) -> Experiment:
    return parse_experiment(
        f"name: x\ntrials: 1\nsolutions: {solutions}\nworkloads: [oltp_read_only]\n"
        f"timing: {{warmup: 1s, steady: 2s, recovery: 6s}}\nfaults: {faults}\n{more}",
        "x.yaml",
    )


def _refused(faults: str, more: str = "") -> str:
    with pytest.raises(UsageError) as refused:
        _parsed(faults, more)
    return str(refused.value)


def test_a_fault_can_be_for_some_solutions_only() -> None:
    found = _parsed("[kill, {fault: kill, target: replica, only: [three]}]")
    pairs = [(cell.key.solution, cell.key.fault) for cell in cells(found)]
    assert pairs == [
        ("alone", "kill (target primary)"),
        ("three", "kill (target primary)"),
        ("three", "kill (target replica)"),
    ]


def test_names_and_what_is_no_part_of_the_fault_tell_none_apart() -> None:
    found = _parsed("[{fault: kill, name: murder, mtbf: 720h}, {fault: freeze, mtbf: 100h}]")
    assert [cell.key.fault for cell in cells(found)][:2] == ["murder", "freeze"]
    assert "repeats faults[0]" in _refused("[kill, {fault: kill, mtbf: 720h}]")
    both = _refused("[{fault: kill, name: a}, {fault: freeze, name: a}]")
    assert "faults[1] and faults[0] have the same name 'a'" in both


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ("[{fault: kill, target: replica}]", "kill does not apply to 'alone': replica"),
        ("[{fault: proxy}]", "proxy does not apply to 'alone': proxy: the access layer direct"),
        ("[{fault: manager, only: [three]}]", "manager does not apply to 'three'"),
        ("[manager-freeze]", "standalone has no program that manages its failover"),
        ("[switchover]", "the solution has only one node"),
        ("[stalled-replica]", "no replica"),
        ("[{fault: sequence, steps: [{fault: kill}, {fault: proxy}]}]", "steps[1]: proxy"),
        ("[{fault: kill, only: [thre]}]", "unknown solution 'thre'; the solutions are 'alone', 'three'"),
        ("[{fault: kill, target: site east}]", "the network 'lan' has no site 'east'"),
        ("[{fault: partition, peers: everybody}]", "everybody: unknown target"),
        ("[{fault: degrade}]", "it has no effect"),
        ("[{fault: freeze, duration: 6s}]", "faults[0].duration: 6s is not shorter than"),
        (
            "[{fault: sequence, steps: [{at: 3s, fault: kill}]}]",
            "sequence takes up to 8s, which is not shorter than timing.recovery (6s)",
        ),
        ("[{fault: repeat, of: kill, times: 2, every: 1s}]", "repeat takes up to 7s"),
    ],
)
def test_what_makes_no_sense_is_refused(faults: str, words: str) -> None:
    assert words in " ".join(_refused(faults).split())


def test_a_virtual_machine_is_not_frozen_as_a_whole() -> None:
    machines = "[{solution: hot-standby, machines: virtual-machines}]"
    with pytest.raises(UsageError, match="cannot be frozen as a whole"):
        _parsed("[{fault: host-freeze, duration: 1s}]", solutions=machines)


def test_a_fault_that_never_ends_may_be_longer_than_the_load() -> None:
    assert _parsed("[{fault: freeze, duration: null}]").faults[0].lasts is None


def test_each_single_fault_costs_time_in_the_estimate() -> None:
    one = _parsed("[{fault: kill, restart_after: 1s}]", solutions="[standalone]")
    three = _parsed(
        "[{fault: repeat, of: {fault: kill, restart_after: 1s}, times: 3, every: 1s}]",
        solutions="[standalone]",
    )
    load = one.solutions[0].setup_seconds + 9.0 + CHECK_SECONDS
    assert expected_seconds(plan(one), one) == load + REJOIN_SECONDS
    assert expected_seconds(plan(three), three) == load + 3 * REJOIN_SECONDS
