"""Stalls of a machine, by a clock in which they are planted, and on this machine's disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.lab.stall_meter import TIMER, Clock, Stall, of_disk, of_timers


class Planted:
    """A clock whose timers fire late by these times, one after another, and then on time."""

    def __init__(self, late: Iterator[float]) -> None:
        self.time = 100.0
        self._late = late

    def sleep(self, seconds: float) -> None:
        self.time += seconds + next(self._late, 0.0)

    def clock(self) -> Clock:
        return Clock(lambda: self.time, lambda: self.time + 1e9, self.sleep)


@given(st.lists(st.floats(0, 2).filter(lambda late: abs(late - 0.1) > 1e-6), max_size=30))
def test_each_planted_stall_is_found_with_its_start_and_length(late: list[float]) -> None:
    planted = Planted(iter(late))
    found = [stall for stall in of_timers(100.0, 0.1, planted.clock()) if stall is not None]
    expected = [length for length in late if length >= 0.1]
    assert [stall.length for stall in found] == pytest.approx(expected)
    moment = 100.0
    starts = []
    for length in late:
        moment += TIMER
        starts += [moment + 1e9] if length >= 0.1 else []
        moment += length
    assert [stall.start for stall in found] == pytest.approx(starts)


def test_a_sign_of_life_comes_once_a_second() -> None:
    seen = list(of_timers(10.0, 0.1, Planted(iter(())).clock()))
    assert seen.count(None) in (9, 10) and len(seen) == seen.count(None)


def test_flushes_are_timed_and_leave_no_file(tmp_path: Path) -> None:
    first = next(stall for stall in of_disk(tmp_path, 60.0, 1e-9) if stall is not None)
    assert isinstance(first, Stall) and first.length > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        next(of_disk(tmp_path / "none", 1.0, 0.1))
