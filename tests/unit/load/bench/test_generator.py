"""fivenines-core at work for a bench, without a server: its lines, its end, its failures."""

import json
import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fivenines.base import core
from fivenines.base.ending import SAME_SECONDS
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.load.bench import generator
from fivenines.load.bench.generator import InterruptedLoadError, Second, event_of, run
from fivenines.load.bench.plan import Bench
from fivenines.load.dsn import NOOP, parse_dsn
from fivenines.load.work import WorkSettings
from fivenines.load.workloads.oltp import Oltp

WORKLOAD = Oltp(workload="oltp_read_only")
DSN = parse_dsn("mysql://me:geheim@db/test")

# Puts a shell script in the place of the load generator.
Program = Callable[[str], None]


def test_a_load_tells_seconds_and_leaves_its_files(tmp_path: Path) -> None:
    seconds: list[Second] = []
    ended = run(Bench(parse_dsn(NOOP), WORKLOAD, seconds=1.2), tmp_path, seconds.append)
    assert not ended.interrupted
    assert ended.record.transactions.ok > 0
    assert [round(second.t) for second in seconds] == [1]
    assert seconds[0].tps > 0 and seconds[0].connected == 8
    assert {"load.json", "latency.hlog", "timeline.csv"} == {p.name for p in tmp_path.iterdir()}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_early_and_keeps_the_figures(tmp_path: Path, number: int) -> None:
    before = signal.getsignal(number)
    bench = Bench(parse_dsn(NOOP), WORKLOAD, seconds=60)
    ended = run(bench, tmp_path, lambda _second: os.kill(os.getpid(), number))
    assert ended.interrupted
    assert ended.record.transactions.ok > 0
    assert ended.record.duration_s < 30
    assert signal.getsignal(number) == before


def test_who_asks_twice_gets_no_figures(tmp_path: Path, program: Program) -> None:
    program('trap "" TERM; echo \'{"t": 1, "tps": 1, "qps": 1, "errors": 0}\'; exec sleep 3600')

    def twice(_second: Second) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        # Two signals at once count as one.
        time.sleep(SAME_SECONDS)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(InterruptedLoadError, match="before the load began"):
        run(Bench(DSN, WORKLOAD), tmp_path, twice)


def test_it_also_runs_where_signals_cannot_be_caught(tmp_path: Path) -> None:
    found = []
    bench = Bench(parse_dsn(NOOP), WORKLOAD, seconds=0.1)
    thread = threading.Thread(target=lambda: found.append(run(bench, tmp_path, lambda _second: None)))
    thread.start()
    thread.join(30)
    assert found and not found[0].interrupted


def test_lines_that_are_something_else_are_passed_over() -> None:
    for line in ("", "noise", "[1]", "null", '{"event": "started", "monotonic_ns": 1}'):
        assert event_of(line) is None
    line = '{"t": 2.0, "tps": 5, "qps": 9, "errors": 1, "offered": 10, "backlog": 3}'
    assert event_of(line) == Second(2.0, 5.0, 9.0, 0.0, 1, 0, 0, offered=10, backlog=3)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Puts a shell script in fivenines-core's place: for endings that the program itself never has."""

    def put(script: str) -> None:
        path = tmp_path_factory.mktemp("bin") / "fivenines-core"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("FIVENINES_CORE", str(path))
        core.core_binary.cache_clear()

    yield put
    core.core_binary.cache_clear()


