"""The ledger, the node watch, and the bank and the lists next to the load, on real servers."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lab_support import HEAD, OPERATOR, PATIENCE, Outcome, kill, run_trial, timing

LEDGER = "ledger: {bank: {rate: 40}, append: {rate: 80, isolation: serializable}}\n"

POSTGRES = (
    "solutions: [{solution: hot-standby, engine: postgres-18, reads: replicas, "
    f"synchronous_commit: remote_apply, manager: {OPERATOR}}}]\n"
)
MARIADB = (
    "solutions: [{solution: replication, engine: mariadb-10.11, replicas: 1, reads: replicas, "
    f"mode: after_sync, manager: {OPERATOR}}}]\n"
)


@pytest.fixture(scope="module", params=["postgres", "mariadb"])
def outcome(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Run a trial: a primary is killed, another node is promoted, and the killed one rejoins."""
    solution = {"postgres": POSTGRES, "mariadb": MARIADB}[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    return run_trial(folder, solution + LEDGER + kill() + timing())


def _all(outcome: Outcome, table: str, sql: str) -> list[tuple[Any, ...]]:
    return list(outcome.rows(table, sql))


def test_ids_identify_their_clients_and_none_is_used_twice(outcome: Outcome) -> None:
    rows = _all(outcome, "ledger", "SELECT id, client FROM rows WHERE kind = 'write'")
    assert len({identifier for identifier, _ in rows}) == len(rows) > 100
    assert all((identifier - 1) % 4 == client for identifier, client in rows)


def test_reads_through_every_endpoint_show_each_clients_writes(outcome: Outcome) -> None:
    sql = "SELECT DISTINCT endpoint FROM rows WHERE kind = 'read' AND outcome = 'ok'"
    assert len(_all(outcome, "ledger", sql)) == 2
    lists = _all(outcome, "ledger", "SELECT seen FROM rows WHERE kind = 'read' AND outcome = 'ok'")
    assert all(len(seen) == 4 for (seen,) in lists)
    for client in range(4):
        ids = [seen[client] for (seen,) in lists if seen[client] is not None]
        assert len(set(ids)) > 20 and all((one - 1) % 4 == client for one in ids)
    written = _all(outcome, "ledger", "SELECT seen FROM rows WHERE kind = 'write' OR outcome <> 'ok'")
    assert all(seen is None for (seen,) in written)


def test_the_watch_sees_the_death_the_promotion_and_the_return(outcome: Outcome) -> None:
    fault = outcome.record.fault
    assert fault is not None
    states = _all(outcome, "nodes", "SELECT node, state, t_us FROM rows ORDER BY t_us")
    # On a busy machine a live node may be away for a moment.
    roles = [(node, state) for node, state, _ in states if state != "away"]
    assert dict(reversed(roles)) == {"node1": "writable", "node2": "read_only"}
    since = fault.at * 1000 - 20_000
    away = (at for node, state, at in states if (node, state) == ("node1", "away"))
    unavailable_at = next(at for at in away if at > since)
    promoted = next(at for node, state, at in states if (node, state) == ("node2", "writable"))
    assert unavailable_at < promoted
    (event,) = [event for event in outcome.record.events if event.kind == "promoted"]
    assert promoted < event.t * 1000 + 1_000_000 * PATIENCE
    last = dict(roles)
    assert last["node2"] == "writable" and last["node1"] != "writable"


def test_time_lines_change_with_the_primary(outcome: Outcome) -> None:
    epochs = [epoch for (epoch,) in _all(outcome, "nodes", "SELECT epoch FROM rows WHERE node = 'node2'")]
    expected = [] if outcome.record.load.document["driver"] == "mysql" else ["1", "2"]
    # A node that does not answer for a moment shows none.
    assert list(dict.fromkeys(filter(None, epochs))) == expected


def test_views_follow_the_writes(outcome: Outcome) -> None:
    sql = "SELECT node, list_max(seen) FROM rows WHERE seen[1] IS NOT NULL ORDER BY t_us"
    views = _all(outcome, "views", sql)
    for node in ("node1", "node2"):
        greatest = [top for name, top in views if name == node]
        assert greatest and greatest[-1] > greatest[0]
    survivor = [top for name, top in views if name == "node2"]
    assert survivor == sorted(survivor)
    ok = "SELECT max(id) FROM rows WHERE kind = 'write' AND outcome = 'ok'"
    # The last sample may be a tenth of a second, thus ten writes, before the end: more on a busy machine.
    assert survivor[-1] > _all(outcome, "ledger", ok)[0][0] - 100 * PATIENCE


def test_servers_execute_between_sending_and_answer(outcome: Outcome) -> None:
    ledger = outcome.folder / "ledger.parquet"
    rows = _all(
        outcome,
        "executed",
        f"SELECT executed_us - started_us, completed_us - executed_us FROM rows JOIN '{ledger}' l "
        "ON rows.id = l.id AND l.kind = 'write' AND l.outcome = 'ok'",
    )
    assert len(rows) > 100
    assert all(before > -5 and after > -5 for before, after in rows)


def test_the_bank_keeps_its_sum(outcome: Outcome) -> None:
    (rule,) = [invariant for invariant in outcome.record.invariants if invariant.name.startswith("the bank")]
    assert rule.status == "holds", rule
    audits = _all(
        outcome,
        "history",
        "SELECT sum(value), count(*) FROM rows WHERE source = 'bank' AND kind = 'read' GROUP BY txn",
    )
    assert len(audits) > 20 and set(audits) == {(1000, 10)}
    moves = _all(outcome, "history", "SELECT sum(value), count(*) FROM rows WHERE kind = 'add' GROUP BY txn")
    assert len(moves) > 20 and set(moves) == {(0, 2)}


def test_the_history_of_the_lists_is_well_formed(outcome: Outcome) -> None:
    values = _all(outcome, "history", "SELECT value FROM rows WHERE kind = 'append'")
    assert len(set(values)) == len(values) > 50
    shape = "SELECT count(*), max(position), min(started_us), max(completed_us), count(DISTINCT outcome)"
    for count, last, begun, ended, outcomes in _all(
        outcome, "history", f"{shape} FROM rows WHERE source = 'lists' GROUP BY txn"
    ):
        assert (count, outcomes) == (last + 1, 1) and begun <= ended
    reads = _all(
        outcome,
        "history",
        "SELECT list FROM rows WHERE source = 'lists' AND kind = 'read' AND list IS NOT NULL",
    )
    assert len(reads) > 20
    appended = {str(value) for (value,) in values}
    assert all(set(text.split(",")) <= appended for (text,) in reads)


def test_isolation_was_judged_and_serializable_holds(outcome: Outcome) -> None:
    judged = {verdict.source: verdict for verdict in outcome.record.isolation}
    assert set(judged) == {"lists", "bank"}
    assert judged["bank"].counts == {}


@pytest.mark.parametrize(
    ("workload", "source"), [("bank", "bank"), ("append", "lists"), ("registers", "registers")]
)
def test_what_is_judged_can_be_the_load(tmp_path: Path, workload: str, source: str) -> None:
    text = (
        "solutions: [{solution: standalone, engine: mariadb-10.11}]\n"
        "ledger: {rate: 20, read_rate: 20}\n" + timing(recovery=1)
    )
    small = "{workload: oltp_read_write, tables: 2, table_size: 500}"
    head = HEAD.replace(small, f"{{workload: {workload}}}")
    outcome = run_trial(tmp_path, text, head=head)
    load = outcome.record.load.document["transactions"]
    (count,) = _all(
        outcome,
        "history",
        f"SELECT count(DISTINCT txn) FROM rows WHERE source = '{source}' AND outcome = 'ok'",
    )[0]
    assert count == load["ok"] > 0
    assert [invariant.status for invariant in outcome.record.invariants] == ["holds"] * (workload == "bank")


def test_a_galera_node_without_a_majority_refuses(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: galera, suspect_timeout: 2s, inactive_timeout: 5s}]\n"
        f"faults: [{{fault: partition, target: primary, duration: {7 * PATIENCE:g}s}}]\n" + timing(),
    )
    rows = _all(outcome, "nodes", "SELECT state, epoch, t_us FROM rows WHERE node = 'node1' ORDER BY t_us")
    cut_off = [(state, epoch) for state, epoch, _ in rows]
    assert cut_off[0][0] == "writable" and ("refusing", None) in cut_off
    spent: Counter[str] = Counter()
    for (state, _, at), (_, _, until) in pairwise(rows):
        spent[state] += until - at
    # A busy machine may silence the node for more than a second once, which counts as unavailable.
    assert spent["refusing"] > spent["away"]
    assert cut_off[-1][0] == "writable" and cut_off[-1][1] != cut_off[0][1]
