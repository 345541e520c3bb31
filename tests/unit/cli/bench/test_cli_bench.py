"""`fivenines bench` without a server: its lines, tables, files and exit codes."""

import csv
import json
import os
import re
import signal
import socket
from pathlib import Path

import pytest
from cli_support import Fivenines, Pretend
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.performance.latency import Latency
from fivenines.cli.bench import result as bench_result
from fivenines.cli.bench.fill import _summary
from fivenines.cli.bench.live import LiveLines, ms, rate
from fivenines.load.bench import generator
from fivenines.load.bench.generator import Second
from fivenines.load.bench.outcome import Outcome
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import InvariantCheck
from fivenines.trial.manual.state import Login, Status


def test_a_bench_prepares_loads_and_sums_up(fivenines: Fivenines) -> None:
    answer = fivenines("bench", "--dsn", "noop://", "--prepare", "--duration", "1200ms")
    assert answer.code == 0, answer.err
    assert re.search(r"^oltp: 40000 rows in ", answer.err, re.MULTILINE)
    assert "   time      tps      qps   p95 ms  errors  in doubt  conns\n    1 s " in answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "oltp_read_write on noop://"
    # a busy machine is late
    assert re.match(r"8 connections, closed loop, [1-9]\.\d s", lines[1])
    # prose is left to the terminal to break
    tables = [line for line in lines + answer.err.splitlines() if not line.startswith("CAUTION")]
    assert all(len(line) <= 80 for line in tables)
    for expected in ("transactions/s", "queries/s", "response time, ms", "us CPU per query"):
        assert expected in answer.out


def test_a_lua_script_lists_its_own_options(fivenines: Fivenines, tmp_path: Path) -> None:
    script = tmp_path / "own.lua"
    script.write_text("sysbench.cmdline.options = {rows = {'Rows of it', 7}}\nfunction event() end\n")
    answer = fivenines("bench", "--dsn", "noop://", "--script", f"{script}", "--", "--help")
    assert answer.code == 0 and "--rows=N" in answer.out and "Rows of it [7]" in answer.out


