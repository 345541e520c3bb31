"""The summary of a load: what is there is read, what is absent or damaged is left out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import FiveninesError
from fivenines.results.load_parts import ClientBounds, ErrorEntry
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import CellKey, ClientRecord, TrialRecord

WHOLE: dict[str, Any] = {
    "format": 2,
    "duration_s": 4.5,
    "queries": 60,
    "transactions": {"ok": 5, "failed": 1, "in_doubt": 0},
}
KEYS = (
    *("types", "schedule", "steps", "connects", "errors", "client", "bounds", "rows", "work", "search"),
    *("windows", "statements", "script_counters", "transactions", "duration_s", "started_unix_ns"),
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(KEYS), json_values))
def test_any_stored_document_is_read_and_kept(document: dict[str, Any]) -> None:
    assert LoadSummary.of(document).document == document


def test_absent_parts_have_their_defaults() -> None:
    load = LoadSummary.of({"format": 1, "transactions": {"ok": 5}})
    assert (load.transactions.ok, load.transactions.failed) == (5, 0)
    assert (load.types, load.steps, load.windows, load.errors) == (None, (), (), ())
    assert {load.schedule, load.connects, load.work, load.client, load.search} == {None}
    assert (load.bounds, load.program, load.foreign) == (ClientBounds(), "fivenines", False)


def test_keys_of_later_versions_are_ignored() -> None:
    load = LoadSummary.of({"types": [{"name": "a", "ok": 3, "mood": "good"}, {"ok": 1}]})
    assert load.types is not None
    assert [(counts.name, counts.ok, counts.retries) for counts in load.types] == [("a", 3, 0)]


@pytest.mark.parametrize(("kind", "is_open"), [("closed", False), ("open", True), ("search", True)])
def test_only_a_closed_loop_waits(kind: str, is_open: bool) -> None:
    schedule = LoadSummary.of({"schedule": {"kind": kind, "rate": None, "lag_p99_us": 12}}).schedule
    assert schedule is not None and schedule.open is is_open
    assert schedule.lag_p99_us == 12


def test_a_load_stops_at_its_end_unless_it_says_when() -> None:
    assert LoadSummary.of({"duration_s": 15.2}).stopped_s == 15.2
    assert LoadSummary.of({"duration_s": 15.2, "stopped_s": 14.6}).stopped_s == 14.6


def test_failures_without_a_count_are_left_out() -> None:
    errors = [{"class": "deadlock", "code": 1213, "count": 2, "first_ms": 7}, {"class": "x"}, "rubbish"]
    assert LoadSummary.of({"errors": errors}).errors == (
        ErrorEntry("load", "deadlock", "1213", "", 2, 7.0, None),
    )


def test_a_summary_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "load.json"
    file.write_text(json.dumps(WHOLE))
    assert LoadSummary.read(file) == LoadSummary.of(WHOLE)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"duration_s": "4"}, "duration_s"),
        ({"queries": None}, "queries"),
        ({"transactions": {"ok": 5, "failed": 1}}, "transactions.in_doubt"),
        ({"transactions": 5}, "transactions.ok"),
    ],
)
def test_a_missing_number_is_named_with_its_file(tmp_path: Path, change: dict[str, Any], key: str) -> None:
    file = tmp_path / "load.json"
    file.write_text(json.dumps(WHOLE | change))
    with pytest.raises(FiveninesError, match=f"^{re.escape(str(file))} has no number '{re.escape(key)}'"):
        LoadSummary.read(file)


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("windows", [{"from_s": 1.0}]),
        ("steps", [{"from_s": 0.0, "to_s": 1.0}, {"from_s": "later"}]),
        ("types", [{"ok": 3}]),
        ("schedule", {"rate": 5}),
        ("client", [1]),
    ],
)
def test_a_part_that_cannot_be_read_is_named_and_not_left_out(tmp_path: Path, key: str, part: Any) -> None:
    file = tmp_path / "load.json"
    file.write_text(json.dumps({**WHOLE, "client": {}, "search": None, key: part}))
    with pytest.raises(FiveninesError, match=re.escape(f"{file} has a part {key!r} that cannot be read")):
        LoadSummary.read(file)


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_a_file_without_a_result_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "load.json"
    file.write_text(text)
    with pytest.raises(FiveninesError, match=f"^{re.escape(str(file))} has no result of a load: "):
        LoadSummary.read(file)
    with pytest.raises(FiveninesError, match="has no result of a load: "):
        LoadSummary.read(tmp_path / "absent.json")


def test_a_record_stores_the_document_as_it_was_written() -> None:
    document = {"unread": [1, {"z": None}], **WHOLE}
    record = ClientRecord(name="ann", site="", connections=1, load=LoadSummary.of(document))
    assert list(record.model_dump()["load"].items()) == list(document.items())
    assert ClientRecord.model_validate_json(record.model_dump_json()) == record
    cell = CellKey(solution="a", workload="b", connections=1, network="lan", fault="none")
    broken = TrialRecord(
        id="0001", cell=cell, number=1, seed=1, status="broken", started="2026-01-01", seconds=1.0
    )
    assert broken.model_dump()["load"] == {}
