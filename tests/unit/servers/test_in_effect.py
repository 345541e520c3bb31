"""Requested values and the values that servers show: equal, rounded, or different."""

import pytest

from fivenines.failover.managers.patroni.daemon import dynamic_in_effect
from fivenines.failover.proxies import haproxy_in_effect
from fivenines.servers.in_effect import Finding
from fivenines.servers.mysql_family import in_effect as mysql
from fivenines.servers.ndb import in_effect as ndb
from fivenines.servers.postgres import in_effect as postgres
from fivenines.servers.postgres.in_effect import Parameter

# MySQL 9.7 shows ddl_exist_errors so.
DDL = "1007,1008,1050,1051,1054,1060,1061,1068,1091,1146"

VARIABLES = {
    "innodb_buffer_pool_chunk_size": "134217728",
    "innodb_buffer_pool_instances": "1",
    "skip_name_resolve": "ON",
    "external_locking_x": "OFF",
    "log_bin": "ON",
}


@pytest.mark.parametrize(
    ("name", "asked", "variable", "now", "kind"),
    [
        ("innodb_buffer_pool_size", "256M", "innodb_buffer_pool_size", "268435456", None),
        ("innodb_buffer_pool_size", "256MB", "innodb_buffer_pool_size", "268435456", None),
        ("innodb_buffer_pool_size", "256mib", "innodb_buffer_pool_size", "268435456", None),
        ("innodb_buffer_pool_size", "256B", "innodb_buffer_pool_size", "268435456", "differs"),
        ("innodb_buffer_pool_size", 268435456.0, "innodb_buffer_pool_size", "268435456", None),
        ("innodb_buffer_pool_size", "200m", "innodb_buffer_pool_size", "268435456", "adjusted"),
        ("innodb_buffer_pool_size", "200M", "innodb_buffer_pool_size", "134217728", "differs"),
        ("max-allowed-packet", 67108865, "max_allowed_packet", "67108864", "adjusted"),
        ("max_connections", 300, "max_connections", "256", "differs"),
        ("max_connections", "300", "max_connections", "300", None),
        ("slow_query_log", True, "slow_query_log", "ON", None),
        ("slow_query_log", "FALSE", "slow_query_log", "OFF", None),
        ("slow_query_log", 0, "slow_query_log", "ON", "differs"),
        ("skip-slow-query-log", True, "slow_query_log", "OFF", None),
        ("skip-slow-query-log", True, "slow_query_log", "ON", "differs"),
        ("enable_slow_query_log", "", "slow_query_log", "ON", None),
        ("skip-name-resolve", False, "skip_name_resolve", "OFF", None),
        ("skip-name-resolve", False, "skip_name_resolve", "ON", "differs"),
        ("long_query_time", 0.5, "long_query_time", "0.500000", None),
        ("sql_mode", "strict_all_tables,ANSI_QUOTES", "sql_mode", "ANSI_QUOTES,STRICT_ALL_TABLES", None),
        ("sql_mode", "", "sql_mode", "ANSI_QUOTES", "differs"),
        ("sql_mode", "ANSI", "sql_mode", "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI", None),
        ("optimizer_switch", "mrr=on", "optimizer_switch", "index_merge=on,mrr=on", None),
        ("optimizer_switch", "mrr=on", "optimizer_switch", "index_merge=on,mrr=off", "differs"),
        ("transaction-isolation", "READ-COMMITTED", "tx_isolation", "READ-COMMITTED", None),
        ("gtid-mode", True, "gtid_mode", "ON", None),
        ("gtid_mode", True, "gtid_mode", "OFF_PERMISSIVE", "differs"),
        ("transaction-isolation", 1, "transaction_isolation", "READ-COMMITTED", None),
        ("transaction-isolation", 1, "transaction_isolation", "REPEATABLE-READ", "differs"),
        ("some_enum", 2, "some_enum", "FULL", "unobserved"),
        ("slave_skip_errors", "all", "slave_skip_errors", "ALL", None),
        ("slave_skip_errors", "all", "slave_skip_errors", "0,1,2,3...", None),
        ("slave-skip-errors", "ALL", "slave_skip_errors", "1,2,3...", "differs"),
        ("slave_skip_errors", "all", "slave_skip_errors", "0,1,2,3", "differs"),
        ("slave_skip_errors", "all", "slave_skip_errors", "OFF", "differs"),
        ("slave_skip_errors", "1062, 1053", "slave_skip_errors", "1053,1062", None),
        ("slave_skip_errors", 1062, "slave_skip_errors", "1062", None),
        ("slave_skip_errors", 1062, "slave_skip_errors", "1053", "differs"),
        ("slave_skip_errors", "3,1,2", "slave_skip_errors", "1,2...", None),
        ("slave_skip_errors", "OFF", "slave_skip_errors", "1062", "differs"),
        ("replica_skip_errors", "ddl_exist_errors", "replica_skip_errors", DDL, None),
        ("replica_skip_errors", "ddl_exist_errors,1062", "replica_skip_errors", DDL, "differs"),
        ("replica_skip_errors", "ddl_exist_errors", "replica_skip_errors", "1007", "differs"),
        ("log_bin", "/run/binlog", "log_bin", "ON", None),
        ("log_bin", False, "log_bin", "ON", "differs"),
        ("init_connect", "'SET @a = 1'", "init_connect", "SET @a = 1", None),
        ("init_connect", "SET @a = 1 # x", "init_connect", "SET @a = 1 # x", None),
        ("init_connect", "'a' + 'b'", "init_connect", "'a' + 'b'", None),
        ("init_connect", "SET @a = 1\n", "init_connect", "SET @a = 1", None),
        ("character-set-server", "utf8", "character_set_server", "utf8mb3", None),
        ("character-set-server", "latin1", "character_set_server", "utf8mb4", "differs"),
        ("open_files_limit", 1000, "open_files_limit", "20000", "adjusted"),
        ("open_files_limit", 65535, "open_files_limit", "20000", "differs"),
        ("back_log", 0, "back_log", "500", "adjusted"),
        ("thread_cache_size", -1, "thread_cache_size", "0", "differs"),
        ("loose_x", 1, "y", "1", "unobserved"),
        ("no_such", 1, "y", "1", "unobserved"),
        ("wsrep-provider-options", "a.b=PT2S", "wsrep_provider_options", "a.b = PT2.0S; c = 1; ", None),
        ("wsrep-provider-options", "a.b=PT2S", "wsrep_provider_options", "a.b = PT5S; ", "differs"),
        ("wsrep-provider-options", "a.b=PT2S", "wsrep_provider_options", "c = 1", "unobserved"),
    ],
)
def test_mysql_and_mariadb(name: str, asked: object, variable: str, now: str, kind: str | None) -> None:
    found = mysql.findings("node1", {name: asked}, mysql.Observed({**VARIABLES, variable: now}))
    assert [one.kind for one in found] == ([kind] if kind else [])


