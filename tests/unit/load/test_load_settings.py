"""How the load is driven: flags, and what makes no sense."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.base.units import format_duration
from fivenines.experiment.source import parse_experiment
from fivenines.load.settings import LoadSettings
from fivenines.load.steps import parse_step

BOUNDS = [
    "--answer-timeout",
    "30s",
    "--connect-timeout",
    "10s",
    "--keepalive",
    "15s,15s,9",
    "--tcp-user-timeout",
    "none",
]
CLEAR = [*BOUNDS, "--tls", "disable"]
VALID = "name: x\nsolutions: [standalone]\nworkloads: [tpcc]\n"


def test_only_timeouts_and_encryption_are_always_set() -> None:
    """The program would encrypt when it can; here nothing is unless it was asked for."""
    assert LoadSettings().flags(13.0) == CLEAR


def test_every_setting_arrives() -> None:
    settings = LoadSettings(
        rate=2500.0,
        arrivals="poisson",
        burst=True,
        retries=3,
        retry_on=["deadlock", "conflict"],
        reconnect=100,
        protocol="extended",
        read_share=12.5,
        tls="verify-ca",
        tls_ca="/ca.pem",
    )
    assert settings.problems() == []
    assert settings.flags(13.0) == [
        "--rate",
        "2500",
        "--arrivals",
        "poisson",
        "--burst",
        "--retries",
        "3",
        "--retry-on",
        "deadlock,conflict",
        "--reconnect",
        "100",
        "--protocol",
        "extended",
        "--read-share",
        "12.5",
        *BOUNDS,
        "--tls",
        "verify-ca",
        "--tls-ca",
        "/ca.pem",
    ]
    thinking = LoadSettings(think_time=0.25, think_distribution="exponential", burst=True)
    assert thinking.problems() == []
    assert thinking.flags(13.0) == [
        "--think-time",
        "250ms",
        "--think-distribution",
        "exponential",
        "--burst",
        *CLEAR,
    ]


def test_the_last_step_goes_on_until_the_end() -> None:
    settings = LoadSettings(steps=["1000@3s", " 2000 @ 10s"])
    assert settings.flags(13.0) == ["--rate", "1000@3s,2000@10s", *CLEAR]
    assert settings.flags(28.0) == ["--rate", "1000@3s,2000@25s", *CLEAR]
    assert settings.problems_with(13.0) == []
    assert settings.problems_with(14.0) == [
        "load.steps: the steps last 13s, but timing.warmup and timing.steady 14s: make them equal"
    ]


def test_steps_of_connections_go_on_until_the_end_and_storm() -> None:
    settings = LoadSettings(connection_steps=["4000@3s", "40000@10s"], storm=True)
    assert settings.problems() == []
    assert (settings.connected(9, 28.0), settings.most_connections()) == ("4000@3s,40000@25s", 40_000)
    assert settings.flags(28.0) == ["--storm", *CLEAR]
    assert settings.problems_with(14.0) == [
        "load.connection_steps: the steps last 13s, but timing.warmup and timing.steady 14s: make them equal"
    ]
    assert (LoadSettings().connected(9, 28.0), LoadSettings().most_connections()) == ("9", None)


@pytest.mark.parametrize(
    ("mode", "flags"),
    [("session", []), (0, []), ("query", ["--reconnect", "query"]), (7, ["--reconnect", "7"])],
)
def test_sessions_last_as_long_as_asked(mode: Any, flags: list[str]) -> None:
    assert LoadSettings(reconnect=mode).flags(1.0) == [*flags, *CLEAR]


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_step_is_read_as_it_was_written(rate: int, milliseconds: int) -> None:
    step = parse_step(f"{rate}@{format_duration(milliseconds / 1000)}")
    assert step.rate == rate
    assert step.seconds == pytest.approx(milliseconds / 1000)


@given(st.text(alphabet="0123456789.@smh e-", max_size=12))
def test_any_text_is_a_step_or_refused_in_words(text: str) -> None:
    problems = LoadSettings(steps=[text]).problems()
    if not problems:
        step = parse_step(text)
        assert step.rate > 0 and step.seconds > 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rate": 5.0, "steps": ["1@1s"]}, "rate and steps: the steps define the rates"),
        ({"steps": ["fast"]}, "steps: 'fast' is not a step: write RATE@DURATION"),
        ({"steps": ["0@1s"]}, "rate and duration must be above 0"),
        ({"steps": ["5@1"]}, "is not a duration"),
        ({"rate": 5.0, "transactions": 9}, "transactions: fixed work is done at full speed"),
        (
            {"connection_steps": ["1@1s"], "transactions": 9},
            "transactions: not possible with `connection_steps`",
        ),
        ({"connection_steps": ["1.5@1s"]}, "connection_steps: '1.5@1s' is not a step: write CONN"),
        ({"connection_steps": ["100001@1s"]}, "with 1 to 100000 connections"),
        ({"storm": True}, "storm: needs rising connection_steps"),
        ({"connection_steps": ["9@1s", "4@1s"], "storm": True}, "storm: needs rising connection_steps"),
        ({"arrivals": "poisson"}, "arrivals: poisson arrivals need"),
        ({"rate": 5.0, "think_time": 1.0}, "think_time: has no effect with a rate"),
        ({"think_distribution": "exponential"}, "has no effect without think_time"),
        ({"retries": 2, "retry_on": []}, "nothing would be retried"),
        ({"retry_on": ["deadlock", "deadlock"]}, "is repeated"),
        ({"tls": "require", "tls_ca": "x"}, "tls_ca: has no effect with tls: require"),
    ],
)
def test_what_makes_no_sense_is_reported(settings: dict[str, Any], said: str) -> None:
    (problem,) = LoadSettings(**settings).problems()
    assert said in problem


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (
            "{rate: 0}",
            "x.yaml:4:14: load.rate: found 0\n    allowed: a number above 0 at most 10000000, or null",
        ),
        ("{think: 1s}", "unknown key 'think' in load"),
        (
            "{steps: [100@5s]}",
            "x.yaml:4:7: load.steps: the steps last 5s, but timing.warmup and timing.steady "
            "13s: make them equal",
        ),
        ("{arrivals: poisson}", "x.yaml:4:7: load.arrivals: poisson arrivals need"),
        ("{rate: 5, tls: verify-full, tls_ca: none.pem}", "load.tls_ca: none.pem: the file does not exist"),
    ],
)
def test_a_file_with_a_mistake_is_refused(load: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_experiment(VALID + f"load: {load}\n", "x.yaml")
    assert message in str(refused.value)


def test_a_file_may_say_how_long_clients_wait() -> None:
    text = (
        "load: {answer_timeout: 2s, connect_timeout: 500ms, keepalive: {idle: 1m, interval: 5s, "
        "probes: 3}, tcp_user_timeout: 20s}\n"
    )
    assert parse_experiment(VALID + text, "x.yaml").load.flags(13.0) == [
        "--answer-timeout",
        "2s",
        "--connect-timeout",
        "500ms",
        "--keepalive",
        "60s,5s,3",
        "--tcp-user-timeout",
        "20s",
        "--tls",
        "disable",
    ]
    text = "load: {answer_timeout: null, keepalive: null}\n"
    assert parse_experiment(VALID + text, "x.yaml").load.flags(13.0) == [
        "--answer-timeout",
        "none",
        "--connect-timeout",
        "10s",
        "--keepalive",
        "off",
        "--tcp-user-timeout",
        "none",
        "--tls",
        "disable",
    ]


@pytest.mark.parametrize(
    ("load", "key"),
    [
        ("{answer_timeout: 0s}", "answer_timeout"),
        ("{connect_timeout: null}", "connect_timeout"),
        ("{keepalive: {idle: 500ms}}", "idle"),
        ("{keepalive: {probes: 0}}", "probes"),
    ],
)
def test_bounds_that_cannot_be_are_refused(load: str, key: str) -> None:
    with pytest.raises(UsageError, match=key):
        parse_experiment(VALID + f"load: {load}\n", "x.yaml")


def test_a_file_may_say_how_the_load_is_driven() -> None:
    text = VALID + "load: {steps: [100@3s, 200@10s], retries: 1}\n"
    assert parse_experiment(text, "x.yaml").load.flags(13.0) == [
        "--rate",
        "100@3s,200@10s",
        "--retries",
        "1",
        "--retry-on",
        "deadlock,conflict,lock_timeout",
        *CLEAR,
    ]


def test_only_postgresql_executes_statements_without_a_name() -> None:
    text = "name: x\nsolutions: [{}]\nworkloads: [tpcc]\nload: {{protocol: extended}}\n"
    parse_experiment(text.format("hot-standby"), "x.yaml")
    with pytest.raises(UsageError, match=r"x\.yaml:4:.*extended requires PostgreSQL"):
        parse_experiment(text.format("standalone, galera"), "x.yaml")


def test_simple_is_for_sql_files_alone(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT 1;")
    (tmp_path / "b.lua").write_text("function event() end")
    text = "name: x\nsolutions: [{}]\nload: {{protocol: simple}}\nworkloads: [{}]\n"
    place = str(tmp_path / "x.yaml")
    files = "{{workload: script, files: [{}]}}"
    for engine in ("hot-standby", "galera"):
        load = parse_experiment(text.format(engine, files.format("a.sql")), place).load
        assert "--protocol simple" in " ".join(load.flags(1.0))
    parts = "{workload: {workload: script, files: [a.sql]}}, {workload: {workload: tatp}}"
    mixed = f"{{workload: mix, parts: [{parts}]}}"
    for workload in ("tpcc", files.format("a.sql, b.lua"), mixed):
        with pytest.raises(UsageError, match=r"load\.protocol: simple is for SQL files, and '\w+' has other"):
            parse_experiment(text.format("galera", workload), place)


def test_the_protocol_of_a_script_is_the_load_s() -> None:
    workload = "{workload: script, files: [a.sql], protocol: simple}"
    text = f"name: x\nsolutions: [galera]\nworkloads: [{workload}]\n"
    with pytest.raises(UsageError, match=r"'protocol' is not a key.*write `load: \{protocol: simple\}`"):
        parse_experiment(text, "x.yaml")


def test_the_protocol_of_a_client_s_own_load_is_checked_too() -> None:
    text = (
        "name: x\nsolutions: [galera]\nworkloads: [tpcc]\n"
        "clients: [{{name: a, load: {{protocol: {}}}}}, {{name: b}}]\n"
    )
    for protocol, said in (("extended", "requires PostgreSQL"), ("simple", "is for SQL files")):
        with pytest.raises(UsageError, match=rf"clients\[0\]\.load\.protocol: {protocol} {said}"):
            parse_experiment(text.format(protocol), "x.yaml")
