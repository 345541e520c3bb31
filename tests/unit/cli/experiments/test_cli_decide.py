"""`decide`, `check`, `list` and `schema`: answers for people and programs, exit codes for pipelines."""

import json
from pathlib import Path

import pytest
from cli_support import Fivenines
from synthetic_run import QUICKSTART, Matrix, Recipe, write_run

from fivenines.results import parts


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(write_run(tmp_path / "run", QUICKSTART))


def test_decide_says_what_to_take_and_why(fivenines: Fivenines, run: str) -> None:
    answer = fivenines("decide", run)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "Recommended: 2-safe (on), the only one with no observed violation."
    assert any("✗ 3 of 3" in line for line in lines)
    failed = "acknowledged rows lost in 3 of 3 trials (lost = 0)."
    assert f"- 1-safe (local) does not meet 1 requirement: {failed}" in lines


def test_decide_by_other_needs_runs_nothing_again(fivenines: Fivenines, run: str) -> None:
    answer = fivenines(
        "decide", run, "--require", "outage_writes < 10s", "--prefer", "tps", "--format", "json"
    )
    (found,) = json.loads(answer.out)
    assert found["best"] == ["1-safe (local)"]
    assert {
        requirement["status"] for one in found["candidates"] for requirement in one["requirements"].values()
    } == {"met"}


def test_decide_wide_has_all_columns_in_full_in_one_line_each(fivenines: Fivenines, run: str) -> None:
    narrow, wide = fivenines("decide", run), fivenines("decide", run, "--wide")
    columns = [
        "Solution",
        "not_recovered = 0",
        "lost = 0",
        "split_brain = 0",
        "Transactions/s",
        "Outage, writes",
    ]
    head = wide.out.splitlines()[1]
    assert [name for name in columns if name in head] == columns
    rows = [line for line in wide.out.splitlines() if line.startswith(("1-safe", "2-safe"))]
    assert len(rows) == 2 and all(len(line) > 80 for line in rows)
    assert all(" to " in line for line in rows), "intervals in full"
    assert "to show them: fivenines decide --wide" in narrow.err
    assert max(len(line) for line in narrow.out.splitlines()[1:4]) <= 80


def test_decide_names_what_is_missed_and_was_not_asked_for(fivenines: Fivenines, run: str) -> None:
    answer = fivenines("decide", run, "--require", "outage_writes < 10s", "--prefer", "tps")
    assert answer.out.startswith("Recommended: 1-safe (local), first by transactions per second.")
    assert answer.out.splitlines()[-1] == (
        "- Not among your requirements: 1-safe (local): acknowledged rows lost in 3 of 3 trials (lost = 0)."
    )
    asked = fivenines("decide", run, "--require", "outage_writes < 10s", "--require", "lost = 0")
    assert "Not among your requirements" not in asked.out


