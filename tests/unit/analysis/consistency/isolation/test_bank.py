"""The bank's audits: every wrong sum is found, with its balances; a sound bank shows nothing."""

import random

import duckdb
import pytest
from histories import history
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.consistency.isolation.bank import check_bank
from fivenines.results.records import Isolation

CONNECTION = duckdb.connect(config={"threads": 1})
Row = tuple[object, ...]


def step(txn: int, at: int, kind: str, key: int, value: int, outcome: str = "ok") -> Row:
    return (txn, 0, "bank", at, at + 1, outcome, 0, kind, key, value, None)


def audit(txn: int, at: int, *balances: int, outcome: str = "ok") -> list[Row]:
    return [step(txn, at, "read", key, value, outcome) for key, value in enumerate(balances)]


def transfer(txn: int, at: int, source: int, target: int, amount: int) -> list[Row]:
    return [step(txn, at, "add", source, -amount), step(txn, at, "add", target, amount)]


def judged(rows: list[Row], overdraft: bool = False) -> Isolation | None:
    history(CONNECTION, rows)
    return check_bank(CONNECTION, overdraft)


@given(st.integers(0, 10_000))
def test_a_sound_bank_has_no_anomaly(seed: int) -> None:
    rng = random.Random(seed)
    balances, rows = [100] * 4, audit(1, 0, 100, 100, 100, 100)
    for number in range(2, 40):
        source, target = rng.sample(range(4), 2)
        amount = rng.randint(0, balances[source])
        if rng.random() < 0.6:
            balances[source] -= amount
            balances[target] += amount
            rows += transfer(number, number * 10, source, target, amount)
        else:
            rows += audit(number, number * 10, *balances)
    result = judged(rows)
    assert result is not None and result.counts == {}


def test_an_audit_that_saw_half_a_transfer_is_named_with_its_balances() -> None:
    rows = audit(1, 0, 10, 10) + audit(2, 15, 5, 10) + transfer(3, 20, 0, 1, 5) + audit(4, 30, 5, 15)
    result = judged(rows)
    assert result is not None and result.counts == {"wrong-sum": 1}
    assert result.examples[0].transactions == [2]
    assert result.examples[0].explanation == (
        "Audit T2 found 15 in all instead of 20. Balances: 0: 5, 1: 10."
    )


def test_a_lost_update_stays_in_the_end_sum() -> None:
    rows = audit(1, 0, 10, 10) + transfer(2, 10, 0, 1, 5) + transfer(3, 10, 0, 1, 3)
    result = judged(rows + audit(4, 30, 7, 18))
    assert result is not None and result.counts == {"wrong-end-sum": 1}


@pytest.mark.parametrize(("overdraft", "counts"), [(False, {"negative-balance": 1}), (True, {})])
def test_balances_below_zero(overdraft: bool, counts: dict[str, int]) -> None:
    result = judged(audit(1, 0, 10, 10) + audit(2, 5, -5, 25), overdraft)
    assert result is not None and result.counts == counts
    if counts:
        assert "0: -5" in result.examples[0].explanation


def test_what_is_no_whole_audit_is_not_judged() -> None:
    rows = audit(1, 0, 10, 10) + audit(2, 5, 99) + audit(3, 6, 9, 9, outcome="failed")
    result = judged(rows)
    assert result is not None and result.counts == {} and result.note.startswith("Audits: 1;")


def test_without_audits_and_without_a_bank() -> None:
    result = judged(transfer(1, 0, 0, 1, 5))
    assert result is not None and result.note == "No audit was recorded."
    assert judged([]) is None
