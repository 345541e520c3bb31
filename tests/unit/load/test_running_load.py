"""A load at work: the real `fivenines-core load`, on no server at all."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plain_host import PlainHost

from fivenines.base.errors import FiveninesError
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.cluster.endpoints import Endpoints

ENDPOINTS = Endpoints(write=("nowhere:1",), read=(), find="any", spread="first")


def _through_a_shell(command: list[str]) -> list[str]:
    """As a starter does, the shell stays above the command and hands on how it ended."""
    return ["sh", "-c", '"$@"; exit $?', "sh", *command]


Start = Callable[..., RunningLoad]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    begun: list[RunningLoad] = []

    def run(
        seconds: float, driver: str = "noop", outside: Callable[[list[str]], list[str]] = _through_a_shell
    ) -> RunningLoad:
        host = PlainHost(outside)
        server: Any = SimpleNamespace(driver=driver, database="sbtest", application=("app", "app"))
        workload = Oltp(workload="oltp_point_select", tables=1, table_size=50)
        plan = LoadPlan(workload, connections=1, seconds=seconds, seed=1, alongside=["--ledger-rate", "5"])
        out = tmp_path / f"load{len(begun)}"
        lives: list[dict[str, Any]] = []
        load = RunningLoad(host, server, ENDPOINTS, plan, out, lives.append)
        load.lives = lives  # type: ignore[attr-defined]
        begun.append(load)
        return load

    yield run
    for load in begun:
        load.stop()


def test_a_load_runs_from_its_start_to_its_end(start: Start) -> None:
    before = time.monotonic_ns()
    load = start(1.05)
    started = load.await_start()
    assert before < started < time.monotonic_ns()
    load.await_moment(time.monotonic() + 0.01)
    assert not load.process.ended
    record = load.await_end(10.0)
    assert load.process.ended
    assert record.document == json.loads((load.out / "load.json").read_text())
    assert record.transactions.ok > 0
    (live,) = load.lives[:1]
    assert {"t", "tps", "qps", "p95_ms", "errors", "in_doubt", "connected"} <= set(live)


def test_a_load_can_be_ended_early_and_keeps_what_it_has(start: Start) -> None:
    load = start(60.0)
    load.await_start()
    load.stop()
    assert load.process.ended
    assert json.loads((load.out / "load.json").read_text())["duration_s"] < 10


def test_a_load_that_takes_too_long_is_ended(start: Start) -> None:
    load = start(60.0)
    load.await_start()
    with pytest.raises(FiveninesError, match=r"^the load did not end within 0 s$"):
        load.await_end(0.05)
    assert load.process.ended


def test_a_load_that_does_not_start_says_why(start: Start) -> None:
    with pytest.raises(FiveninesError, match=r"^the load did not start: .*'nonesuch'") as refused:
        start(1.0, driver="nonesuch").await_start()
    assert len(str(refused.value)) < 600


def test_a_load_that_says_nothing_at_all_is_known_by_its_exit_code(start: Start) -> None:
    load = start(1.0, outside=lambda command: ["sh", "-c", "exit 9"])
    with pytest.raises(FiveninesError, match=r"^the load did not start: exit code 9$"):
        load.await_start()
    with pytest.raises(FiveninesError, match=r"^the load failed: exit code 9$"):
        load.await_end(1.0)


def test_a_load_that_never_begins_is_given_up(start: Start) -> None:
    load = start(1.0, outside=lambda command: _through_a_shell(["sleep", "60"]))
    with pytest.raises(FiveninesError, match=r"^the load did not start"):
        load.await_start(timeout=0.05)


def test_an_early_end_is_noticed_while_waiting_for_a_moment(start: Start) -> None:
    script = 'echo \'{"event": "started", "monotonic_ns": 17}\'; echo "all is lost" >&2; exit 1'
    load = start(1.0, outside=lambda command: ["sh", "-c", script])
    assert load.await_start() == 17
    begun = time.monotonic()
    with pytest.raises(FiveninesError, match=r"^the load ended too early: all is lost$"):
        load.await_moment(begun + 30.0)
    assert time.monotonic() - begun < 5.0
    load.await_moment(begun)  # a moment that has passed is not waited for
