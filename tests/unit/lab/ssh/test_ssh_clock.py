"""Test that offsets of other machines' clocks are correct within their error."""

from hypothesis import given
from hypothesis import strategies as st

from fivenines.lab.ssh.clock import Clock, Reading, reading

SECOND = 1_000_000_000


@given(
    st.integers(-(10**15), 10**15),
    st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)), min_size=1, max_size=12),
)
def test_the_offset_is_within_the_error_however_long_either_way_takes(
    offset: int, ways: list[tuple[int, int]]
) -> None:
    now, asked = 5 * SECOND, []
    for there, back in ways:
        moment = now + there
        asked.append((now, moment + back, moment + offset + 7, moment + offset))
        now = moment + back + 1000
    found = reading(asked)
    assert abs(found.offset - offset) <= found.error + 1
    assert abs(found.day - offset - 7) <= found.error + 1
    assert found.error <= min(there + back for there, back in ways) // 2 + 1


def _clock(readings: list[Reading]) -> Clock:
    made = Clock(lambda times: [(0, 0, 0, 0)] * times, period=3600.0)
    made.stop()
    made.readings = readings
    return made


def test_a_clock_that_stands_still_against_ours_is_known_as_well_as_its_best_reading() -> None:
    clock = _clock([Reading(0, 500, 0, 900), Reading(SECOND, 480, 0, 20), Reading(2 * SECOND, 510, 0, 40)])
    assert clock.near(0) == Reading(SECOND, 480, 0, 20)
    assert clock.ours(clock.theirs(123_456)) == 123_456
    assert clock.worst() == 20


@given(st.integers(-500, 500), st.integers(0, 60))
def test_drift_is_in_the_error(rate_ppm: int, at: int) -> None:
    def true(second: int) -> int:
        return 10**12 + rate_ppm * 1000 * second

    clock = _clock([Reading(s * SECOND, true(s), 0, 1000) for s in range(0, 61, 10)])
    moment = at * SECOND
    found = clock.near(moment)
    assert abs(found.offset - true(at)) <= found.error + 2 * 1000
    assert clock.drift() == true(60) - true(0)


def test_converts_a_time_in_both_directions() -> None:
    clock = _clock([Reading(0, 10**13, 0, 100)])
    assert clock.ours(10**13 + 55) == 55
    assert clock.theirs(55) == 10**13 + 55
