"""Server settings that weaken durability are refused, or are part of the facts."""

from typing import Any

import pytest

from fivenines.experiment.validation import checks
from fivenines.results.records import SolutionFacts
from fivenines.solutions.cluster_pair.settings import ClusterPairSettings
from fivenines.solutions.drbd.settings import DrbdSettings
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.group_replication.innodb_cluster import InnodbClusterSettings
from fivenines.solutions.group_replication.settings import GroupReplicationSettings
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.patroni.settings import PatroniSettings
from fivenines.solutions.replication.settings import ReplicationSettings
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.standalone import StandaloneSettings
from fivenines.solutions.weakened import facts_as_set

_KINDS: dict[str, type[SolutionSettings]] = {
    "cluster-pair": ClusterPairSettings,
    "drbd": DrbdSettings,
    "galera": GaleraSettings,
    "group-replication": GroupReplicationSettings,
    "hot-standby": HotStandbySettings,
    "innodb-cluster": InnodbClusterSettings,
    "patroni": PatroniSettings,
    "replication": ReplicationSettings,
    "standalone": StandaloneSettings,
}
FLUSH = "innodb_flush_log_at_trx_commit"
MARIADB = "mariadb-10.11"
MYSQL = "mysql-9.7"


def _of(kind: str, server: dict[str, Any], **given: Any) -> SolutionSettings:
    return _KINDS[kind](**{"solution": kind, "server": server, **given})


def _problems(settings: SolutionSettings) -> list[str]:
    return [problem for problem in checks.problems(settings) if problem.startswith("server.")]


def _facts(settings: SolutionSettings) -> SolutionFacts:
    facts = facts_as_set(settings)
    assert facts is not None
    return facts


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("standalone", {"engine": MARIADB}),
        ("standalone", {"engine": MYSQL}),
        ("replication", {"mode": "after_sync"}),
        ("replication", {"engine": MYSQL}),
        ("galera", {}),
        ("group-replication", {}),
        ("innodb-cluster", {}),
        ("drbd", {}),
        ("cluster-pair", {"a": {"solution": "galera"}}),
        ("cluster-pair", {"a": {"solution": "galera", "durability": "relaxed"}, "b": {"solution": "galera"}}),
    ],
)
def test_commits_that_do_not_wait_for_the_disk_contradict_strict_durability(
    kind: str, given: dict[str, Any]
) -> None:
    problems = _problems(_of(kind, {FLUSH: 2, "sync_binlog": 0}, **given))
    assert [problem.split(":")[0] for problem in problems] == [f"server.{FLUSH}", "server.sync_binlog"]
    assert all("write `durability: relaxed`" in problem for problem in problems)
    assert not _problems(_of(kind, {FLUSH: 1, "sync_binlog": 1}, **given))


@pytest.mark.parametrize("engine", [MARIADB, MYSQL])
@pytest.mark.parametrize(
    ("name", "value", "refused"),
    [
        (FLUSH, "0", True),
        (FLUSH, False, True),
        (FLUSH, "off", True),
        ("loose-InnoDB-flush_log-at-trx-commit", 2, True),
        (f"skip_{FLUSH}", 1, True),
        (f"skip_{FLUSH}", 0, False),
        (FLUSH, True, False),
        (FLUSH, " 1 ", False),
        ("sync_binlog", 100, True),
        ("SYNC-BINLOG", "1", False),
    ],
)
def test_settings_are_read_as_the_server_reads_them(
    engine: str, name: str, value: Any, refused: bool
) -> None:
    assert bool(_problems(_of("standalone", {name: value}, engine=engine))) is refused


def test_what_only_mariadb_understands() -> None:
    for server, maria, mysql in (({FLUSH: 3}, 0, 1), ({"innodb_flush_log_at_trx": 0}, 1, 0)):
        assert len(_problems(_of("standalone", server, engine=MARIADB))) == maria
        assert len(_problems(_of("standalone", server, engine=MYSQL))) == mysql


@pytest.mark.parametrize("value", ["off", False, "OFF", "no", 0])
def test_synchronous_commit_of_one_server_is_its_durability(value: Any) -> None:
    server = {"Synchronous_Commit": value}
    for kind, given in (("standalone", {}), ("drbd", {"engine": "postgres-18"})):
        (problem,) = _problems(_of(kind, server, **given))
        assert "write `durability: relaxed`" in problem and problem.endswith("instead")
        assert not _problems(_of(kind, server, durability="relaxed", **given))
        assert not _problems(_of(kind, {"synchronous_commit": "local"}, **given))


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        (MARIADB, "rpl_semi_sync_master_wait_no_slave"),
        (MYSQL, "rpl_semi_sync_source_wait_no_replica"),
        (MYSQL, "loose-rpl_semi_sync_master_wait_no_slave"),
    ],
)
def test_a_semi_synchronous_primary_waits_for_replicas_that_are_unavailable(engine: str, name: str) -> None:
    for mode in ("after_sync", "after_commit"):
        for value in ("OFF", False, 0, "no"):
            (problem,) = _problems(_of("replication", {name: value}, engine=engine, mode=mode))
            assert "write a shorter `semi_sync_timeout`" in problem
        assert not _problems(_of("replication", {name: "ON"}, engine=engine, mode=mode))
    assert not _problems(_of("replication", {name: "OFF"}, engine=engine, mode="async"))


