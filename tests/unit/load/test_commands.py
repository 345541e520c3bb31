"""The command lines of the Rust half: flags that it knows, and no password among them."""

import re
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.core import core_binary
from fivenines.load.commands import PASSWORD, described, health_command, prepare_command
from fivenines.load.run import LoadPlan, _command
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.postgres.server import Postgres

WORKLOAD = Oltp(workload="oltp_read_write", tables=2, table_size=50)


class Secretive(Mariadb):
    """A server whose password is no common word."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.application = ("app", "s3cr3t")


def _server(kind: type[Any] = Secretive) -> Any:
    return kind(SimpleNamespace(address="10.99.0.11", name="node1"), SimpleNamespace())


@cache
def _known(command: str) -> set[str]:
    output = subprocess.run(
        [core_binary(), command, "--help"], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"^ +(?:-h, )?(--[a-z-]+)", output, re.MULTILINE))


def _flags(command: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in command if word.startswith("--")}


def _plan(**changes: Any) -> LoadPlan:
    asked = {"connections": 8, "seconds": 28.0, "alongside": ["--ledger-rate", "100"], "seed": 7, **changes}
    return LoadPlan(WORKLOAD, **asked)


def _load(endpoints: Endpoints, **changes: Any) -> list[str]:
    return _command(_server(), endpoints, _plan(**changes), Path("/out"))


ONE = Endpoints(write=("10.99.0.11:3306",), read=(), find="any", spread="first")
MANY = Endpoints(
    write=("10.99.0.11:3306", "10.99.0.12:3306"),
    read=("10.99.0.12:3306", "10.99.0.13:3306"),
    find="writable",
    spread="all",
)


def _values(command: list[str], flag: str) -> list[str]:
    return [value for name, value in pairwise(command) if name == flag]


@pytest.mark.parametrize("endpoints", [ONE, MANY])
def test_the_load_knows_all_flags(endpoints: Endpoints) -> None:
    command = _load(endpoints)
    assert command[:2] == [str(core_binary()), "load"]
    assert _flags(command) <= _known("load")


def test_the_load_is_reported_all_endpoints_in_their_order() -> None:
    command = _load(MANY)
    assert _values(command, "--write") == list(MANY.write)
    assert _values(command, "--read") == list(MANY.read)
    assert _values(command, "--find") == ["writable"]
    assert _values(command, "--spread") == ["all"]
    alone = _load(ONE)
    assert "--read" not in alone
    assert _values(alone, "--find") == ["any"]


def test_the_load_is_reported_the_plan() -> None:
    command = _load(ONE, seconds=0.25, alongside=["--ledger-rate", "0"], seed=2**31 - 1)
    assert _values(command, "--duration") == ["0.25"]
    assert _values(command, "--ledger-rate") == ["0"]
    assert _values(command, "--seed") == [str(2**31 - 1)]
    assert _values(command, "--connections") == ["8"]
    assert _values(command, "--out") == ["/out"]
    assert "--live" in command
    assert command[-2:] == described(WORKLOAD)


def test_a_preparation_names_the_server() -> None:
    command, environment = prepare_command(_server(), WORKLOAD)
    assert _flags(command) <= _known("prepare")
    assert _values(command, "--host") == ["10.99.0.11"]
    assert _values(command, "--port") == ["3306"]
    assert _values(command, "--database") == ["sbtest"]
    assert command[-2:] == described(WORKLOAD)
    again, _ = prepare_command(_server(), WORKLOAD, drop=True)
    assert set(again) - set(command) == {"--drop"}
    assert environment == {PASSWORD: "s3cr3t"}


def test_every_data_set_is_loaded_from_the_same_seed() -> None:
    assert _values(prepare_command(_server(), WORKLOAD)[0], "--seed") == ["1"]


@pytest.mark.parametrize("expect", ["synced", "writable", "readable"])
def test_a_health_responder_knows_its_flags_and_what_is_expected(expect: str) -> None:
    command, environment = health_command(_server(), 9200, expect)
    assert _flags(command) <= _known("health")
    assert _values(command, "--listen") == ["0.0.0.0:9200"]
    assert _values(command, "--expect") == [expect]
    assert environment == {PASSWORD: "s3cr3t"}
    output = subprocess.run([*command, "--no-such-flag"], capture_output=True, text=True, check=False).stderr
    assert "--no-such-flag" in output and "invalid value" not in output


def test_the_password_is_on_no_command_line() -> None:
    server = _server()
    commands = [_load(MANY), prepare_command(server, WORKLOAD)[0], health_command(server, 1, "synced")[0]]
    for command in commands:
        assert not [word for word in command if "s3cr3t" in word]
        assert _values(command, "--password-env") == [PASSWORD]
        assert _values(command, "--user") == ["app"]


@pytest.mark.parametrize(
    ("kind", "driver", "port"), [(Mariadb, "mysql", "3306"), (Postgres, "postgres", "5432")]
)
def test_each_kind_of_server_has_its_protocol(kind: type[Any], driver: str, port: str) -> None:
    command, _ = health_command(_server(kind), 9200, "writable")
    assert _values(command, "--driver") == [driver]
    assert _values(command, "--port") == [port]
