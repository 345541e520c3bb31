"""What clients saw, from files that are still written: outages, and rows that are planted as lost."""

from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.trial.manual.seen import (
    LEDGER,
    TIMELINE,
    Faults,
    Seen,
    in_doubt_since,
    judged,
    rows_lost,
    since,
)

TIMELINE_HEAD = (
    "slot_ms,source,reads_ok,reads_failed,writes_ok,writes_failed,writes_in_doubt,transactions_ok,"
    "queries_ok,connects_failed,connects_ok,timeouts"
)
LEDGER_HEAD = "id,client,kind,endpoint,started_us,completed_us,outcome,error_class,seen"


def slots(*spans: tuple[int, int]) -> "array[int]":
    """A write in each slot of these spans of ms."""
    return array("q", [slot for low, high in spans for slot in range(low, high, 10)])


def test_an_outage_is_reported_with_the_moment_of_its_end() -> None:
    found = since(slots((0, 20_000), (21_300, 30_000)), 20_005.0, 30_000.0)
    assert found.noticed and found.back and found.times == 1
    assert found.outage == pytest.approx(1.31, abs=0.011)
    assert found.returned == pytest.approx(1.295, abs=0.011)
    assert found.calm == pytest.approx(8.7, abs=0.011)


def test_writes_that_go_on_are_no_outage() -> None:
    found = since(slots((0, 30_000)), 20_000.0, 30_000.0)
    assert (found.noticed, found.back, found.returned) == (False, True, None)
    assert found.outage <= 0.02 and found.calm == pytest.approx(10.0)


def test_while_nothing_succeeds_writes_are_not_back() -> None:
    found = since(slots((0, 20_000)), 20_000.0, 25_000.0)
    assert found.noticed and not found.back and found.returned is None
    assert found.outage == pytest.approx(5.0, abs=0.011) and found.calm == 0


def test_two_outages_are_counted_and_the_last_one_ends_them() -> None:
    found = since(slots((0, 20_000), (21_000, 25_000), (27_000, 40_000)), 20_000.0, 40_000.0)
    assert (found.times, found.back) == (2, True)
    assert found.outage == pytest.approx(2.0, abs=0.011)
    assert found.returned == pytest.approx(7.0, abs=0.011)


def test_an_earlier_break_is_not_the_ordinary_course() -> None:
    writes = slots((0, 20_000), (26_000, 40_000), (46_000, 60_000))
    faults = Faults()
    for moment in (20_000.0, 40_000.0):
        faults.note(moment)
    assert faults.calm_before(20_000.0, writes) == 0
    calm = faults.calm_before(40_000.0, writes)
    assert calm == pytest.approx(26_000, abs=20)
    # the six seconds of the first one would have hidden those of the second
    assert not since(writes, 40_000.0, 60_000.0).noticed
    found = since(writes, 40_000.0, 60_000.0, calm)
    assert found.noticed and found.outage == pytest.approx(6.0, abs=0.02)


def test_a_break_before_the_one_before_is_over_has_no_result() -> None:
    writes = slots((0, 20_000), (26_000, 30_000))
    faults = Faults()
    faults.note(20_000.0)
    calm = faults.calm_before(22_000.0, writes)
    assert "not recovered from the previous fault" in since(writes, 22_000.0, 30_000.0, calm).unknown


def test_what_has_no_result_is_reported() -> None:
    assert "just started" in since(slots((0, 5000)), 500.0, 5000.0).unknown
    assert "no write succeeded before" in since(slots((0, 1000)), 70_000.0, 80_000.0).unknown
    assert since(slots((0, 5000)), 5000.0, 4000.0).observed == 0


def test_files_are_read_as_they_grow(tmp_path: Path) -> None:
    line, ledger = tmp_path / TIMELINE, tmp_path / LEDGER
    seen = Seen(tmp_path)
    seen.read()
    assert not seen.writes, "the load has not written yet"
    line.write_text(f"{TIMELINE_HEAD}\n0,load,5,0,2,0,0,1,7,0,0,0\n0,ledger,0,0,1,0,0,0,0,0,0,0\n10,lo")
    ledger.write_text(
        f"{LEDGER_HEAD}\n1,0,write,a:1,0,900,ok,,\n2,1,write,a:1,0,950,ok,,\n,1,read,a:1,0,9,ok,,1,2\n"
    )
    seen.read()
    assert (list(seen.writes), list(seen.acknowledged)) == ([0], [1, 2])
    with line.open("a") as more:
        more.write("ad,3,0,0,0,0,1,7,0,0,0\n20,load,0,0,1,0,0,1,7,0,0,0\n")
    with ledger.open("a") as more:
        more.write("3,0,write,a:1,0,15000,in_doubt,gone,\n4,0,write,a:1,0,16000,failed,gone,\n")
    seen.read()
    assert list(seen.writes) == [0, 20], "a slot without a write is none"
    assert (list(seen.acknowledged), seen.in_doubt) == ([1, 2], [(15_000, 3)])


def test_a_lost_row_is_found(tmp_path: Path) -> None:
    seen = Seen(tmp_path)
    seen.acknowledged.extend([1, 2, 3, 4])
    seen.in_doubt += [(1_000, 8), (50_000, 9)]
    assert rows_lost(seen.acknowledged, [1, 2, 4, 9]) == {3}
    assert rows_lost(seen.acknowledged, [1, 2, 3, 4]) == set()
    assert in_doubt_since(seen, 40.0) == 1, "only since the break"


def test_what_another_break_lost_is_not_charged_to_this_one() -> None:
    rows = judged((100, 0), "node2", {3, 4, 5}, {3, 4})
    assert (rows.acknowledged, rows.lost, rows.before, rows.node) == (100, 1, 2, "node2")
    assert judged((100, 0), "node2", {3, 4}, {3, 4}).lost == 0


@given(st.sets(st.integers(0, 1000)), st.sets(st.integers(0, 1000)))
def test_as_many_are_lost_as_are_not_there(acknowledged: set[int], present: set[int]) -> None:
    assert rows_lost(acknowledged, present) == {one for one in acknowledged if one not in present}
