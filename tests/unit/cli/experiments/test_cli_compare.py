"""`compare`: exit codes for a pipeline, and all output formats."""

import json
import shutil
from pathlib import Path

import pytest
from cli_support import Fivenines
from synthetic_run import Matrix, Recipe, write_run


def _run(folder: Path, recipe: Recipe) -> Path:
    return write_run(folder, Matrix([recipe], trials=5))


def test_the_command_fails_for_what_is_not_allowed(fivenines: Fivenines, tmp_path: Path) -> None:
    before = str(_run(tmp_path / "before", Recipe("a", tps=1000)))
    after = str(_run(tmp_path / "after", Recipe("a", tps=600)))
    assert fivenines("compare", before, after).code == 0
    assert fivenines("compare", before, after, "--allow", "10%").code == 3
    assert fivenines("compare", before, after, "--allow", "90%").code == 0
    output = json.loads(fivenines("compare", before, after, "--format", "json").out)
    assert {one["verdict"] for one in output["changes"] if one["measure"] == "tps"} == {"worse"}
    assert "| ✗ worse |" in fivenines("compare", before, after, "--format", "md").out


def test_new_losses_and_nothing_to_compare_do_not_pass(fivenines: Fivenines, tmp_path: Path) -> None:
    before, lossy = (_run(tmp_path / "before", Recipe("a")), _run(tmp_path / "after", Recipe("a", lost=2)))
    assert fivenines("compare", str(before), str(lossy), "--allow", "90%").code == 3
    other = str(_run(tmp_path / "other", Recipe("b")))
    answer = fivenines("compare", str(before), other, "--allow", "5%")
    assert answer.code == 1 and "nothing could be compared" in answer.err


@pytest.mark.parametrize("share", ["x", "5", "-1%", "100%"])
def test_a_share_has_a_sign(fivenines: Fivenines, tmp_path: Path, share: str) -> None:
    run = str(_run(tmp_path / "run", Recipe("a")))
    answer = fivenines("compare", run, run, "--allow", share)
    assert answer.code == 2 and "write 5% or 0%" in answer.err


def test_thresholds_on_ratios_decide_the_exit_code(fivenines: Fivenines, tmp_path: Path) -> None:
    before = str(_run(tmp_path / "before", Recipe("a", tps=1000)))
    after = str(_run(tmp_path / "after", Recipe("a", tps=600)))
    junit = tmp_path / "j.xml"
    failed = fivenines("compare", before, after, "--threshold", "tps >= 0.9", "--junit", str(junit))
    assert failed.code == 3 and "1 failed" in failed.out and "<failure" in junit.read_text()
    assert fivenines("compare", before, after, "--threshold", "tps >= 0.1").code == 0
    output = json.loads(
        fivenines("compare", before, after, "--threshold", "tps >= 0.9", "--format", "json").out
    )
    assert [one["outcome"] for one in output["thresholds"]] == ["failed"]
    inconclusive = fivenines("compare", before, after, "--threshold", "failover p95 <= 1.1")
    assert inconclusive.code == 0 and "inconclusive" in inconclusive.out


def test_a_page_is_written_where_it_is_reported(fivenines: Fivenines, tmp_path: Path) -> None:
    before = str(_run(tmp_path / "before", Recipe("a", tps=1000)))
    after = str(_run(tmp_path / "after", Recipe("a", tps=600)))
    page = tmp_path / "page.html"
    answer = fivenines("compare", before, after, "--format", "html", "--output", str(page))
    assert answer.code == 0 and str(page) in answer.out.replace("\n", "")
    assert page.read_text().startswith("<!DOCTYPE html>") or "<!DOCTYPE html>" in page.read_text()
    assert "after against before" in page.read_text()


