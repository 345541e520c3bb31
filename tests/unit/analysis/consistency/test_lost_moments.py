"""When lost rows were acknowledged: unknown wherever one of them could be missing."""

from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.consistency.consistency import primary_check
from fivenines.analysis.consistency.ledger_tables import lost_moments
from fivenines.results.records import NodeCheck
from fivenines.results.store import StoredTrial, open_run, query, table_path

ACKNOWLEDGED = "SELECT id FROM rows WHERE kind = 'write' AND outcome = 'ok' ORDER BY id LIMIT 3"


@pytest.fixture(name="trial")
def trial_fixture(tmp_path: Path) -> StoredTrial:
    """Return a trial whose primary of record lacks three acknowledged rows."""
    write_run(tmp_path / "run", Matrix([Recipe("one")], faults=["kill"], trials=1))
    (trial,) = open_run(tmp_path / "run").trials
    ids = query([trial], "ledger", ACKNOWLEDGED)["id"].tolist()
    return with_node(trial, lost=3, lost_ids=ids)


def with_node(trial: StoredTrial, **changes: object) -> StoredTrial:
    check = trial.record.check
    assert check is not None
    nodes = [node.model_copy(update=changes) if node.node == check.primary else node for node in check.nodes]
    record = trial.record.model_copy(update={"check": check.model_copy(update={"nodes": nodes})})
    return replace(trial, record=record)


def lost(trial: StoredTrial) -> NodeCheck:
    check = trial.record.check
    node = primary_check(check) if check is not None else None
    assert node is not None
    return node


def test_each_lost_row_has_its_moment(trial: StoredTrial) -> None:
    found = lost_moments(trial)
    assert found is not None and len(found) == lost(trial).lost == 3
    windows = trial.record.windows
    assert windows is not None and all(0 <= moment <= windows.end for moment in found)


def test_without_a_readable_primary_nothing_is_known(trial: StoredTrial) -> None:
    assert lost_moments(with_node(trial, reachable=False)) is None
    unchecked = trial.record.model_copy(update={"check": None})
    assert lost_moments(replace(trial, record=unchecked)) is None


def test_a_missing_or_damaged_ledger_is_not_a_ledger_without_losses(trial: StoredTrial) -> None:
    file = table_path(trial.folder, "ledger")
    file.write_bytes(b"PAR1 and no more")
    assert lost_moments(trial) is None
    file.unlink()
    assert lost_moments(trial) is None


def test_tables_that_contradict_the_check_show_nothing(trial: StoredTrial) -> None:
    assert lost_moments(with_node(trial, lost=0)) is None
    assert lost_moments(with_node(trial, lost=2000)) is None
