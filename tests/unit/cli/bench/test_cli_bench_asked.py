"""What the options of `bench` ask for, and one clear message for each mistake."""

from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import UsageError
from fivenines.cli.bench.asked import Asked, understood
from fivenines.cli.bench.options import Options
from fivenines.load.bench.plan import Filling
from fivenines.load.bounds import Keepalive
from fivenines.load.dsn import Address
from fivenines.load.work import WorkSettings
from fivenines.load.workloads.mix import Mix
from fivenines.load.workloads.oltp import Oltp
from fivenines.load.workloads.script import Script
from fivenines.load.workloads.tatp import Tatp


def ask(**changes: Any) -> Asked:
    return understood(Options(**{"dsn": "mysql://u:p@h/d?sslmode=require", **changes}))


def test_sensible_defaults() -> None:
    asked = ask()
    bench = asked.bench
    assert isinstance(bench.workload, Oltp) and bench.workload.workload == "oltp_read_write"
    assert (bench.connections, bench.seconds, bench.seed, bench.find) == (8, 10.0, 1, "any")
    assert bench.load.rate is None and bench.load.retries == 0
    assert (asked.filling, asked.warmup, asked.metrics) == (None, 0.0, None)


@pytest.mark.parametrize("word", [["--threads=16"], ["--threads", "16"], ["--num-threads=16"]])
def test_threads_among_a_scripts_options_are_connections(tmp_path: Path, word: list[str]) -> None:
    (tmp_path / "c.lua").write_text("")
    own = ["--tables=4", *word]
    asked = ask(script=[f"{tmp_path}/c.lua"], script_options=own, prepare=True)
    assert asked.bench.connections == 16 and asked.filling == Filling(16, False)
    assert isinstance(asked.bench.workload, Script)
    assert asked.bench.workload.options == {"tables": "4"}
    written = " ".join(word)
    with pytest.raises(UsageError, match=f"--connections 4 and {written} after `--` differ"):
        ask(script=[f"{tmp_path}/c.lua"], script_options=own, connections="4")


