"""Verdicts on claims when the client was the bottleneck in some trials or blocks."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from synthetic_interleaved import SyntheticBlock, write_interleaved_run
from synthetic_run import Matrix, Recipe, write_run

from fivenines.results import layout
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import BlockRecord, TrialRecord
from fivenines.results.store import open_run, write_json
from fivenines.studies.judged import judge
from fivenines.studies.source import parse_study

STUDY = """\
study: small
cite: {authors: [A. Person], title: On servers, year: 2020}
experiment: {workloads: [oltp_read_write], connections: [8], trials: 6}
parts:
  speed:
    experiment:
      solutions: [{solution: standalone, name: fast}, {solution: standalone, name: slow}]
claims:
  - id: faster
    says: The fast one does more.
    test: {greater: {measure: tps, part: speed, a: fast, b: slow}}
"""
BLOCKS = STUDY.replace("      solutions", "      design: interleaved\n      solutions")

LIMIT = {"client": {"bottleneck": True, "limit": "it used 99 % of a core"}}


def _result(folder: Path, text: str) -> tuple[str, str]:
    loaded = parse_study(text, "x.yaml")
    (item,) = judge(loaded.study, "full", loaded.experiments["full"], folder).claims
    return item.result, " ".join(item.sentences)


def _limit_blocks(folder: Path, numbers: Iterable[int], solution: int) -> None:
    for block in [open_run(folder).blocks[number] for number in numbers]:
        sides = list(block.record.sides)
        sides[solution] = sides[solution].model_copy(update={"load": LoadSummary.of(LIMIT)})
        record: BlockRecord = block.record.model_copy(update={"sides": sides})
        write_json(block.folder / layout.BLOCK, record)


@pytest.mark.parametrize("solution", [0, 1])
def test_a_minority_of_limited_blocks_is_left_out_if_the_verdict_stays(tmp_path: Path, solution: int) -> None:
    write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=6))
    _limit_blocks(tmp_path / "speed", [2], solution)
    result, text = _result(tmp_path, BLOCKS)
    assert result == "holds"
    name = ("fast", "slow")[solution]
    assert (
        "Trials in which the client was the bottleneck are left out "
        f"({name}: the client was the bottleneck in 1 of 6 blocks); with them the verdict is the same."
        in text
    )


def test_half_of_the_blocks_limited_leaves_the_claim_inconclusive(tmp_path: Path) -> None:
    write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=6))
    _limit_blocks(tmp_path / "speed", [0, 2, 4], 1)
    result, text = _result(tmp_path, BLOCKS)
    assert result == "inconclusive" and "the client was the bottleneck of the load" in text


def test_limited_blocks_that_change_the_verdict_leave_the_claim_inconclusive(tmp_path: Path) -> None:
    # The two limited blocks contradict the four others.
    block = SyntheticBlock(blocks=6, shifts=[0, 0, 0, 0, -0.6, -0.6], noise=0.005)
    write_interleaved_run(tmp_path / "speed", block)
    _limit_blocks(tmp_path / "speed", [4, 5], 0)
    result, text = _result(tmp_path, BLOCKS)
    assert result == "inconclusive" and "fast: the client was the bottleneck in 2 of 6 blocks" in text


def test_a_minority_of_limited_trials_is_left_out_if_the_verdict_stays(tmp_path: Path) -> None:
    matrix = Matrix([Recipe("fast", tps=2000), Recipe("slow", tps=500)], faults=["none"], trials=6)
    folder = write_run(tmp_path / "speed", matrix)
    own = [trial for trial in open_run(folder).complete if trial.record.cell.solution == "slow"]
    for trial in own[:2]:
        load = LoadSummary.of({**trial.record.load.document, **LIMIT})
        record: TrialRecord = trial.record.model_copy(update={"load": load})
        write_json(trial.folder / layout.TRIAL, record)
    result, text = _result(tmp_path, STUDY)
    assert result == "holds"
    assert "slow: the client was the bottleneck in 2 of 6 trials); with them the verdict is the same" in text


def test_without_limited_trials_nothing_is_left_out(tmp_path: Path) -> None:
    write_interleaved_run(tmp_path / "speed", SyntheticBlock(blocks=6))
    result, text = _result(tmp_path, BLOCKS)
    assert result == "holds" and "left out" not in text
