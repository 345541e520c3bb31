"""`fivenines bench`: the DSN, the refusal, the load; the password stays secret everywhere."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines import core
from fivenines.errors import FiveninesError, UsageError
from fivenines.load import bench as generator
from fivenines.load.bench import Bench
from fivenines.load.dsn import Dsn, parse_dsn, redacted
from fivenines.workloads.oltp import Oltp


@pytest.mark.parametrize(
    ("text", "dsn"),
    [
        ("mysql://u:p@h:3307/d", Dsn("mysql", "u", "p", "h", 3307, "d")),
        ("mariadb://u:p@h/d", Dsn("mysql", "u", "p", "h", 3306, "d")),
        ("postgresql://u:p@h/d", Dsn("postgres", "u", "p", "h", 5432, "d")),
        ("postgres://u@h/d", Dsn("postgres", "u", "", "h", 5432, "d")),
        ("postgres://u:p@[::1]:5/d", Dsn("postgres", "u", "p", "::1", 5, "d")),
        ("mysql://u%40x:a%2Fb%3A@h/d%20e", Dsn("mysql", "u@x", "a/b:", "h", 3306, "d e")),
        ("mysql://u:a@b@h/d", Dsn("mysql", "u", "a@b", "h", 3306, "d")),
    ],
)
def test_dsns_are_read(monkeypatch: pytest.MonkeyPatch, text: str, dsn: Dsn) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    assert parse_dsn(text) == dsn


def test_a_password_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSQL_PWD", "from mysql")
    monkeypatch.setenv("PGPASSWORD", "from postgres")
    assert parse_dsn("mysql://u@h/d").password == "from mysql"
    assert parse_dsn("postgres://u@h/d").password == "from postgres"
    assert parse_dsn("mysql://u:own@h/d").password == "own"


FORM = "write mysql://user:password@host:port/database or postgresql://..."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"the DSN has no known scheme: {FORM}"),
        ("host/db", f"the DSN has no known scheme: {FORM}"),
        ("oracle://u:secret@h/d", f"the DSN has the scheme 'oracle': {FORM}"),
        ("mysql://h/d", f"DSN mysql://h/d: the user is missing; {FORM}"),
        ("mysql://u:secret@/d", f"DSN mysql://u:***@/d: the host is missing; {FORM}"),
        ("mysql://u:secret@h", f"DSN mysql://u:***@h: the database is missing; {FORM}"),
        ("mysql://u:secret@h:0/d", f"DSN mysql://u:***@h:0/d: port 0 is none; {FORM}"),
        (
            "mysql://u:secret@h:99999/d",
            f"DSN mysql://u:***@h:99999/d: its host or port cannot be read; {FORM}",
        ),
        (
            "mysql://u:se/cret@h/d",
            f"DSN mysql://u:***@h/d: its host or port cannot be read; {FORM}",
        ),
        (
            "mysql://u:se#cret@h/d",
            f"DSN mysql://u:***@h/d: its host or port cannot be read; {FORM}",
        ),
        (
            "mysql://u:secret@h/d?ssl=1",
            "DSN mysql://u:***@h/d?ssl=1: it has a `?` in it: options are not supported, and in a "
            f"password write %3F; {FORM}",
        ),
    ],
)
def test_what_is_no_dsn_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_dsn(text)
    assert str(refused.value) == message


@given(st.text(st.characters(exclude_categories=("C",)), min_size=1, max_size=8), st.booleans())
def test_no_message_shows_the_password(middle: str, broken: bool) -> None:
    password = f"hush{middle}hush"
    text = f"mysql://user:{password}@host{':x' if broken else ''}/db"
    assert "hush" not in redacted(text)
    try:
        dsn = parse_dsn(text)
    except UsageError as refused:
        assert "hush" not in str(refused)
    else:
        assert "hush" not in repr(dsn) + str(dsn)


@given(st.text(max_size=20))
def test_any_text_is_a_dsn_or_refused(text: str) -> None:
    for whole in (text, f"mysql://{text}", f"postgres://u:p@{text}"):
        try:
            parse_dsn(whole)
        except UsageError:
            continue


FAKE = """\
#!/bin/sh
echo "$0 $* [$FIVENINES_PASSWORD]" >> "$(dirname "$0")/calls"
if [ "$1" = prepare ]; then
  if [ "$FIVENINES_PASSWORD" = bad ]; then echo "denied for bad" >&2; exit 1; fi
  exit 0
