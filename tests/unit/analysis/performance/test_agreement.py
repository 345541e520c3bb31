"""Agreement of two programs: planted agreement, disagreement, and inconclusive data."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import QUICKSTART, write_run
from two_programs import two_programs

from fivenines.analysis.cells import analyse
from fivenines.analysis.comparisons import METRICS
from fivenines.analysis.performance.agreement import Agreement, agreements, programs_of, tools
from fivenines.analysis.statistics.means import compare, summarise
from fivenines.results import store
from fivenines.results.records import CellKey

SPEED = METRICS[0]
KEY = CellKey(solution="a", workload="w", connections=1, network="lan", fault="none")


def verdict(*sides: tuple[list[float], list[float]]) -> Agreement:
    by = {f"program {number}": compare(summarise(a), summarise(b)) for number, (a, b) in enumerate(sides)}
    return Agreement(SPEED, KEY, KEY.model_copy(update={"solution": "b"}), by)


FAST, SLOW = [110.0, 111.0, 112.0], [100.0, 101.0, 102.0]
WIDE = [80.0, 100.0, 125.0]


def test_same_direction_told_by_both_is_agreement() -> None:
    assert verdict((FAST, SLOW), (FAST, SLOW)).verdict == "agree"
    assert verdict((SLOW, FAST), (SLOW, FAST)).verdict == "agree"
    assert not verdict((FAST, SLOW), (FAST, SLOW)).sizes_differ


def test_other_directions_told_by_both_are_disagreement() -> None:
    result = verdict((FAST, SLOW), (SLOW, FAST))
    assert result.verdict == "disagree"
    assert result.telling == ["program 0", "program 1"]


def test_one_program_that_tells_nothing_leaves_it_open() -> None:
    assert verdict((FAST, SLOW), (WIDE, SLOW)).verdict == "open"
    assert verdict((FAST, SLOW), (WIDE, SLOW)).telling == ["program 0"]
    assert verdict((WIDE, SLOW), (SLOW, WIDE)).telling == []
    assert verdict((FAST, SLOW), ([110.0], [100.0])).verdict == "open"


def test_few_equal_values_are_rounded_and_tell_nothing() -> None:
    assert verdict((FAST, SLOW), ([110.0] * 3, [100.0] * 3)).verdict == "open"
    assert verdict((FAST, SLOW), ([110.0] * 5, [100.0] * 5)).verdict == "agree"


def test_agreement_on_the_direction_is_none_on_the_size() -> None:
    result = verdict((FAST, SLOW), ([310.0, 311.0, 312.0], SLOW))
    assert result.verdict == "agree" and result.sizes_differ


@given(
    st.lists(st.tuples(*[st.lists(st.floats(1, 1e6), min_size=2, max_size=6)] * 2), min_size=2, max_size=3)
)
def test_the_order_of_solutions_and_programs_does_not_matter(
    sides: list[tuple[list[float], list[float]]],
) -> None:
    result = verdict(*sides)
    assert verdict(*((b, a) for a, b in sides)).verdict == result.verdict
    assert verdict(*reversed(sides)).verdict == result.verdict
    assert (result.verdict == "open") == (len(result.telling) < len(sides))


@pytest.mark.parametrize(
    ("sysbench", "expected"), [({"a": 1800.0, "b": 900.0}, "agree"), ({"a": 700.0, "b": 1400.0}, "disagree")]
)
def test_a_planted_disagreement_is_found(tmp_path: Path, sysbench: dict[str, float], expected: str) -> None:
    run = two_programs(tmp_path / "run", {"fivenines": {"a": 1600.0, "b": 800.0}, "sysbench": sysbench})
    result = {agreement.metric.name: agreement for agreement in agreements(run, analyse(run))}
    assert result["throughput"].verdict == expected
    assert result["throughput"].a.workload == "oltp_read_write"
    assert list(result["throughput"].by) == ["fivenines", "sysbench"]
    cells = {(tool.key.solution, tool.metric.name): tool for tool in tools(run, analyse(run))}
    ratio = cells["a", "throughput"].difference.ratio
    assert ratio == pytest.approx(sysbench["a"] / 1600, rel=0.1)
    assert cells["a", "throughput"].program == "sysbench"
    assert cells["a", "throughput"].reference == "fivenines"


def test_a_solution_that_one_program_did_not_measure_is_no_pair(tmp_path: Path) -> None:
    speeds = {"fivenines": {"a": 1600.0, "b": 800.0}, "sysbench": {"a": 1600.0, "b": 800.0}}
    run = two_programs(tmp_path / "run", speeds)
    cells = analyse(run)
    lacking = [
        replace(cell, complete=0) if "sysbench" in cell.key.workload and cell.key.solution == "b" else cell
        for cell in cells
    ]
    assert agreements(run, cells) and not agreements(run, lacking)
    assert {tool.key.solution for tool in tools(run, lacking)} == {"a"}


def test_a_run_of_one_program_has_none(tmp_path: Path) -> None:
    run = store.open_run(write_run(tmp_path / "run", QUICKSTART))
    assert not agreements(run, analyse(run)) and not tools(run, analyse(run))
    assert all(program == "fivenines" for _, program in programs_of(run).values())
