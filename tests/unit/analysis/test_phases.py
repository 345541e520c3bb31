"""Phases: never negative, one after another, adding up to the whole; planted marks are found."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.phases import NOTED_MS, PHASES, Failover, Marks, split

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
    found = split(marks(8000, 8120, 8170, 8230, 9700))
    assert lengths(found) == {"detect": 3000, "promote": 120, "route": 50, "reconnect": 60, "catch up": 1470}
    assert (found.ms, found.return_ms, found.ended, found.returned) == (4700, 3230, True, True)
    assert found.notes == ()


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
    found = split(
        marks(decided, writable, routed, reconnected, caught_up, interrupted=interrupted, followed=followed)
    )
    names = [phase.name for phase in found.phases]
    assert names == sorted(set(names), key=PHASES.index)
    assert all(phase.ms >= 0 for phase in found.phases)
    previous = FAULT
    for phase in found.phases:
        assert phase.start == previous
        previous = phase.end
    assert previous <= UNTIL
    assert found.ms == pytest.approx(sum(phase.ms for phase in found.phases))
    assert [phase.closed for phase in found.phases[:-1]] == [True] * len(found.phases[:-1])
    assert found.ended or found.phases[-1].end == UNTIL
    assert 0 <= found.return_ms <= found.ms


@given(st.lists(st.floats(0, 14_000), min_size=5, max_size=5))
def test_marks_in_order_come_out_as_they_went_in(moments: list[float]) -> None:
    planted = [FAULT + moment for moment in sorted(moments)]
    found = split(marks(*planted))
    assert [phase.end for phase in found.phases] == planted
    assert found.ended


@given(st.sets(st.sampled_from(range(5)), max_size=5), st.lists(st.floats(0, 14_000), min_size=5))
def test_a_missing_mark_gives_its_time_to_the_next(missing: set[int], moments: list[float]) -> None:
    planted = [FAULT + moment for moment in sorted(moments)[:5]]
    found = split(marks(*(None if i in missing else moment for i, moment in enumerate(planted))))
    closed = [phase for phase in found.phases if phase.closed]
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
    found = split(marks(*moments))
    last = found.phases[-1]
    assert (last.name, last.closed, last.end) == (stuck, False, UNTIL)
    assert not found.ended
    assert found.returned == (stuck == "catch up")


def test_what_follows_proves_what_precedes() -> None:
    found = split(marks(6000, 7500, 7000, 7100, 7100))
    assert lengths(found) == {"detect": 1000, "promote": 1000, "route": 0, "reconnect": 100, "catch up": 0}
    assert found.notes == ("writable was seen 500 ms after what follows from it",)


def test_within_the_resolution_nothing_is_noted() -> None:
    assert split(marks(6000, 7000 + NOTED_MS, 7000, 7100, 7100)).notes == ()


def test_a_decision_after_the_return_detected_nothing() -> None:
    found = split(marks(9000, 6900, 7000, 7100, 7100))
    assert found.phase("detect") is None
    assert found.notes == ("somebody decided 2000 ms after service was back: no detection",)


def test_marks_of_the_next_fault_are_left_out() -> None:
    found = split(marks(6000, UNTIL + 1, UNTIL + 2, None, None))
    assert [phase.name for phase in found.phases] == ["detect", "promote"]
    assert not found.ended


def test_without_an_interruption_there_is_only_a_catch_up() -> None:
    found = split(marks(6000, 6100, 6200, 6300, 5400, interrupted=False))
    assert lengths(found) == {"catch up": 400}
    assert (found.returned, found.return_ms) == (True, 0.0)
    never = split(marks(interrupted=False))
    assert [(phase.name, phase.closed) for phase in never.phases] == [("catch up", False)]


def test_what_could_not_be_followed_has_no_catch_up() -> None:
    found = split(marks(6000, 6100, 6200, 6300, None, followed=False))
    assert [phase.name for phase in found.phases] == list(SEEN[:-1])
    assert found.ended
