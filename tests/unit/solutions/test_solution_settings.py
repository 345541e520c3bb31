"""Solutions: names, sizes, invalid settings, facts, and what all of them share."""

import re
from typing import Any

import pytest
from noting_servers import galera, replication, standalone, standby
from pydantic import ValidationError

from fivenines.base.errors import UsageError
from fivenines.experiment.source import solution_from
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.postgres.server import Postgres
from fivenines.trial.deployment.deployed import engines_of


@pytest.mark.parametrize(
    ("one", "name", "nodes"),
    [
        (standalone(), "standalone", 1),
        (standalone(durability="relaxed"), "standalone (relaxed)", 1),
        (standby(), "hot-standby on", 2),
        (standby(synchronous_commit="remote_apply", standbys=3), "hot-standby remote_apply", 4),
        (replication(), "replication async", 3),
        (replication(mode="after_sync", replicas=1), "replication after_sync", 2),
        (galera(), "galera", 3),
        (galera(size=5, access={"kind": "haproxy"}), "galera + haproxy", 5),
        (galera(size=4, arbiter=True), "galera + garbd", 4),
    ],
)
def test_names_and_sizes(one: Any, name: str, nodes: int) -> None:
    assert one.default_name() == name
    assert one.traits.nodes == nodes


@pytest.mark.parametrize(
    "one",
    [
        standby(),
        standby(synchronous_commit="off", durability="relaxed"),
        replication(),
        galera(),
        replication(mode="after_commit", durability="relaxed"),
        galera(size=5),
        galera(suspect_timeout=5, inactive_timeout=5),
        galera(size=2, arbiter=True),
        galera(size=4, arbiter=True, install_timeout=2, send_window=8, user_send_window=8),
    ],
)
def test_valid_settings_have_no_problems(one: Any) -> None:
    assert one.problems() == []


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (galera(size=4), ["cluster of 4 votes has no majority", "set size to 3 or 5"]),
        (galera(arbiter=True), ["cluster of 4 votes", "2 or 4 with `arbiter: true`"]),
        (galera(keepalive_period=2), ["at most a third of suspect_timeout, which is 5s"]),
        (galera(install_timeout=16), ["install_timeout must be between .*2s.* and .*15s"]),
        (galera(user_send_window=5), ["user_send_window must not be larger than send_window"]),
        (galera(suspect_timeout=6, inactive_timeout=5), ["inactive_timeout must not be shorter"]),
        (replication(replicas=0), ["^replication needs at least one replica"]),
        (replication(engine="mysql-9.7", wait_for=3), ["3 replicas cannot .* there are 2"]),
        (replication(mode="after_sync", wait_for=2), ["MariaDB waits for one replica"]),
        (replication(replicas=0, mode="after_sync"), ["^semi-synchronous replication needs"]),
        (
            standby(durability="relaxed"),
            ["synchronous_commit on waits", "synchronous_commit: off is the relaxed level"],
        ),
    ],
)
def test_invalid_settings_are_reported(one: Any, words: list[str]) -> None:
    (problem,) = one.problems()
    assert all(re.search(word, problem) for word in words)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: standby(standbys=0),
        lambda: standby(synchronous_commit="async"),
        lambda: replication(mode="x"),
        lambda: standby(engine="mariadb-10.11"),
        lambda: galera(engine="postgres-18"),
        lambda: galera(appliers=0),
        lambda: replication(replicas=-1),
    ],
)
def test_values_out_of_range_are_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        wrong()


def test_engines_are_those_of_the_server_and_of_the_access_layer() -> None:
    def names(one: Any) -> list[str]:
        return [engine.name for engine in engines_of(one)]

    assert names(standby()) == ["postgres-18"]
    assert names(standby(access={"kind": "haproxy"})) == ["postgres-18", "mariadb-10.11"]
    assert names(galera(access={"kind": "haproxy"})) == ["mariadb-10.11"]
    assert names(galera(size=2, arbiter=True)) == ["mariadb-10.11", "garbd"]


def test_durability_sets_server_settings() -> None:
    assert Postgres.durability("strict") == {"synchronous_commit": "on"}
    assert Postgres.durability("relaxed") == {"synchronous_commit": "off"}
    assert Mariadb.durability("strict") == {"innodb_flush_log_at_trx_commit": 1, "sync_binlog": 1}
    assert Mysql.durability("relaxed") == {"innodb_flush_log_at_trx_commit": 2, "sync_binlog": 0}


@pytest.mark.parametrize(
    ("one", "loses", "words"),
    [
        (replication(), "no replica had received", "1-safe"),
        (replication(mode="after_sync"), "nothing acknowledged", "2-safe received"),
        (replication(mode="after_commit"), "Clients may have read", "2-safe received"),
        (standby(synchronous_commit="off"), "power loss", "not even its own disk"),
        (standby(synchronous_commit="local"), "no replica had received", "1-safe"),
        (standby(synchronous_commit="remote_apply"), "nothing", "2-safe visible"),
    ],
)
def test_facts_of_a_primary_with_replicas(one: Any, loses: str, words: str) -> None:
    facts = one.facts()
    assert loses in facts.one_failure_loses and words in facts.replication
    assert "operator" in facts.failover and "manager operator" in facts.extra
    unwatched = type(one)(**{**one.model_dump(exclude_none=True), "manager": {"kind": "none"}})
    assert unwatched.facts().failover.startswith("none")
    assert unwatched.facts().extra == "none"


@pytest.mark.parametrize("engine", ["mariadb-10.11", "mysql-9.7"])
@pytest.mark.parametrize("name", ["log_slave_updates", "log-replica-updates"])
def test_a_replica_that_may_be_promoted_logs_what_it_applies(engine: str, name: str) -> None:
    with pytest.raises(UsageError, match="a promoted replica passes on what it has received"):
        solution_from({"solution": "replication", "engine": engine, "server": {name: False}}, "test")
