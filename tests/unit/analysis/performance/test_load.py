"""Reading load.json: what is there is found, what is absent or damaged is left out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.performance.load import connects_of, offered_rate, schedule_of, steps_of, types_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["types", "schedule", "steps", "connects"]), json_values))
def test_whatever_stands_there_is_read_or_left_out(load: dict[str, Any]) -> None:
    assert isinstance(types_of(load), list)
    assert isinstance(steps_of(load), list)
    schedule_of(load), connects_of(load)


def test_format_1_has_none_of_it() -> None:
    load: dict[str, Any] = {"format": 1, "transactions": {"ok": 5}}
    assert (types_of(load), steps_of(load)) == ([], [])
    assert schedule_of(load) is None and connects_of(load) is None


def test_keys_of_later_versions_are_passed_over() -> None:
    (result,) = types_of({"types": [{"name": "a", "ok": 3, "mood": "good"}, {"ok": 1}]})
    assert (result.name, result.ok, result.retries) == ("a", 3, 0)


def test_the_offered_rate_is_that_of_the_window() -> None:
    steps = steps_of(
        {"steps": [{"from_s": 0, "to_s": 4, "rate": 100}, {"from_s": 4, "to_s": 10, "rate": 400}]}
    )
    schedule = schedule_of({"schedule": {"kind": "open", "rate": 100}})
    assert offered_rate(schedule, steps, 0, 4000) == 100
    assert offered_rate(schedule, steps, 2000, 6000) == pytest.approx(250)
    assert offered_rate(schedule, steps, 4000, 60_000) == 400
    assert offered_rate(schedule, [], 0, 4000) == 100
    unknown = steps_of(
        {"steps": [{"from_s": 0, "to_s": 4, "rate": 100}, {"from_s": 4, "to_s": 10, "rate": None}]}
    )
    assert offered_rate(schedule, unknown, 0, 4000) == 100
    assert offered_rate(schedule, unknown, 0, 6000) is None
    assert offered_rate(schedule, unknown, 4000, 6000) is None
    closed = schedule_of({"schedule": {"kind": "closed"}})
    assert offered_rate(closed, steps, 0, 4000) is offered_rate(None, [], 0, 1) is None


@pytest.mark.parametrize(("kind", "is_open"), [("closed", False), ("open", True), ("search", True)])
def test_only_a_closed_loop_waits(kind: str, is_open: bool) -> None:
    schedule = schedule_of({"schedule": {"kind": kind, "rate": None, "lag_p99_us": 12}})
    assert schedule is not None and schedule.open is is_open
    assert schedule.lag_p99_us == 12
