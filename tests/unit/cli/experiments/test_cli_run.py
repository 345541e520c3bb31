"""`fivenines run`: the plan, the defaults, the campaign, the way to continue."""

import json
import os
import platform
import re
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cli_support import Fivenines, Pretend, record, write_run

from fivenines.base.errors import FiveninesError, NoSpaceError, UsageError
from fivenines.experiment.defaults import as_dict
from fivenines.experiment.source import load_experiment
from fivenines.report.terminal.terminal import Block
from fivenines.results import claims
from fivenines.trial.progress import (
    CampaignFinished,
    CampaignStarted,
    CampaignStopped,
    Figures,
    TrialFinished,
)

TABLE = Block(columns=["Solution", "Transactions/s"], rows=[["pair", "900"]])


def test_a_dry_run_shows_the_plan(fivenines: Fivenines) -> None:
    answer = fivenines("run", "small.yaml", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    lines = [line.rstrip() for line in answer.out.splitlines()]
    assert lines == [
        "small",
        "solution    workload        connections  network  fault",
        "standalone  oltp_read_only            8  lan      none",
        "pair        oltp_read_only            8  lan      none",
        "2 cells, 4 trials in interleaved order (seed 1), about 74 s once engines and data are in the cache",
        "power: 2 trials per solution can detect differences in throughput of a factor of 3.10 or more (with "
        "80 % probability)",
        "  20 % takes 20 trials, 10 % takes 71 trials and 5 % takes 265 trials, if trials of one solution"
        " vary by 20 % (assumed; the report has the measured value); `design: interleaved` needs far fewer",
    ]


def test_a_dry_run_of_fixed_work_says_at_most(fivenines: Fivenines) -> None:
    text = Path("small.yaml").read_text() + "load: {transactions: 50, cap: 2m}\n"
    Path("work.yaml").write_text(text)
    answer = fivenines("run", "work.yaml", "--dry-run")
    (plan,) = (line for line in answer.out.splitlines() if "interleaved order" in line)
    # 4 trials of 10 s before the load, 3 s of warm-up, the cap, and 3 s after it
    assert "4 trials in interleaved order (seed 1), at most about 9 min" in plan


def test_a_dry_run_of_blocks_shows_who_is_side_by_side(fivenines: Fivenines) -> None:
    text = (
        Path("small.yaml").read_text() + "design: interleaved\nfaults: [none, {fault: kill, only: [pair]}]\n"
    )
    Path("small.yaml").write_text(text)
    answer = fivenines("run", "small.yaml", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    assert [line.rstrip() for line in answer.out.splitlines()][1:6] == [
        "speed, interleaved: standalone and pair (oltp_read_only, 8 connections, network lan): 3 x 12 "
        "rounds of windows of 1s",
        "faults, in separate trials:",
        "solution  workload        connections  network  fault",
        "pair      oltp_read_only            8  lan      kill",
        "3 blocks, 1 cell, 2 trials in interleaved order (seed 1), about 3 min once engines and data are in "
        "the cache",
    ]
    plan = json.loads(fivenines("run", "small.yaml", "--dry-run", "--json").out)
    assert [len(one["cells"]) for one in plan["blocks"]] == [2, 2, 2]
    alone = fivenines("run", "small.yaml", "--dry-run", "--only", "standalone")
    assert (alone.code, "interleaved:" in alone.out) == (0, False)


def test_a_dry_run_for_scripts_lists_all_trials(fivenines: Fivenines) -> None:
    answer = fivenines("run", "small.yaml", "--dry-run", "--json", "--only", "pair", "--trials", "3")
    plan = json.loads(answer.out)
    assert [trial["solution"] for trial in plan["trials"]] == ["pair"] * 3
    assert plan["expected_seconds"] == 3 * 19
    assert plan["experiment"]["timing"]["warmup"] == "3s"


def test_the_defaults_can_be_piped_into_a_file(fivenines: Fivenines) -> None:
    answer = fivenines("run", "small.yaml", "--dry-run", "--show-defaults")
    Path("full.yaml").write_text(answer.out)
    assert load_experiment(Path("full.yaml"))[0] == load_experiment(Path("small.yaml"))[0]


def test_an_unknown_solution_is_refused_before_anything_starts(fivenines: Fivenines) -> None:
    answer = fivenines("run", "small.yaml", "--only", "piar")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "error: unknown solution 'piar'; did you mean 'pair'?\n    allowed: 'pair', 'standalone'\n"
    )
    assert not Path("runs").exists()


class Campaign:
    """Stands in for the campaign and the report."""

    def __init__(self, pretend: Pretend, error: BaseException | None = None) -> None:
        self.calls: list[tuple[list[str], Path, bool]] = []
        self._error = error
        pretend("fivenines.campaign.campaign", run_campaign=self.run)
        pretend(
            "fivenines.report",
            write_html=lambda run, output=None: run / "report.html",
            summary_rows=lambda run: [{"Solution": "pair", "Transactions/s": "900"}],
            failover_rows=lambda run: [],
        )
        terminal = SimpleNamespace(blocks=lambda run, width, wide: [TABLE])
        pretend("fivenines.report.terminal", terminal=terminal)

    def run(
        self,
        experiment: Any,
        source: Any,
        trials: Any,
        folder: Any,
        resume: Any,
        listener: Any,
        workers: Any = (),
        decided: Any = None,
    ) -> None:
        self.calls.append(([trial.id for trial in trials], folder, resume))
        listener(CampaignStarted(len(trials), 50.0))
        listener(TrialFinished(record("0001"), Figures(1254.2, 3200.0, True, 0)))
        if self._error:
            raise self._error
        listener(CampaignFinished(folder))


def test_a_run_ends_with_the_summary_and_the_report(fivenines: Fivenines, pretend: Pretend) -> None:
    campaign = Campaign(pretend)
    answer = fivenines("run", "small.yaml")
    ((trials, folder, resume),) = campaign.calls
    assert (answer.code, trials, resume) == (0, ["0001", "0002", "0003", "0004"], False)
    assert re.fullmatch(r"runs/small-\d{8}-\d{6}", str(folder))
    assert [line.rstrip() for line in answer.out.splitlines()] == [
        "Solution  Transactions/s",
        "pair      900",
        f"report: {folder}/report.html",
    ]
    assert [re.sub(r"^\d\d:\d\d:\d\d  ", "", line) for line in answer.err.splitlines()] == [
        "4 trials to run, about 50 s",
        "0001  standalone, oltp_read_only, 8 conn: 1\u202f254 tps, outage 3.20 s, nothing lost: done in 20 s",
    ]
    assert all(re.match(r"\d\d:\d\d:\d\d  ", line) for line in answer.err.splitlines())


def test_a_run_for_scripts_answers_in_json(fivenines: Fivenines, pretend: Pretend) -> None:
    Campaign(pretend)
    answer = fivenines("run", "small.yaml", "--out", "here", "--json")
    assert json.loads(answer.out) == {
        "run": "here",
        "report": "here/report.html",
        "summary": [{"Solution": "pair", "Transactions/s": "900"}],
    }


def test_progress_for_scripts_is_a_json_object_a_line(fivenines: Fivenines, pretend: Pretend) -> None:
    Campaign(pretend)
    answer = fivenines("run", "small.yaml", "--out", "here", "--progress", "json")
    lines = [json.loads(line) for line in answer.out.splitlines()]
    assert [line["event"] for line in lines] == [
        "campaign-started",
        "trial-finished",
        "campaign-finished",
        "result",
    ]
    assert (lines[1]["tps"], lines[1]["outage_ms"], lines[1]["lost"]) == (1254.2, 3200.0, 0)
    assert lines[-1]["summary"] == [{"Solution": "pair", "Transactions/s": "900"}]
    assert all(isinstance(line["at"], float) for line in lines)
    # the run became none, as its campaign was pretended: it leaves no journal
    assert not Path("here/journal.jsonl").exists()


def test_a_run_that_was_stopped_says_how_to_continue(fivenines: Fivenines, pretend: Pretend) -> None:
    class Stopping(Campaign):
        def run(self, *arguments: Any, **more: Any) -> None:
            arguments[5](CampaignStopped(3))
            super().run(*arguments, **more)

    Stopping(pretend)
    answer = fivenines("run", "small.yaml", "--out", "here", "--trials", "2")
    assert answer.code == 130
    assert answer.err.splitlines()[-1] == (
        "error: stopped on request; 3 trials are left. Continue with: "
        "fivenines run small.yaml --resume --out here --trials 2"
    )


def test_an_address_for_metrics_that_makes_no_sense_is_refused(fivenines: Fivenines) -> None:
    answer = fivenines("run", "small.yaml", "--metrics", "http")
    assert (answer.code, answer.err) == (2, "error: --metrics http: write a port, as 9187, or HOST:PORT\n")


class Ended(Campaign):
    """A campaign during which a signal arrives."""

    def __init__(self, pretend: Pretend, number: signal.Signals) -> None:
        super().__init__(pretend)
        self._number = number

    def run(self, *arguments: Any, **more: Any) -> None:
        signal.raise_signal(self._number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_how_to_continue(
    fivenines: Fivenines, pretend: Pretend, number: signal.Signals
) -> None:
    Ended(pretend, number)
    # Under nohup the tests inherit an ignored SIGHUP, which the program would go on to ignore.
    before = signal.signal(number, signal.default_int_handler)
    try:
        answer = fivenines("run", "small.yaml", "--out", "here")
    finally:
        signal.signal(number, before)
    assert answer.code == 130
    assert answer.err.splitlines()[-1] == (
        "error: interrupted; finished trials are kept. Continue with: "
        "fivenines run small.yaml --resume --out here"
    )


def test_a_full_disk_is_reported_with_what_to_do(fivenines: Fivenines, pretend: Pretend) -> None:
    Campaign(pretend, NoSpaceError("the disk under here is full (3MiB were left): free some"))
    answer = fivenines("run", "small.yaml", "--out", "here")
    assert answer.code == 1
    assert answer.err.splitlines()[-1] == (
        "error: the disk under here is full (3MiB were left): free some; finished trials are kept. "
        "Free space, then run: fivenines run small.yaml --resume --out here"
    )


def test_a_run_that_was_killed_before_its_manifest_begins_anew(
    fivenines: Fivenines, pretend: Pretend
) -> None:
    campaign = Campaign(pretend)
    Path("here/trials").mkdir(parents=True)
    Path("here/.lock").write_text("")
    Path("here/experiment.yaml").touch()
    for options in ([], ["--resume"]):
        assert fivenines("run", "small.yaml", "--out", "here", *options).code == 0
    assert [resume for _, _, resume in campaign.calls] == [False, True]


def test_resume_tells_that_the_run_was_killed(fivenines: Fivenines, pretend: Pretend) -> None:
    Campaign(pretend)
    folder = write_run("small-20260102-101500", as_dict(load_experiment(Path("small.yaml"))[0]))
    message = {"pid": 2**22 + 1, "command": "fivenines run small.yaml", "since": "2026-01-02 10:15:00"}
    line = json.dumps({**message, "terminal": "/dev/pts/3", "host": platform.node()})
    (folder / ".lock").write_text(f"{line}\n")
    answer = fivenines("run", "small.yaml", "--resume")
    assert answer.code == 0
    assert answer.err.startswith(
        "warning: process 4194305 (`fivenines run small.yaml`, since 2026-01-02 10:15:00, /dev/pts/3 of "
        f"{platform.node()}) was killed during this run: by a user"
    )


def test_who_comes_second_is_refused(fivenines: Fivenines, pretend: Pretend) -> None:
    campaign = Campaign(pretend)
    folder = write_run("small-20260102-101500", as_dict(load_experiment(Path("small.yaml"))[0]))
    with claims.claimed(folder):
        for options in ([], ["--resume"]):
            answer = fivenines("run", "small.yaml", "--out", str(folder), *options)
            assert answer.code == 2
            assert answer.err.startswith(f"error: {folder} is in use by process {os.getpid()} (")
        removed = fivenines("results", "rm", str(folder), "--yes")
        assert removed.code == 2 and "is in use by process" in removed.err
    assert campaign.calls == []
    assert (folder / "manifest.json").exists()


def test_a_failed_run_is_a_failure(fivenines: Fivenines, pretend: Pretend) -> None:
    Campaign(pretend, FiveninesError("no user namespaces here"))
    answer = fivenines("run", "small.yaml", "--out", "here")
    assert answer.code == 1
    assert answer.err.endswith("error: no user namespaces here\n")


def test_a_folder_with_something_in_it_is_not_overwritten(fivenines: Fivenines, pretend: Pretend) -> None:
    campaign = Campaign(pretend)
    Path("here").mkdir()
    assert fivenines("run", "small.yaml", "--out", "here").code == 0
    Path("here/precious").touch()
    answer = fivenines("run", "small.yaml", "--out", "here")
    assert answer.code == 2
    assert answer.err == (
        "error: here exists. Continue it with --resume, or name another folder with --out\n"
    )
    assert len(campaign.calls) == 1


def test_resume_continues_the_newest_run_of_the_experiment(fivenines: Fivenines, pretend: Pretend) -> None:
    campaign = Campaign(pretend)
    message = as_dict(load_experiment(Path("small.yaml"))[0])
    write_run("other-20260102-101500", {**message, "name": "other"})
    folder = write_run("small-20260102-101500", message)
    write_run("small-but-other-20260103-101500", {**message, "name": "small but other"})
    assert fivenines("run", "small.yaml", "--resume").code == 0
    assert campaign.calls[0][1:] == (folder, True)


def test_the_folder_is_held_until_the_report_is_written(fivenines: Fivenines, pretend: Pretend) -> None:
    Campaign(pretend)
    refused = []

    def write_html(run: Path, output: Path | None = None) -> Path:
        with pytest.raises(UsageError, match=str(os.getpid())):
            claims.require_unclaimed(run)
        refused.append(run)
        return run / "report.html"

    vars(sys.modules["fivenines.report"]).update(write_html=write_html)
    assert fivenines("run", "small.yaml", "--out", "here").code == 0
    assert refused == [Path("here")]


def test_a_dry_run_of_a_resumed_run_shows_what_is_left(fivenines: Fivenines) -> None:
    folder = write_run("here", as_dict(load_experiment(Path("small.yaml"))[0]))
    answer = fivenines("run", "small.yaml", "--resume", "--dry-run", "--out", str(folder))
    assert answer.code == 0 and "1 of 4 trials are complete" in answer.err
    assert "3 trials in interleaved order" in answer.out
    for done in ("0002", "0003", "0004"):
        (folder / "trials" / done).mkdir(parents=True)
    answer = fivenines("run", "small.yaml", "--resume", "--dry-run", "--out", str(folder))
    assert "nothing left to do" in answer.out
    fresh = fivenines("run", "small.yaml", "--resume", "--dry-run", "--out", "new")
    assert "0 of 4 trials are complete" in fresh.err


def test_resume_without_a_run_is_refused(fivenines: Fivenines, pretend: Pretend) -> None:
    Campaign(pretend)
    answer = fivenines("run", "small.yaml", "--resume")
    assert answer.code == 2
    assert answer.err == (
        "error: there is no run of 'small' in runs/ to continue. Leave --resume out, or name its "
        "folder with --out\n"
    )


def test_resume_with_a_changed_experiment_says_what_changed(fivenines: Fivenines, pretend: Pretend) -> None:
    Campaign(pretend)
    message = as_dict(load_experiment(Path("small.yaml"))[0])
    folder = write_run("small-20260102-101500", {**message, "connections": [16]})
    answer = fivenines("run", "small.yaml", "--resume", "--out", str(folder))
    assert answer.code == 2
    assert answer.err == (
        f"error: {folder} cannot be continued: the experiment has changed since the run began "
        "(connections[0] was 16, is 8). Undo the change, or start a new run without --resume\n"
    )
