"""`fivenines stacks` without servers: lists, refusals, and the results in words."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cli_support import Fivenines

from fivenines.analysis.stacks.figures import Figures, Gap, Rows
from fivenines.analysis.stacks.pools import PoolFigures
from fivenines.cli.stacks.run import _Watch
from fivenines.cli.stacks.shown import show
from fivenines.load.stacks.measure import Measured
from fivenines.load.stacks.process import RunningStack
from fivenines.load.stacks.protocol import Task
from fivenines.load.stacks.stack import settings, stack, stacks

DSN = "postgresql://app:secret@h1,h2/shop"


def test_the_list_has_every_stack(fivenines: Fivenines) -> None:
    answer = fivenines("stacks", "list")
    assert answer.code == 0 and all(name in answer.out for name in stacks())
    listed = json.loads(fivenines("stacks", "list", "--json").out)
    assert [item["name"] for item in listed] == sorted(stacks())
    assert not any(item["built"] for item in listed), "the cache is empty"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["psycopg-pool"], "no server is named. Add --dsn URL"),
        (["psycopg-pool", "--dsn", "noop://"], "write a DSN of PostgreSQL, MariaDB or MySQL"),
        (["psycopg-pool", "--dsn", "postgresql://app@%2Frun%2Fpg/shop"], "applications connect by TCP"),
        (["sqlalchemy-pymysql", "--dsn", "mysql://app@h1,h2/shop"], "takes one host: name a proxy"),
        (["psycopg-pool", "--dsn", DSN, "--duration", "soon"], "--duration: "),
        (["psycopg-pool", "--dsn", DSN, "--set", "psycopg-pool=1"], "write STACK.KEY=VALUE"),
    ],
)
def test_what_cannot_run_is_refused(fivenines: Fivenines, arguments: list[str], message: str) -> None:
    answer = fivenines("stacks", "run", *arguments)
    assert answer.code == 2 and message in answer.err.replace("\n", " "), answer.err
    assert "secret" not in answer.err


def test_own_settings_come_before_recommended_ones() -> None:
    kind = stack("psycopg-pool")
    assert settings(kind, "defaults", {}) == {}
    assert settings(kind, "recommended", {"pool.timeout": 2}) == {**kind.recommended, "pool.timeout": 2}


def measured(gap: Gap, rows: Rows | None, **more: Any) -> Measured:
    errors = (("acquire", "refused", 9), ("work", "57P01", 3), ("commit", "x", 1), ("work", "y", 1))
    figures = Figures(120, 12, 2, gap, (gap, gap), 1, errors, rows)
    pool = PoolFigures(waiting=3, least=0, most=4, created=5)
    return Measured("psycopg-pool", "psycopg 3", figures, pool, **more)


def test_results_in_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # no line wraps
    back = measured(Gap(1000, 4400), Rows(2, 1, 0, 1))
    away = measured(Gap(1000, 9000, open=True), None, left="its rows could not be read")
    show([back, away], as_json=False, out=None)
    answer = capsys.readouterr()
    first, second = (line.split("  ") for line in answer.out.splitlines()[1:3])
    assert [word.strip() for word in first if word.strip()] == [
        *("psycopg-pool", "3.40 s", "1 of 2", "120", "12", "2", "2", "0")
    ]
    assert "\N{GREATER-THAN OR EQUAL TO}\N{NARROW NO-BREAK SPACE}8.00 s" in [word.strip() for word in second]
    assert "?" in " ".join(second)
    assert "9 x refused at the stage acquire" in answer.out and "and 1 other kind of errors" in answer.out
    assert "1 operation tried once and committed twice: by the driver itself" in answer.out
    assert "pool: 0 to 4 connections open, 5 opened, at most 3 workers waiting" in answer.out
    assert "CAUTION: psycopg-pool: its rows could not be read" in answer.err


def test_a_stack_that_stops_is_reported_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Task("shop", "mysql", ("db:3306",), "app", "", "shop", "t")
    program = SimpleNamespace(task=task, last_commit_us=0, committed=7)
    watch = _Watch(quiet=False)
    for now, last in ((1.0, 0.9), (3.0, 1.0), (4.0, 1.0), (5.0, 4.9), (10.0, 9.9)):
        program.last_commit_us = round(last * 1e6)
        monkeypatch.setattr("time.monotonic_ns", lambda now=now: round(now * 1e9))
        watch([cast(RunningStack, program)], now)
    assert [" ".join(line.split()) for line in capsys.readouterr().err.splitlines()] == [
        "3 s shop has stopped committing",
        "5 s shop commits again",
        "10 s committed: shop 7",
    ]
