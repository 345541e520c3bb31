"""The verdict about rows is made from what was kept, whatever was stored as the verdict of its day."""

from pathlib import Path

from fivenines.analysis.consistency.node_rows import rechecked
from fivenines.results import store
from fivenines.results.records import CellKey, Check, NodeCheck, TrialRecord
from fivenines.results.store import StoredTrial

CELL = CellKey(solution="s", workload="w", connections=1, network="lan", fault="kill")


def _trial(folder: Path, held: dict[str, list[int]] | None, *nodes: NodeCheck) -> StoredTrial:
    """Writes 1 to 4: three acknowledged, the last refused; stored is a verdict that found nothing."""
    folder.mkdir(parents=True)
    lines = ["id,client,kind,endpoint,started_us,completed_us,outcome,error_class,seen"]
    outcomes = {1: "ok", 2: "ok", 3: "ok", 4: "failed"}
    lines += [f"{item},0,write,a,{item},{item},{outcome},," for item, outcome in outcomes.items()]
    lines.append("9,0,read,a,9,9,ok,,")
    (folder / "ledger.csv").write_text("\n".join(lines) + "\n")
    store.csv_to_parquet(folder / "ledger.csv", store.table_path(folder, "ledger"), "ledger")
    if held is not None:
        store.write_table(folder, "held", [(node, item) for node, ids in held.items() for item in ids])
    check = Check(acknowledged=0, failed=0, in_doubt=0, primary="node1", nodes=list(nodes))
    record = TrialRecord(
        id=folder.name, cell=CELL, number=1, seed=1, status="complete", started="", seconds=1.0, check=check
    )
    return StoredTrial(folder, record)


def _node(name: str, reachable: bool = True, detail: str = "") -> NodeCheck:
    return NodeCheck(node=name, role="replica", reachable=reachable, detail=detail)


def test_what_each_node_held_is_judged_by_todays_rule(tmp_path: Path) -> None:
    held = {"node1": [1, 2, 3], "node2": [1, 3, 3, 4]}
    nodes = (_node("node1"), _node("node2", detail="lags"), _node("node3", reachable=False))
    (again,) = rechecked([_trial(tmp_path / "0001", held, *nodes)])
    check = again.record.check
    assert check is not None
    assert (check.acknowledged, check.failed, check.primary) == (3, 1, "node1")
    first, second, third = check.nodes
    assert (first.present, first.lost, first.phantom, first.duplicate) == (3, 0, 0, 0)
    assert (second.lost_ids, second.phantom_ids, second.duplicate) == ([2], [4], 1)
    assert (second.role, second.detail) == ("replica", "lags")
    assert not third.reachable


def test_a_node_that_held_nothing_lost_everything(tmp_path: Path) -> None:
    (again,) = rechecked([_trial(tmp_path / "0001", {}, _node("node1"))])
    assert again.record.check is not None and again.record.check.nodes[0].lost == 3


def test_an_older_run_keeps_the_verdict_that_it_has(tmp_path: Path) -> None:
    old = _trial(tmp_path / "0001", None, _node("node1"))
    new = _trial(tmp_path / "0002", {"node1": [1]}, _node("node1"))
    first, second = rechecked([old, new])
    assert first == old
    assert second.record.check is not None and second.record.check.nodes[0].lost_ids == [2, 3]


def test_a_damaged_table_leaves_the_stored_verdict(tmp_path: Path) -> None:
    item = _trial(tmp_path / "0001", {"node1": [1]}, _node("node1"))
    store.table_path(item.folder, "held").write_bytes(b"not parquet")
    assert rechecked([item]) == [item]