def test_the_reason_comes_from_the_log_or_the_source() -> None:
    log = "[Warning] Changed limits: max_connections: 214 (requested 300)"
    observed = mysql.Observed(
        {"max_connections": "214", "port": "3306"}, {"port": "by a user"}, warnings=(log,)
    )
    found = mysql.findings("node1", {"max-connections": 300, "port": 3307}, observed)
    assert str(found[0]) == (
        f"node1: max-connections = 300 was requested, but it has 214 (its log says: {log})"
    )
    assert found[1].why == "by a user"
    removed = "[Warning] 'innodb-file-format' was removed. It does nothing now"
    observed = mysql.Observed({}, warnings=(removed,))
    (one,) = mysql.findings("node1", {"innodb_file_format": "Barracuda"}, observed)
    assert one.kind == "differs" and "was removed" in one.why


def test_long_values_are_shortened_to_where_they_differ() -> None:
    alike = "a" * 300
    found = str(Finding("node1", "x", f"{alike}b" + "d" * 300, f"{alike}c", "differs"))
    assert f"= …{'a' * 20}b{'d' * 139}… (601 characters) was requested" in found
    assert found.endswith("a" * 159 + "c (301 characters)")
    assert str(Finding("node1", "x", "all", "1," * 500, "differs")).endswith("1,1,… (1000 characters)")
    assert str(Finding("node1", "x", "a" * 160, "b", "differs")).endswith("but it has b")


