"""Test sequences and repeats: injection times and the problems that they report."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fivenines.faults.nodes.kill import KillSettings
from fivenines.faults.none import NoFaultSettings
from fivenines.faults.repeat import RepeatSettings
from fivenines.faults.sequence import SequenceSettings
from fivenines.solutions.standalone import StandaloneSettings

KILL = KillSettings(fault="kill", restart_after=2)


@given(st.integers(1, 20), st.floats(0.1, 100), st.integers())
def test_a_repeat_injects_once_per_period(times: int, every: float, seed: int) -> None:
    fault = RepeatSettings(fault="repeat", of=KILL, times=times, every=every)
    steps = fault.schedule(Random(seed))
    assert [step.fault for step in steps] == [KILL] * times
    for number, step in enumerate(steps):
        assert number * every - 0.001 <= step.at <= (number + 1) * every + 0.001
    assert steps == fault.schedule(Random(seed))
    assert steps[-1].at + 2 <= fault.longest() + 0.001


@given(st.lists(st.floats(0, 60), min_size=1, max_size=8), st.integers())
def test_a_sequence_injects_in_order_of_time(moments: list[float], seed: int) -> None:
    steps = [{"at": at, "fault": KILL} for at in moments]
    fault = SequenceSettings(fault="sequence", steps=steps)
    assert [step.at for step in fault.schedule(Random(seed))] == sorted(moments)
    assert fault.longest() == max(moments) + 2


def test_a_single_fault_is_injected_at_once_and_none_never() -> None:
    (step,) = KILL.schedule(Random(1))
    assert (step.at, step.fault) == (0.0, KILL)
    assert KILL.longest() == 2.0
    assert NoFaultSettings().schedule(Random(1)) == []


def test_nested_faults_must_fit_and_name_sites() -> None:
    steps = [{"fault": "kill"}, {"at": 1, "fault": {"fault": "kill", "target": "site east"}}]
    fault = SequenceSettings(fault="sequence", steps=steps)
    assert fault.sites() == ["east"]
    alone = StandaloneSettings(solution="standalone").topology()
    assert fault.problems_with(alone) == []
    steps[1] = {"fault": {"fault": "kill", "target": "replica"}}
    fault = SequenceSettings(fault="sequence", steps=steps)
    assert fault.problems_with(alone) == ["steps[1]: replica: the solution has one node and no replica"]
    repeat = RepeatSettings(fault="repeat", of={"fault": "kill", "target": "node2"})
    assert "1 node" in repeat.problems_with(alone)[0]


@pytest.mark.parametrize("inside", ["sequence", "repeat", "none", "nonsense"])
def test_only_single_faults_can_be_nested(inside: str) -> None:
    with pytest.raises(ValidationError):
        RepeatSettings(fault="repeat", of={"fault": inside})
