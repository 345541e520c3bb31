"""Phases: never negative, one after another, adding up to the whole; planted marks are found."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.phases import NOTED_MS, PHASES, Failover, Marks, split

# The phases of marks that are all seen, where no session had to wait.
SEEN = tuple(name for name in PHASES if name != "client")
MOMENT = st.one_of(st.none(), st.floats(-2_000, 40_000))
FAULT = 5_000.0
UNTIL = 20_000.0


def marks(*moments: Any, **more: bool) -> Marks:
    return Marks(FAULT, UNTIL, *moments, **more)


def lengths(failover: Failover) -> dict[str, float]:
    return {phase.name: phase.ms for phase in failover.phases}


def test_all_marks_give_all_phases() -> None:
    result = split(marks(8000, 8120, 8170, 8230, 9700))
    assert lengths(result) == {"detect": 3000, "promote": 120, "route": 50, "reconnect": 60, "catch up": 1470}
    assert (result.ms, result.return_ms, result.ended, result.returned) == (4700, 3230, True, True)
    assert result.notes == ()


@given(MOMENT, MOMENT, MOMENT, MOMENT, MOMENT, st.booleans(), st.booleans())
def test_any_marks_give_phases_that_add_up(
    decided: float | None,
    writable: float | None,
    routed: float | None,
    reconnected: float | None,
    caught_up: float | None,
    interrupted: bool,
    followed: bool,
) -> None:
    result = split(
        marks(decided, writable, routed, reconnected, caught_up, interrupted=interrupted, followed=followed)
    )
    names = [phase.name for phase in result.phases]
    assert names == sorted(set(names), key=PHASES.index)
    assert all(phase.ms >= 0 for phase in result.phases)
    previous = FAULT
    for phase in result.phases:
        assert phase.start == previous
        previous = phase.end
    assert previous <= UNTIL
    assert result.ms == pytest.approx(sum(phase.ms for phase in result.phases))
    assert [phase.closed for phase in result.phases[:-1]] == [True] * len(result.phases[:-1])
    assert result.ended or result.phases[-1].end == UNTIL
    assert 0 <= result.return_ms <= result.ms


@given(st.lists(st.floats(0, 14_000), min_size=5, max_size=5))
def test_marks_in_order_come_out_as_they_went_in(moments: list[float]) -> None:
    planted = [FAULT + moment for moment in sorted(moments)]
    result = split(marks(*planted))
    assert [phase.end for phase in result.phases] == planted
    assert result.ended


@given(st.sets(st.sampled_from(range(5)), max_size=5), st.lists(st.floats(0, 14_000), min_size=5))
def test_a_missing_mark_gives_its_time_to_the_next(missing: set[int], moments: list[float]) -> None:
    planted = [FAULT + moment for moment in sorted(moments)[:5]]
    result = split(marks(*(None if i in missing else moment for i, moment in enumerate(planted))))
    closed = [phase for phase in result.phases if phase.closed]
    assert [phase.end for phase in closed] == [m for i, m in enumerate(planted) if i not in missing]
    assert all(phase.name not in {SEEN[i] for i in missing} for phase in closed)


@pytest.mark.parametrize(
    ("moments", "stuck"),
    [
        ((None, None, None, None, None), "promote"),
        ((7000, None, None, None, None), "promote"),
        ((7000, 7100, None, None, None), "route"),
        ((None, 7100, None, None, None), "route"),
        ((7000, 7100, 7200, None, None), "reconnect"),
        ((7000, 7100, 7200, 7300, None), "catch up"),
    ],
)
def test_what_never_ends_is_a_lower_bound_in_the_phase_under_way(
    moments: tuple[float | None, ...], stuck: str
) -> None:
    result = split(marks(*moments))
    last = result.phases[-1]
    assert (last.name, last.closed, last.end) == (stuck, False, UNTIL)
    assert not result.ended
    assert result.returned == (stuck == "catch up")


def test_what_follows_proves_what_precedes() -> None:
    result = split(marks(6000, 7500, 7000, 7100, 7100))
    assert lengths(result) == {"detect": 1000, "promote": 1000, "route": 0, "reconnect": 100, "catch up": 0}
    assert result.notes == ("writable was observed 500 ms after its consequence",)


def test_within_the_resolution_nothing_is_noted() -> None:
    assert split(marks(6000, 7000 + NOTED_MS, 7000, 7100, 7100)).notes == ()


def test_a_decision_after_the_return_detected_nothing() -> None:
    result = split(marks(9000, 6900, 7000, 7100, 7100))
    assert result.phase("detect") is None
    assert result.notes == ("a failover was decided 2000 ms after service had recovered: no detection",)


def test_marks_of_the_next_fault_are_left_out() -> None:
    result = split(marks(6000, UNTIL + 1, UNTIL + 2, None, None))
    assert [phase.name for phase in result.phases] == ["detect", "promote"]
    assert not result.ended


def test_without_an_interruption_there_is_only_a_catch_up() -> None:
    result = split(marks(6000, 6100, 6200, 6300, 5400, interrupted=False))
    assert lengths(result) == {"catch up": 400}
    assert (result.returned, result.return_ms) == (True, 0.0)
    never = split(marks(interrupted=False))
    assert [(phase.name, phase.closed) for phase in never.phases] == [("catch up", False)]


def test_what_could_not_be_followed_has_no_catch_up() -> None:
    result = split(marks(6000, 6100, 6200, 6300, None, followed=False))
    assert [phase.name for phase in result.phases] == list(SEEN[:-1])
    assert result.ended
