"""Solutions: names, sizes, invalid settings, and server configurations."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.experiment.source import solution_from
from fivenines.lab.disks.data_folder import Folder
from fivenines.servers.mariadb.server import SEMI_SYNC_PRIMARY, WHERE_ITS_LOG_ENDS, WRITABLE, Mariadb, follow
from fivenines.servers.mysql.replication import MysqlReplicating
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.galera.solution import Galera
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.hot_standby.solution import HotStandby
from fivenines.solutions.replication.settings import ReplicationSettings
from fivenines.solutions.replication.solution import Replication
from fivenines.solutions.standalone import Standalone, StandaloneSettings
from fivenines.trial.deployment.deployed import engines_of


def galera(**given: Any) -> GaleraSettings:
    return GaleraSettings(**{"solution": "galera", **given})


def standby(**given: Any) -> HotStandbySettings:
    return HotStandbySettings(**{"solution": "hot-standby", **given})


def replication(**given: Any) -> ReplicationSettings:
    return ReplicationSettings(**{"solution": "replication", **given})


def standalone(**given: Any) -> StandaloneSettings:
    return StandaloneSettings(**{"solution": "standalone", **given})


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


def test_all_problems_are_reported_at_once() -> None:
    assert len(galera(size=2, suspect_timeout=6, inactive_timeout=5).problems()) == 2


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


class Noting:
    """Mixed into a server: records calls, and gives fixed answers."""

    def __init__(self, number: int, engine: Any) -> None:
        host: Any = SimpleNamespace(name=f"node{number}", address=f"10.99.0.{10 + number}")
        super().__init__(host, engine)  # type: ignore[call-arg]
        self.done: list[str] = []
        self.state: Any = None
        self.is_writable = self.answering = self.standby = False
        self.sql: Any = SimpleNamespace(execute=self.execute, replica_status=lambda: self.state)

    @property
    def alive(self) -> bool:
        return self.answering

    def answers(self) -> bool:
        return self.answering

    def writable(self) -> bool:
        return self.is_writable

    def start(self, *arguments: str) -> None:
        self.done.append(" ".join(["start", *arguments]))
        self.answering = True

    def wait_ready(self, timeout: float = 60.0) -> None:
        assert self.answering

    def execute(self, *statements: str, timeout: float = 30.0) -> None:
        self.done += statements

    def galera(self) -> Any:
        return self.state

    def recover_position(self) -> str:
        return str(self.state)

    def is_standby(self) -> bool:
        return self.standby

    def rewind(self, source: Any) -> None:
        self.done.append(f"rewind from {source.name}")

    def set_system(self, name: str, value: Any) -> None:
        self.done.append(f"{name} = {value}")


class NotingMariadb(Noting, Mariadb):
    """A simulated MariaDB server."""


class NotingMysql(Noting, Mysql):
    """A simulated MySQL server."""


class NotingPostgres(Noting, Postgres):
    """A simulated PostgreSQL server."""


KINDS: dict[type[Any], tuple[type[Any], type[Any], str]] = {
    GaleraSettings: (Galera, NotingMariadb, "mariadb"),
    ReplicationSettings: (Replication, NotingMariadb, "mariadb"),
    HotStandbySettings: (HotStandby, NotingPostgres, "postgresql"),
    StandaloneSettings: (Standalone, NotingPostgres, "postgresql"),
}


def deployed(one: Any) -> Any:
    """Return the solution of these settings, with simulated servers."""
    kind, server, family = KINDS[type(one)]
    engine: Any = SimpleNamespace(family=family, file=lambda pattern, *_: f"/{pattern}")
    solution = kind(one, None, engine, None)
    solution.nodes = [server(number, engine) for number in range(1, one.traits.nodes + 1)]
    return solution


def _options(one: GaleraSettings) -> dict[str, str]:
    solution = deployed(one)
    text = solution.configuration.own(solution.nodes[0])["wsrep_provider_options"]
    assert text[0] == text[-1] == '"'
    return dict(part.split("=") for part in text[1:-1].split("; "))


def test_galeras_provider_options() -> None:
    assert _options(galera()) == {
        "gcache.size": "128M",
        "evs.suspect_timeout": "PT5S",
        "evs.inactive_timeout": "PT15S",
        "evs.keepalive_period": "PT1S",
        "evs.inactive_check_period": "PT0.5S",
    }
    more = _options(
        galera(
            keepalive_period=0.5,
            join_retrans_period=0.25,
            install_timeout=4,
            send_window=512,
            user_send_window=256,
            fc_limit=100,
            fc_factor=0.8,
            fc_single_primary=True,
        )
    )
    assert more["evs.keepalive_period"] == "PT0.5S"
    assert more["evs.join_retrans_period"] == "PT0.25S"
    assert more["evs.install_timeout"] == "PT4S"
    assert (more["evs.send_window"], more["evs.user_send_window"]) == ("512", "256")
    assert (more["gcs.fc_limit"], more["gcs.fc_factor"]) == ("100", "0.8")
    assert more["gcs.fc_single_primary"] == "YES"


def test_each_site_is_a_segment() -> None:
    solution = deployed(galera(segments=True))
    sites = {"node1": "east", "node2": "west", "node3": "east"}
    solution.lab = SimpleNamespace(
        network=SimpleNamespace(settings=SimpleNamespace(site_names=["east", "west"])),
        sites=SimpleNamespace(of=sites.__getitem__),
    )
    message = [solution.configuration.own(node)["wsrep_provider_options"] for node in solution.nodes]
    assert [text.rpartition("gmcast.segment=")[2] for text in message] == ['0"', '1"', '0"']


def test_how_a_galera_node_takes_all_data_and_which_reads_wait() -> None:
    plain, chosen = deployed(galera()), deployed(galera(sst="mariabackup", sync_wait=3))
    found = plain.configuration.own(plain.nodes[0])
    assert found["wsrep_sst_method"] == "rsync"
    assert "wsrep_sst_auth" not in found and "init_connect" not in found
    found = chosen.configuration.own(chosen.nodes[0])
    assert found["wsrep_sst_method"] == "mariabackup"
    assert found["init_connect"] == "'SET SESSION wsrep_sync_wait = 3'"


def test_facts_of_a_galera_cluster() -> None:
    three, five = galera().facts(), galera(size=4, arbiter=True, sync_wait=1).facts()
    assert "continue" in three.one_down and "no majority" in three.two_down
    assert "continue" in five.two_down and five.extra == "garbd on a separate host"
    assert "slightly stale" in three.read_scaling and "waits" in five.read_scaling
    assert "last second" in galera(durability="relaxed").facts().one_failure_loses


@settings(max_examples=50, deadline=None)
@given(st.floats(0.5, 600.0), st.floats(1.0, 10.0))
def test_galera_probes_silent_peers_before_it_suspects_them(suspect: float, times: float) -> None:
    options = _options(galera(suspect_timeout=suspect, inactive_timeout=suspect * times))
    seconds = {
        name.removeprefix("evs."): float(re.fullmatch(r"PT([\d.]+)S", value)[1])  # type: ignore[index]
        for name, value in options.items()
        if name.startswith("evs.")
    }
    assert seconds["suspect_timeout"] == pytest.approx(suspect, rel=1e-5)
    assert seconds["suspect_timeout"] <= seconds["inactive_timeout"]
    # The server's own bounds: it does not start beyond them.
    assert 0.1 <= seconds["keepalive_period"] < seconds["suspect_timeout"] / 3
    assert seconds["inactive_check_period"] >= 0.1
    assert seconds["inactive_check_period"] < seconds["keepalive_period"] * 1.01


def test_every_galera_node_knows_the_whole_cluster_and_itself() -> None:
    solution = deployed(galera(appliers=7, durability="relaxed"))
    found = [solution.configuration.own(node) for node in solution.nodes]
    assert {one["wsrep_cluster_address"] for one in found} == {"gcomm://10.99.0.11,10.99.0.12,10.99.0.13"}
    assert [one["wsrep_node_name"] for one in found] == ["node1", "node2", "node3"]
    assert found[1]["wsrep_node_address"] == "10.99.0.12"
    assert {one["wsrep_slave_threads"] for one in found} == {7}
    assert {one["innodb_flush_log_at_trx_commit"] for one in found} == {2}
    assert all(one["binlog_format"] == "ROW" for one in found if "binlog_format" in one)


@pytest.mark.parametrize(("writes", "spread"), [("one", "first"), ("all", "all")])
@pytest.mark.parametrize(("reads", "read"), [("primary", 0), ("replicas", 2)])
def test_where_clients_find_galera(writes: str, spread: str, reads: str, read: int) -> None:
    solution = deployed(galera(writes=writes, reads=reads))
    found = solution.endpoints()
    assert found.write == ("10.99.0.11:3306", "10.99.0.12:3306", "10.99.0.13:3306")
    assert found.read == found.write[3 - read :] if read else found.read == ()
    assert (found.find, found.spread) == ("writable", spread)
    assert solution.health == "synced" and solution.settings.failover_manager is None


SYNCED = ("3", "Primary", "Synced")


def test_the_first_synced_galera_node_is_the_primary() -> None:
    solution = deployed(galera())
    for node, state in zip(
        solution.nodes, [("3", "non-Primary", "Initialized"), SYNCED, SYNCED], strict=True
    ):
        node.answering, node.state = True, state
    assert solution.roles.by_name() == {"node1": "down", "node2": "primary", "node3": "replica"}
    assert solution.membership.not_joined_reason(solution.nodes[0]) == "node1 is not Synced"
    assert solution.membership.not_joined_reason(solution.nodes[2]) == ""
    solution.nodes[1].answering = False
    assert solution.roles.primary().name == solution.roles.target("primary").name == "node3"
    with pytest.raises(FiveninesError, match="no node has the role replica now"):
        solution.roles.target("replica")


@pytest.mark.parametrize(
    ("position", "done"), [("abc:42", "start --wsrep-start-position=abc:42"), ("", "start")]
)
def test_a_galera_node_rejoins_where_it_was(position: str, done: str, tmp_path: Any) -> None:
    solution = deployed(galera())
    node = solution.nodes[1]
    node.host.node, node.host.data = tmp_path, Folder(tmp_path / "data")
    (tmp_path / "data").mkdir()
    if position:
        (tmp_path / "data" / "grastate.dat").touch()
    solution.nodes[0].answering = True
    node.state = position
    solution.membership.rejoin(node)
    assert node.done == [done]


@pytest.mark.parametrize(
    ("synchronous_commit", "synchronous"),
    [("off", False), ("local", False), ("remote_write", True), ("on", True), ("remote_apply", True)],
)
def test_which_commits_wait_for_a_standby(synchronous_commit: str, synchronous: bool) -> None:
    solution = deployed(standby(synchronous_commit=synchronous_commit, standbys=2))
    assert solution.configuration.own(solution.nodes[0])["synchronous_commit"] == synchronous_commit
    assert solution.manager_facts()["synchronous"] == synchronous
    names = "ANY 1 (node1, node3)" if synchronous else ""
    primary, old = solution.nodes[1], solution.nodes[0]
    primary.answering = primary.is_writable = True
    solution.follow = lambda node, source: node.done.append(f"follows {source.name}")
    solution.membership.rejoin(old)
    assert old.done == ["rewind from node2", "follows node2", "start"]
    assert primary.done == [f"synchronous_standby_names = {names}"]


def test_how_many_standbys_a_commit_waits_for_and_which() -> None:
    quorum = deployed(standby(standbys=3, wait_for=2))
    assert quorum.sync_names(quorum.nodes[1]) == "ANY 2 (node1, node3, node4)"
    ranked = deployed(standby(standbys=3, wait_for=2, choice="first"))
    assert ranked.sync_names(ranked.nodes[0]) == "FIRST 2 (node2, node3, node4)"
    assert ranked.manager_facts()["control"] == {"wait_for": 2, "choice": "first"}


def test_a_delayed_standby_is_never_awaited_read_from_or_promoted() -> None:
    solution = deployed(standby(standbys=2, delay=30))
    first, second, last = solution.nodes
    assert "recovery_min_apply_delay" not in solution.configuration.own(second)
    assert solution.configuration.own(last)["recovery_min_apply_delay"] == "30000ms"
    assert solution.sync_names(first) == "ANY 1 (node2)"
    assert solution.manager_facts()["candidates"] == ["node1", "node2"]
    assert solution.replicas == [second]
    assert solution.settings.traits.least_settle == 30


def test_a_subscriber_is_never_awaited_or_promoted_and_refuses_writes() -> None:
    solution = deployed(standby(standbys=2, slots=True, subscriber=True))
    first, second, third, last = solution.nodes
    assert solution.settings.traits.nodes == 4
    assert solution.configuration.own(second)["sync_replication_slots"] is True
    assert solution.configuration.own(last)["default_transaction_read_only"] is True
    assert solution.sync_names(first) == "ANY 1 (node2, node3)"
    assert solution.manager_facts()["candidates"] == ["node1", "node2", "node3"]
    assert solution.replicas == [second, third]
    last.answering = last.is_writable = True
    assert solution.roles.observed(last) == "replica"
    assert solution.membership.unexpected_primary_reason(last) == ""
    assert "one subscriber by logical replication" in solution.settings.facts().replication


def test_in_a_cascade_each_standby_follows_the_previous_one() -> None:
    followed: dict[bool, list[str]] = {}
    for cascade in (False, True):
        solution = deployed(standby(standbys=3, cascade=cascade, synchronous_commit="local"))
        message = followed[cascade] = []
        solution.follow = lambda node, source, message=message: message.append(
            f"{node.name} follows {source.name}"
        )
        solution.nodes[0].write_auto_conf = lambda _settings: None
        solution.membership.not_joined_reason = lambda _node: ""
        solution.start()
    assert followed[False] == [f"node{number} follows node1" for number in (2, 3, 4)]
    assert followed[True] == [f"node{number} follows node{number - 1}" for number in (2, 3, 4)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"wait_for": 2}, "wait_for: 2 standbys cannot acknowledge, as there are 1"),
        ({"standbys": 2, "wait_for": 2, "delay": 5}, "as there are 1 without the delayed one"),
        (
            {"wait_for": 2, "synchronous_commit": "local"},
            "with synchronous_commit local a commit waits for no standby",
        ),
        (
            {"choice": "first", "synchronous_commit": "off"},
            "with synchronous_commit off a commit waits for no standby",
        ),
        ({"standbys": 3, "cascade": True, "wait_for": 2}, "in a cascade only one standby"),
        ({"cascade": True}, "cascade: it needs at least 2 standbys"),
        ({"delay": 5, "synchronous_commit": "local"}, "delay: it needs at least 2 standbys"),
        (
            {"standbys": 2, "delay": 5, "synchronous_commit": "off", "durability": "adaptive"},
            "would count as a standby",
        ),
        ({"subscriber": True}, "subscriber: a standby needs a replication slot"),
        ({"subscriber": True, "slots": True, "standbys": 2, "delay": 5}, "delay: it cannot be combined"),
        ({"subscriber": True, "slots": True, "standbys": 2, "cascade": True}, "cascade: it cannot"),
    ],
)
def test_what_standbys_cannot_do(given: dict[str, Any], message: str) -> None:
    assert message in "\n".join(standby(**given).problems())


def test_the_facts_say_how_many_copies_a_commit_needs() -> None:
    plain, two = standby(standbys=2).facts(), standby(standbys=2, wait_for=2).facts()
    assert "waits for a standby that has it on disk" in plain.replication
    assert "waits for 2 standbys that have it on disk" in two.replication
    assert "a failed replica changes nothing" in plain.one_down
    assert "without any of its standbys each commit waits" in two.one_down
    assert "2 other nodes are available" in two.one_down


def test_a_standby_that_died_is_not_rewound() -> None:
    solution = deployed(standby(standbys=2))
    primary, dead = solution.nodes[0], solution.nodes[1]
    primary.answering = primary.is_writable = dead.standby = True
    solution.follow = lambda node, source: node.done.append(f"follows {source.name}")
    solution.membership.rejoin(dead)
    assert dead.done == ["follows node1", "start"]


def test_without_a_primary_postgresql_is_just_started() -> None:
    solution = deployed(standby())
    solution.membership.rejoin(solution.nodes[0])
    assert solution.nodes[0].done == ["start"]


def test_every_replica_has_a_number_and_starts_read_only() -> None:
    solution = deployed(replication(durability="relaxed"))
    found = [solution.configuration.own(node) for node in solution.nodes]
    assert [one["server_id"] for one in found] == [1, 2, 3]
    assert {(one["read_only"], one["gtid_strict_mode"]) for one in found} == {(True, True)}
    assert {(one["sync_binlog"], one["innodb_flush_log_at_trx_commit"]) for one in found} == {(0, 2)}
    assert not [name for name in found[0] if name.startswith("rpl_semi_sync")]
    assert solution.manager_facts() == {"synchronous": False}


def test_applier_threads_and_their_mode() -> None:
    plain = deployed(replication())
    assert not [name for name in plain.configuration.own(plain.nodes[0]) if "parallel" in name]
    several = deployed(replication(appliers=4, parallel_mode="conservative"))
    found = several.configuration.own(several.nodes[1])
    assert (found["slave_parallel_threads"], found["slave_parallel_mode"]) == (4, "conservative")
    assert "a single thread" in replication(parallel_mode="optimistic").problems()[0]
    other = replication(engine="mysql-9.7", appliers=8, parallel_mode="optimistic")
    assert "MySQL has no such setting" in other.problems()[0]
    assert replication(engine="mysql-9.7", appliers=8).problems() == []


@pytest.mark.parametrize("mode", ["after_sync", "after_commit"])
def test_semi_synchronous_replicas_acknowledge_and_do_not_wait(mode: str) -> None:
    solution = deployed(replication(mode=mode, semi_sync_timeout=2.5))
    found = solution.configuration.own(solution.nodes[2])
    assert found["rpl_semi_sync_slave_enabled"] is True
    assert found["rpl_semi_sync_master_wait_point"] == mode.upper()
    assert found["rpl_semi_sync_master_timeout"] == 2500
    assert "rpl_semi_sync_master_enabled" not in found
    assert solution.manager_facts() == {"synchronous": True}


@pytest.mark.parametrize(
    ("mode", "arguments"),
    [("async", " --skip-slave-start"), ("after_sync", " --skip-slave-start --init-rpl-role=SLAVE")],
)
def test_a_server_rejoins_as_replica_of_the_new_primary(mode: str, arguments: str) -> None:
    solution = deployed(replication(mode=mode))
    old, primary = solution.nodes[0], solution.nodes[2]
    primary.answering = primary.is_writable = True
    solution.membership.rejoin(old)
    assert old.done == [
        f"start{arguments}",
        WHERE_ITS_LOG_ENDS,
        *follow("10.99.0.13", solution.passwords.replication),
    ]


@pytest.mark.parametrize(
    ("mode", "done"),
    [("async", ["start", WRITABLE]), ("after_commit", ["start", SEMI_SYNC_PRIMARY, WRITABLE])],
)
def test_a_primary_that_was_not_replaced_is_primary_again(mode: str, done: list[str]) -> None:
    solution = deployed(replication(mode=mode))
    solution.membership.rejoin(solution.nodes[0])
    assert solution.nodes[0].done == done


def _state(io: str = "", sql: str = "", running: tuple[str, str] = ("Yes", "Yes")) -> Any:
    return {
        "Last_IO_Error": io,
        "Last_SQL_Error": sql,
        "Slave_IO_Running": running[0],
        "Slave_SQL_Running": running[1],
    }


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (_state(), ""),
        ({}, "node2 follows no primary"),
        (_state(io="refused", sql="later"), "node2: refused"),
        (_state(sql="duplicate key", running=("Yes", "No")), "node2: duplicate key"),
        (_state(running=("Connecting", "Yes")), "node2 is still connecting"),
        (_state(running=("Yes", "No")), "node2 is still connecting"),
    ],
)
def test_when_a_mariadb_replica_has_joined(state: Any, reason: str) -> None:
    solution = deployed(replication())
    node = solution.nodes[1]
    assert solution.membership.not_joined_reason(node) == "node2 does not answer"
    node.answering, node.state = True, state
    assert solution.membership.not_joined_reason(node) == reason
    assert solution.roles.of(node) == "replica"
    node.is_writable = True
    assert solution.membership.not_joined_reason(node) == ""
    assert solution.roles.of(node) == "primary"


def test_an_unknown_node_is_reported_with_the_known_nodes() -> None:
    solution = deployed(standby())
    assert solution.node("node2") is solution.nodes[1]
    with pytest.raises(FiveninesError, match=r"^there is no node 'node3': the nodes are node1, node2$"):
        solution.node("node3")


def test_each_runs_on_all_nodes_and_raises_an_error() -> None:
    solution = deployed(replication())
    solution.each(lambda node: node.start("--x"))
    assert [node.done for node in solution.nodes] == [["start --x"]] * 3
    solution.each(lambda node: node.start("--y"), [])

    def broken(node: Any) -> None:
        if node.name == "node2":
            raise FiveninesError("node2 will not")

    with pytest.raises(FiveninesError, match="node2 will not"):
        solution.each(broken)


def test_a_single_server_is_primary_or_down() -> None:
    solution = deployed(standalone(durability="relaxed"))
    node = solution.nodes[0]
    assert solution.configuration.own(node) == {"synchronous_commit": "off"}
    assert solution.roles.of(node) == "down"
    solution.membership.rejoin(node)
    assert solution.membership.not_joined_reason(node) == "it is not writable"
    node.is_writable = True
    assert (
        solution.roles.of(node),
        solution.membership.not_joined_reason(node),
        solution.membership.lag_reason(node),
    ) == ("primary", "", "")


def test_of_two_writable_nodes_the_one_promoted_last_is_the_primary() -> None:
    solution = deployed(replication(replicas=2))
    first, second, third = solution.nodes
    for node in solution.nodes:
        node.answering = True
    first.is_writable = second.is_writable = True
    assert solution.roles.by_name() == {"node1": "primary", "node2": "unexpected-primary", "node3": "replica"}
    solution.roles.appoint("node2")
    assert solution.roles.primary() is solution.roles.primary_of_record is second
    assert solution.roles.by_name() == {"node1": "unexpected-primary", "node2": "primary", "node3": "replica"}
    assert solution.roles.of(first) == "unexpected-primary"
    assert "node1 is writable although node2 is the primary" in solution.membership.not_joined_reason(first)
    assert "node1 is writable" in solution.membership.unexpected_primary_reason(first)
    assert solution.membership.unexpected_primary_reason(second) == ""
    second.is_writable = False
    assert solution.roles.primary() is first
    assert solution.membership.restart_order([first, third, second])[0] is second


def test_the_most_advanced_of_all_dead_galera_nodes_begins_a_new_cluster(tmp_path: Any) -> None:
    solution = deployed(galera())
    for number, node in enumerate(solution.nodes):
        node.host.node = tmp_path / node.name
        (node.host.node / "data").mkdir(parents=True)
        node.host.data = Folder(node.host.node / "data")
        (node.host.node / "data" / "grastate.dat").write_text("safe_to_bootstrap: 0\n")
        node.state = f"uuid:{[5, 9, 7][number]}"
    solution.membership.rejoin(solution.nodes[0])
    assert solution.nodes[1].done == ["start --wsrep-new-cluster --wsrep-start-position=uuid:9"]
    assert solution.nodes[0].done == ["start --wsrep-start-position=uuid:5"]
    written = [(node.data / "grastate.dat").read_text() for node in solution.nodes]
    assert [text.strip()[-1] for text in written] == ["0", "1", "0"]


def test_remediation_bootstraps_the_most_advanced_survivor_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solution = deployed(galera(bootstrap_after=3.0))
    clock = [100.0]
    monkeypatch.setattr("fivenines.solutions.quorum.time.monotonic", lambda: clock[0])
    _, second, third = solution.nodes
    second.answering = third.answering = True
    second.state = third.state = ("2", "Primary", "Synced")
    monkeypatch.setattr("fivenines.solutions.galera.membership._committed", {second: 5, third: 9}.get)
    assert solution.membership.remediate() == []
    second.state = third.state = ("1", "non-Primary", "Initialized")
    assert solution.membership.remediate() == []
    clock[0] += 2.9
    assert solution.membership.remediate() == []
    clock[0] += 0.2
    assert solution.membership.remediate() == ["node3: pc.bootstrap=YES, as no node had a majority"]
    assert third.done == ["SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'"]
    assert second.done == []
    nobody = deployed(galera(bootstrap_after=None))
    assert nobody.membership.remediate() == []


def test_mysql_replicates_under_its_own_names() -> None:
    one = replication(engine="mysql-9.7", mode="after_commit", wait_for=2)
    assert one.problems() == []
    engine: Any = SimpleNamespace(family="mysql")
    solution: Any = Replication(one, None, engine, None)  # type: ignore[arg-type]
    solution.nodes = [NotingMysql(number, engine) for number in (1, 2, 3)]
    found = solution.configuration.own(solution.nodes[1])
    assert (found["server_id"], found["gtid_mode"], found["super_read_only"]) == (2, "ON", True)
    assert found["rpl_semi_sync_source_wait_for_replica_count"] == 2
    assert not [name for name in found if "slave" in name]
    primary, old = solution.nodes[1], solution.nodes[0]
    primary.answering = primary.is_writable = True
    solution.membership.rejoin(old)
    assert old.done == [
        "start --skip-replica-start",
        *MysqlReplicating().follow("10.99.0.12", solution.passwords.replication),
    ]


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


def test_a_majority_of_the_nodes_decides_where_the_manager_runs_on_them() -> None:
    facts = replication(mode="after_sync", manager={"kind": "pacemaker"}).facts()
    assert facts is not None and facts.extra == "pacemaker on every node"
    assert facts.failover.startswith("Pacemaker promotes") and "more than half" in facts.partition
    assert "the server stops" in facts.two_down and "until a replica is promoted" in facts.one_down


def test_a_single_server_tolerates_no_failure() -> None:
    facts = standalone().facts()
    assert facts.one_down == facts.two_down == "unavailable until it is started again"
    assert "last moments" in standalone(durability="relaxed").facts().one_failure_loses


def test_a_galera_node_that_does_not_join_is_reported_with_the_reason() -> None:
    solution = deployed(galera())
    first, second, _ = solution.nodes
    first.answering, first.state = True, ("1", "Primary", "Synced")
    second.last_words = lambda: "  [ERROR] WSREP: failed to open gcomm backend"
    with pytest.raises(FiveninesError) as message:
        solution._await_member(second, 2)
    assert str(message.value) == (
        "node2 ended instead of joining\n  [ERROR] WSREP: failed to open gcomm backend"
    )
    second.answering, first.state = True, ("2", "Primary", "Synced")
    solution._await_member(second, 2)


@pytest.mark.parametrize("engine", ["mariadb-10.11", "mysql-9.7"])
@pytest.mark.parametrize("name", ["log_slave_updates", "log-replica-updates"])
def test_a_replica_that_may_be_promoted_logs_what_it_applies(engine: str, name: str) -> None:
    with pytest.raises(UsageError, match="a promoted replica passes on what it has received"):
        solution_from({"solution": "replication", "engine": engine, "server": {name: False}}, "test")