fi
while [ "$1" != --out ]; do shift; done
echo '{"event": "started"}'
echo '{"event": "live", "t": 1.0, "tps": 900.5, "qps": 18010, "errors": 2}'
echo noise
cat > "$2/load.json" <<END
{"transactions": {"ok": 1800, "failed": 2, "in_doubt": 1}, "queries": 36000, "duration_s": 2.0,
 "client": {"bottleneck": true}}
END
echo '#[HdrHistogram log]' > "$2/latency.hlog"
"""


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A stand-in for fivenines-core, and a server that lets everyone in."""
    path = tmp_path / "bin" / "fivenines-core"
    path.parent.mkdir()
    path.write_text(FAKE)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("FIVENINES_CORE", str(path))
    core.core_binary.cache_clear()
    monkeypatch.setattr(generator, "check", lambda dsn, table: None)
    yield path
    core.core_binary.cache_clear()


DSN = "mysql://me:geheim@db:3307/test"


def test_a_bench_prepares_loads_and_sums_up(fivenines, program: Path) -> None:
    answer = fivenines("bench", "--dsn", DSN, "--prepare", "--duration", "2s", "--tables", "2")
    assert (answer.code, answer.err) == (
        0,
        "filling 2 tables of 10000 rows\n    1 s       900 tps     18010 qps  2 errors\n",
    )
    assert [line.split() for line in answer.out.splitlines()] == [
        ["measure", "value"],
        ["transactions/s", "900.0"],
        ["queries/s", "18000.0"],
        ["failed", "2"],
        ["in", "doubt", "1"],
        [
            "warning",
            "this",
            "machine's",
            "load",
            "generator",
            "may",
            "have",
            "been",
            "the",
            "bottleneck",
        ],
    ]
    prepare, load = (program.parent / "calls").read_text().splitlines()
    assert "prepare --driver mysql --user me --password-env FIVENINES_PASSWORD" in prepare
    assert "--host db --port 3307 --workload oltp --tables 2 --table-size 10000" in prepare
    assert "--write db:3307 --find any --workload oltp_read_write" in load
    assert load.count("geheim") == 1  # in the environment, not on the command line
    assert load.endswith("[geheim]")


def test_a_bench_for_scripts_answers_in_json_and_keeps_its_files(fivenines, program: Path) -> None:
    answer = fivenines("bench", "--dsn", DSN, "--out", "kept", "--json")
    assert json.loads(answer.out)["load"]["transactions"]["ok"] == 1800
    assert sorted(path.name for path in Path("kept").iterdir()) == [
        "latency.hlog",
        "load.json",
        "load.log",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dsn", "x"], f"error: the DSN has no known scheme: {FORM}\n"),
        (
            ["--dsn", DSN, "--duration", "5"],
            "error: --duration: '5' is no duration: write a number and a unit, as in 500ms, 10s, "
            "1m30s\n",
        ),
        (
            ["--dsn", DSN, "--duration", "0s"],
            "error: --duration: a load of no duration measures nothing\n",
        ),
        (
            ["--dsn", DSN, "--workload", "oltp_reed_only"],
            "error: bench: unknown workload 'oltp_reed_only'; did you mean 'oltp_read_only'?\n"
            "    allowed: one of oltp_point_select, oltp_read_only, oltp_write_only, "
            "oltp_read_write, oltp_update_index, oltp_update_non_index, oltp_insert, "
            "oltp_delete\n",
        ),
    ],
)
def test_wrong_options_are_refused(fivenines, arguments: list[str], message: str) -> None:
    answer = fivenines("bench", *arguments)
    assert (answer.code, answer.out, answer.err) == (2, "", message)


def test_a_failure_does_not_repeat_the_password(program: Path) -> None:
    asked = Bench(parse_dsn("mysql://me:bad@db/test"), Oltp(workload="oltp_insert"), 1, 1.0)
    with pytest.raises(FiveninesError) as failed:
        generator.prepare(asked)
    assert str(failed.value) == "preparing mysql://me@db:3306/test failed: denied for ***"


@pytest.mark.parametrize("scheme", ["mysql", "postgresql"])
def test_a_server_that_is_not_there_is_one_message(scheme: str) -> None:
    with pytest.raises(FiveninesError) as failed:
        generator.check(parse_dsn(f"{scheme}://me:geheim@127.0.0.1:1/test"), None)
    assert str(failed.value).startswith(f"{scheme}://me@127.0.0.1:1/test: ")
    assert "refused" in str(failed.value)
    assert "geheim" not in str(failed.value)
