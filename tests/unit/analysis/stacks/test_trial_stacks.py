"""Figures of the client stacks of a trial and of a cell, from planted attempts, rows and connections."""

from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run
from synthetic_stacks import Planted, add_stacks

from fivenines.analysis.cells import analyse
from fivenines.analysis.stacks.cell import StackResult, slowest, stacks_of
from fivenines.analysis.stacks.figures import Gap
from fivenines.analysis.stacks.pools import PoolFigures
from fivenines.analysis.stacks.trial import Held, StackMeasures, measured
from fivenines.results.store import open_run


def planted(folder: Path, *stacks: Planted, faults: tuple[str, ...] = ("kill",)) -> Path:
    run = write_run(folder, Matrix([Recipe("alpha")], faults=list(faults), trials=2))
    add_stacks(run, stacks)
    return run


def first(run: Path) -> dict[str, StackMeasures]:
    return {one.name: one for one in measured(open_run(run).complete)[0].stacks}


def results(run: Path) -> dict[str, StackResult]:
    (cell,) = analyse(open_run(run))
    return {one.name: one for one in stacks_of(cell)}


def test_gaps_begin_at_the_fault(tmp_path: Path) -> None:
    found = first(planted(tmp_path / "run", Planted("a", (2.0, 4.0)), Planted("b", (0.0, 0.0))))
    away, calm = found["a"], found["b"]
    assert away.figures.gap.length == pytest.approx(2000, abs=101) and not away.figures.gap.open
    assert max(worker.length for worker in away.figures.workers) == pytest.approx(4000, abs=101)
    assert away.figures.back == 2 and away.figures.failed > 0
    assert calm.figures.gap.length <= 101 and away.before == pytest.approx(100, abs=1)
    # the picture: it commits until the fault, its attempts fail, it commits again
    assert [start <= 0 for start, _ in away.writing] == [True, False]
    assert away.failing[0][0] > 0 and calm.failing == ()


def test_what_does_not_come_back_is_a_lower_bound(tmp_path: Path) -> None:
    run = planted(tmp_path / "run", Planted("gone", (None, None), kept=2), Planted("half", (1.0, None)))
    gone, half = results(run)["gone"], results(run)["half"]
    assert (gone.gap.bounds, gone.never, gone.stuck) == (2, 2, 2)
    assert gone.held == 2 and gone.held_ms.bounds == 2
    # the program as a whole came back, and one of its workers did not
    assert (half.gap.bounds, half.never, half.stuck) == (0, 0, 2)
    assert half.last_worker.bounds == 2 and half.held == 0
    assert half.held_ms.mean == pytest.approx(250, abs=1) and half.held_ms.bounds == 0


def test_connections_that_are_gone_at_the_fault_were_not_kept(tmp_path: Path) -> None:
    # A look just before the fault no longer found them, or there were none.
    run = planted(tmp_path / "run", Planted("early", let_go_ms=-1.0), Planted("elsewhere", elsewhere=True))
    for name, one in first(run).items():
        assert one.held == Held(0, 0.0, open=False), name


def test_a_last_pause_is_no_outage_that_had_not_ended(tmp_path: Path) -> None:
    # Its workers stop 130 ms before the end: the longest of its gaps, and an ordinary one.
    run = planted(tmp_path / "run", Planted("a", (0.0, 0.0), quiet_ms=130.0))
    assert first(run)["a"].figures.gap.open
    found = results(run)["a"]
    assert (found.gap.bounds, found.last_worker.bounds, found.stuck) == (0, 0, 0)


def test_what_a_pool_counts_is_of_the_time_after_the_fault(tmp_path: Path) -> None:
    samples = [(-0.5, 0, 2, 2), (0.5, 2, 1, 3), (1.5, 0, 4, 7)]
    run = planted(
        tmp_path / "run",
        Planted("a", pool=samples),
        Planted("b", pool=[(0.5, 1, None, None)]),
        Planted("c", pool=[(-0.5, 3, 9, 9)]),
        Planted("d"),
    )
    assert first(run)["a"].pool == PoolFigures(waiting=2, least=1, most=4, created=5)
    found = results(run)
    assert (found["a"].waiting, found["a"].open, found["a"].opened.mean) == (2, (1, 4), 5.0)
    # a pool that does not count, one that was not sampled after the fault, and a program without counters
    assert [(found[name].waiting, found[name].open, found[name].opened.n) for name in "bcd"] == [
        (1, None, 0),
        (None, None, 0),
        (None, None, 0),
    ]


def test_the_slowest_worker_is_one_of_silence() -> None:
    pause, outage, silence = Gap(0, 130, open=True), Gap(0, 5000), Gap(0, 4000, open=True)
    assert slowest([pause, outage]) == outage and slowest([outage, silence]) == silence


def test_rows_are_counted_only_where_they_were_read(tmp_path: Path) -> None:
    run = planted(
        tmp_path / "run", Planted("a", twice=2, lost=1), Planted("b", lost=3, unread="server is away")
    )
    found = results(run)
    assert (found["a"].twice, found["a"].by_driver, found["a"].lost, found["a"].read) == (4, 4, 2, 2)
    assert (found["b"].read, found["b"].lost) == (0, 0)


def test_a_program_that_died_is_away_to_the_end(tmp_path: Path) -> None:
    run = planted(tmp_path / "run", Planted("a", died=0.5))
    assert first(run)["a"].died == pytest.approx(500)
    found = results(run)["a"]
    assert (found.died, found.never, found.gap.bounds) == (2, 2, 2)


def test_without_a_fault_the_steady_window_counts(tmp_path: Path) -> None:
    run = planted(tmp_path / "run", Planted("a", (0.0, 0.0)), faults=("none",))
    one = first(run)["a"]
    assert one.figures.gap.length <= 101 and one.held is None and one.figures.back == 2


def test_trials_without_stacks_have_none(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("alpha")], trials=1))
    assert measured(open_run(run).complete)[0].stacks == ()
