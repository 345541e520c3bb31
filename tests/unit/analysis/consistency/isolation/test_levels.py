"""The strongest level that a history does not contradict."""

import pytest
from histories import judged, txn

from fivenines.analysis.consistency.isolation.levels import excluders, strongest
from fivenines.analysis.consistency.isolation.lists import SEVERITY

LEVELS = [
    ([], [], "strict serializable"),
    ([], ["G2-item-realtime"], "strong session serializable"),
    ([], ["G-single-realtime"], "strong session serializable"),
    ([], ["G-single-process"], "serializable"),
    ([], None, "serializable"),
    (["G2-item"], [], "strong snapshot isolation"),
    # Snapshot isolation permits it, in time, too.
    (["G2-item"], ["G2-item-realtime", "G2-item-process"], "strong snapshot isolation"),
    (["G2-item"], ["G-single-realtime"], "strong session snapshot isolation"),
    (["G2-item"], ["G-single-process", "G-single-realtime"], "snapshot isolation"),
    (["G2-item"], None, "snapshot isolation"),
    (["G-nonadjacent", "G2-item"], [], "read committed"),
    (["lost-update"], None, "read committed"),
    (["G1a"], [], "below read committed"),
    (["G0", "G2-item"], [], "below read committed"),
    # It is lost, or a read is stale: neither is a matter of isolation.
    (["lost-append"], ["G-single-realtime"], "strong session serializable"),
]


@pytest.mark.parametrize(("counts", "in_time", "level"), LEVELS)
def test_the_strongest_level(counts: list[str], in_time: list[str] | None, level: str) -> None:
    late = None if in_time is None else dict.fromkeys(in_time, 1)
    assert strongest(dict.fromkeys(counts, 1), late) == level


def test_no_order_in_time_is_claimed_if_cycles_were_not_searched() -> None:
    assert strongest({}, {}, complete=False) == "serializable"
    assert strongest({"G2-item": 1}, {"G-single-realtime": 1}, complete=False) == "snapshot isolation"


def test_every_kind_without_time_excludes_a_level() -> None:
    kinds = {kind for kind in SEVERITY if not kind.endswith(("-process", "-realtime"))}
    assert {kind for kind in kinds if excluders({kind: 1})} == kinds - {"lost-append"}


def test_the_worst_kinds_exclude() -> None:
    assert excluders({"G2-item": 3, "G-single": 1, "lost-update": 1}) == ["G-single", "lost-update"]


def test_a_history_is_given_its_level() -> None:
    skew = judged(txn(1, "rxay1"), txn(2, "ryax1"), txn(3, "rx1ry1", started=2, completed=3))
    assert strongest(skew.counts, skew.in_time) == "strong snapshot isolation"
