"""What a run writes into its journal: every event in a documented form, whole lines, also after a kill."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import SMALL, record

from fivenines.campaign.journal import journal_of, line_of, opened
from fivenines.experiment.interleaved_plan import blocks
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.results import layout
from fivenines.results.journal import EVENTS, PRINTED_ONLY, Tail, parsed
from fivenines.results.records import Decided, Settled
from fivenines.trial.progress import (
    CampaignFinished,
    CampaignStarted,
    CampaignStopped,
    CellSettled,
    ClaimsDecided,
    DataSet,
    EnginePull,
    Figures,
    LoadStarted,
    Progress,
    ResultDropped,
    TrialBroken,
    TrialEvent,
    TrialFinished,
    TrialLive,
    TrialPhase,
    TrialStarted,
    WorkerLost,
)

EXPERIMENT = parse_experiment(SMALL + "design: interleaved\n", "small.yaml")
TRIAL, BLOCK = plan(parse_experiment(SMALL, "small.yaml"))[0], blocks(EXPERIMENT)[0]

EVERY: list[Progress] = [
    EnginePull("postgres-18", "fetching", 0.5),
    DataSet("loading"),
    CampaignStarted(2, 50.0, [BLOCK, TRIAL]),
    TrialStarted(BLOCK, 1),
    TrialStarted(TRIAL, 2),
    TrialPhase("0001", "settling", 10.0),
    LoadStarted("0001", 1767348900.25, 2.0, 5.0, 13.0),
    TrialLive("0001", 1.0, 900.0, 18000.0, 0),
    TrialEvent("0001", 5210.5, "fault", "node1", "kill"),
    TrialFinished(record("0001"), Figures(901.0, 3200.0, True, 0)),
    TrialBroken("0002", "the server did not start", True),
    WorkerLost("worker 2", "0002", "SIGKILL"),
    ResultDropped("worker 2", "0002"),
    CellSettled(Settled(cell=TRIAL.cell.key, trials=5, measured=True, spared=3, seconds=90.0)),
    ClaimsDecided(Decided(replications=4, why="decided", spared=6, seconds=120.0)),
    CampaignStopped(1),
    CampaignFinished(Path("runs/x")),
]

BEGINS = opened(Path("small.yaml"), 3, ["pair"], [])


@pytest.mark.parametrize("event", EVERY, ids=lambda event: type(event).__name__)
def test_every_event_has_the_fields_that_are_documented(event: Progress) -> None:
    line = json.loads(json.dumps(line_of(event, 1767348900.1234)))
    assert line.pop("at") == 1767348900.123
    assert set(line) - {"event"} == set(EVENTS[line["event"]])


def test_all_kinds_of_events_are_documented() -> None:
    written = {line_of(event, 0.0)["event"] for event in EVERY}
    assert written | {"run-opened", "run-closed", "result"} == set(EVENTS)
    opening: dict[str, Any] = {**BEGINS, "resumed": False}
    assert set(opening) == set(EVENTS["run-opened"])


def test_work_is_told_by_its_cells() -> None:
    work = line_of(CampaignStarted(2, 50.0, [BLOCK, TRIAL]), 0.0)["work"]
    assert [item["trial"] for item in work] == ["block-001", "0001"]
    assert [cell["solution"] for cell in work[0]["cells"]] == [item.key.solution for item in BLOCK.cells]
    assert work[1]["cell"]["fault"] == "none"


def test_a_run_is_written_down_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    (tmp_path / layout.MANIFEST).touch()
    with journal_of(tmp_path, BEGINS) as journal:
        for event in EVERY:
            journal(event)
        # who looks meanwhile sees it
        assert len(Tail(tmp_path / layout.JOURNAL).read()) == 1 + len(EVERY) - 1
    lines = parsed(Tail(tmp_path / layout.JOURNAL).read())
    assert [line["event"] for line in lines] == [
        "run-opened",
        *(name for event in EVERY if (name := line_of(event, 0)["event"]) not in PRINTED_ONLY),
        "run-closed",
    ]
    assert (lines[0]["resumed"], lines[0]["trials"], lines[-1]["reason"]) == (True, 3, "")
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)


def test_a_line_after_a_torn_one_is_whole(tmp_path: Path) -> None:
    (tmp_path / layout.MANIFEST).touch()
    (tmp_path / layout.JOURNAL).write_text('{"event": "run-opened", "at": 1}\n{"event": "tri')
    with journal_of(tmp_path, BEGINS):
        pass
    events = [line["event"] for line in parsed(Tail(tmp_path / layout.JOURNAL).read())]
    assert events == ["run-opened", "run-opened", "run-closed"]


def test_why_a_run_ended_early_is_told(tmp_path: Path) -> None:
    (tmp_path / layout.MANIFEST).touch()
    with pytest.raises(KeyboardInterrupt), journal_of(tmp_path, BEGINS):
        raise KeyboardInterrupt
    last = parsed(Tail(tmp_path / layout.JOURNAL).read())[-1]
    assert (last["event"], last["reason"]) == ("run-closed", "interrupted")


def test_what_became_no_run_leaves_no_journal(tmp_path: Path) -> None:
    with journal_of(tmp_path, BEGINS) as journal:
        journal(EVERY[0])
        assert (tmp_path / layout.JOURNAL).exists()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / layout.MANIFEST).touch()
    (tmp_path / layout.JOURNAL).symlink_to("/dev/full")
    with journal_of(tmp_path, BEGINS) as journal:
        journal(EVERY[0])
