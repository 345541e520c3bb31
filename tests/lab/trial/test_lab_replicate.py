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
