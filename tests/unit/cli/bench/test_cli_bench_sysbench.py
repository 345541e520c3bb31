"""sysbench's general options behind `--`: those that are options of `bench`, and the account."""

from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import UsageError
from fivenines.cli.bench.asked import Asked, understood
from fivenines.cli.bench.options import Options
from fivenines.load.work import together
from fivenines.load.workloads.script import Script

DSN = "postgresql://app:secret@h1:6432,h2:6432/shop"


@pytest.fixture
def script(tmp_path: Path) -> str:
    (tmp_path / "c.lua").write_text("")
    return f"{tmp_path}/c.lua"


def ask(script: str, words: list[str], **options: Any) -> Asked:
    asked = {"dsn": DSN, "script": [script], "script_options": words, **options}
    return understood(Options(**asked))


def test_options_of_the_run_are_those_of_bench(script: str) -> None:
    words = ["--time=60", "--threads=16", "--events=5000", "--rate=100", "--rand-seed=7", "--rows=5"]
    bench = ask(script, words).bench
    assert (bench.connections, bench.seconds, bench.transactions) == (16, 60, together(5000))
    assert (bench.load.rate, bench.seed) == (100, 7)
    assert isinstance(bench.workload, Script) and bench.workload.options == {"rows": "5"}


def test_zero_is_without_a_limit(script: str) -> None:
    bench = ask(script, ["--time=0", "--max-requests=20", "--rate=0", "--rand-seed=0"]).bench
    assert (bench.seconds, bench.transactions, bench.seed) == (None, together(20), 1)
    assert bench.load.rate is None


def test_the_account_may_be_repeated(script: str) -> None:
    words = [
        "--db-driver=pgsql",
        "--pgsql-host=h2",
        "--pgsql-port=6432",
        "--pgsql-user=app",
        "--pgsql-password=secret",
        "--pgsql-db=shop",
        "--mysql-db=other",
        "--rows=5",
    ]
    workload = ask(script, words).bench.workload
    assert isinstance(workload, Script) and workload.options == {"rows": "5"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--db-driver=mysql", "--pgsql-db=other", "--pgsql-password=hidden"],
            "--db-driver differs from --dsn (postgres); --pgsql-db differs from --dsn; "
            "--pgsql-password differs from --dsn. Leave it out",
        ),
        (["--time=soon"], "--time after `--` must be a whole number, not 'soon'"),
        (["--threads=0"], "must be at least 1"),
        (["rows=5"], "'rows=5' after `--` is not an option"),
    ],
)
def test_mistakes_are_named(script: str, words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ask(script, words)
    assert message in str(caught.value) and "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        (["--time=60"], {"duration": "5s"}, "--duration 5s and --time=60 after `--` differ"),
        (["--rand-seed=2"], {"seed": 3}, "--seed 3 and --rand-seed=2 after `--` differ"),
    ],
)
def test_what_is_reported_twice_must_agree(
    script: str, words: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        ask(script, words, **options)
    assert ask(script, ["--time=60"], duration="60s").bench.seconds == 60


@pytest.mark.parametrize(
    ("words", "command", "prepares"),
    [
        (["--tables=4", "run"], "", False),
        (["--tables=4", "cleanup"], "cleanup", False),
        (["cleanup"], "cleanup", False),
        (["--tables", "4", "check"], "check", False),
        (["--tables=4", "prepare"], "", True),
        (["--verbose", "cleanup"], "", False),  # the value of an option, as everywhere after `--`
    ],
)
def test_the_last_word_is_sysbenchs_command(
    script: str, words: list[str], command: str, prepares: bool
) -> None:
    asked = ask(script, words)
    assert (asked.filling is not None) == (prepares or bool(command))
    assert asked.filling is None or asked.filling.command == command
    assert (asked.bench.seconds == 0) == prepares


def test_a_command_is_given_once_and_to_a_script(script: str) -> None:
    with pytest.raises(UsageError, match="--command check and 'cleanup' after `--` differ"):
        ask(script, ["cleanup"], command="check")
    with pytest.raises(UsageError, match="--prepare runs the command prepare"):
        ask(script, [], command="cleanup", prepare=True)
    with pytest.raises(UsageError, match="only a Lua script has commands"):
        understood(Options(dsn=DSN, command="cleanup"))