def test_plugins() -> None:
    observed = mysql.Observed({}, libraries=frozenset(("group_replication.so",)))
    assert not mysql.findings("n", {"plugin_load_add": "x=group_replication.so"}, observed)
    (one,) = mysql.findings("n", {"plugin-load": "group_replication.so;mysql_clone.so"}, observed)
    assert one.kind == "differs" and one.found == "no mysql_clone.so"
    observed = mysql.Observed({}, plugins={"mysqlx": True})
    assert not mysql.findings("n", {"mysqlx": "ON"}, observed)
    assert mysql.findings("n", {"mysqlx": False}, observed)[0].kind == "differs"
    assert mysql.findings("n", {"skip-mysqlx": True}, observed)[0].kind == "differs"


@pytest.mark.parametrize(
    ("asked", "row", "kind"),
    [
        ("128MB", Parameter("16384", "8kB", "integer"), None),
        ("0.125GB", Parameter("16384", "8kB", "integer"), None),
        ("100001kB", Parameter("12500", "8kB", "integer"), "adjusted"),
        ("128MB", Parameter("8192", "8kB", "integer"), "differs"),
        (16384, Parameter("16384", "8kB", "integer"), None),
        ("1h", Parameter("3600", "s", "integer"), None),
        ("1500us", Parameter("2", "ms", "integer"), "adjusted"),
        ("600ms", Parameter("1", "s", "integer"), "adjusted"),
        ("400ms", Parameter("0", "s", "integer"), "differs"),
        ("500ms", Parameter("0", "s", "integer"), "differs"),
        (0, Parameter("0", "s", "integer"), None),
        ("0ms", Parameter("0", "s", "integer"), None),
        ("5min", Parameter("299", "s", "integer"), "differs"),
        (0.9, Parameter("0.9", "", "real"), None),
        ("2ms", Parameter("2", "ms", "real"), None),
        ("0x10", Parameter("16", "", "integer"), None),
        ("010", Parameter("8", "", "integer"), "differs"),
        (True, Parameter("on", "", "bool"), None),
        ("tr", Parameter("on", "", "bool"), None),
        ("OFF", Parameter("on", "", "bool"), "differs"),
        ("on", Parameter("on", "", "string", pending=True), "differs"),
        ("ON", Parameter("on", "", "enum"), None),
        ("true", Parameter("on", "", "enum"), None),
        ("local", Parameter("on", "", "enum"), "differs"),
        ("a,b", Parameter("a, b", "", "string"), None),
        ("a", Parameter("b", "", "string"), "differs"),
    ],
)
def test_postgresql(asked: object, row: Parameter, kind: str | None) -> None:
    found = postgres.findings("node1", {"X": asked}, postgres.Observed({"x": row}))
    assert [one.kind for one in found] == ([kind] if kind else [])


def test_numbers_with_a_zero_in_front_are_octal_to_postgresql() -> None:
    mode, five = (Parameter(value, "", "integer") for value in ("416", "5"))
    assert not postgres.findings("n", {"log_file_mode": "0640"}, postgres.Observed({"log_file_mode": mode}))
    assert postgres.findings("n", {"log_file_mode": "0600"}, postgres.Observed({"log_file_mode": mode}))
    connections = postgres.Observed({"max_connections": Parameter("64", "", "integer")})
    (found,) = postgres.findings("n", {"max_connections": "0100"}, connections)
    assert (found.kind, found.found) == ("differs", "64") and "octal" in found.why
    assert not postgres.findings("n", {"max_connections": "05"}, postgres.Observed({"max_connections": five}))


