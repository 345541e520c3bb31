"""The commands of a bench: flags that the program knows, in the order that it needs, no password."""

from itertools import pairwise
from pathlib import Path

import pytest

from fivenines.load.bench.plan import ENDLESS, Bench, Filling, secret
from fivenines.load.commands import PASSWORD, described
from fivenines.load.dsn import Dsn, parse_addresses, parse_dsn
from fivenines.load.settings import LoadSettings
from fivenines.load.work import together
from fivenines.load.workloads.oltp import Oltp

WORKLOAD = Oltp(workload="oltp_read_write", tables=2)
ONE = parse_dsn("mysql://me:geheim@db:3307/test")
MANY = parse_dsn("mysql://me:geheim@h1,h2:7/test")


def values(command: list[str], flag: str) -> list[str]:
    return [value for name, value in pairwise(command) if name == flag]


def test_a_load_is_reported_servers_and_workload_but_no_password() -> None:
    command = Bench(ONE, WORKLOAD, seed=7).load_command(Path("/out"))
    assert command[1] == "load"
    assert values(command, "--write") == ["db:3307"]
    assert values(command, "--find") == ["any"]
    assert values(command, "--connections") == ["8"]
    assert values(command, "--duration") == ["10"]
    assert values(command, "--seed") == ["7"]
    assert values(command, "--out") == ["/out"]
    assert command[-2:] == described(WORKLOAD)
    assert "geheim" not in " ".join(command)
    assert secret(ONE) == {PASSWORD: "geheim"}


def test_several_hosts_are_candidates_of_which_one_takes_writes() -> None:
    reads = parse_addresses("h3,h4", "mysql")
    command = Bench(MANY, WORKLOAD, reads=reads).load_command(Path("/out"))
    assert values(command, "--write") == ["h1:3306", "h2:7"]
    assert values(command, "--read") == ["h3:3306", "h4:3306"]
    assert values(command, "--find") == ["writable"]


def test_a_load_is_driven_as_asked() -> None:
    load = LoadSettings(rate=5000, retries=2, retry_on=["deadlock"], spread="random", reconnect=9)
    command = Bench(ONE, WORKLOAD, load, transactions=together(3)).load_command(Path("/out"))
    assert values(command, "--rate") == ["5000"]
    assert values(command, "--retries") == ["2"]
    assert values(command, "--spread") == ["random"]
    assert values(command, "--reconnect") == ["9"]
    assert values(command, "--transactions") == ["3"]


def test_steps_and_searches() -> None:
    load = LoadSettings(connection_steps=["8@10s", "64@500ms"])
    command = Bench(ONE, WORKLOAD, load, seconds=10.5).load_command(Path("/o"))
    assert values(command, "--connections") == ["8@10s,64@500ms"]
    command = Bench(ONE, WORKLOAD, search="p99=20ms", seconds=None).load_command(Path("/o"))
    assert values(command, "--search") == ["p99=20ms"]
    assert "--duration" not in command
    command = Bench(ONE, WORKLOAD, seconds=None).load_command(Path("/o"))
    assert float(values(command, "--duration")[0]) == ENDLESS


@pytest.mark.parametrize(
    ("dsn", "where"),
    [
        (ONE, ["--host", "db", "--port", "3307"]),
        (parse_dsn("mysql://u@%2Fa.sock/d"), ["--socket", "/a.sock"]),
    ],
)
def test_a_preparation_is_reported_the_server(dsn: Dsn, where: list[str]) -> None:
    bench = Bench(dsn, WORKLOAD, LoadSettings(tls="require"), seed=7)
    commands = bench.prepare_commands(dsn.addresses[0], Filling(threads=3, drop=True))
    ((name, command),) = commands
    assert name == "oltp"
    assert command[1] == "prepare"
    at = command.index(where[0])
    assert command[at : at + len(where)] == where
    assert values(command, "--threads") == ["3"]
    assert values(command, "--tls") == ["require"]
    assert values(command, "--seed") == ["1"], "the same rows for every seed of a load"
    assert "--drop" in command
