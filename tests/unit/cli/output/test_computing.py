"""The progress of computing figures is shown only if it takes long."""

import io

import pytest
from rich.console import Console

from fivenines.analysis.listening import report_progress
from fivenines.cli.output import computing, console


class Seconds:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_is_reported_of_what_is_quick(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    text = shown(monkeypatch, terminal)
    clock = Seconds()
    with computing.shown(clock):
        for done in range(40, 400, 40):
            clock.now += 0.1
            report_progress(done, 400)
    report_progress(1, 2)
    assert not text.getvalue()


def test_one_trial_now_and_then_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    text, clock = shown(monkeypatch, terminal=False), Seconds()
    with computing.shown(clock):
        for _ in range(5):
            clock.now += 8
            report_progress(1, 1)
    assert not text.getvalue()


def test_lines_that_stay_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    text, clock = shown(monkeypatch, terminal=False), Seconds()
    with computing.shown(clock):
        for done in range(100, 1100, 100):
            clock.now += 1
            report_progress(done, 1000)
    lines = text.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("300 of 1,000")
    assert lines[1].endswith("800 of 1,000")


def test_the_line_on_a_terminal_goes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text, clock = shown(monkeypatch, terminal=True), Seconds()
    with computing.shown(clock):
        report_progress(100, 1000)
        clock.now = 3
        report_progress(200, 1000)
        assert "200 of 1,000" in text.getvalue()
        assert "\n" not in text.getvalue()
    assert text.getvalue().endswith("\r\x1b[2K")


def shown(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> io.StringIO:
    """What stands on stderr."""
    text = io.StringIO()
    out = Console(file=text, force_terminal=terminal, width=80)
    monkeypatch.setattr(console, "stderr", lambda: out)
    return text
