"""A verdict on isolation is that of today's rules, whatever was stored as the verdict of its day."""

from pathlib import Path

import duckdb
import pytest
from histories import history

from fivenines.analysis.consistency.isolation import check
from fivenines.results.layout import CLIENTS
from fivenines.results.records import CellKey, Isolation, TrialRecord
from fivenines.results.store import StoredTrial, table_path

CELL = CellKey(solution="s", workload="bank", connections=1, network="lan", fault="none")


def _trial(folder: Path, *stored: Isolation, wrong: bool = True, whole: bool = True) -> StoredTrial:
    """Return two audits of a bank of two accounts; the second one misses five where it is wrong."""
    folder.mkdir()
    balances = [(1, 10, 10), (2, 5 if wrong else 10, 10)]
    rows: list[tuple[object, ...]] = [
        (txn, 0, "bank", txn, txn + 1, "ok", 0, "read", key, value, None)
        for txn, *values in balances
        for key, value in enumerate(values)
    ]
    with duckdb.connect() as connection:
        history(connection, rows)
        connection.execute(f"COPY history TO '{table_path(folder, 'history')}' (FORMAT parquet)")
    if not whole:
        table_path(folder, "history").write_bytes(b"PAR1")
    record = TrialRecord(
        id=folder.name,
        cell=CELL,
        number=1,
        seed=1,
        status="complete",
        started="",
        seconds=1.0,
        isolation=list(stored),
    )
    return StoredTrial(folder, record)


def test_the_verdict_of_an_older_rule_is_made_anew(tmp_path: Path) -> None:
    stored = Isolation(source="bank", transactions=2)
    (again,) = check.rejudged([_trial(tmp_path / "0001", stored)])
    (verdict,) = again.record.isolation
    assert (verdict.source, verdict.counts) == ("bank", {"wrong-end-sum": 1})
    assert verdict.rules == check.RULES


def test_the_verdict_of_todays_rules_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = Isolation(source="bank", transactions=2, rules=check.RULES)
    trial = _trial(tmp_path / "0001", stored)
    monkeypatch.setattr(check, "judge", lambda _folder: pytest.fail("the history was read again"))
    assert check.rejudged([trial]) == [trial]


def test_what_cannot_be_judged_again_keeps_its_verdict(tmp_path: Path) -> None:
    stored = Isolation(source="bank", transactions=2, counts={"wrong-sum": 7})
    damaged = _trial(tmp_path / "0001", stored, whole=False)
    gone = _trial(tmp_path / "0002", stored)
    table_path(gone.folder, "history").unlink()
    assert check.rejudged([damaged, gone]) == [damaged, gone]


def test_what_the_trial_stores_names_its_rules(tmp_path: Path) -> None:
    (verdict,) = check.judge(_trial(tmp_path / "0001", wrong=False).folder)
    assert (verdict.counts, verdict.rules) == ({}, check.RULES)


def test_the_order_of_time_is_judged_unless_clients_have_different_clocks(tmp_path: Path) -> None:
    rows: list[tuple[object, ...]] = [
        (1, 0, "registers", 0, 1, "ok", 0, "write", 1, 7, None),
        (2, 1, "registers", 5, 6, "ok", 0, "read", 1, None, None),
        (3, 0, "lists", 0, 1, "ok", 0, "append", 1, 7, None),
        (4, 1, "lists", 5, 6, "ok", 0, "read", 1, None, None),
    ]
    with duckdb.connect() as connection:
        history(connection, rows)
        connection.execute(f"COPY history TO '{table_path(tmp_path, 'history')}' (FORMAT parquet)")

    def late(separate_clocks: bool) -> dict[str, bool | None]:
        judged = check.judge(tmp_path, separate_clocks)
        return {one.source: None if one.in_time is None else bool(one.in_time) for one in judged}

    assert late(True) == {"lists": True, "registers": True}, "of one client"
    (tmp_path / CLIENTS).mkdir()
    assert late(False) == {"lists": True, "registers": True}, "of several on one machine"
    assert late(True) == {"lists": None, "registers": None}