def test_pacemaker_switches_that_wait_itself() -> None:
    given = {"mode": "after_sync", "manager": {"kind": "pacemaker"}}
    assert not _problems(_of("replication", {"rpl_semi_sync_master_wait_no_slave": False}, **given))


@pytest.mark.parametrize(
    ("kind", "given", "server", "risk"),
    [
        ("hot-standby", {}, {"fsync": "off"}, "fsync is off: a power loss of a host may lose any row"),
        ("hot-standby", {}, {"FSYNC": "f"}, "fsync is off"),
        ("patroni", {"mode": "synchronous"}, {"fsync": False}, "fsync is off"),
        ("standalone", {}, {"full_page_writes": "no"}, "full_page_writes is off: a power loss of a host"),
        ("drbd", {"engine": "postgres-18"}, {"fsync": 0}, "fsync is off"),
        ("standalone", {}, {"zero_damaged_pages": "on"}, "zero_damaged_pages is on"),
        ("standalone", {}, {"data_sync_retry": True}, "data_sync_retry is on"),
        (
            "standalone",
            {"engine": MARIADB},
            {"innodb_flush_method": "nosync"},
            "innodb_flush_method is nosync",
        ),
        ("standalone", {"engine": MYSQL}, {"innodb-flush-method": 2}, "innodb_flush_method is littlesync"),
        ("standalone", {"engine": MARIADB}, {"debug_no_sync": 1}, "debug_no_sync is on"),
        ("replication", {"mode": "after_sync"}, {"skip-innodb_doublewrite": 1}, "innodb_doublewrite is off"),
        ("galera", {}, {"innodb_doublewrite": "no"}, "innodb_doublewrite is off: a power loss of a host"),
        ("group-replication", {}, {"innodb_doublewrite": "DETECT_ONLY"}, "innodb_doublewrite is detect_only"),
        ("innodb-cluster", {}, {"innodb_doublewrite": 0}, "innodb_doublewrite is off"),
        (
            "cluster-pair",
            {"a": {"solution": "galera"}},
            {"innodb_doublewrite": 0},
            "innodb_doublewrite is off",
        ),
    ],
)
def test_what_durability_cannot_express_is_a_possible_loss_by_design(
    kind: str, given: dict[str, Any], server: dict[str, Any], risk: str
) -> None:
    settings = _of(kind, server, **given)
    assert not _problems(settings)
    facts, plain = _facts(settings), _facts(_of(kind, {}, **given))
    assert not plain.may_lose
    assert facts.may_lose and facts.may_lose.startswith(risk)
    assert facts.one_failure_loses.startswith(f"{plain.one_failure_loses}; {risk}")


@pytest.mark.parametrize(
    ("kind", "given", "server"),
    [
        ("hot-standby", {}, {"fsync": "ON", "full_page_writes": "tr", "zero_damaged_pages": "of"}),
        ("patroni", {}, {"fsync": True, "data_sync_retry": False}),
        (
            "replication",
            {"mode": "after_sync"},
            {"innodb_doublewrite": "ON", "innodb_flush_method": "O_DSYNC"},
        ),
        ("group-replication", {}, {"innodb_doublewrite": "DETECT_AND_RECOVER", FLUSH: 1}),
        ("galera", {}, {"skip_innodb_doublewrite": 0, "innodb_flush_log_at_timeout": 60}),
        ("standalone", {"engine": MARIADB}, {"innodb_flush_method": "fsync", "debug_no_sync": 0}),
    ],
)
def test_harmless_values_change_nothing(kind: str, given: dict[str, Any], server: dict[str, Any]) -> None:
    settings = _of(kind, server, **given)
    assert not _problems(settings)
    assert _facts(settings) == settings.facts()


@pytest.mark.parametrize("kind", ["galera", "group-replication", "replication"])
def test_a_later_flush_loses_nothing_that_another_node_has(kind: str) -> None:
    given = {"durability": "relaxed", **({"mode": "after_sync"} if kind == "replication" else {})}
    settings = _of(kind, {FLUSH: 0, "innodb_flush_log_at_timeout": 5}, **given)
    assert not _problems(settings)
    facts = _facts(settings)
    assert facts.may_lose == ""
    assert f"{FLUSH} is 0: a killed server loses" in facts.one_failure_loses
    assert "innodb_flush_log_at_timeout is 5: that many seconds" in facts.one_failure_loses


def test_relaxed_durability_without_another_copy_may_lose_rows_by_design() -> None:
    for kind in ("standalone", "drbd"):
        assert _facts(_of(kind, {})).may_lose == ""
        assert _facts(_of(kind, {}, durability="relaxed")).may_lose == "a commit does not wait for the disk"
    facts = _facts(_of("drbd", {}, durability="relaxed", protocol="A"))
    assert facts.may_lose == "a write does not wait for the other node; a commit does not wait for the disk"
    assert "not flushed" in facts.one_failure_loses
