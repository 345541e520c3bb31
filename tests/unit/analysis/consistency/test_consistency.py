"""Rows that were taken away or planted must be named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.consistency.consistency import MAX_IDS, Operation, check_nodes, primary_check
from fivenines.results.records import Check, NodeCheck

OUTCOMES = ["ok", "failed", "in_doubt"]
ROLES = {"node1": "replica", "node2": "primary"}


def operations(outcomes: list[str]) -> list[Operation]:
    return [Operation(number, "write", outcome) for number, outcome in enumerate(outcomes, 1)]


def node_of(check: Check, name: str) -> NodeCheck:
    return next(node for node in check.nodes if node.node == name)


def test_a_deleted_acknowledged_row_is_named_on_the_node_that_lost_it() -> None:
    writes = operations(["ok"] * 10)
    check = check_nodes(
        writes, {"node1": [*range(1, 11)], "node2": [1, 2, 3, 5, 6, 8, 9, 10]}, ROLES, "node2"
    )
    assert node_of(check, "node2").lost_ids == [4, 7]
    assert node_of(check, "node1").lost == 0
    judged = primary_check(check)
    assert judged is not None
    assert (judged.node, judged.lost) == ("node2", 2)


@given(
    st.lists(st.sampled_from(OUTCOMES), max_size=60),
    st.sets(st.integers(1, 60)),
    st.lists(st.integers(1, 60), max_size=5),
)
def test_planted_losses_phantoms_and_duplicates(
    outcomes: list[str], present: set[int], twice: list[int]
) -> None:
    writes = operations(outcomes)
    again = [number for number in twice if number in present]
    node = check_nodes(writes, {"n": [*present, *again]}, {}, "n").nodes[0]
    ok = {w.id for w in writes if w.outcome == "ok"}
    failed = {w.id for w in writes if w.outcome == "failed"}
    doubt = {w.id for w in writes if w.outcome == "in_doubt"}
    assert set(node.lost_ids) == ok - present
    assert set(node.phantom_ids) == failed & present
    assert node.in_doubt_applied + node.in_doubt_absent == len(doubt)
    assert node.in_doubt_applied == len(doubt & present)
    assert node.duplicate == len(again)
    assert node.present == len(present) + len(again)


def test_counts_of_outcomes() -> None:
    check = check_nodes(operations(["ok", "ok", "failed", "in_doubt"]), {}, ROLES, "node2")
    assert (check.acknowledged, check.failed, check.in_doubt) == (2, 1, 1)
    assert check.nodes == []


def test_reads_are_ignored() -> None:
    reads = [Operation(1, "read", "ok"), Operation(2, "read", "failed")]
    check = check_nodes(reads, {"n": []}, {}, "n")
    assert (check.acknowledged, check.nodes[0].lost) == (0, 0)


def test_a_retried_id_counts_with_its_best_outcome() -> None:
    tries = [Operation(1, "write", "in_doubt"), Operation(1, "write", "ok"), Operation(1, "write", "failed")]
    check = check_nodes(tries, {"n": []}, {}, "n")
    assert (check.acknowledged, check.in_doubt, check.failed) == (1, 0, 0)
    assert check.nodes[0].lost_ids == [1]


def test_a_node_that_cannot_be_read_says_so_and_judges_nothing() -> None:
    check = check_nodes(operations(["ok"]), {"node1": None}, ROLES, "node1")
    node = check.nodes[0]
    assert (node.reachable, node.detail, node.lost) == (False, "could not be read", 0)
    assert primary_check(check) is None


def test_rows_that_the_ledger_never_wrote_are_mentioned() -> None:
    node = check_nodes(operations(["ok"]), {"n": [1, 99]}, {}, "n").nodes[0]
    assert node.detail == "1 rows that the ledger never wrote"


def test_only_so_many_ids_are_kept() -> None:
    node = check_nodes(operations(["ok"] * (MAX_IDS + 5)), {"n": []}, {}, "n").nodes[0]
    assert (node.lost, len(node.lost_ids)) == (MAX_IDS + 5, MAX_IDS)


def test_an_unknown_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="operation 7: unknown outcome 'maybe'"):
        check_nodes([Operation(7, "write", "maybe")], {}, {}, "")


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from(OUTCOMES)), max_size=40),
    st.sets(st.integers(1, 40)),
)
def test_rows_out_of_their_clients_order(writes: list[tuple[int, str]], present: set[int]) -> None:
    tried = [Operation(n, "write", outcome, c) for n, (c, outcome) in enumerate(writes, 1)]
    node = check_nodes(tried, {"n": sorted(present)}, {}, "n").nodes[0]
    expected = [
        late.id
        for late in tried
        if late.id in present
        and any(
            early.client == late.client
            and early.id < late.id
            and early.outcome == "ok"
            and early.id not in present
            for early in tried
        )
    ]
    assert (node.disordered, node.disordered_ids) == (len(expected), expected)


def test_a_node_that_is_only_behind_keeps_the_order() -> None:
    writes = [Operation(n, "write", "ok", n % 2) for n in range(1, 11)]
    node = check_nodes(writes, {"n": [1, 2, 3, 4, 6]}, {}, "n").nodes[0]
    assert (node.lost, node.disordered_ids) == (5, [])
    torn = check_nodes(writes, {"n": [1, 2, 4, 7]}, {}, "n").nodes[0]
    assert torn.disordered_ids == [7]