def test_a_name_with_a_dot_belongs_to_a_library_or_to_sql() -> None:
    row = Parameter("5000", "", "integer")
    observed = postgres.Observed({"pg_stat_statements.max": row, "work_mem": row})
    (unknown,) = postgres.findings("n", {"PG_stat_statements.maxx": 1}, observed)
    assert unknown.kind == "differs" and "no parameter of this name" in unknown.why
    (custom,) = postgres.findings("n", {"myapp.tenant": "x"}, observed)
    assert custom.kind == "unobserved" and "current_setting()" in custom.why


def test_what_postgresql_rounds_to_0_is_named_as_such() -> None:
    observed = postgres.Observed({"wal_receiver_status_interval": Parameter("0", "s", "integer")})
    (one,) = postgres.findings("node2", {"wal_receiver_status_interval": "400ms"}, observed)
    assert str(one) == (
        "node2: wal_receiver_status_interval = 400ms was requested, but it has 0 (rounded to its unit, s, "
        "and 0 has a meaning of its own)"
    )


def test_postgresqls_words_roles_and_reasons() -> None:
    observed = postgres.Observed(
        {
            "wal_level": Parameter("replica", "", "enum"),
            "work_mem": Parameter("4096", "kB", "integer"),
            "statement_timeout": Parameter("2000", "ms", "integer", "client"),
            "fsync": Parameter("off", "", "bool", file="/data/postgresql.auto.conf"),
        },
        of_roles=[("app", "", "work_mem=8MB"), ("app", "", "fsync=off")],
        in_files={"statement_timeout": "30s"},
    )
    asked = {"wal_level": "hot_standby", "work_mem": "4MB", "statement_timeout": "30s", "nothing": 1}
    found = postgres.findings("node1", asked, observed)
    assert [(one.setting, one.kind, one.found) for one in found] == [
        ("work_mem", "differs", "8MB"),
        ("nothing", "unobserved", ""),
    ]
    assert "sessions of app" in found[0].why
    assert "ALTER SYSTEM" in postgres.findings("node1", {"fsync": True}, observed)[0].why


@pytest.mark.parametrize(
    ("name", "asked", "now", "kind"),
    [
        ("DataMemory", "96M", "100663296", None),
        ("DataMemory", "96M", "100663297", "adjusted"),
        ("DataMemory", "96M", "33554432", "differs"),
        ("MaxNoOfTables", 512, "514", "adjusted"),
        ("MaxNoOfTables", 512, "128", "differs"),
        ("Arbitration", "Default", "1", None),
        ("Arbitration", "Disabled", "1", "differs"),
        ("ODirect", True, "1", None),
        ("Heartbeat", 5000, "1500", "differs"),
    ],
)
def test_ndb(name: str, asked: object, now: str, kind: str | None) -> None:
    rows = [(1, name, now, "unsigned"), (2, name, "77", "unsigned")]
    found = ndb.findings({1: "data1"}, {name: asked}, rows)
    assert [one.kind for one in found] == ([kind] if kind else [])


def test_patroni() -> None:
    asked = {"ttl": 30, "postgresql": {"use_slots": True, "use_pg_rewind": True}}
    now = {"ttl": 20, "postgresql": {"use_slots": True}, "pause": True}
    found = dynamic_in_effect(asked, now)
    assert [(one.setting, one.asked, one.found) for one in found] == [
        ("ttl", "30", "20"),
        ("postgresql.use_pg_rewind", "True", "None"),
    ]


def test_haproxy() -> None:
    rows = haproxy_in_effect.rows_of(
        "# pxname,svname,status,check_rise,check_fall,addr,\n"
        "write,FRONTEND,OPEN,,,,\nwrite,node1,UP,1,2,10.0.0.1:3306,\nread,node2,MAINT,1,4,10.0.0.9:1,\n"
    )
    addresses = {"node1": "10.0.0.1:3306", "node2": "10.0.0.2:3306"}
    found = haproxy_in_effect.findings("proxy", {"fall": 2, "rise": 1}, addresses, rows)
    assert [one.setting for one in found] == [
        "access.fall of read/node2",
        "address of read/node2",
        "state of read/node2",
    ]
