"""Settings that users cannot set are refused when the file is read, in any spelling."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import parse_experiment, solution_from

MYSQL = ("mysql-9.7", "replication")
MARIADB = ("mariadb-10.11", "replication")
POSTGRES = ("postgres-18", "hot-standby")


def _message(solution: str, given: dict[str, object]) -> str:
    try:
        solution_from({"solution": solution, **given}, "x")
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("engine", ["mysql-9.7", "mariadb-10.11"])
@pytest.mark.parametrize(
    "name",
    [
        "server_id",
        "server-id",
        "SERVER-ID",
        "loose_server_id",
        "loose-server-id",
        "bind-address",
        "bind_address",
        "port",
        "loose-port",
        "socket",
        "datadir",
        "basedir",
        "log-error",
        "log_error",
        "pid-file",
        "user",
        "skip-networking",
        "skip_networking",
        "disable-networking",
        "report-host",
        "relay-log",
        "relay_log_index",
        "log-bin",
        "skip-log-bin",
        "disable_log_bin",
        "log_bin_index",
        "init_file",
        "read_only",
        "super-read-only",
        "skip-grant-tables",
        "mysqlx_port",
        "mysqlx-socket",
        "admin_address",
        "slow_query_log_file",
        "binlog-ignore-db",
        "replicate_wild_do_table",
        "innodb_read_only",
        "rpl_semi_sync_source_enabled",
        "loose_rpl_semi_sync_master_enabled",
        "gtid-mode",
        "offline_mode",
        "set-variable",
    ],
)
def test_mysql_and_mariadb(engine: str, name: str) -> None:
    message = _message("replication", {"engine": engine, "server": {name: 1}})
    assert f"x: server.{name}: " in message


@pytest.mark.parametrize(
    "name", ["serv", "bind-addr", "BIND_ADDR", "dat", "sock", "rpl_semi_sync_master_enab"]
)
def test_mariadb_completes_names(name: str) -> None:
    given = {"server": {name: 1}}
    assert "MariaDB reads it as " in _message("replication", {"engine": "mariadb-10.11", **given})
    assert not _message("replication", {"engine": "mysql-9.7", **given})


@pytest.mark.parametrize(
    "name",
    [
        "port",
        "Port",
        "listen_addresses",
        "LISTEN_ADDRESSES",
        "unix_socket_directories",
        "hba_file",
        "ident_file",
        "data_directory",
        "config_file",
        "external_pid_file",
        "primary_conninfo",
        "primary_slot_name",
        "synchronous_standby_names",
        "restore_command",
        "recovery_target_time",
        "include",
        "include_dir",
        "synchronous_commit",
        "recovery_min_apply_delay",
        "server_encoding",
    ],
)
def test_postgresql(name: str) -> None:
    assert f"x: server.{name}: " in _message("hot-standby", {"server": {name: "x"}})


@pytest.mark.parametrize(
    ("solution", "given", "message"),
    [
        ("hot-standby", {"server": {"Synchronous_Commit": "off"}}, "write `synchronous_commit`"),
        ("patroni", {"server": {"synchronous_standby_names": "*"}}, "synchronous_node_count`"),
        ("patroni", {"server": {"cluster_name": "x"}}, "Patroni sets it on the server"),
        ("standalone", {"server": {"synchronous_standby_names": "*"}}, "each commit would wait"),
        ("galera", {"server": {"wsrep-slave-threads": 8}}, "write `appliers`"),
        ("galera", {"server": {"wsrep_node_address": "x"}}, "joins each node by its address"),
        ("galera", {"sync_wait": 1, "server": {"init-connect": "SET @a = 1"}}, "write `sync_wait`"),
        (
            "group-replication",
            {"server": {"loose-group_replication_member_expel_timeout": 2}},
            "write `member_expel_timeout`",
        ),
        ("group-replication", {"server": {"group-replication-local-address": "x"}}, "creates the group"),
        # With MYSQL the members would talk at the port of clients, and no member could join at the group's.
        ("group-replication", {"server": {"group_replication_communication_stack": "MYSQL"}}, "creates the"),
        (
            "replication",
            {"mode": "after_sync", "server": {"rpl-semi-sync-master-timeout": 7}},
            "write `semi_sync_timeout`",
        ),
        ("replication", {"appliers": 4, "server": {"slave-parallel-threads": 7}}, "write `appliers`"),
        ("ndb", {"cluster": {"datamemory": "1G"}}, "cluster.datamemory: the solution has a key for it"),
        ("ndb", {"cluster": {"NodeId": 3}}, "cluster.NodeId: fivenines places the nodes"),
        ("ndb", {"cluster": {"RedoBuffer": "8M", "redobuffer": "9M"}}, "the same setting as RedoBuffer"),
        ("ndb", {"server": {"ndb-connectstring": "x"}}, "fivenines joins the SQL nodes"),
        ("cluster-pair", {"a": "galera", "server": {"gtid-domain-id": 3}}, "it is set for each cluster"),
        ("cluster-pair", {"a": {"solution": "ndb", "cluster": {"NodeId": 3}}}, "a.cluster.NodeId: "),
        ("standalone", {"engine": "mysql-9.7", "server": {"log_bin": 0}}, "as the name of the log's files"),
        (
            "standalone",
            {"engine": "mysql-9.7", "server": {"innodb-dedicated-server": True}},
            "write innodb_buffer_pool_size and innodb_redo_log_capacity",
        ),
        ("standalone", {"engine": "mysql-9.7", "server": {"log_bin": "OFF"}}, "write true or false"),
        ("standalone", {"engine": "mysql-9.7", "server": {"log_bin": False}}, ""),
        ("standalone", {"server": {"Work_Mem": "4MB", "work_mem": "5MB"}}, "the same setting as Work_Mem"),
        ("standalone", {"server": {"sort_mem": "4MB", "work_mem": "5MB"}}, "the same setting as sort_mem"),
        (
            "standalone",
            {"engine": "mysql-9.7", "server": {"max-connections": 4, "max_connections": 5}},
            "the same setting as max-connections",
        ),
        (
            "standalone",
            {"engine": "mysql-9.7", "server": {"skip-name-resolve": True, "name_resolve": 1}},
            "the same setting as skip-name-resolve",
        ),
        ("standalone", {"engine": "mysql-9.7", "server": {"plugin_load": "a", "plugin-load-add": "b"}}, ""),
    ],
)
def test_settings_with_a_key_of_the_solution_are_refused(
    solution: str, given: dict[str, object], message: str
) -> None:
    found = _message(solution, given)
    assert message in found and bool(message) is bool(found)


def test_all_are_named_at_once_with_their_lines() -> None:
    text = """\
