"""Interleaved blocks of two runs: a planted change of a ratio is found, an equal pair is not; one block tells
nothing.
"""

from pathlib import Path

from synthetic_interleaved import SyntheticBlock, write_interleaved_run

from fivenines.analysis.performance.interleaved_changes import Standing
from fivenines.analysis.versus import Versus, versus
from fivenines.results.store import open_run


def _versus(folder: Path, before: SyntheticBlock, after: SyntheticBlock) -> Versus:
    return versus(
        open_run(write_interleaved_run(folder / "before", before)),
        open_run(write_interleaved_run(folder / "after", after)),
    )


def _tps(versus: Versus) -> Standing:
    (standing,) = [standing for standing in versus.standings if standing.measure.name == "tps"]
    return standing


def test_a_solution_that_fell_behind_its_neighbour_is_told(tmp_path: Path) -> None:
    versus = _versus(
        tmp_path,
        SyntheticBlock(tps=(1100.0, 1000.0), blocks=4, seed=1),
        SyntheticBlock(tps=(900.0, 1000.0), blocks=4, seed=2),
    )
    item = _tps(versus)
    assert item.significant and item.difference.ratio_low is not None
    expected = (900 / 1000) / (1100 / 1000)
    assert item.difference.ratio_low < expected < (item.difference.ratio_high or 0.0)
    assert item.difference.b.mean is not None and abs(item.difference.b.mean - 1.1) < 0.05


def test_the_same_twice_is_not_told_and_the_order_of_names_does_not_matter(tmp_path: Path) -> None:
    versus = _versus(
        tmp_path,
        SyntheticBlock(names=("a", "b"), tps=(1100.0, 1000.0), blocks=4, seed=1),
        SyntheticBlock(names=("b", "a"), tps=(1000.0, 1100.0), blocks=4, seed=2),
    )
    assert not _tps(versus).significant
    assert abs((_tps(versus).difference.ratio or 0.0) - 1) < 0.05


def test_a_change_within_what_runs_differ_by_themselves_is_not_told(tmp_path: Path) -> None:
    versus = _versus(
        tmp_path,
        SyntheticBlock(tps=(1000.0, 1000.0), blocks=8, seed=1),
        SyntheticBlock(tps=(1015.0, 1000.0), blocks=8, seed=2),
    )
    assert not _tps(versus).significant


def test_each_solution_is_compared_by_its_blocks(tmp_path: Path) -> None:
    versus = _versus(
        tmp_path,
        SyntheticBlock(names=("a", "b"), tps=(1000.0, 1000.0), blocks=5, seed=1),
        SyntheticBlock(names=("a", "b"), tps=(300.0, 1000.0), blocks=5, seed=2),
    )
    (a,) = [c for c in versus.changes if c.measure.name == "tps" and c.key.solution == "a"]
    assert a.interleaved and a.worse and (a.difference.a.n, a.difference.b.n) == (5, 5)


def test_one_block_is_shown_and_not_judged(tmp_path: Path) -> None:
    versus = _versus(
        tmp_path, SyntheticBlock(blocks=1, seed=1), SyntheticBlock(tps=(300.0, 900.0), blocks=1, seed=2)
    )
    assert versus.changes and not any(change.significant for change in versus.changes)
    assert versus.standings and not any(standing.significant for standing in versus.standings)
    assert all(standing.difference.ratio for standing in versus.standings)
