"""Interleaved blocks as read from a run: planted ratios, what idle neighbours cost, quantiles with enough
answers.
"""

from pathlib import Path

import pytest
from synthetic_interleaved import SyntheticBlock, write_interleaved_run

from fivenines.analysis.performance.interleaved import (
    THROUGHPUT,
    InterleavedResult,
    difference,
    interleaved_results,
)
from fivenines.analysis.statistics.resolution import by_interleaving
from fivenines.analysis.wording import SPEED, clause
from fivenines.results.store import open_run


def result(folder: Path, block: SyntheticBlock) -> InterleavedResult:
    (answer,) = interleaved_results(open_run(write_interleaved_run(folder / "run", block)))
    return answer


def test_planted_ratios_are_found_whatever_the_machine_does(tmp_path: Path) -> None:
    answer = result(tmp_path, SyntheticBlock())
    assert (answer.complete, answer.planned, answer.rounds) == (2, 2, 24)
    assert [side.key.solution for side in answer.ranked] == ["fast", "slow"]
    fast, slow = (side.key for side in answer.ranked)
    ratios = answer.pair(fast, slow).ratios
    for name, expected in ((THROUGHPUT, 1.12), ("mean", 1 / 1.12), ("p95", 1 / 1.12)):
        ratio = ratios[name]
        assert ratio.low is not None and ratio.high is not None
        assert ratio.low < expected < ratio.high
        # windows differ by a third, the interval is a hundred times narrower than that
        assert ratio.high / ratio.low < 1.04
    turned = answer.pair(slow, fast).ratios[THROUGHPUT]
    assert turned.ratio == pytest.approx(1 / ratios[THROUGHPUT].ratio)
    text = clause("slow", difference(ratios[THROUGHPUT]), SPEED)
    assert text.startswith("12 % faster than slow (1")
    with pytest.raises(KeyError, match="not compared in blocks"):
        answer.pair(fast, fast)


def test_quantiles_need_answers_beyond_them_in_every_window(tmp_path: Path) -> None:
    many = result(tmp_path / "many", SyntheticBlock(tps=(3000.0, 2500.0)))
    some = result(tmp_path / "some", SyntheticBlock(tps=(600.0, 500.0)))
    few = result(tmp_path / "few", SyntheticBlock(tps=(60.0, 55.0)))
    names = [set(item.pairs[0].ratios) for item in (many, some, few)]
    assert names[0] == {THROUGHPUT, "mean", "p50", "p95", "p99"}
    assert names[1] == {THROUGHPUT, "mean", "p50", "p95"}
    assert names[2] == {THROUGHPUT, "mean", "p50"}


def test_what_idle_neighbours_use_is_told_apart_from_what_the_loaded_one_does(tmp_path: Path) -> None:
    answer = result(tmp_path, SyntheticBlock(idle_cpu=0.1, after=300.0))
    for side in answer.sides:
        assert side.cpu == pytest.approx((0.8, 0.1))
        assert side.written == pytest.approx((10e6, 1e5))
        assert (side.after, side.late) == (300.0, 24)


def test_broken_blocks_do_not_count_and_three_solutions_make_three_pairs(tmp_path: Path) -> None:
    block = SyntheticBlock(names=("a", "b", "c"), tps=(900.0, 1000.0, 1100.0), blocks=3, broken=1)
    answer = result(tmp_path, block)
    assert (answer.complete, answer.planned, answer.rounds) == (2, 3, 24)
    assert [(p.a.solution, p.b.solution) for p in answer.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [side.key.solution for side in answer.ranked] == ["c", "b", "a"]
    (resolution,) = by_interleaving([answer])
    assert resolution.n == 24 and resolution.unit == "round"
    # such quiet windows tell very small differences
    assert resolution.smallest < 0.03
    assert all(n is not None and n < 24 for n in resolution.needed.values())


def test_a_run_without_blocks_has_no_results(tmp_path: Path) -> None:
    folder = write_interleaved_run(tmp_path / "run", SyntheticBlock(blocks=1, broken=1))
    assert interleaved_results(open_run(folder)) == []