def test_decide_by_speed_where_losses_are_accepted(fivenines: Fivenines, run: str) -> None:
    answer = fivenines("decide", run, "--accept", "loss")
    assert answer.out.startswith("Recommended: 1-safe (local), first by transactions per second.")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--accept", "loss", "--require", "lost = 0"], "contradicts the requirement on `lost`"),
        (["--accept", "everything"], "--accept: "),
        (["--require", "outage < 3s"], "--require: there is no measure 'outage'"),
        (["--prefer", "lost"], "--prefer: lost is a requirement, not a preference"),
        (["--by", "fault"], "--by: "),
    ],
)
def test_decide_tells_what_it_cannot_read(
    fivenines: Fivenines, run: str, words: list[str], message: str
) -> None:
    answer = fivenines("decide", run, *words)
    assert answer.code == 2 and message in answer.err


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Return a run with writes at low and high concurrency, and no reads."""
    recipes = [Recipe("1-safe (local)", tps=1450, lost=3), Recipe("2-safe durable (on)", tps=1180)]
    matrix = Matrix(recipes, workloads=["oltp_write_only"], connections=[8, 32], trials=4)
    return str(write_run(tmp_path / "table", matrix))


def test_decide_by_the_table_of_reads_and_writes_names_what_was_not_measured(
    fivenines: Fivenines, table: str
) -> None:
    answer = fivenines("decide", table, "--requirements", "mohsen-2020")
    lines = answer.out.splitlines()
    assert answer.code == 0
    assert lines[0] == "4 cases: 2 with a recommendation, 2 not measured."
    for case in ("reads, low concurrency", "reads, high concurrency"):
        assert lines[lines.index(case) + 1].startswith("Not measured: no trial with workload oltp_read_only")
    for case in ("writes, low concurrency", "writes, high concurrency"):
        assert lines[lines.index(case) + 1].startswith("Recommended: 1-safe (local), first by")
    found = json.loads(fivenines("decide", table, "--requirements", "mohsen-2020", "--format", "json").out)
    assert [one["best"] for one in found] == [[], [], ["1-safe (local)"], ["1-safe (local)"]]
    assert [bool(one["unmeasured"]) for one in found] == [True, True, False, False]
    page = fivenines("decide", table, "--requirements", "mohsen-2020", "--format", "md").out
    assert "reads, low concurrency" in page and "not measured: no trial with workload oltp_read_only" in page


def test_decide_by_the_rules_of_hot_standby(fivenines: Fivenines, table: str) -> None:
    answer = fivenines("decide", table, "--requirements", "wolski-2006", "--format", "json")
    first, second, third, fourth, fifth = json.loads(answer.out)
    assert first["best"] == third["best"] == ["1-safe (local)"]
    assert second["unmeasured"] == "no trial with solution strict active* or relaxed active*"
    assert len(fourth["best"]) == 2, "equal times of promotion"
    assert fifth["best"] == ["2-safe durable (on)"]


def test_decide_by_the_demands_of_an_operator(fivenines: Fivenines, table: str) -> None:
    answer = fivenines("decide", table, "--requirements", "aanby-2014", "--format", "json")
    by_case = {one["condition"]["case"]: one for one in json.loads(answer.out)}
    assert by_case["scalability"]["unmeasured"] == "no trial with solution 2 nodes or 4 nodes"
    for one in by_case["availability"]["candidates"]:
        judged = one["requirements"]["availability >= 99.999%"]
        assert judged["status"] == "inconclusive" and "no outage by partition" in judged["evidence"]
    statuses = {
        judged["status"] for one in by_case["cost"]["candidates"] for judged in one["requirements"].values()
    }
    assert "missed" not in statuses


def test_decide_over_several_runs_and_over_the_parts_of_a_study(
    fivenines: Fivenines, table: str, run: str
) -> None:
    words = ["--requirements", "mohsen-2020", "--format", "json"]
    both = json.loads(fivenines("decide", table, run, *words).out)
    alone = json.loads(fivenines("decide", table, *words).out)
    assert [one["best"] for one in both] == [one["best"] for one in alone]
    folder = Path(table).parent
    parts.write(folder, parts.PartsRecord(title="study", parts=["table", "run", "never begun"]))
    group = json.loads(fivenines("decide", str(folder), *words).out)
    assert [one["best"] for one in group] == [one["best"] for one in both]


def test_decide_refuses_a_folder_whose_parts_have_not_begun(fivenines: Fivenines, tmp_path: Path) -> None:
    parts.write(tmp_path / "none", parts.PartsRecord(title="study", parts=["a"]))
    answer = fivenines("decide", str(tmp_path / "none"))
    assert answer.code == 2 and "none of its parts has begun" in answer.err


def test_check_fails_a_pipeline_with_code_3(fivenines: Fivenines, run: str, tmp_path: Path) -> None:
    junit = tmp_path / "out.xml"
    answer = fivenines("check", run, "--threshold", "lost = 0", "--junit", str(junit))
    assert answer.code == 3
    assert answer.out.splitlines()[-2:] == [
        "inconclusive: about 26 more trials of each would decide (fivenines run FILE --resume --trials 29)",
        "1 threshold, judged 2 times (for each solution and condition): 1 failed, 1 inconclusive",
    ]
    assert "<failure" in junit.read_text()


def test_check_passes_what_is_proven_and_what_is_inconclusive(fivenines: Fivenines, run: str) -> None:
    answer = fivenines("check", run, "--threshold", "2-safe (on): lost = 0", "--threshold", "tps > 5")
    assert answer.code == 0
    assert answer.out.splitlines()[-1] == (
        "2 thresholds, judged 3 times (for each solution and condition): 2 passed, 1 inconclusive"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there are no thresholds. Add one, as --threshold 'lost = 0'"),
        (["--threshold", "nobody: lost = 0"], "unknown solution 'nobody'\n    allowed: 1-safe (local)"),
        (["--threshold", "lst = 0"], "did you mean 'lost'?"),
    ],
)
def test_check_tells_what_it_cannot_judge(
    fivenines: Fivenines, run: str, words: list[str], message: str
) -> None:
    answer = fivenines("check", run, *words)
    assert answer.code == 2 and message in answer.err


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("solutions", "galera"),
        ("workloads", "tpcc"),
        ("faults", "partition"),
        ("managers", "operator"),
        ("access", "haproxy"),
        ("measures", "outage_writes"),
    ],
)
def test_list_names_each_with_a_line_about_it(fivenines: Fivenines, what: str, name: str) -> None:
    rows = json.loads(fivenines("list", what, "--json").out)
    assert name in [row["name"] for row in rows]
    assert all(row["about"] for row in rows)
    assert name in fivenines("list", what).out
    everything = json.loads(fivenines("list", "--json").out)
    assert everything[what] == [row["name"] for row in rows]
    assert name in fivenines("list").out


def test_the_schema_is_json(fivenines: Fivenines, tmp_path: Path) -> None:
    printed = json.loads(fivenines("schema").out)
    target = tmp_path / "schema.json"
    assert fivenines("schema", "--output", str(target)).code == 0
    assert json.loads(target.read_text()) == printed
    assert "solutions" in printed["properties"]
