"""Requested settings are read back from real servers; each test plants a difference that must be reported."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.experiment.source import solution_from
from fivenines.failover.proxies import haproxy
from fivenines.load.workloads.oltp import Oltp
from fivenines.trial.deployment.deployed import Deployed, data_set, engines_of
from fivenines.trial.deployment.in_effect import require_in_effect

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)


def _silent(_message: str, _fraction: float | None) -> None:
    pass


@contextmanager
def _deployed(given: dict[str, object], folder: Path) -> Iterator[Deployed]:
    settings = solution_from(given, "test")
    for engine in engines_of(settings):
        engine.require(_silent)
    data = data_set(settings, WORKLOAD, _silent)
    with Deployed(settings, data, folder / "lab") as deployed:
        deployed.bring_up()
        yield deployed


def _notes(deployed: Deployed) -> str:
    with pytest.raises(FiveninesError, match="settings are not in effect") as refused:
        require_in_effect(deployed.solution, deployed.access)
    return str(refused.value)


def test_postgresql(tmp_path: Path) -> None:
    server = {
        "Work_Mem": "4MB",
        "max_connections": "123",
        "statement_timeout": "30s",
        "wal_segment_size": "32MB",
        "data_checksums": False,
        "wal_writer_delay": "1500us",
        "log_file_mode": "0640",
        "shared_preload_libraries": "pg_stat_statements",
        "pg_stat_statements.max": 7000,
        "search_path": '"$user", public',
    }
    with _deployed({"solution": "hot-standby", "server": server}, tmp_path) as deployed:
        assert deployed.in_effect is not None
        seen = {(at.place, at.setting, at.found) for at in deployed.in_effect.adjusted}
        assert seen == {("node1", "wal_writer_delay", "2ms"), ("node2", "wal_writer_delay", "2ms")}
        assert {at.place for at in deployed.in_effect.unobserved} == {"operator"}
        primary, standby = deployed.solution.nodes
        assert primary.sql.query("SHOW wal_segment_size") == [("32MB",)]
        assert primary.sql.query("SHOW log_file_mode") == [("0640",)]
        assert primary.sql.query("SHOW pg_stat_statements.max") == [("7000",)]
        primary.sql.execute("ALTER ROLE app SET work_mem = '5MB'")
        assert "node1: work_mem = 4MB was requested, but it has 5MB" in _notes(deployed)
        primary.sql.execute("ALTER ROLE app RESET work_mem")
        standby.set_system("statement_timeout", "7s")
        notes = _notes(deployed)
        assert "node2: statement_timeout = 30s was requested, but it has 7s" in notes
        assert "node1" not in notes
        standby.sql.execute("ALTER SYSTEM RESET statement_timeout", "SELECT pg_reload_conf()")
        primary.sql.execute("ALTER SYSTEM SET max_connections = 99", "SELECT pg_reload_conf()")
        pending = "SELECT pending_restart FROM pg_settings WHERE name = 'max_connections'"
        wait_until(lambda: "" if primary.sql.query(pending)[0][0] else "not yet", 30.0, "no reload", 0.1)
        assert "node1: max_connections = 123 was requested" in _notes(deployed)


def test_mariadb_behind_haproxy(tmp_path: Path) -> None:
    server = {
        "lower-case-table-names": 1,
        "innodb-page-size": "8K",
        "max_allowed_packet": "64m",
        "tmp_table_size": "32MB",
        "max_connections": 1.5e2,
        "sql-mode": "ANSI",
        "join_buffer_size": 300000,
        "skip-external-locking": True,
        "loose-nothing": 1,
    }
    given = {
        "solution": "replication",
        "replicas": 1,
        "mode": "after_sync",
        "server": server,
        "access": {"kind": "haproxy", "interval": "200ms", "fall": 3},
    }
    with _deployed(given, tmp_path) as deployed:
        assert deployed.in_effect is not None
        assert {(at.setting, at.found) for at in deployed.in_effect.adjusted} == {
            ("join_buffer_size", "299904")
        }
        unobserved = {at.setting for at in deployed.in_effect.unobserved if at.place != "operator"}
        assert unobserved == {"loose-nothing"}
        primary, replica = deployed.solution.nodes
        assert primary.sql.query("SELECT @@lower_case_table_names, @@innodb_page_size") == [(1, 8192)]
        assert primary.sql.query("SELECT @@tmp_table_size, @@max_connections") == [(2**25, 150)]
        primary.sql.execute("SET GLOBAL rpl_semi_sync_master_timeout = 77")
        assert "rpl_semi_sync_master_timeout = 10000 was requested, but it has 77" in _notes(deployed)
        primary.sql.execute("SET GLOBAL rpl_semi_sync_master_timeout = 10000")
        # The server reads this option group, too.
        with (replica.host.node / "conf" / "my.cnf").open("a") as file:
            file.write("[mariadb]\nmax_allowed_packet=32m\n")
        replica.stop()
        deployed.solution.membership.rejoin(replica)
        assert "node2: max_allowed_packet = 64m was requested, but it has 33554432" in _notes(deployed)
        replica.sql.execute("SET GLOBAL max_allowed_packet = 67108864")
        require_in_effect(deployed.solution, deployed.access)
        assert isinstance(deployed.access, haproxy.Haproxy)
        deployed.access.drain("node2")
        assert "proxy: state of write/node2 = ready was requested, but it has MAINT" in _notes(deployed)
        deployed.access.undrain("node2")
        file_of_proxy = deployed.access.host.node / "conf" / "haproxy.cfg"
        file_of_proxy.write_text(file_of_proxy.read_text().replace("inter 200", "inter 900"))
        assert "proxy: access.interval = 200ms was requested" in _notes(deployed)


def test_ndb(tmp_path: Path) -> None:
    given = {"solution": "ndb", "sql_nodes": 1, "cluster": {"redobuffer": "18M"}}
    with _deployed(given, tmp_path) as deployed:
        deployed.solution.nodes[0].sql.execute("SET GLOBAL ndb_read_backup = OFF")
        assert "node1: ndb_read_backup = 1 was requested, but it has OFF" in _notes(deployed)
        deployed.solution.nodes[0].sql.execute("SET GLOBAL ndb_read_backup = ON")
        settings = deployed.solution.settings
        deployed.solution.settings = settings.model_copy(update={"heartbeat": 4.0})
        notes = _notes(deployed)
        for node in ("data1", "data2"):
            assert f"{node}: HeartbeatIntervalDbDb = 4000 was requested, but it has 5000" in notes
