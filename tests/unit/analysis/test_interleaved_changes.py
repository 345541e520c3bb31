"""Interleaved blocks of two runs: a planted change of a ratio is found, an equal pair is not; one block tells nothing."""

from pathlib import Path

from synthetic_interleaved import SyntheticBlock, write_interleaved_run

from fivenines.analysis.interleaved_changes import Standing
from fivenines.analysis.versus import Versus, versus
from fivenines.results.store import open_run


def _versus(folder: Path, before: SyntheticBlock, after: SyntheticBlock) -> Versus:
    return versus(
        open_run(write_interleaved_run(folder / "before", before)),
        open_run(write_interleaved_run(folder / "after", after)),
    )


def _tps(found: Versus) -> Standing:
    (one,) = [one for one in found.standings if one.measure.name == "tps"]
    return one


def test_a_solution_that_fell_behind_its_neighbour_is_told(tmp_path: Path) -> None:
    found = _versus(
        tmp_path,
        SyntheticBlock(tps=(1100.0, 1000.0), blocks=4, seed=1),
        SyntheticBlock(tps=(900.0, 1000.0), blocks=4, seed=2),
    )
    one = _tps(found)
    assert one.told and one.difference.ratio_low is not None
    expected = (900 / 1000) / (1100 / 1000)
    assert one.difference.ratio_low < expected < (one.difference.ratio_high or 0.0)
    assert one.difference.b.mean is not None and abs(one.difference.b.mean - 1.1) < 0.05


def test_the_same_twice_is_not_told_and_the_order_of_names_does_not_matter(tmp_path: Path) -> None:
    found = _versus(
        tmp_path,
        SyntheticBlock(names=("a", "b"), tps=(1100.0, 1000.0), blocks=4, seed=1),
        SyntheticBlock(names=("b", "a"), tps=(1000.0, 1100.0), blocks=4, seed=2),
    )
    assert not _tps(found).told
    assert abs((_tps(found).difference.ratio or 0.0) - 1) < 0.05


def test_a_change_within_what_runs_differ_by_themselves_is_not_told(tmp_path: Path) -> None:
    found = _versus(
        tmp_path,
        SyntheticBlock(tps=(1000.0, 1000.0), blocks=8, seed=1),
        SyntheticBlock(tps=(1015.0, 1000.0), blocks=8, seed=2),
    )
    assert not _tps(found).told


def test_each_solution_is_compared_by_its_blocks(tmp_path: Path) -> None:
    found = _versus(
        tmp_path,
        SyntheticBlock(names=("a", "b"), tps=(1000.0, 1000.0), blocks=5, seed=1),
        SyntheticBlock(names=("a", "b"), tps=(300.0, 1000.0), blocks=5, seed=2),
    )
    (a,) = [c for c in found.changes if c.measure.name == "tps" and c.key.solution == "a"]
    assert a.interleaved and a.worse and (a.difference.a.n, a.difference.b.n) == (5, 5)


def test_one_block_is_shown_and_not_judged(tmp_path: Path) -> None:
    found = _versus(
        tmp_path, SyntheticBlock(blocks=1, seed=1), SyntheticBlock(tps=(300.0, 900.0), blocks=1, seed=2)
    )
    assert found.changes and not any(one.told for one in found.changes)
    assert found.standings and not any(one.told for one in found.standings)
    assert all(one.difference.ratio for one in found.standings)
