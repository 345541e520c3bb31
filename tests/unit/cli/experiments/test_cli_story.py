"""What a campaign's events become for a person, and how long it still takes."""

import io
from pathlib import Path

import pytest
from cli_support import SMALL, record
from rich.console import Console

from fivenines.cli.experiments import progress
from fivenines.cli.experiments.story import Story, figures_text
from fivenines.experiment.plan import Trial, plan
from fivenines.experiment.source import parse_experiment
from fivenines.trial.progress import (
    CampaignFinished,
    CampaignStarted,
    DataSet,
    EnginePull,
    Figures,
    Progress,
    TrialBroken,
    TrialEvent,
    TrialFinished,
    TrialLive,
    TrialPhase,
    TrialStarted,
)


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def trials() -> list[Trial]:
    return plan(parse_experiment(SMALL, "small.yaml"))


def events(trials: list[Trial]) -> list[tuple[float, Progress]]:
    """A short campaign, with the seconds that go by before each event."""
    return [
        (0, EnginePull("postgres-18", "fetching", 0.5)),
        (6, EnginePull("postgres-18", "unpacking")),
        (0, DataSet("waiting for process 4711")),
        (6, DataSet("loading sbtest", 0.25)),
        (1, CampaignStarted(4, 100.0)),
        (0, TrialStarted(trials[0], 1)),
        (6, TrialPhase(trials[0].id, "steady", 10)),
        (1, TrialLive(trials[0].id, 1.0, 900.4, 18000, 0)),
        (5, TrialLive(trials[0].id, 6.0, 901, 18000, 3)),
        (0, TrialEvent(trials[0].id, 7200.0, "fault", "node1", "kill: SIGKILL to 14 processes")),
        (1, TrialEvent(trials[0].id, 8450.0, "promoted", "node2", "")),
        (0, TrialEvent(trials[0].id, 8500.0, "missed", "node1", "x" * 90)),
        (8, TrialFinished(record("0001"), Figures(900.6, 3200.0, True, 0))),
        (0, TrialStarted(trials[1], 2)),
        (1, TrialBroken(trials[1].id, "the server did not start", True)),
        (1, TrialBroken(trials[1].id, "the server did not start", False)),
        (0, CampaignFinished(Path("runs/x"))),
    ]


def test_elsewhere_than_on_a_terminal_progress_is_a_few_plain_lines(trials: list[Trial]) -> None:
    clock, out = Clock(), io.StringIO()
    listen = progress.PlainLines(Console(file=out, width=80), clock, lambda: "10:15:00")
    for seconds, event in events(trials):
        clock.now += seconds
        listen(event)
    first, second = (trial.cell.key.solution for trial in trials[:2])
    lines = out.getvalue().splitlines()
    assert all(line.startswith("10:15:00  ") for line in lines)
    assert [line.removeprefix("10:15:00  ") for line in lines] == [
        "  engine postgres-18: unpacking",
        "data set: waiting for process 4711",
        "  data set: loading sbtest 25%",
        "4 trials to run, about 2 min",
        f"trial 1 of 4: {first}, oltp_read_only, 8 conn (about 2 min left)",
        "  steady (10 s)",
        "  6 s under load: 901 tps, 18000 qps, 3 errors",
        "0001  7.20 s  fault node1 kill: SIGKILL to 14 processes",
        "0001  +1.25 s  promoted node2",
        "0001  +1.30 s  missed node1 " + "x" * 38 + " \N{HORIZONTAL ELLIPSIS}",
        "0001  standalone, oltp_read_only, 8 conn: 901 tps, outage 3.20 s, nothing lost: done in 20 s",
        f"trial 2 of 4: {second}, oltp_read_only, 8 conn (about 60 s left)",
        "  set-up",
        f"0002  {second}, oltp_read_only, 8 conn: BROKEN: the server did not start (will be retried once)",
        f"0002  {second}, oltp_read_only, 8 conn: BROKEN: the server did not start (not retried; its "
        "logs are kept)",
    ]


def test_transactions_that_failed_are_reported() -> None:
    assert figures_text(Figures(190.2, failed=30999)) == "190 tps, 30999 transactions failed"
    assert figures_text(Figures(190.2, failed=1)) == "190 tps, 1 transaction failed"


def test_what_lasts_is_reported_though_no_event_comes(trials: list[Trial]) -> None:
    clock, out = Clock(), io.StringIO()
    lines = progress.PlainLines(Console(file=out, width=80), clock, lambda: "10:15:00")
    lines(TrialPhase(trials[0].id, "settling", 300))
    lines.look()
    assert out.getvalue() == "", "it may be over at once"
    clock.now += 6
    lines.look()
    lines.look()
    assert out.getvalue() == "10:15:00    settling (300 s)\n"


def test_loads_that_end_with_their_work_take_at_most_so_long_until_one_is_known(trials: list[Trial]) -> None:
    clock = Clock()
    story = Story(clock)
    started = CampaignStarted(4, 400.0, trials, at_most=False, longest=True)
    assert story.take(started) == ["4 trials to run, at most about 7 min"]
    assert story.left() == "at most about 7 min left"
    story.take(TrialStarted(trials[0], 1))
    story.take(TrialFinished(record("0001"), Figures(900.6, 3200.0, True, 0)))
    assert story.left() == "about 60 s left"


def test_on_a_terminal_there_are_three_lines_of_80_columns(trials: list[Trial]) -> None:
    story = Story(Clock())
    out = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    for _, event in events(trials)[:9]:
        story.take(event)
    with out.capture() as shown:
        out.print(progress.panel(story))
    lines = [line.rstrip() for line in shown.get().splitlines()]
    assert lines[0].startswith("trial 1 of 4: ")
    assert lines[1] == "  6 s under load: 901 tps, 18000 qps, 3 errors"
    assert lines[2].endswith("0/4  about 2 min left")
    assert all(len(line) <= 80 for line in lines)


def test_the_live_display_prints_lasting_lines_above(trials: list[Trial]) -> None:
    out = io.StringIO()
    with progress.live(Console(file=out, width=80, force_terminal=True), Clock()) as listen:
        for _, event in events(trials):
            listen(event)
    assert "0001  standalone, oltp_read_only, 8 conn: 901 tps, outage" in out.getvalue()


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        (Figures(), ""),
        (Figures(1254.2), "1\u202f254 tps"),
        (Figures(901, 0.0, True, None), "901 tps, no outage"),
        (Figures(901, 8000.0, False, 17), "901 tps, outage at least 8.00 s, 17 lost"),
        (Figures(None, None, True, 0), "nothing lost"),
    ],
)
def test_a_trial_came_to_what_was_measured(figures: Figures, text: str) -> None:
    assert figures_text(figures) == text


def test_the_time_left_follows_what_trials_really_took(trials: list[Trial]) -> None:
    clock = Clock()
    story = Story(clock)
    assert (story.seconds_left(), story.left()) == (None, "")
    story.take(CampaignStarted(4, 400.0))
    assert story.seconds_left() == 400
    story.take(TrialStarted(trials[0], 1))
    clock.now += 30
    assert story.seconds_left() == 370
    clock.now += 300  # longer than expected: no promise is broken twice
    assert story.seconds_left() == 300
    story.take(TrialFinished(record("0001")))
    assert story.seconds_left() == 3 * 20
    story.take(CampaignFinished(Path("x")))
    assert story.left() == ""
