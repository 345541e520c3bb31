"""Test sequences and repeats: injection times and the problems that they report."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fivenines.base.lengths import parse_lengths
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


@given(
    st.integers(1, 20), st.floats(0.1, 100), st.sampled_from(["lognormal 2s..8s", "fixed 3s"]), st.integers()
)
def test_hiccups_in_turn_have_drawn_lengths_and_pauses(
    times: int, every: float, lengths: str, seed: int
) -> None:
    freeze = {"fault": "freeze", "target": "node1"}
    fault = RepeatSettings(fault="repeat", of=freeze, times=times, every=every, lengths=lengths)
    steps = fault.schedule(Random(seed))
    assert len(steps) == times and steps == fault.schedule(Random(seed))
    known, moment = parse_lengths(lengths), 0.0
    for step in steps:
        assert every / 2 - 0.01 <= step.at - moment <= 1.5 * every + 0.01
        assert step.fault.lasts is not None and 0.5 < step.fault.lasts <= known.longest + 0.001
        assert step.fault == fault.of.lasting(step.fault.lasts)
        moment = step.at + step.fault.lasts
    assert moment <= fault.longest() + 0.02 * times


def test_a_repeat_with_lengths_survives_its_dump() -> None:
    fault = RepeatSettings(fault="repeat", of={"fault": "freeze"}, lengths="fixed 3s")
    assert RepeatSettings.model_validate(fault.model_dump()).schedule(Random(1)) == fault.schedule(Random(1))


def test_deaths_in_turn_have_pauses_after_each_recovery() -> None:
    fault = RepeatSettings(fault="repeat", of=KILL, times=5, every=4, await_recovery=True)
    steps = fault.schedule(Random(1))
    assert all(step.in_turn and step.fault == KILL and 2 <= step.at <= 6 for step in steps)
    assert len({step.at for step in steps}) == 5
    assert fault.longest() == 5 * (6 + 2)


def test_a_fault_that_never_ends_cannot_be_awaited() -> None:
    kill = {"fault": "kill", "restart_after": None}
    with pytest.raises(ValidationError, match="kill never ends: set `restart_after`"):
        RepeatSettings(fault="repeat", of=kill, await_recovery=True)


@pytest.mark.parametrize(
    ("of", "lengths", "message"),
    [
        ({"fault": "freeze"}, "lognorm 2s..8s", "did you mean 'lognormal'?"),
        ({"fault": "freeze", "duration": 3}, "fixed 2s", "it replaces `duration` of freeze"),
        ({"fault": "maintenance"}, "fixed 2s", "maintenance has no length"),
        ({"fault": "freeze", "search": {}}, "fixed 2s", "a search chooses them"),
        ({"fault": "command", "inject": "x"}, "fixed 2s", "only `recover` ends a command at a chosen time"),
    ],
)
def test_lengths_need_a_distribution_and_a_place(of: dict[str, object], lengths: str, message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        RepeatSettings(fault="repeat", of=of, lengths=lengths)


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
