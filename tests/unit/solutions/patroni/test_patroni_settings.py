"""Patroni: valid and invalid settings, and its configuration file."""

import re
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError
from ruamel.yaml import YAML

from fivenines.failover.managers.patroni import daemon as patroni_daemon
from fivenines.faults import targets
from fivenines.lab.settings import NetworkSettings
from fivenines.solutions.patroni.settings import PatroniSettings
from fivenines.trial.deployment.deployed import engines_of


def patroni(**given: Any) -> PatroniSettings:
    return PatroniSettings(**{"solution": "patroni", **given})


@pytest.mark.parametrize(
    "one",
    [
        patroni(),
        patroni(version=3, ttl="5s", loop_wait="1s", retry_timeout="3s"),
        patroni(ttl="20s", loop_wait="1s", retry_timeout="4s", primary_start_timeout="0s"),
        patroni(members=2, etcd="apart"),
        patroni(mode="strict_synchronous", synchronous_node_count=2),
        patroni(synchronous_commit="off", durability="relaxed"),
    ],
)
def test_valid_settings_have_no_problems(one: PatroniSettings) -> None:
    assert one.problems() == []
    assert one.traits.single_writer


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (
            patroni(ttl="5s", loop_wait="1s", retry_timeout="3s"),
            ["^ttl: 5s is below 20s", "set ttl to 20s or more, or version to 3"],
        ),
        (patroni(ttl="25s"), ["^ttl: 25s is shorter than", r"\(30s\)", "10s, 1s and 4s"]),
        (patroni(members=2), ["^etcd: 2 database servers cannot host 3", "set etcd to apart"]),
        (patroni(etcd_election="300ms"), ["^etcd_election: 300ms is shorter than 5 x"]),
        (
            patroni(mode="synchronous", synchronous_commit="local"),
            ["^synchronous_commit: with local no commit waits"],
        ),
        (
            patroni(mode="synchronous", synchronous_node_count=3),
            ["^synchronous_node_count: 3 members have 2 standbys"],
        ),
        (patroni(durability="relaxed"), ["synchronous_commit on waits for the disk"]),
    ],
)
def test_invalid_settings_are_reported_with_a_remedy(one: PatroniSettings, words: list[str]) -> None:
    problems = [text for text in one.problems() if re.search(words[0], text)]
    assert len(problems) == 1
    assert all(re.search(word, problems[0]) for word in words)


@pytest.mark.parametrize(
    "wrong",
    [
        {"members": 1},
        {"members": 6},
        {"ttl": "20500ms"},
        {"retry_timeout": "2s"},
        {"version": 2},
        {"mode": "semi"},
        {"engine": "mariadb-10.11"},
    ],
)
def test_values_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        patroni(**wrong)


def test_it_needs_its_own_engine_in_addition_to_the_servers() -> None:
    assert [one.name for one in engines_of(patroni())] == ["postgres-18", "patroni"]
    with_proxy = engines_of(patroni(access={"kind": "haproxy"}))
    assert [one.name for one in with_proxy] == ["postgres-18", "mariadb-10.11", "patroni"]


def test_etcd_has_hosts_only_if_it_runs_apart() -> None:
    assert patroni(etcd="apart").traits.hosts == ("etcd1", "etcd2", "etcd3")
    assert targets.problems_of("etcd2", patroni(etcd="apart").topology()) == []
    assert "unknown target" in targets.problems_of("etcd2", patroni().topology())[0]
    network = NetworkSettings.model_validate({"sites": {"east": ["node1", "etcd1"], "west": []}})
    assert network.problems() == []


def test_modes_become_settings_of_all_nodes() -> None:
    for mode, synchronous, strict in (
        ("asynchronous", False, False),
        ("synchronous", True, False),
        ("strict_synchronous", True, True),
    ):
        configuration = patroni(mode=mode, maximum_lag_on_failover="2MiB").dynamic()
        assert configuration["synchronous_mode"] is synchronous
        assert configuration["synchronous_mode_strict"] is strict
        assert (
            configuration["ttl"],
            configuration["loop_wait"],
            configuration["maximum_lag_on_failover"],
        ) == (30, 10, 2**21)
    assert patroni().dynamic(bootstrapping=True)["loop_wait"] == 1


def test_facts_follow_the_mode() -> None:
    assert "own node has it" in patroni().facts().replication
    assert patroni(mode="synchronous").facts().one_failure_loses.startswith("nothing")
    assert "refuses to commit" in patroni(mode="strict_synchronous", members=2).facts().one_down
    assert "all members" in patroni(failsafe_mode=True).facts().partition
    assert all(patroni().facts().model_dump(exclude_none=True).values())


def test_the_configuration_of_a_node(tmp_path: Any) -> None:
    node: Any = SimpleNamespace(
        name="node2",
        port=5432,
        host=SimpleNamespace(address="10.99.0.12"),
        engine=SimpleNamespace(program=lambda name: f"/run/engine/bin/{name}"),
    )
    configuration = patroni_daemon.configuration(
        node,
        ["10.99.0.11:2379"],
        patroni(use_pg_rewind=False).dynamic(),
        {"max_connections": 300, "wal_log_hints": True},
    )
    dynamic = configuration["bootstrap"]["dcs"]
    assert dynamic["ttl"] == 30
    assert dynamic["postgresql"] == {
        "use_pg_rewind": False,
        "use_slots": True,
        "parameters": {"max_connections": 300, "wal_log_hints": "true"},
    }
    server = configuration["postgresql"]
    assert server["bin_dir"] == "/run/engine/bin"
    assert server["connect_address"] == "10.99.0.12:5432"
    assert (server["data_dir"], server["config_dir"]) == ("/run/node/data", "/run/node/conf")
    assert configuration["restapi"]["listen"] == "10.99.0.12:8008"
    patroni_daemon.write(configuration, tmp_path / "patroni.yml")
    assert YAML(typ="safe").load(StringIO((tmp_path / "patroni.yml").read_text())) == configuration