def test_the_baseline_may_be_named_apart(fivenines: Fivenines, tmp_path: Path) -> None:
    names = [str(_run(tmp_path / name, Recipe("a"))) for name in ("one", "two", "three")]
    answer = fivenines("compare", *names, "--baseline", names[1], "--format", "json")
    output = json.loads(answer.out)
    assert (output["baseline"], output["runs"]) == ("two", ["one", "three"])
    assert {one["run"] for one in output["changes"]} == {"one", "three"}
    again = fivenines("compare", names[0], "--baseline", names[1], "--format", "json")
    assert json.loads(again.out)["runs"] == ["one"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "at least two runs"),
        (("other", "--threshold", "tps <= 1"), "more of tps is better"),
        (("other", "--threshold", "b: tps >= 1"), "unknown solution 'b'     allowed: a"),
        (("other", "--junit", "x.xml"), "nothing to check"),
    ],
)
def test_what_makes_no_sense_is_refused(
    fivenines: Fivenines, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    run = str(_run(tmp_path / "run", Recipe("a")))
    _run(tmp_path / "other", Recipe("a"))
    words = [str(tmp_path / "other") if one == "other" else one for one in arguments]
    answer = fivenines("compare", run, *words)
    assert answer.code == 2 and says in answer.err.replace("\n", " ")


def test_other_measures_are_compared_when_asked_for(fivenines: Fivenines, tmp_path: Path) -> None:
    before = str(_run(tmp_path / "before", Recipe("a", sampled="mariadb", known=True)))
    after = str(_run(tmp_path / "after", Recipe("a", sampled="mariadb", known=True)))
    usual = json.loads(fivenines("compare", before, after, "--format", "json").out)["changes"]
    assert not {"host_cpu:node", "stalls"} & {one["measure"] for one in usual}
    asked = fivenines(
        "compare",
        before,
        after,
        "--measure",
        "host_cpu:node",
        "--threshold",
        "a: counter:Com_commit/s >= 50%",
        "--format",
        "json",
    )
    assert asked.code == 0
    output = json.loads(asked.out)
    found = {one["measure"]: one["verdict"] for one in output["changes"]}
    assert found["host_cpu:node"] == "inconclusive" and "counter:Com_commit/s" in found
    for name, says in (("host_cpus", "did you mean 'host_cpu'"), ("lost", "has no ratio")):
        answer = fivenines("compare", before, after, "--measure", name)
        assert answer.code == 2 and says in answer.err


def test_a_copy_is_reported_to_be_one_before_all_else(fivenines: Fivenines, tmp_path: Path) -> None:
    run = _run(tmp_path / "run", Recipe("a"))
    shutil.copytree(run, tmp_path / "copy")
    answer = fivenines("compare", str(run), str(tmp_path / "copy"))
    assert answer.out.splitlines()[0] == (
        "run and copy contain the same trials: one is a copy of the other, so nothing can differ."
    )
    assert "better" not in answer.out
    other = str(_run(tmp_path / "other", Recipe("a", tps=600)))
    assert "the same trials" not in fivenines("compare", str(run), other).out


def test_tables_have_a_caption_and_one_line_a_row(fivenines: Fivenines, tmp_path: Path) -> None:
    name = "2-safe durable (on) with HAProxy"
    before = str(_run(tmp_path / "before", Recipe(name, tps=1000)))
    after = str(_run(tmp_path / "after", Recipe(name, tps=600)))
    narrow = fivenines("compare", before, after)
    lines = narrow.out.splitlines()
    at = lines.index("What changed")
    assert lines[at + 1].split()[0] == "Verdict" and lines[at + 2].startswith("\u2717 worse")
    rows = lines[at + 2 : lines.index("", at)]
    assert all(row.startswith(("\u2717", "\u2713")) and len(row) <= 80 for row in rows)
    assert "--wide" in narrow.err
    wide = fivenines("compare", before, after, "--wide")
    assert "Baseline" in wide.out and "Later" in wide.out and " to " in wide.out


def test_a_comparison_that_is_written_can_be_shared(fivenines: Fivenines, tmp_path: Path) -> None:
    before, after = (str(_run(tmp_path / name, Recipe("a"))) for name in ("before", "after"))
    page = tmp_path / "page.html"
    assert fivenines("compare", before, after, "--format", "html", "--output", str(page)).code == 0
    assert page.stat().st_mode & 0o077 == 0
    shared = fivenines("compare", before, after, "--format", "md", "--output", str(page), "--share")
    assert shared.code == 0 and page.stat().st_mode & 0o044 == 0o044
    refused = fivenines("compare", before, after, "--share")
    assert refused.code == 2 and "Name one with --output" in refused.err
