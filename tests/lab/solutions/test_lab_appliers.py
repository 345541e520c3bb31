"""Replicas that apply with several threads, as configured."""

from pathlib import Path

import pytest
from lab_support import deployed_small

from fivenines.base.waiting import wait_until
from fivenines.servers.base import Server
from fivenines.solutions.replication.settings import ReplicationSettings
from fivenines.solutions.replication.solution import Replication

MARIADB = "SELECT count(*) FROM information_schema.processlist WHERE command = 'Slave_worker'"
MYSQL = "SELECT count(*) FROM performance_schema.replication_applier_status_by_worker"


def _missing(replica: Server, workers: str) -> str:
    """Return the number of missing threads: they start after the server answers, late on a busy machine."""
    ((count,),) = replica.sql.query(workers)
    return "" if count == 3 else f"{count} of 3"


@pytest.mark.parametrize(
    ("given", "workers"),
    [
        ({"engine": "mariadb-10.11", "appliers": 3, "parallel_mode": "conservative"}, MARIADB),
        ({"engine": "mysql-9.7", "appliers": 3}, MYSQL),
    ],
    ids=["mariadb", "mysql"],
)
def test_a_replica_has_the_configured_number_of_threads(
    tmp_path: Path, given: dict[str, object], workers: str
) -> None:
    asked = {"solution": "replication", "replicas": 1, "manager": {"kind": "none"}}
    settings = ReplicationSettings.model_validate(asked | given)
    with deployed_small(tmp_path, settings) as made:
        assert isinstance(made.solution, Replication)
        primary, replica = made.solution.nodes
        wait_until(lambda: _missing(replica, workers), 30.0, "not all threads began")
        assert replica.sql.query(workers) == [(3,)]
        primary.sql.execute(
            "CREATE TABLE sbtest.seen (id INT PRIMARY KEY)",
            *(f"INSERT INTO sbtest.seen VALUES ({number})" for number in range(50)),
        )
        wait_until(lambda: made.solution.membership.lag_reason(replica), 30.0, "the replica lags")
        assert replica.sql.query("SELECT count(*) FROM sbtest.seen") == [(50,)]
        if "parallel_mode" in given:
            assert replica.sql.query("SELECT @@slave_parallel_mode") == [("conservative",)]
