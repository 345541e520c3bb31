"""SIGTERM and SIGHUP end a program as Ctrl-C does, unless they were ignored before."""

import signal
from collections.abc import Iterator

import pytest

from fivenines.base import ending
from fivenines.base.ending import ended_as_by_ctrl_c, without_ctrl_c

ENDING = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (*ENDING, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_that_ends_raises_what_ctrl_c_does(number: signal.Signals) -> None:
    signal.signal(number, signal.SIG_DFL)
    with pytest.raises(KeyboardInterrupt), ended_as_by_ctrl_c():
        signal.raise_signal(number)
    assert signal.getsignal(number) == signal.SIG_DFL


def test_a_signal_that_timeout_sends_twice_interrupts_once() -> None:
    with ended_as_by_ctrl_c():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)


def test_a_second_signal_of_a_person_interrupts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "SAME_SECONDS", 0.0)
    with ended_as_by_ctrl_c():
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)


def test_an_ignored_signal_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with ended_as_by_ctrl_c():
        signal.raise_signal(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


def test_a_background_job_of_a_script_ignores_ctrl_c_alone() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with pytest.raises(KeyboardInterrupt), ended_as_by_ctrl_c():
        signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("number", [signal.SIGINT, *ENDING])
def test_an_end_can_be_held_up(number: signal.Signals) -> None:
    with ended_as_by_ctrl_c(), without_ctrl_c():
        signal.raise_signal(number)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
