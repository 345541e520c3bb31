"""`fivenines replicate`: options that place and change a study, and the copy of its file."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import Fivenines

from fivenines.studies import found

STUDY = """\
study: small
cite: {authors: [A. Person], title: On servers, year: 2020}
experiment: {workloads: [oltp_read_write], connections: [8]}
parts:
  speed:
    experiment:
      trials: 10
      solutions:
        - {solution: standalone, name: strict}
        - {solution: standalone, name: relaxed, durability: relaxed}
  blocks:
    experiment:
      design: interleaved
      solutions:
        - {solution: standalone, name: strict}
        - {solution: standalone, name: relaxed, durability: relaxed}
  full:
    experiment:
      solutions: [{solution: standalone, name: full}]
      faults: [full-disk]
claims:
  - id: faster
    says: A relaxed server is ahead.
    test: {greater: {measure: tps, part: speed, a: relaxed, b: strict}}
  - id: goes-on
    says: Service goes on.
    test: {limit: {measure: tps, part: full, at_least: 1}}
"""

INVENTORY = """\
user: root
hosts:
  a: {address: 10.0.0.1, role: node}
  b: {address: 10.0.0.2}
"""


@pytest.fixture(autouse=True)
def _study(fivenines: Fivenines) -> None:
    Path("mine.yaml").write_text(STUDY)
    Path("hosts.yaml").write_text(INVENTORY)


def _plan(fivenines: Fivenines, *arguments: str) -> dict[str, Any]:
    answer = fivenines("replicate", "mine.yaml", "--dry-run", "--format", "json", *arguments)
    assert answer.code == 0, answer.err
    plan: dict[str, Any] = json.loads(answer.out)
    return plan


def _trials(plan: dict[str, Any]) -> dict[str, int]:
    return {item["part"]: item["trials"] for item in plan["parts"]}


def test_a_number_of_trials_is_also_one_of_blocks(fivenines: Fivenines) -> None:
    assert _trials(_plan(fivenines)) == {"speed": 20, "blocks": 3, "full": 3}
    changed = _plan(fivenines, "--trials", "2")
    assert _trials(changed) == {"speed": 4, "blocks": 2, "full": 2}
    assert changed["expected_seconds"] < _plan(fivenines)["expected_seconds"]


def test_parallel_trials_shorten_the_plan(fivenines: Fivenines) -> None:
    one = _plan(fivenines, "--part", "speed")
    two = _plan(fivenines, "--part", "speed", "--parallel", "2", "--oversubscribe")
    assert (one["at_once"], two["at_once"]) == (1, 2)
    assert two["expected_seconds"] == pytest.approx(one["expected_seconds"] / 2)
    text = fivenines(
        "replicate", "mine.yaml", "--dry-run", "--part", "speed", "--parallel", "2", "--oversubscribe"
    ).out
    assert "20 trials, 2 in parallel, about" in text


def test_parts_that_the_machines_cannot_run_are_left_out(fivenines: Fivenines) -> None:
    left_out = {item["part"]: item["left_out"] for item in _plan(fivenines)["parts"]}
    assert left_out["speed"] == "" and "on this machine" not in left_out["blocks"]
    over_ssh = _plan(fivenines, "--inventory", "hosts.yaml")
    left_out = {item["part"]: item["left_out"] for item in over_ssh["parts"]}
    assert left_out["speed"] == ""
    # Both servers of a block run at the same time: two nodes and two clients.
    assert "blocks cannot run on the machines of " in left_out["blocks"]
    assert "4 machines are needed" in left_out["blocks"]
    assert "full-disk is not possible over SSH" in left_out["full"]
    text = fivenines("replicate", "mine.yaml", "--dry-run", "--inventory", "hosts.yaml").out
    assert "10.0.0.2" in text and "fivenines runs only these commands on each machine" in text


def test_a_study_is_written_to_be_changed(fivenines: Fivenines) -> None:
    answer = fivenines("replicate", "wolski-2006", "--write", "own.yaml")
    assert answer.code == 0, answer.err
    assert "fivenines replicate own.yaml --dry-run" in answer.out
    assert Path("own.yaml").read_text() == (found.FOLDER / "wolski-2006.yaml").read_text()
    Path("own.yaml").write_text(STUDY)
    again = fivenines("replicate", "wolski-2006", "--write", "own.yaml")
    assert again.code == 2 and "own.yaml exists. Name another file, or overwrite it with --force" in again.err
    assert Path("own.yaml").read_text() == STUDY
    assert fivenines("replicate", "wolski-2006", "--write", "own.yaml", "--force").code == 0
    assert Path("own.yaml").read_text() != STUDY
    assert fivenines("replicate", "own.yaml", "--dry-run").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine.yaml", "--write", "x.yaml", "--trials", "3"], "--trials: --write only copies the study's"),
        (["mine.yaml", "--write", "x.yaml", "--full"], "--full: --write only copies the study's file"),
        (["--write", "x.yaml"], "--write: name the study"),
        (["mine.yaml", "--write", "none/x.yaml"], "does not exist"),
        (["mine.yaml", "--force"], "--force: nothing is written without --write"),
        (["--judge", "done", "--trials", "3"], "--trials: --judge runs nothing. Leave it out"),
        (["--judge", "done", "--inventory", "hosts.yaml"], "--inventory: --judge runs nothing"),
        (["--trials", "3"], "--trials: without a study there is nothing to run"),
        (["mine.yaml", "--parallel", "many"], "--parallel many: write a number"),
        (["mine.yaml", "--oversubscribe"], "--oversubscribe has no effect without --parallel"),
        (["mine.yaml", "--inventory", "hosts.yaml", "--parallel", "2"], "over SSH, trials run one at a time"),
        (["mine.yaml", "--inventory", "hosts.yaml", "--on", "ray://h:1"], "--on: over SSH, trials run one"),
        (["mine.yaml", "--inventory", "none.yaml"], "none.yaml: no such file"),
        (["mine.yaml", "--part", "full", "--inventory", "hosts.yaml"], "no part of the study can run"),
    ],
)
def test_what_does_not_combine_is_refused(fivenines: Fivenines, arguments: list[str], message: str) -> None:
    answer = fivenines("replicate", *arguments)
    assert answer.code == 2 and message in " ".join(answer.err.split()), answer.err
    assert not Path("x.yaml").exists() and not Path("runs").exists()
