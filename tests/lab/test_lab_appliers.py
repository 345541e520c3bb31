"""Replicas that apply with several threads, as they are told to."""

from pathlib import Path

import pytest

from fivenines.deployment.deployed import Deployed, data_set
from fivenines.solutions.replication import Replication, ReplicationSettings
from fivenines.waiting import wait_until
from fivenines.workloads.oltp import Oltp

WORKLOAD = Oltp(workload="oltp_read_write", tables=2, table_size=500)
MARIADB = "SELECT count(*) FROM information_schema.processlist WHERE command = 'Slave_worker'"
MYSQL = "SELECT count(*) FROM performance_schema.replication_applier_status_by_worker"


@pytest.mark.parametrize(
    ("given", "workers"),
    [
        ({"engine": "mariadb-10.11", "appliers": 3, "parallel_mode": "conservative"}, MARIADB),
        ({"engine": "mysql-9.7", "appliers": 3}, MYSQL),
    ],
    ids=["mariadb", "mysql"],
)
def test_a_replica_has_as_many_threads_as_it_is_told(
    tmp_path: Path, given: dict[str, object], workers: str
) -> None:
    asked = {"solution": "replication", "replicas": 1, "manager": {"kind": "none"}}
    settings = ReplicationSettings.model_validate(asked | given)
    data = data_set(settings, WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as made:
        made.bring_up()
        assert isinstance(made.solution, Replication)
        primary, replica = made.solution.nodes
        assert replica.query(workers) == [(3,)]
        primary.execute(
            "CREATE TABLE sbtest.seen (id INT PRIMARY KEY)",
            *(f"INSERT INTO sbtest.seen VALUES ({number})" for number in range(50)),
        )
        wait_until(lambda: made.solution.lag_reason(replica), 30.0, "the replica lags")
        assert replica.query("SELECT count(*) FROM sbtest.seen") == [(50,)]
        if "parallel_mode" in given:
            assert replica.query("SELECT @@slave_parallel_mode") == [("conservative",)]
