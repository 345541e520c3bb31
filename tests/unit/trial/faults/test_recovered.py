"""A load ends early only once faults are over, nodes are members, and its rate is back."""

from dataclasses import dataclass
from typing import Any

import pytest

from fivenines.trial.faults import recovered
from fivenines.trial.faults.recovered import LoadRates, Recovered


@dataclass
class Faults:
    """A fault runner that has recovered, or not."""

    well: bool = False

    def recovered(self) -> bool:
        return self.well


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(recovered, "time", made)
    return made


def _rates(*tps: float) -> LoadRates:
    """Of seconds 1, 2, ... of a load whose steady window is from 1 to 4 s."""
    rates = LoadRates(1.0, 4.0)
    for number, tp in enumerate(tps, start=1):
        rates.note(float(number), tp)
    return rates


@pytest.mark.parametrize(
    ("later", "back"),
    [([100, 100], True), ([70, 90], True), ([80, 89], False), ([200, 0], None), ([], False)],
)
def test_the_rate_is_back_with_a_second_of_nine_tenths(later: list[float], back: bool | None) -> None:
    # neither the warm-up counts nor the outage, nor the second in which all was well again
    assert _rates(7, 100, 100, 100, 0, 500, *later).back(5.5) is back


def test_without_a_second_of_the_steady_window_any_transaction_is_enough() -> None:
    rates = LoadRates(0.5, 1.2)
    rates.note(2.0, 3.0)
    assert rates.back(1.0) is True and rates.back(1.5) is False


@pytest.mark.parametrize(
    ("tps", "dead"),
    [([], False), ([0, 0], False), ([0, 0, 0], True), ([0, 0, 0, 0], True), ([0, 3, 0, 0], False)],
)
def test_a_load_is_dead_once_it_has_reported_no_success_until_nearly_the_moment(
    tps: list[float], dead: bool
) -> None:
    assert _rates(*tps).dead(4.0) is dead


def test_a_short_load_is_not_dead_by_its_first_second() -> None:
    assert not _rates(0).dead(2.0)


def test_all_must_be_well_for_as_long_as_asked(clock: Clock) -> None:
    faults: Any = Faults()
    rates = _rates(100, 100, 100, 100, 0, 0)
    enough = Recovered(faults, rates, 3.0, 0)
    clock.now = 6.0
    assert not enough()
    faults.well = True
    for number in range(7, 10):
        clock.now = float(number)
        rates.note(clock.now, 100)
        assert not enough()
    clock.now = 10.0
    rates.note(clock.now, 100)
    assert enough()


def test_what_falls_out_again_begins_anew(clock: Clock) -> None:
    faults: Any = Faults(True)
    rates = _rates(*[100] * 30)
    enough = Recovered(faults, rates, 3.0, 0)
    clock.now = 6.0
    assert not enough()
    clock.now, faults.well = 8.0, False
    assert not enough()
    clock.now, faults.well = 9.0, True
    assert not enough()
    clock.now = 11.0
    assert not enough()
    clock.now = 12.0
    assert enough()


def test_an_outage_that_is_noticed_late_begins_anew(clock: Clock) -> None:
    # a node that stays down: no fault is at work from the kill on, and the others do not know of it yet
    faults: Any = Faults(True)
    rates = _rates(100, 100, 100, 100)
    enough = Recovered(faults, rates, 1.0, 0)
    for now, tps in ((4.6, 60), (5.6, 0), (6.6, 0), (7.6, 0), (8.6, 95)):
        clock.now = now
        assert not enough()
        rates.note(round(now + 0.4), tps)
    clock.now = 10.1
    assert enough()


def test_other_clients_must_be_back_as_well(clock: Clock) -> None:
    faults: Any = Faults(True)
    back: list[bool] = []
    enough = Recovered(faults, _rates(*[100] * 30), 2.0, 0, lambda: bool(back))
    for now in (5.0, 8.0, 11.0):
        clock.now = now
        assert not enough()
    back.append(True)
    clock.now = 12.0
    assert not enough(), "the calm begins only now"
    clock.now = 14.0
    assert enough()


def test_a_load_that_is_not_back_goes_on(clock: Clock) -> None:
    faults: Any = Faults(True)
    rates = _rates(100, 100, 100, 100, 50, 50, 50, 50, 50, 50)
    enough = Recovered(faults, rates, 2.0, 0)
    for now in (5.0, 7.0, 9.0, 10.0):
        clock.now = now
        assert not enough()


def test_nodes_are_not_asked_at_every_look(clock: Clock) -> None:
    requested = []

    class Counting(Faults):
        def recovered(self) -> bool:
            requested.append(clock.now)
            return False

    faults: Any = Counting()
    enough = Recovered(faults, _rates(), 1.0, 0)
    for number in range(100):
        clock.now = 10 + number / 100
        assert not enough()
    assert len(requested) == 2