def test_a_bench_for_scripts_answers_in_json_and_keeps_its_files(fivenines: Fivenines) -> None:
    answer = fivenines(
        "bench",
        "--dsn",
        "noop://",
        "--out",
        "kept",
        "--json",
        "--quiet",
        "--duration",
        "300ms",
        "--workload",
        "oltp_read_only@3",
        "--workload",
        "oltp_point_select",
    )
    assert (answer.code, answer.err) == (0, "")
    found = json.loads(answer.out)
    ok = found["load"]["transactions"]["ok"]
    assert found["latency_ms"]["n"] == ok > 0
    assert set(found["latency_by_type_ms"]) == {"oltp_read_only", "oltp_point_select"}
    assert found["throughput"]["transactions/s"] == pytest.approx(ok / found["load"]["duration_s"])
    assert not found["interrupted"] and found["checks"] == []
    names = {"load.json", "latency.hlog", "timeline.csv", "summary.csv"}
    assert {Path(file).name for file in found["files"]} == names
    assert {path.name for path in Path("kept").iterdir()} == names
    with Path("kept/summary.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["transactions"] for row in rows] == ["all", "oltp_read_only", "oltp_point_select"]
    assert sum(int(row["ok"]) for row in rows[1:]) == int(rows[0]["ok"]) == ok


def test_ctrl_c_keeps_the_figures(fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted = generator.event_of

    def and_interrupt(line: str) -> Second | None:
        second = interrupted(line)
        if second is not None:
            os.kill(os.getpid(), signal.SIGINT)
        return second

    monkeypatch.setattr(generator, "event_of", and_interrupt)
    answer = fivenines("bench", "--dsn", "noop://", "--duration", "1h")
    assert answer.code == 130
    assert "interrupted" in answer.out and "response time, ms" in answer.out


def test_a_warm_up_has_no_figures(fivenines: Fivenines) -> None:
    answer = fivenines("bench", "--dsn", "noop://", "--warmup", "1100ms", "--duration", "200ms", "--json")
    assert answer.code == 0, answer.err
    assert re.search(r"warming up for 1 s\n.*tps.*\n +1 s .*\nmeasuring\n", answer.err)
    assert json.loads(answer.out)["load"]["duration_s"] < 1


def test_only_preparing(fivenines: Fivenines) -> None:
    answer = fivenines("bench", "--dsn", "noop://", "--prepare", "--duration", "0s")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err.startswith("oltp: 40000 rows in ")


def test_an_unreachable_server_is_one_message(fivenines: Fivenines) -> None:
    answer = fivenines("bench", "--dsn", "mysql://me:geheim@127.0.0.1:1,[::1]:1/test")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(
        "error: mysql://me@127.0.0.1:1,[::1]:1/test: no server answers: 127.0.0.1:1: Connection "
    )
    assert "geheim" not in answer.err


def test_nothing_to_check_is_reported(fivenines: Fivenines) -> None:
    answer = fivenines("bench", "--dsn", "noop://", "--check", "--duration", "100ms")
    assert answer.code == 0
    assert "nothing to check: oltp_read_write has no invariants for this server" in answer.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dsn", "x"], "error: the DSN has no known scheme"),
        (["--dsn", "noop://", "--rate", "x"], "error: --rate x: write transactions per second"),
        (["--dsn", "noop://", "--nonsense"], "error: No such option: --nonsense"),
        (["--dsn", "noop://", "unexpected-primary"], "error: bench: 'unexpected-primary' is not an option"),
        ([], "error: bench: no server is named. Add --dsn URL (or set $FIVENINES_DSN), or deploy a solution"),
    ],
)
def test_mistakes_are_refused(fivenines: Fivenines, arguments: list[str], message: str) -> None:
    answer = fivenines("bench", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(message)


def test_without_a_dsn_it_takes_what_is_up(fivenines: Fivenines, pretend: Pretend) -> None:
    login = Login("app", "geheim", "sbtest", "mysql://app:geheim@127.0.0.1:1/sbtest", "mariadb")
    pretend("fivenines.trial.manual", is_up=lambda: True, status=lambda: Status("x", [], login=login))
    answer = fivenines("bench", "--duration", "100ms")
    assert answer.code == 1 and "127.0.0.1:1" in answer.err, "no server answers there"
    assert "geheim" not in answer.err
    pretend("fivenines.trial.manual", is_up=lambda: True, status=lambda: Status("x", []))
    assert "cannot connect to the running deployment" in fivenines("bench").err


def test_the_dsn_may_come_from_the_environment(fivenines: Fivenines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIVENINES_DSN", "noop://")
    assert fivenines("bench", "--duration", "100ms", "--quiet").code == 0


def test_a_port_in_use_is_one_message(fivenines: Fivenines) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        answer = fivenines("bench", "--dsn", "noop://", "--metrics", f"127.0.0.1:{port}")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(f"error: --metrics: cannot listen on port {port}")


def test_live_lines_are_aligned_and_narrow() -> None:
    messages: list[str] = []
    lines = LiveLines(messages.append, open_loop=True, repeat=True)
    for t in range(1, 23):
        lines(Second(t, 123456.7, 2000000.0, 12.34, t * 5, t, 16000, offered=1e6, backlog=1234567))
    assert {len(line) for line in messages} == {77}
    assert sum("tps" in line for line in messages) == 2, "headings come again"
    assert messages[1].split() == [
        "1",
        "s",
        "123457",
        "2000000",
        "12.3",
        "5",
        "1",
        "1000000",
        "1234567",
        "16000",
    ]
    assert messages[2].split()[5:7] == ["5", "1"], "errors and doubts of one second"


@given(st.floats(0, 1e7))
def test_figures_are_short_and_near(value: float) -> None:
    for text in (ms(value), rate(value)):
        assert len(text) <= 8
        assert float(text) == pytest.approx(value, rel=0.01, abs=0.051)


LATENCY = Latency(n=1, seconds=1, mean=1.5, p50=1, p90=2, p95=3, p99=40, p999=500, p9999=6000, max=70000)
RECORD = {
    "transactions": {"ok": 90, "failed": 8, "in_doubt": 1},
    "queries": 100,
    "duration_s": 10.0,
    "expected": 1,
    "retries": 0,
    "connects": {"ok": 8, "failed": 2, "refused": 1},
    "types": [{"name": "get_new_destination", "ok": 60}, {"name": "insert_call_forwarding"}],
    "schedule": {
        "kind": "open",
        "rate": 10,
        "started": 99,
        "backlog_max": 7,
        "backlog_end": 2,
        "lag_p99_us": 1500,
        "lag_max_us": 20000,
    },
    "steps": [
        {"from_s": 0, "to_s": 5, "rate": 1000, "connections": 8, "ok": 50, "p99_ms": 1.25},
        {"from_s": 5, "to_s": 10, "rate": 2000, "connections": 8, "ok": 100, "p99_ms": 2.5},
    ],
    "search": {
        "bound": 20.0,
        "percentile": "p99",
        "rate": 4000.0,
        "low": 3800.0,
        "high": 4200.0,
        "windows": [
            {
                "from_s": 0,
                "to_s": 5,
                "rate": 4100,
                "achieved": 4050,
                "value_ms": 21.5,
                "kept": False,
                "reason": "p99 is too high",
            }
        ],
    },
    "errors": [
        {
            "class": "deadlock",
            "code": "1213",
            "count": 8,
            "first_ms": 100,
            "last_ms": 9000,
            "message": "Deadlock found when trying to get lock; try restarting transaction",
            "source": "load",
        }
    ],
    "client": {"user_s": 1.0, "system_s": 1.0, "wall_s": 10.0, "limit": "its core was busy"},
}


def test_the_tables_have_all_and_fit_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    record = {name: value for name, value in RECORD.items() if name != "search"}
    outcome = Outcome(
        LoadSummary.of(record),
        {"": LATENCY, "get_new_destination": LATENCY},
        connect=LATENCY,
        throughput={"transactions/s": 9.0, "MQTh": 9.0},
    )
    bench_result.show(outcome, ["tatp on mysql://u@h/d"])
    out = capsys.readouterr().out
    lines = [line.rstrip() for line in out.splitlines()]
    assert all(len(line) <= 80 for line in lines)
    assert "MQTh            9.0" in lines
    assert "transactions            ok  failed  in doubt  expected" in lines
    assert "all                     90       8         1         1" in lines
    assert "insert_call_forwarding   0       0         0         0" in lines
    assert any(
        line.split()
        == ["get_new_destination", "1.00", "2.00", "3.00", "40.0", "500", "6000", "70000", "1.50"]
        for line in lines
    )
    assert any(line.split()[:5] == ["0-5", "s", "1000", "8", "10"] for line in lines)
    assert any(line.startswith("deadlock  1213      8  0.1 s  9.0 s  Deadlock") for line in lines)
    for sentence in (
        "schedule: 99 started; backlog at most 7, at the end 2",
        "delay of starts behind the schedule: p99 1.50 ms, at most 20.0 ms",
        "connects: 8 ok, 2 failed, 1 refused",
        "load generator: 20000.0 us CPU per query, 20 % of one core",
        "CAUTION: its core was busy",
        "8 of 100 transactions failed, 1 in doubt",
    ):
        assert sentence in " ".join(lines), sentence


@pytest.mark.parametrize(("backlog", "is_said"), [(400, True), (2, False)])
def test_an_offered_rate_that_was_not_reached_is_a_caution(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, backlog: int, is_said: bool
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    schedule = {"kind": "open", "rate": 10, "started": 99, "backlog_end": backlog}
    record = LoadSummary.of({**RECORD, "search": None, "schedule": schedule})
    bench_result.show(Outcome(record), ["x"])
    said = "CAUTION: The offered rate was not reached: 400 of 499 transactions were due and not started"
    assert (said in capsys.readouterr().out) == is_said


def test_a_search_shows_its_windows_in_place_of_steps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    bench_result.show(Outcome(LoadSummary.of(RECORD)), ["tatp on mysql://u@h/d"])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert "0-5 s   4100  4050  21.5  p99 is too high" in lines
    assert "search: 4000 transactions/s (95 % interval 3800 to 4200) meet p99 within 20.0 ms" in lines
    assert not any(line.startswith("step") for line in lines)


def test_offending_rows_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    bench_result.show_checks(
        [
            InvariantCheck(name="a holds", source="s", status="holds", detail="5 rows"),
            InvariantCheck(
                name="b",
                source="s",
                status="violated",
                detail="1 row found",
                offending=[{"s_id": "7", "found": "NULL"}],
            ),
        ]
    )
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[2:] == ["holds     a holds", "VIOLATED  b: 1 row found", "            s_id=7, found=NULL"]


def test_what_is_there_already_is_reported() -> None:
    assert _summary("tatp", {"rows": 10, "seconds": 2.0}) == "tatp: 10 rows in 2.0 s, 5 rows/s"
    assert _summary("tatp", {"rows": 10, "already": True}) == ("tatp: the tables exist already, 10 rows")
    assert _summary("script", {"rows": 0, "tables": 0, "seconds": 2.0}, "cleanup") == "cleanup: done in 2.0 s"
    made = {"rows": 10, "tables": 2, "seconds": 2.0}
    assert _summary("script", made, "fill") == "fill: 10 rows into 2 new tables in 2.0 s, 5 rows/s"
