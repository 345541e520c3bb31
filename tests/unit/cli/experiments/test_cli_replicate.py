"""`fivenines replicate`: the list, the plan, what runs, and verdicts that follow the trials' figures."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import Fivenines, Pretend
from synthetic_run import Matrix, Recipe, write_run

from fivenines.experiment.defaults import as_dict
from fivenines.results import layout, parts, stops
from fivenines.results.parts import PartsRecord

STUDY = """\
study: small
cite: {authors: [A. Person, B. Other], title: On servers, year: 2020}
question: What does it cost to wait for the disk?
differs: [two cores]
refuse_above: 2h
experiment: {workloads: [oltp_read_write], connections: [8]}
quick: {trials: 4, timing: {warmup: 1s, steady: 4s}}
parts:
  speed:
    experiment:
      trials: 10
      solutions:
        - {solution: standalone, name: strict}
        - {solution: standalone, name: relaxed, durability: relaxed}
  loss:
    experiment:
      trials: 1000
      solutions: [{solution: hot-standby, name: pair}]
      faults: [kill]
unavailable: {aurora: {why: a cloud account}}
published:
  - {source: T1, measure: tps, part: speed, solution: strict, n: 30, mean: 100, sd: 5}
  - {source: T1, measure: tps, part: speed, solution: relaxed, n: 30, mean: 101, sd: 5}
claims:
  - id: faster
    says: A relaxed server does at least 1.2 times as much.
    test: {greater: {measure: tps, part: speed, a: relaxed, b: strict, by: 1.2}}
  - id: nothing-lost
    says: Nothing is lost.
    basis: stated
    fidelity: stand-in
    note: One standby stands for two.
    test: {never: {measure: lost, part: loss, solution: pair, at_most: 60%}}
  - id: cloud
    says: A cloud is ahead.
    test: {greater: {measure: tps, part: speed, a: aurora, b: strict}}
"""


@pytest.fixture(autouse=True)
def _study(fivenines: Fivenines) -> None:
    Path("mine.yaml").write_text(STUDY)


def _ran(relaxed: float = 2000.0, lost: int = 0, loss: bool = True) -> Path:
    """The folder of a study that has run, with these figures."""
    folder = Path("runs/done")
    parts.write(folder, PartsRecord(title="small quick", parts=["speed", "loss"], form="quick"))
    (folder / layout.STUDY_SOURCE).write_text(STUDY)
    speed = [Recipe("strict", tps=1000.0, outage=None), Recipe("relaxed", tps=relaxed, outage=None)]
    write_run(folder / "speed", Matrix(speed, faults=["none"], trials=4))
    if loss:
        write_run(folder / "loss", Matrix([Recipe("pair", lost=lost)], trials=6))
    return folder


def _results(fivenines: Fivenines, *arguments: str) -> dict[str, str]:
    answer = fivenines("replicate", "--judge", "done", "--format", "json", *arguments)
    assert answer.code == 0, answer.err
    return {one["id"]: one["result"] for one in json.loads(answer.out)["claims"]}


def test_figures_of_trials_make_the_verdicts(fivenines: Fivenines) -> None:
    folder = _ran()
    assert _results(fivenines) == {"faster": "holds", "nothing-lost": "holds", "cloud": "cannot be run here"}
    kept = json.loads((folder / "claims.json").read_text())
    assert kept["sentence"] == "Of the authors' 3 claims 2 hold, 1 cannot be run here"
    (faster, *_) = kept["claims"]
    assert faster["printed"]["result"] == "does not hold"
    assert [one["n"] for one in faster["comparisons"][0]["figures"]] == [4, 4]
    assert faster["comparisons"][0]["span"]["estimate"] == pytest.approx(2.0, rel=0.15)


@pytest.mark.parametrize(
    ("planted", "claim", "result"),
    [
        ({"relaxed": 1000.0}, "faster", "does not hold"),
        ({"relaxed": 1200.0}, "faster", "inconclusive"),
        ({"lost": 20}, "nothing-lost", "does not hold"),
        ({"loss": False}, "nothing-lost", "not run"),
    ],
)
def test_a_planted_change_of_figures_flips_the_verdict(
    fivenines: Fivenines, planted: dict[str, Any], claim: str, result: str
) -> None:
    _ran(**planted)
    assert _results(fivenines)[claim] == result


@pytest.mark.parametrize(("relaxed", "inconclusive"), [(1200.0, True), (2000.0, False)])
def test_inconclusive_claims_name_the_next_command(
    fivenines: Fivenines, relaxed: float, inconclusive: bool
) -> None:
    _ran(relaxed)
    words = " ".join(fivenines("replicate", "--judge", "done").out.split())
    assert ("fivenines replicate FILE --full --part speed --dry-run" in words) is inconclusive


def test_the_page_shows_verdicts_figures_and_what_differs(fivenines: Fivenines) -> None:
    folder = _ran()
    answer = fivenines("replicate", "--judge", "done")
    assert answer.code == 0
    summary = "Of the authors' 3 claims 2 hold, 1 cannot be run here"
    assert answer.out.splitlines()[-2:] == [summary, f"page: {folder}/study.html"]
    page = (folder / "study.html").read_text()
    for words in (
        "Of the authors&#39; 3 claims 2 hold, 1 cannot be run here",
        "Two cores.",
        "One standby stands for two.",
        "Measured here",
        "T1",
        "<svg",
        'href="speed/report.html"',
        "<dd>a cloud account.</dd>",
        "The same test on the published figures: the claim does not hold.",
    ):
        assert words in page, words
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_another_file_may_judge_what_has_run(fivenines: Fivenines) -> None:
    _ran()
    Path("mine.yaml").write_text(STUDY.replace("by: 1.2", "by: 5"))
    assert _results(fivenines, "mine.yaml")["faster"] == "does not hold"
    assert _results(fivenines, "--only", "faster") == {"faster": "holds"}


def test_a_look_at_some_claims_leaves_the_page_of_all(fivenines: Fivenines) -> None:
    folder = _ran()
    fivenines("replicate", "--judge", "done")
    before = {name: (folder / name).read_text() for name in (layout.CLAIMS, layout.STUDY)}
    answer = fivenines("replicate", "--judge", "done", "--only", "faster")
    assert "The authors' claim holds" in answer.out and "page:" not in answer.out
    assert {name: (folder / name).read_text() for name in before} == before


def test_what_is_no_study_is_not_judged(fivenines: Fivenines) -> None:
    write_run(Path("runs/other"), Matrix([Recipe("strict")], trials=1))
    answer = fivenines("replicate", "--judge", "other")
    assert answer.code == 2 and "runs/other contains no study" in answer.err


def test_markdown_for_a_pull_request(fivenines: Fivenines) -> None:
    _ran()
    text = fivenines("replicate", "--judge", "done", "--format", "md").out
    assert "## small, quick form" in text and "- two cores" in text
    assert "### faster: holds" in text and "\n| holds | " in text
    # The measured figures are next to the published ones.
    _, _, faster = text.partition("### faster: holds")
    assert "| Measured here | Printed |" in faster.partition("###")[0]


OURS = """\
  - id: half
    says: A relaxed server does at least half as much.
    basis: ours
    test: {greater: {measure: tps, part: speed, a: relaxed, b: strict, by: 0.5}}
