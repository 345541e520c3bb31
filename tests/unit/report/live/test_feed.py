"""A run as a stream: whole at first, then what changed, to any number of viewers at any pace."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from cli_support import SMALL, record

from fivenines.campaign.journal import Journal, journal_of, opened
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.report.live import feed as feeds
from fivenines.report.live.feed import Feed
from fivenines.report.live.usage import Usage
from fivenines.results import claims, layout, stops
from fivenines.results.records import Settled
from fivenines.trial.progress import (
    CampaignStarted,
    CellSettled,
    Figures,
    LoadStarted,
    TrialBroken,
    TrialEvent,
    TrialFinished,
    TrialStarted,
)

TRIALS = plan(parse_experiment(SMALL, "small.yaml"))
HEAD = "t_ms,ok,failed,in_doubt,ledger_ok,errors,mean_us,max_us\n"
BEGINS = opened(Path("small.yaml"), None, [], [])

Messages = AsyncIterator[tuple[str, dict[str, Any]]]


async def _next(messages: Messages) -> tuple[str, dict[str, Any]]:
    return await asyncio.wait_for(anext(messages), 10.0)


async def _until(messages: Messages, key: str) -> dict[str, Any]:
    """The next message that has something to say of this."""
    while True:
        _, message = await _next(messages)
        if message.get(key):
            return message


def _begin(journal: Journal, folder: Path, lines: int) -> None:
    journal(CampaignStarted(4, 100.0, TRIALS))
    journal(TrialStarted(TRIALS[0], 1))
    part = layout.part_folder(folder, TRIALS[0].id)
    (part / "load").mkdir(parents=True)
    ticks = "".join(f"{100 * n},{20 * n},0,0,{n},0,5000,9000\n" for n in range(1, lines + 1))
    (part / "load/ticks.csv").write_text(HEAD + ticks)
    journal(LoadStarted(TRIALS[0].id, 1000.0, 2.0, 5.0, 13.0))


def test_who_comes_late_gets_all_that_there_is(tmp_path: Path) -> None:
    async def look() -> None:
        with claims.claimed(tmp_path), journal_of(tmp_path, BEGINS) as journal:
            _begin(journal, tmp_path, 30)
            kind, message = await _next(Feed(tmp_path, Usage()).messages())
            assert (kind, len(message["ticks"]), message["begins"]) == ("whole", 30, True)
            assert [row["state"] for row in message["rows"]] == ["running"] + ["waiting"] * 3
            assert message["head"]["status"] == "running"
            assert message["head"]["trial"]["load"]["steady_end"] == 5.0
            assert 0 < message["head"]["seconds_left"] <= 100

    asyncio.run(look())


def test_two_viewers_each_get_what_they_do_not_know_yet(tmp_path: Path) -> None:
    async def look() -> None:
        with claims.claimed(tmp_path), journal_of(tmp_path, BEGINS) as journal:
            _begin(journal, tmp_path, 3)
            feed = Feed(tmp_path, Usage())
            first, second = feed.messages(), feed.messages()
            await _next(first)
            journal(TrialEvent(TRIALS[0].id, 5210.0, "fault", "node1", "kill"))
            message = await _until(first, "events")
            assert [one["kind"] for one in message["events"]] == ["fault"]
            assert "ticks" not in message
            # the second one looks for the first time, and hears of both
            kind, message = await _next(second)
            assert (kind, len(message["ticks"]), len(message["events"])) == ("whole", 3, 1)
            assert message["head"]["viewers"] == 2
            journal(TrialFinished(record(TRIALS[0].id), Figures(900.0, 3200.0, True, 0)))
            for viewer in (first, second):
                rows = (await _until(viewer, "rows"))["rows"]
                assert [(row["id"], row["tps"]) for row in rows] == [(TRIALS[0].id, 900.0)]

    asyncio.run(look())


def test_a_viewer_that_does_not_read_gets_the_latest_in_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "MOST", 50)

    async def look() -> None:
        with claims.claimed(tmp_path), journal_of(tmp_path, BEGINS) as journal:
            _begin(journal, tmp_path, 5)
            feed = Feed(tmp_path, Usage())
            slow, quick = feed.messages(), feed.messages()
            await _next(slow)
            await _next(quick)
            file = layout.part_folder(tmp_path, TRIALS[0].id) / "load/ticks.csv"
            for n in range(6, 206):
                with file.open("a") as stream:
                    stream.write(f"{100 * n},{20 * n},0,0,{n},0,5000,9000\n")
            assert (await _until(quick, "ticks"))["ticks"][-1][1] == 20500
            kind, message = await _next(slow)
            # what is kept is bounded, and so is what waits for it
            assert (kind, len(message["ticks"]), message["ticks"][-1][1]) == ("part", 50, 20500)

    asyncio.run(look())


def test_a_trial_that_is_tried_again_begins_anew(tmp_path: Path) -> None:
    async def look() -> None:
        with claims.claimed(tmp_path), journal_of(tmp_path, BEGINS) as journal:
            _begin(journal, tmp_path, 9)
            messages = Feed(tmp_path, Usage()).messages()
            await _next(messages)
            journal(TrialBroken(TRIALS[0].id, "the server did not start", True))
            file = layout.part_folder(tmp_path, TRIALS[0].id) / "load/ticks.csv"
            file.write_text(HEAD + "100,1,0,0,0,0,5000,9000\n")
            message = await _until(messages, "begins")
            ticks = message.get("ticks") or (await _until(messages, "ticks"))["ticks"]
            assert [tick[1] for tick in ticks] == [100]

    asyncio.run(look())


def test_what_a_run_is_doing_is_shown_by_its_lock_and_its_journal(tmp_path: Path) -> None:
    async def status() -> str:
        messages = Feed(tmp_path, Usage()).messages()
        _, message = await _next(messages)
        json.dumps(message)
        return str(message["head"]["status"])

    def now() -> str:
        return asyncio.run(status())

    (tmp_path / layout.MANIFEST).write_text("{}")
    with claims.claimed(tmp_path), journal_of(tmp_path, BEGINS) as journal:
        journal(CampaignStarted(4, 100.0, TRIALS))
        assert now() == "running"
        stops.ask(tmp_path)
        assert now() == "stopping"
    assert now() == "stopped"
    for trial in TRIALS:
        layout.trial_folder(tmp_path, trial.id).mkdir(parents=True)
    assert now() == "finished"
    layout.trial_folder(tmp_path, TRIALS[0].id).rmdir()
    # its process was killed: the journal has no end, and no process holds the folder
    Journal(tmp_path).note("run-opened", **BEGINS, resumed=True)
    assert now() == "interrupted"


def test_a_run_whose_cells_ended_early_is_finished(tmp_path: Path) -> None:
    (tmp_path / layout.MANIFEST).write_text("{}")
    with claims.claimed(tmp_path), journal_of(tmp_path, BEGINS) as journal:
        journal(CampaignStarted(4, 100.0, TRIALS))
        for trial in TRIALS[:2]:
            layout.trial_folder(tmp_path, trial.id).mkdir(parents=True)
            journal(TrialStarted(trial, 1))
            journal(TrialFinished(record(trial.id)))
        for key in {trial.cell.key for trial in TRIALS}:
            journal(CellSettled(Settled(cell=key, trials=1, measured=True, spared=1, seconds=20.0)))

    async def look() -> dict[str, Any]:
        _, message = await _next(Feed(tmp_path, Usage()).messages())
        return dict(message["head"])

    head = asyncio.run(look())
    assert (head["status"], head["done"], head["planned"]) == ("finished", 2, 2)


def test_files_are_not_polled_without_viewers(tmp_path: Path) -> None:
    async def look() -> None:
        feed = Feed(tmp_path, Usage())
        messages = feed.messages()
        await _next(messages)
        assert (feed.viewers, len(asyncio.all_tasks())) == (1, 2)
        await messages.aclose()  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        assert (feed.viewers, len(asyncio.all_tasks())) == (0, 1)

    asyncio.run(look())
