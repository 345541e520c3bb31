"""`fivenines run` of a file with parts: plans, folders, what is continued, thresholds, exit codes."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli_support import Fivenines, Pretend
from synthetic_run import Matrix, Recipe, write_run

from fivenines.experiment.defaults import as_dict
from fivenines.results import parts
from fivenines.trial.progress import CampaignStopped

FILE = """\
name: two halves
trials: 2
solutions: [standalone, {solution: hot-standby, name: pair}]
timing: {warmup: 1s, steady: 4s}
parts:
  reads: {workloads: [oltp_read_only]}
  loss:
    workloads: [oltp_read_write]
    faults: [kill]
    solutions: [{solution: hot-standby, name: pair}]
"""


class Campaigns:
    """Stands in for campaigns: each writes a run of invented figures, for real reports."""

    def __init__(self, pretend: Pretend) -> None:
        self.began: list[tuple[str, int, bool]] = []
        self.interrupted = ""
        self.stopped = ""
        self.broken = ""
        pretend("fivenines.campaign.campaign", run_campaign=self.run)

    def run(
        self,
        experiment: Any,
        source: Any,
        work: Any,
        folder: Path,
        resume: bool,
        listener: Any,
        workers: Any = (),
        decided: Any = None,
    ) -> list[str]:
        self.began.append((folder.name, len(work), resume))
        if folder.name == self.interrupted:
            raise KeyboardInterrupt
        if not (folder / "manifest.json").exists():
            names = list(dict.fromkeys(one.cell.key.solution for one in work))
            matrix = Matrix(
                [Recipe(name, lost=5) for name in names],
                workloads=[one.name for one in experiment.workloads],
                faults=[one.fault for one in experiment.faults],
                trials=experiment.trials.at_most,
                name=experiment.name,
            )
            write_run(folder.with_name(f"{folder.name}.new"), matrix)
            for one in folder.with_name(f"{folder.name}.new").iterdir():
                one.rename(folder / one.name)
            folder.with_name(f"{folder.name}.new").rmdir()
            manifest = json.loads((folder / "manifest.json").read_text())
            manifest["experiment"] = as_dict(experiment)
            (folder / "manifest.json").write_text(json.dumps(manifest))
        if folder.name == self.stopped:
            listener(CampaignStopped(1))
        return ["0001"] if folder.name == self.broken else []


@pytest.fixture
def campaigns(fivenines: Fivenines, pretend: Pretend) -> Campaigns:
    Path("two.yaml").write_text(FILE)
    return Campaigns(pretend)


def test_a_dry_run_shows_each_part_with_its_time(fivenines: Fivenines) -> None:
    Path("two.yaml").write_text(FILE)
    answer = fivenines("run", "two.yaml", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "two halves: reads" and "two halves: loss" in lines
    assert lines[-1] == "2 parts, 6 trials, one part after another: about 2 min"
    one = fivenines("run", "two.yaml", "--dry-run", "--part", "loss").out
    assert "reads" not in one and "1 part, 2 trials" in one
    plan = json.loads(fivenines("run", "two.yaml", "--dry-run", "--json").out)
    assert [(one["part"], len(one["trials"])) for one in plan["parts"]] == [("reads", 4), ("loss", 2)]


def test_parts_run_one_after_another_into_folders_of_their_own(
    fivenines: Fivenines, campaigns: Campaigns
) -> None:
    answer = fivenines("run", "two.yaml", "--out", "here")
    assert answer.code == 0, answer.err
    assert campaigns.began == [("reads", 4, False), ("loss", 2, False)]
    assert [one.name for one in parts.runs_of(Path("here"))] == ["reads", "loss"]
    assert answer.out.splitlines()[-1] == "all parts: here/index.html"
    page = Path("here/index.html").read_text()
    assert 'href="reads/report.html"' in page and 'href="loss/report.html"' in page
    assert Path("here/reads/report.html").exists() and Path("here/loss/report.html").exists()
    assert "part 2 of 2: loss" in answer.err


def test_a_part_alone_and_then_the_rest(fivenines: Fivenines, campaigns: Campaigns) -> None:
    assert fivenines("run", "two.yaml", "--part", "loss").code == 0
    (folder,) = Path("runs").iterdir()
    page = (folder / "index.html").read_text()
    assert "Not started." in page and 'href="reads/report.html"' not in page
    assert fivenines("run", "two.yaml", "--resume").code == 0
    assert campaigns.began == [("loss", 2, False), ("reads", 4, True), ("loss", 2, True)]
    listed = json.loads(fivenines("results", "list", "--json").out)
    assert sorted(one["run"] for one in listed) == [f"{folder.name}/loss", f"{folder.name}/reads"]
    shown = fivenines("results", "show", f"{folder.name}/loss")
    assert shown.code == 0 and shown.out.startswith("two halves: loss  (runs/")
    refused = fivenines("results", "show", folder.name)
    assert refused.code == 2 and f"Name one of them: {folder.name}/reads" in refused.err
    assert fivenines("results", "rm", folder.name, "--yes").code == 0
    assert not folder.exists()


def test_an_interrupted_part_says_how_all_are_continued(fivenines: Fivenines, campaigns: Campaigns) -> None:
    campaigns.interrupted = "loss"
    answer = fivenines("run", "two.yaml", "--out", "here", "--part", "reads", "--part", "loss")
    assert answer.code == 130
    assert answer.err.splitlines()[-1] == (
        "error: interrupted; finished trials are kept. Continue with: "
        "fivenines run two.yaml --resume --out here --part reads --part loss"
    )
    assert "Not started." in Path("here/index.html").read_text()


def test_who_asks_one_part_to_stop_stops_all(fivenines: Fivenines, campaigns: Campaigns) -> None:
    campaigns.stopped = "reads"
    answer = fivenines("run", "two.yaml", "--out", "here")
    assert answer.code == 130 and "stopped on request; 1 trial is left" in answer.err
    assert [name for name, *_ in campaigns.began] == ["reads"]


def test_broken_trials_of_a_part_fail_the_run_at_its_end(fivenines: Fivenines, campaigns: Campaigns) -> None:
    campaigns.broken = "reads"
    answer = fivenines("run", "two.yaml", "--out", "here")
    assert answer.code == 1 and "error: 1 of 6 trials are broken (in reads). " in answer.err
    assert [name for name, *_ in campaigns.began] == ["reads", "loss"]


def test_thresholds_are_judged_in_every_part(fivenines: Fivenines, campaigns: Campaigns) -> None:
    answer = fivenines(
        "run", "two.yaml", "--out", "here", "--threshold", "lost = 0", "--junit", "out.xml", "--json"
    )
    assert answer.code == 3
    found = json.loads(answer.out)
    assert [one["part"] for one in found["parts"]] == ["reads", "loss"]
    assert [one["outcome"] for one in found["parts"][1]["thresholds"]] == ["failed"]
    suite = ElementTree.parse("out.xml").getroot()
    names = [case.get("classname") for case in suite]
    assert [name.split(".")[1] for name in names if name] == ["reads", "reads", "loss"]


def test_a_solution_of_one_part_alone_leaves_the_others_out(
    fivenines: Fivenines, campaigns: Campaigns
) -> None:
    assert fivenines("run", "two.yaml", "--out", "here", "--only", "standalone").code == 0
    assert campaigns.began == [("reads", 2, False)]
    answer = fivenines("run", "two.yaml", "--only", "standalon")
    assert answer.code == 2 and "unknown solution 'standalon'" in answer.err


def test_a_part_that_is_not_there_is_refused(fivenines: Fivenines, campaigns: Campaigns) -> None:
    answer = fivenines("run", "two.yaml", "--part", "losses")
    assert answer.code == 2
    assert answer.err == (
        "error: two.yaml has no part 'losses'; did you mean 'loss'?\n    allowed: reads, loss\n"
    )
    none = fivenines("run", "small.yaml", "--part", "loss")
    assert none.code == 2 and "small.yaml has no parts" in none.err


def test_a_run_without_parts_is_not_continued_by_a_file_with_them(
    fivenines: Fivenines, campaigns: Campaigns
) -> None:
    assert fivenines("run", "small.yaml", "--out", "here").code == 0
    answer = fivenines("run", "two.yaml", "--resume", "--out", "here")
    assert answer.code == 2 and "cannot be continued with this file" in answer.err