"""


def test_questions_of_ours_are_counted_apart(fivenines: Fivenines) -> None:
    folder = _ran()
    Path("mine.yaml").write_text(STUDY + OURS)
    text = fivenines("replicate", "mine.yaml", "--judge", "done").out
    words = "Of the authors' 3 claims 2 hold, 1 cannot be run here; our question holds"
    assert words in text.splitlines()
    # The table of our questions is below that of the claims.
    assert text.index("A cloud is ahead") < text.index("question of ours") < text.index("half as much")
    kept = json.loads((folder / layout.CLAIMS).read_text())
    assert kept["sentence"] == words and kept["claims"][-1]["basis"] == "ours"
    assert kept["counts"] == {"authors": {"holds": 2, "cannot be run here": 1}, "ours": {"holds": 1}}
    page = (folder / layout.STUDY).read_text()
    for shown in (words.replace("'", "&#39;"), "<h3>Questions of ours</h3>"):
        assert shown in page, shown
    _, _, card = page.partition('id="claim-half"')
    assert "Question of ours: the authors did not claim this." in card.partition("</section>")[0]
    assert page.count("Question of ours: the authors") == 1
    markdown = fivenines("replicate", "mine.yaml", "--judge", "done", "--format", "md").out
    assert "Questions of ours" in markdown and "The authors did not claim this" in markdown
    plan = fivenines("replicate", "mine.yaml", "--dry-run").out
    assert plan.index("cloud ") < plan.index("question of ours") < plan.index("half ")


def test_the_list_has_times_and_what_cannot_run(fivenines: Fivenines) -> None:
    listed = json.loads(fivenines("replicate", "--format", "json").out)
    assert "wolski-2006" in [one["study"] for one in listed]
    assert all(0 < one["seconds"]["quick"] < one["seconds"]["full"] for one in listed)


def test_a_dry_run_shows_parts_times_and_claims(fivenines: Fivenines) -> None:
    quick = json.loads(fivenines("replicate", "./mine.yaml", "--dry-run", "--format", "json").out)
    assert [(one["part"], one["trials"]) for one in quick["parts"]] == [("speed", 8), ("loss", 4)]
    assert [one["parts"] for one in quick["claims"]] == [["speed"], ["loss"], ["speed"]]
    text = fivenines("replicate", "mine.yaml", "--full", "--dry-run").out
    assert "it runs only on request: --part loss" in " ".join(text.split())
    named = fivenines("replicate", "mine.yaml", "--full", "--dry-run", "--part", "loss").out
    assert "only on request" not in named and "1 part, 1000 trials" in named


def test_only_what_a_claim_needs(fivenines: Fivenines) -> None:
    answer = fivenines("replicate", "mine.yaml", "--dry-run", "--format", "json", "--only", "faster")
    plan = json.loads(answer.out)
    assert [one["left_out"] for one in plan["parts"]] == ["", "not requested"]
    assert [one["claim"] for one in plan["claims"]] == ["faster"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["wolsky-2006"], "no packaged study has this name; did you mean 'wolski-2006'?"),
        (["mine.yaml", "--only", "fastr"], "the study has no claim 'fastr'; did you mean 'faster'?"),
        (["mine.yaml", "--part", "sped"], "the study has no part 'sped'; did you mean 'speed'?"),
        (["mine.yaml", "--quick", "--full"], "--quick and --full exclude each other"),
        (["mine.yaml", "--resume"], "there is no run of 'small quick' in runs/ to continue"),
    ],
)
def test_what_is_not_there_is_refused(fivenines: Fivenines, arguments: list[str], said: str) -> None:
    answer = fivenines("replicate", *arguments)
    assert answer.code == 2 and said in answer.err, answer.err


class Campaigns:
    """Stands in for campaigns: each writes a run of invented figures."""

    def __init__(self, pretend: Pretend) -> None:
        self.began: list[tuple[str, bool]] = []
        self.interrupted = ""
        self.broken: list[str] = []
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
        self.began.append((folder.name, resume))
        if folder.name == self.interrupted:
            raise KeyboardInterrupt
        stops.forget_others(folder)
        if not (folder / layout.MANIFEST).exists():
            names = list(dict.fromkeys(one.cell.key.solution for one in work))
            recipes = [Recipe(one, tps=2000.0 if one == "relaxed" else 1000.0) for one in names]
            new = folder.with_name("new")
            write_run(new, Matrix(recipes, faults=[experiment.faults[0].fault], trials=4))
            for one in new.iterdir():
                one.rename(folder / one.name)
            new.rmdir()
            manifest = json.loads((folder / layout.MANIFEST).read_text())
            manifest["experiment"] = as_dict(experiment)
            (folder / layout.MANIFEST).write_text(json.dumps(manifest))
        return self.broken


def test_it_runs_judges_and_continues(fivenines: Fivenines, pretend: Pretend) -> None:
    campaigns = Campaigns(pretend)
    campaigns.interrupted = "loss"
    answer = fivenines("replicate", "mine.yaml")
    (folder,) = Path("runs").iterdir()
    assert answer.code == 130
    assert answer.err.splitlines()[-1] == (
        "error: interrupted; finished trials are kept. Continue with: fivenines replicate mine.yaml "
        f"--quick --resume --out {folder}"
    )
    half = json.loads((folder / "claims.json").read_text())
    assert [one["result"] for one in half["claims"]] == ["holds", "not run", "cannot be run here"]

    campaigns.interrupted = ""
    answer = fivenines("replicate", "mine.yaml", "--resume")
    assert answer.code == 0, answer.err
    assert campaigns.began == [("speed", False), ("loss", False), ("speed", True), ("loss", True)]
    assert (folder / layout.STUDY_SOURCE).read_text() == STUDY
    assert (folder / "speed/report.html").exists()
    assert "Of the authors' 3 claims 2 hold" in answer.out or "Of the authors' 3 claims 1 holds" in answer.out


def test_a_verdict_never_changes_the_exit_code_but_broken_trials_do(
    fivenines: Fivenines, pretend: Pretend
) -> None:
    campaigns = Campaigns(pretend)
    Path("mine.yaml").write_text(STUDY.replace("by: 1.2", "by: 9"))
    answer = fivenines("replicate", "mine.yaml", "--part", "speed", "--out", "a")
    assert answer.code == 0 and "does not hold" in answer.out
    campaigns.broken = ["0003"]
    answer = fivenines("replicate", "mine.yaml", "--part", "speed", "--out", "b")
    assert answer.code == 1 and "1 of 8 trials are broken (in speed)" in answer.err
    assert Path("b/study.html").exists()