name: pasted
workloads: [oltp_read_write]
solutions:
  - solution: replication
    engine: mysql-9.7
    server:
      server_id: 7
      innodb_buffer_pool_size: 256M
      bind-address: 127.0.0.1
  - {solution: galera, sweep: {server.port: [1, 2]}}
"""
    with pytest.raises(UsageError) as refused:
        parse_experiment(text, "x.yaml")
    message = str(refused.value)
    assert "x.yaml has 4 errors" in message
    assert "x.yaml:7:7: solutions[0].server.server_id: " in message
    assert "x.yaml:9:7: solutions[0].server.bind-address: " in message
    assert "solutions[1].sweep.server.port[0]: " in message
    assert "innodb_buffer_pool_size" not in message


@pytest.mark.parametrize("name", ["!includedir", "!include", "[mysqld]", "max connections", "x = 1", "#y"])
def test_lines_of_a_file_that_are_no_settings(name: str) -> None:
    for engine in ("mysql-9.7", "mariadb-10.11"):
        message = _message("replication", {"engine": engine, "server": {name: 1}})
        assert "the settings themselves" in message or "not the name of a setting" in message


@pytest.mark.parametrize(
    "name", ["validate_password.policy", "loose-sort_buffer_size", "hot.key_buffer_size"]
)
def test_names_with_dots_and_hyphens_are_settings(name: str) -> None:
    assert not _message("replication", {"engine": "mysql-9.7", "server": {name: 1}})


@pytest.mark.parametrize("solution", ["hot-standby", "patroni"])
@pytest.mark.parametrize(
    ("server", "why"),
    [
        ({"WAL_level": "minimal"}, "server.WAL_level: minimal: standbys cannot follow"),
        ({"max_wal_senders": 0}, "server.max_wal_senders: 0:"),
        ({"wal_level": "logical", "max_wal_senders": 16}, ""),
    ],
)
def test_settings_with_which_no_standby_follows_are_refused(
    solution: str, server: dict[str, object], why: str
) -> None:
    message = _message(solution, {"server": server})
    assert why in message and bool(message) is bool(why)


def test_a_lone_server_may_write_minimal_wal() -> None:
    given: dict[str, object] = {
        "engine": "postgres-18",
        "server": {"wal_level": "minimal", "max_wal_senders": 0},
    }
    assert _message("standalone", given) == ""


@pytest.mark.parametrize(
    ("engine", "server", "why"),
    [
        ("mysql-9.7", {"slave_net_timeout": 10, "replica-net-timeout": 20}, "the same setting as slave_net"),
        ("mariadb-10.11", {"long_query_time": 2, "log_slow_query_time": 5}, "the same setting as long_query"),
        ("mariadb-10.11", {"log_slow_query_file": "/var/log/slow.log"}, "keeps its files in its own folder"),
        ("mysql-9.7", {"slave_net_timeout": 10, "replica_skip_errors": "1062"}, ""),
        ("mysql-9.7", {"master_verify_checksum": 1, "source_verify_checksum": 1}, "the same setting"),
    ],
)
def test_two_names_of_one_setting_are_refused(engine: str, server: dict[str, object], why: str) -> None:
    message = _message("replication", {"engine": engine, "server": server})
    assert why in message and bool(message) is bool(why)


@pytest.mark.parametrize("engine", ["mysql-9.7", "mariadb-10.11"])
@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("wait_timeout", "5m", "would read 5m as 5242880"),
        ("wait-timeout", "'5 min'", "would read 5m as 5242880"),
        ("loose_net_read_timeout", "300s", "write a number in the unit of its manual"),
        ("long_query_time", "0.5s", "write a number in the unit of its manual"),
        ("binlog_expire_logs_seconds", "7d", "has no units of time"),
        ("wait_timeout", "300", ""),
        ("long_query_time", 0.5, ""),
        ("innodb_lock_wait_timeout", "1M", "would read 1m as 1048576"),
        ("replica_net_timeout", "1k", ""),
        ("gtid_executed_compression_period", "1M", ""),
        ("tmp_table_size", "32M", ""),
    ],
)
def test_times_of_mysql_and_mariadb_have_no_units(engine: str, name: str, value: object, why: str) -> None:
    message = _message("replication", {"engine": engine, "server": {name: value}})
    assert why in message and bool(message) is bool(why)


@pytest.mark.parametrize(
    ("server", "why"),
    [
        ({"auto_explain.log_min_duration": "250ms"}, "write `shared_preload_libraries: auto_explain`"),
        (
            {"Pg_Stat_Statements.max": 1, "shared_preload_libraries": "auto_explain"},
            "loads pg_stat_statements: add pg_stat_statements to `shared_preload_libraries`, or leave it out",
        ),
        ({"cron.database_name": "x"}, "write `shared_preload_libraries: pg_cron`"),
        ({"auto_explain.log_analyze": "on", "session_preload_libraries": "'$libdir/auto_explain.so'"}, ""),
        ({"pgaudit.log": "ddl", "Shared_Preload_Libraries": "pg_stat_statements, pgaudit"}, ""),
        ({"myapp.tenant": "x", "pg_trgm.similarity_threshold": 0.4}, ""),
    ],
)
@pytest.mark.parametrize("solution", ["standalone", "hot-standby", "patroni"])
def test_parameters_of_libraries_need_their_library(
    solution: str, server: dict[str, object], why: str
) -> None:
    message = _message(solution, {"engine": "postgres-18", "server": server})
    assert why in message and bool(message) is bool(why)


@pytest.mark.parametrize(
    ("version", "server", "why"),
    [
        (4, {"max_replication_slots": 3}, "Patroni passes 10 to the server in place of values below 4"),
        (4, {"Max_Connections": "20"}, "write 25 or more"),
        (3, {"wal_keep_size": "8MB"}, "write 16MB or more"),
        (3, {"wal_keep_size": 15}, "write 16MB or more"),
        (4, {"wal_keep_size": "1GB", "max_replication_slots": 4, "max_worker_processes": 2}, ""),
        (4, {"log_min_duration_statement": -1, "autovacuum_work_mem": "-1"}, ""),
        (3, {"wal_log_hints": "on"}, "Patroni 3 sets it"),
        (4, {"wal_log_hints": "on"}, ""),
    ],
)
def test_values_that_patroni_would_replace_are_refused(
    version: int, server: dict[str, object], why: str
) -> None:
    message = _message("patroni", {"version": version, "members": 3, "server": server})
    assert why in message and bool(message) is bool(why)


def test_galeras_old_name_of_its_waits_is_refused() -> None:
    assert "write `sync_wait`" in _message("galera", {"server": {"wsrep_causal_reads": "ON"}})
