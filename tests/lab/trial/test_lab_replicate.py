"""A tiny study on real servers, up to its verdicts."""

import json
from pathlib import Path

import pytest

from fivenines.cli import main

STUDY = """\
study: tiny
cite: {authors: [A. Person], title: On one server, year: 2020}
differs: [all of it]
parts:
  alone:
    experiment:
      trials: 3
      solutions: [{solution: standalone, name: alone}]
      workloads: [{workload: oltp_read_write, tables: 1, table_size: 1000}]
      connections: [2]
      timing: {warmup: 500ms, steady: 2s}
    quick: {trials: 2}
claims:
  - id: answers
    says: It answers more than one transaction a second.
    test: {limit: {measure: tps, part: alone, at_least: 1}}
  - id: nothing-lost
    says: Nothing is lost.
    test: {never: {measure: lost, part: alone, at_most: 90%}}
"""


def test_a_tiny_study_runs_to_its_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(STUDY)
    assert main.execute(["replicate", "tiny.yaml", "--out", "here"]) == 0
    verdicts = json.loads(Path("here/claims.json").read_text())
    assert [item["complete"] for item in verdicts["parts"]] == [2]
    # Two trials of any speed: the verdict may be positive or inconclusive, but never negative.
    results = {item["id"]: item["result"] for item in verdicts["claims"]}
    assert results["answers"] in ("holds", "inconclusive")
    assert results["nothing-lost"] == "holds"
    (limit,) = verdicts["claims"][0]["comparisons"]
    assert limit["figures"][0]["mean"] > 1
    assert Path("here/alone/report.html").exists() and Path("here/study.html").exists()
    before = (Path("here/alone/trials")).stat().st_mtime_ns
    assert main.execute(["replicate", "tiny.yaml", "--resume", "--out", "here"]) == 0
    assert Path("here/alone/trials").stat().st_mtime_ns == before


INTERLEAVED = """\
study: tiny
cite: {authors: [A. Person], title: On two servers, year: 2020}
parts:
  speed:
    experiment:
      design: interleaved
      interleaved: {blocks: 8, rounds: 5, window: 300ms, skip: 50ms}
      until_decided: {at_least: 3}
      solutions: [{solution: standalone, name: one}, {solution: standalone, name: other}]
      workloads: [{workload: oltp_read_only, tables: 1, table_size: 1000}]
      connections: [2]
      timing: {warmup: 500ms}
claims:
  - id: not-far-behind
    says: One does more than a thousandth of the other.
    test: {greater: {measure: tps, part: speed, a: one, b: other, by: 0.001}}
"""


def test_an_interleaved_part_ends_once_its_claim_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(INTERLEAVED)
    assert main.execute(["replicate", "tiny.yaml", "--out", "here"]) == 0
    verdicts = json.loads(Path("here/claims.json").read_text())
    assert [item["result"] for item in verdicts["claims"]] == ["holds"]
    decided = json.loads(Path("here/speed/manifest.json").read_text())["decided"]
    assert decided["why"] == "decided" and decided["spared"] == 8 - decided["replications"]
    assert verdicts["parts"][0]["complete"] == verdicts["parts"][0]["planned"] == decided["replications"]
    assert "no claim needed more" in Path("here/speed/report.html").read_text()
    # A resumed run judges the same blocks, and runs no more.
    assert main.execute(["replicate", "tiny.yaml", "--resume", "--out", "here"]) == 0
    assert len(list(Path("here/speed/blocks").glob("block-*"))) == decided["replications"]