def test_options_of_the_dsn_count_unless_the_command_line_says_otherwise(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("")
    dsn = "mysql://u:p@h1,h2/d?sslmode=require&target_session_attrs=any&load_balance_hosts=random"
    bench = ask(dsn=dsn).bench
    assert (bench.load.tls, bench.find, bench.load.spread) == ("require", "any", "random")
    bench = ask(dsn=dsn, tls="verify-ca", tls_ca=tmp_path / "ca.pem", find="writable", spread="all").bench
    assert (bench.load.tls, bench.find, bench.load.spread) == ("verify-ca", "writable", "all")
    assert bench.load.tls_ca == str(tmp_path / "ca.pem")


def test_clients_wait_as_long_as_the_command_line_says_or_else_the_dsn() -> None:
    load = ask(dsn="mysql://u:p@h1,h2/d?connect_timeout=2").bench.load
    assert (load.connect_timeout, load.answer_timeout) == (2.0, 30.0)
    load = ask(
        dsn="mysql://u:p@h/d?connect_timeout=2",
        connect_timeout="500ms",
        answer_timeout="none",
        keepalive="off",
    ).bench.load
    assert (load.connect_timeout, load.answer_timeout, load.keepalive) == (0.5, None, None)
    load = ask(answer_timeout="2s", keepalive="5s, 1s, 3").bench.load
    assert load.answer_timeout == 2.0
    assert load.keepalive == Keepalive(idle=5.0, interval=1.0, probes=3)


def test_a_load_is_driven_as_asked() -> None:
    asked = ask(
        connections="64",
        rate="5000",
        arrivals="poisson",
        duration="60s",
        retries=3,
        retry_on="deadlock, conflict",
        reconnect="10",
        read="h2,h3:1",
        read_share=50.0,
        prepare=True,
        drop=True,
        threads=2,
        warmup="1m",
        metrics="127.0.0.1:9187",
    )
    bench, load = asked.bench, asked.bench.load
    assert (bench.connections, bench.seconds, load.rate, load.arrivals) == (64, 60, 5000, "poisson")
    assert (load.retries, load.retry_on, load.reconnect) == (3, ["deadlock", "conflict"], 10)
    assert bench.reads == (Address("h2", 3306), Address("h3", 1)) and load.read_share == 50
    assert asked.filling == Filling(2, drop=True)
    assert (asked.warmup, asked.metrics) == (60.0, ("127.0.0.1", 9187))


def test_steps_say_how_long_it_takes() -> None:
    bench = ask(rate="1000@10s,2000@5s").bench
    assert (bench.load.steps, bench.seconds) == (["1000@10s", "2000@5s"], 15.0)
    bench = ask(connections="8@10s,64@20s", duration="30s").bench
    assert bench.load.connection_steps == ["8@10s", "64@20s"] and bench.seconds == 30
    assert ask(connections="8@10s,64@20s", storm=True).bench.load.storm


def test_fixed_work_is_of_all_connections_or_of_each() -> None:
    bench = ask(transactions="5000", duration="60s").bench
    assert bench.transactions == WorkSettings(together=5000) and bench.bound == 60
    assert ask(transactions="each=20").bench.transactions == WorkSettings(each=20)


def test_sessions_and_addresses_are_as_asked() -> None:
    bench = ask(reconnect="random", bind="10.0.0.5, ::1").bench
    assert (bench.load.reconnect, bench.bind) == ("random", ("10.0.0.5", "::1"))
    command = bench.load_command(Path("/out"))
    assert command[command.index("--bind") + 1] == "10.0.0.5,::1"
    assert command[command.index("--reconnect") + 1] == "random"


@pytest.mark.parametrize(
    "options", [{"transactions": "5"}, {"workload": ["bulkload"]}, {"search": "p99=20ms"}]
)
def test_what_ends_by_itself_has_no_usual_duration(options: dict[str, Any]) -> None:
    assert ask(**options).bench.seconds is None
    assert ask(**options, duration="7s").bench.seconds == 7


def test_settings_go_to_the_workloads_that_have_them() -> None:
    bench = ask(
        workload=["oltp_read_only@4", "tatp"],
        tables=2,
        settings=["subscribers=500", "tatp.mix=r20w80", "oltp.range_size=7"],
    ).bench
    assert isinstance(bench.workload, Mix)
    first, second = bench.workload.parts
    assert isinstance(first.workload, Oltp) and isinstance(second.workload, Tatp)
    assert (first.weight, first.workload.tables, first.workload.range_size) == (4, 2, 7)
    assert (second.workload.subscribers, second.workload.mix) == (500, "r20w80")


def test_scripts_make_workloads(tmp_path: Path) -> None:
    for name in ("a.sql", "b.sql", "c.lua"):
        (tmp_path / name).write_text("")
    workload = ask(script=[f"{tmp_path}/a.sql@3", f"{tmp_path}/b.sql"], define=["scale=10"]).bench.workload
    assert isinstance(workload, Script)
    assert workload.files == [f"{tmp_path}/a.sql@3", f"{tmp_path}/b.sql"]
    assert workload.define == {"scale": "10"}
    workload = ask(
        script=[f"{tmp_path}/c.lua"], script_options=["--tables=4", "--table_size", "9", "--skip"]
    ).bench.workload
    assert isinstance(workload, Script)
    assert workload.options == {"tables": "4", "table_size": "9", "skip": "on"}


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"dsn": "x"}, "the DSN has no known scheme: write mysql://"),
    ({"duration": "5"}, "--duration: '5' is not a duration: write a number and a unit"),
    ({"duration": "0s"}, "--duration 0s: measures nothing. Add --prepare to only fill tables"),
    ({"duration": "9s", "rate": "1@5s"}, "--duration: the steps take 5s in total. Leave it out"),
    (
        {"workload": ["oltp_reed_only"]},
        "--workload: unknown workload 'oltp_reed_only'; did you mean 'oltp_read_only'?",
    ),
    ({"workload": ["tatp@0"]}, "--workload tatp@0: the weight must be a whole number from 1 to 1000000"),
    ({"workload": ["tatp", "tatp"]}, "bench: parts[0] and parts[1]: both are tatp"),
    ({"workload": ["tatp"], "tables": 3}, "bench: --set tables=3: tatp has no setting 'tables'"),
    (
        {"workload": ["tatp"], "settings": ["subscriber=5"]},
        "bench: --set subscriber=5: tatp has no setting 'subscriber'; did you mean 'subscribers'?\n"
        "    allowed: choice, mix, subscribers",
    ),
    ({"workload": ["tatp"], "settings": ["subscribers=many"]}, "bench: subscribers: found 'many'"),
    ({"workload": ["tatp"], "settings": ["mix=1,2"]}, "bench: mix: write 7 percentages"),
    ({"settings": ["tables"]}, "bench: --set tables: write KEY=VALUE, as in --set subscribers=10000"),
    ({"script": ["no.sql"]}, "--script no.sql: the file does not exist"),
    ({"script": ["pyproject.toml"]}, "--script pyproject.toml: "),
    (
        {"script_options": ["extra"]},
        "bench: 'extra' is not an option. Options after `--` need --script FILE.lua",
    ),
    ({"define": ["a=1"]}, "--define: has no effect without --script FILE.sql"),
    ({"rate": "fast"}, "--rate fast: write transactions per second, as 5000, or steps"),
    ({"rate": "0"}, "--rate 0: write transactions per second"),
    ({"rate": "10@1s,x@2s"}, "--rate: 'x@2s' is not a step. Write steps as 1000@10s,2000@10s"),
    ({"arrivals": "poisson"}, "--arrivals: poisson arrivals need a `rate` or `steps`"),
    (
        {"arrivals": "poison", "rate": "5"},
        "--arrivals poison: must be one of constant, poisson; did you mean 'poisson'?",
    ),
    ({"think_time": "1s", "rate": "5"}, "--think-time: has no effect with a rate"),
    ({"think_distribution": "exponential"}, "--think-distribution: has no effect without think_time"),
    ({"connections": "0"}, "--connections 0: write a number from 1 to 100000, or steps"),
    ({"connections": "many"}, "--connections many: write a number"),
    ({"connections": "8@x"}, "--connections: '8@x' is not a step. Write steps as 8@10s,64@10s"),
    (
        {"connections": "8@1s,9@1s", "rate": "5@1s,6@1s"},
        "--rate and --connections: only one of the two can have steps",
    ),
    ({"search": "20ms"}, "--search 20ms: write a measure and its bound, as p99=20ms"),
    ({"search": "p98=20ms"}, "--search p98=20ms: write a measure and its bound"),
    ({"search": "p99=20"}, "--search: '20' is not a duration"),
    ({"search": "p99=1s", "rate": "5"}, "--search: finds the rate itself. Leave --rate out"),
    ({"drop": True}, "--drop: has no effect without --prepare. Add --prepare"),
    ({"answer_timeout": "0s"}, "--answer-timeout 0s: must be more than 0, as 2s"),
    ({"connect_timeout": "none"}, "--connect-timeout: 'none' is not a duration"),
    ({"keepalive": "15s"}, "--keepalive 15s: write off, or IDLE,INTERVAL,PROBES"),
    ({"keepalive": "15s,500ms,9"}, "--keepalive 15s,500ms,9: times must be whole seconds"),
    ({"keepalive": "15s,1s,128"}, "--keepalive 15s,1s,128: probes must be from 1 to 127"),
    ({"retry_on": "deadlock"}, "--retry-on: has no effect without retries. Add --retries N"),
    ({"retry_on": "dedlock", "retries": 1}, "--retry-on dedlock: must be one of deadlock, conflict,"),
    ({"read_share": 5.0}, "--read-share: has no effect without --read. Add --read HOSTS"),
    ({"read": "h:x"}, "'h:x': its host or port is malformed"),
    ({"threads": 0}, "--threads 0: must be between 1 and 256"),
    ({"retries": 1001}, "--retries: found 1001"),
    ({"protocol": "simpel"}, "--protocol simpel: must be one of prepared, extended, simple"),
    (
        {"protocol": "simple"},
        "--protocol: simple is for SQL files, and 'oltp_read_write' has other statements",
    ),
    ({"protocol": "extended"}, "--protocol extended: only the native PostgreSQL protocol"),
    ({"reconnect": "-1"}, "--reconnect -1: must be one of session, transaction, query, random, N"),
    (
        {"reconnect": "sesion"},
        "--reconnect sesion: must be one of session, transaction, query, random, N; did",
    ),
    ({"bind": "10.0.0.5,here"}, "--bind: 'here' is not an address"),
    ({"transactions": "each=0"}, "--transactions each=0: write a whole number"),
    ({"transactions": "all=5"}, "--transactions all=5: write a whole number"),
    ({"transactions": "each=5", "connections": "8@1s,9@1s"}, "--transactions: each=N needs a constant"),
    ({"storm": True}, "--storm: needs rising connection_steps"),
    ({"read_share": 101.0, "read": "h2"}, "--read-share: found 101"),
    ({"tables": 0}, "bench: tables: found 0"),
    ({"tls": "on"}, "--tls on: must be one of disable, prefer, require, verify-ca, verify-full"),
    ({"tls": "verify-ca", "tls_ca": Path("no.pem")}, "--tls-ca no.pem: the file does not exist"),
    ({"find": "writeable"}, "--find writeable: must be one of writable, any; did you mean 'writable'?"),
    ({"metrics": "http"}, "--metrics http: write a port, as 9187, or HOST:PORT"),
    ({"metrics": "99999"}, "--metrics 99999: write a port"),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES)
def test_each_mistake_is_one_message(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as refused:
        ask(**options)
    assert str(refused.value).startswith(message)