@pytest.mark.parametrize(("ok", "work", "given_up"), [(0, 20, True), (1, 20, False), (0, None, False)])
def test_fixed_work_without_a_success_is_given_up(
    tmp_path: Path, program: Program, ok: int, work: int | None, given_up: bool
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    run(Bench(parse_dsn(NOOP), WORKLOAD, seconds=0.1), real, lambda _second: None)
    out = tmp_path / "out"
    out.mkdir()
    line = json.dumps({"t": 30.0, "tps": 0, "qps": 0, "errors": 9, "ok": ok, "failed": 9})
    program(
        f"end() {{ echo $1 >{tmp_path}/ended; cp {real}/load.json {out}; exit 0; }}\n"
        f"trap 'end asked' TERM; echo '{line}'\n"
        "for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done; end itself"
    )
    bench = Bench(DSN, WORKLOAD, transactions=WorkSettings(together=work) if work else None)
    assert not run(bench, out, lambda _second: None).interrupted
    assert (tmp_path / "ended").read_text() == ("asked\n" if given_up else "itself\n")


@pytest.mark.parametrize(
    ("script", "kind", "message"),
    [
        (
            'echo "fivenines-core: denied for geheim" >&2; exit 1',
            FiveninesError,
            "the load on mysql://me@db:3306/test failed: denied for ***",
        ),
        ("exit 3", FiveninesError, "the load on mysql://me@db:3306/test failed: no error message"),
        (
            "echo \"error: unexpected argument '--new'\n\nUsage: load\" >&2; exit 2",
            UsageError,
            "fivenines-core refuses the options: unexpected argument '--new'",
        ),
        (
            "echo \"db: server (1146): Table 'test.sbtest1' doesn't exist\" >&2; exit 1",
            FiveninesError,
            "the load on mysql://me@db:3306/test failed: db: server (1146): Table 'test.sbtest1' "
            "doesn't exist\n    add --prepare to create and fill the workload's tables",
        ),
        ("exit 0", FiveninesError, "the load on mysql://me@db:3306/test failed: no error message"),
    ],
)
def test_a_failure_is_one_message_without_the_password(
    tmp_path: Path, program: Program, script: str, kind: type[Exception], message: str
) -> None:
    program(script)
    with pytest.raises(kind) as failed:
        run(Bench(DSN, WORKLOAD), tmp_path, lambda _second: None)
    assert str(failed.value) == message
    assert type(failed.value) is kind


@pytest.mark.parametrize(
    ("reason", "hinted"),
    [
        ('missing_table (42P01): relation "sbtest1" does not exist', True),
        ("Table 'sbtest.sbtest1' doesn't exist", True),
        ('other (42703): column "x" of relation "sbtest1" does not exist', False),
        ("procedure addh(integer, integer, unknown) does not exist", False),
        ('column "x" does not exist', False),
        ("FUNCTION shop.f does not exist", False),
    ],
)
def test_tables_are_to_be_prepared_where_a_table_is_missing(reason: str, hinted: bool) -> None:
    assert bool(generator.hint(reason)) is hinted


def test_a_result_of_an_earlier_load_is_not_taken_for_this_one(tmp_path: Path, program: Program) -> None:
    (tmp_path / "load.json").write_text('{"transactions": {"ok": 5}}')
    program("exit 0")
    with pytest.raises(FiveninesError):
        run(Bench(DSN, WORKLOAD), tmp_path, lambda _second: None)


def test_a_preparation_tells_progress(program: Program) -> None:
    program('echo \'{"event": "progress", "done": 1, "total": 2}\'; echo noise')
    messages: list[dict[str, object]] = []
    generator.prepare([str(core.core_binary())], DSN, messages.append)
    assert messages == [{"event": "progress", "done": 1, "total": 2}]
    program('echo "refused: geheim" >&2; exit 1')
    with pytest.raises(FiveninesError, match=r"^preparing mysql://me@db:3306/test failed: refused: \*\*\*$"):
        generator.prepare([str(core.core_binary())], DSN, messages.append)


def test_the_folder_is_kept_only_if_asked_for(tmp_path: Path) -> None:
    with generator.folder(None) as made:
        assert made.is_dir()
    assert not made.exists()
    with generator.folder(tmp_path / "a" / "b") as made:
        pass
    assert made.is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(FiveninesError, match="cannot create"), generator.folder(tmp_path / "file" / "x"):
        pass
