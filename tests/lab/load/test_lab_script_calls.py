"""Effects of a script's call, if its text has several statements or its answer several results."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_prepare import workload_flags
from lab_scripts import Place, alone

from fivenines.servers.postgres.server import Postgres

EVENTS = 40

ONE_TEXT = """
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   local id = sysbench.rand.unique()
   con:query("/* kept; */ BEGIN; INSERT INTO kept VALUES (" .. id .. "); COMMIT -- ;")
end
"""

COMMIT_AND_WAIT = """
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   local id = sysbench.rand.unique()
   local wait = sysbench.opt.db_driver == "pgsql" and "pg_sleep" or "SLEEP"
   con:query("BEGIN; INSERT INTO kept VALUES (" .. id .. "); COMMIT; SELECT " .. wait .. "(30)")
end
"""

FAILED_COMMIT = """
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("BEGIN")
   con:query("INSERT INTO kept VALUES (" .. sysbench.rand.unique() .. ")")
   pcall(function() con:query("SELECT 1 FROM nowhere") end)
   con:query("COMMIT")
end
"""


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11", "mysql-9.7"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a standalone server with an empty table."""
    folder = tmp_path_factory.mktemp("calls")
    with alone(request.param, folder) as place:
        _execute(place, "CREATE TABLE kept (id BIGINT PRIMARY KEY)")
        if isinstance(place.node, Postgres):
            _execute(place, "GRANT ALL ON kept TO app")
        else:
            _execute(
                place,
                "CREATE PROCEDURE two_results(IN wanted INT) BEGIN INSERT INTO kept VALUES (wanted); "
                "SELECT wanted AS a, 'first' AS b; SELECT 7 AS a UNION SELECT 8; END",
            )
        yield place


@pytest.fixture
def empty(place: Place) -> Place:
    _execute(place, "DELETE FROM kept")
    return place


def _execute(place: Place, sql: str) -> None:
    if isinstance(place.node, Postgres):
        with place.node.sql.connect(database=place.node.database) as connection:
            connection.execute(sql)
    else:
        place.node.sql.execute(f"USE {place.node.database}", sql)


def _kept(place: Place) -> int:
    """Return the number of rows on the server."""
    if isinstance(place.node, Postgres):
        with place.node.sql.connect(database=place.node.database) as connection:
            rows: Any = connection.execute("SELECT count(*) FROM kept").fetchall()
    else:
        rows = place.node.sql.query(f"SELECT COUNT(*) FROM {place.node.database}.kept")
    return int(rows[0][0])


def _run(place: Place, script: str, folder: Path, *more: str, duration: str = "60s") -> Any:
    """Run a Lua script and return the summary of the load."""
    (folder / "own.lua").write_text(script)
    out = folder / "out"
    place._run(
        [
            *place._core("load"),
            f"--write={place.node.endpoint}",
            "--find=any",
            f"--out={out}",
            *workload_flags("script", files=[str(folder / "own.lua")]),
            "--connections=2",
            f"--duration={duration}",
            *more,
        ]
    )
    return json.loads((out / "load.json").read_text())


def test_a_text_of_several_statements_is_counted_by_its_effects(empty: Place, tmp_path: Path) -> None:
    summary = _run(empty, ONE_TEXT, tmp_path, f"--transactions={EVENTS}")
    assert summary["errors"] == [] and _kept(empty) == EVENTS
    assert summary["transactions"] == {"ok": EVENTS, "failed": 0, "in_doubt": 0}
    assert summary["writes"] == {"ok": EVENTS, "failed": 0, "in_doubt": 0}
    counts = {name: count for name, count in summary["statements"].items() if count}
    assert counts == dict.fromkeys(("begin", "write", "commit"), EVENTS)


def test_a_text_whose_commit_may_have_run_has_not_failed(empty: Place, tmp_path: Path) -> None:
    bound = "--answer-timeout=1s"
    summary = _run(empty, COMMIT_AND_WAIT, tmp_path, bound, duration="5s")
    writes, kept = summary["writes"], _kept(empty)
    # On a busy machine a write whose answer was late may not have run.
    assert writes["failed"] == 0 < kept and writes["ok"] <= kept <= writes["ok"] + writes["in_doubt"]
    # MySQL answers the preceding statements at once, PostgreSQL with the last one.
    known = "in_doubt" if isinstance(empty.node, Postgres) else "ok"
    assert writes[known] > 0


def test_a_commit_that_rolls_back_is_no_success(empty: Place, tmp_path: Path) -> None:
    summary = _run(empty, FAILED_COMMIT, tmp_path, "--transactions=2", duration="10s")
    ok = summary["writes"]["ok"]
    assert ok == _kept(empty)
    if isinstance(empty.node, Postgres):
        codes = {entry["code"] for entry in summary["errors"]}
        assert ok == 0 and "25P02" in codes


# Procedures of PostgreSQL return no results.
@pytest.mark.parametrize("place", ["mariadb-10.11", "mysql-9.7"], indirect=True)
def test_the_first_of_several_results_is_given_and_the_others_are_read(empty: Place, tmp_path: Path) -> None:
    files = {
        "own.sql": "\\set id :client_id + :next\n\\set next :next + 2\n"
        "CALL two_results(:id) \\gset\n\\if :a <> :id\nSELECT 1 FROM wrong_value;\n\\endif\n"
        "INSERT INTO kept VALUES (-:id);\n",
        "own.lua": "function thread_init() con = sysbench.sql.driver():connect() end\n"
        "function event()\n  local id = 100000 + sysbench.rand.unique() % 1000000\n"
        "  local rs = con:query('CALL two_results(' .. id .. ')')\n"
        "  assert(rs.nrows == 1 and tonumber(rs:fetch_row()[1]) == id)\nend\n",
    }
    for name, script in files.items():
        (tmp_path / name).write_text(script)
        define = {"next": 1} if name.endswith(".sql") else {}
        flags = workload_flags("script", files=[str(tmp_path / name)], define=define)
        out = tmp_path / re.sub(r"\W", "-", name)
        empty.run(flags, out, "--connections=2", f"--transactions={EVENTS}")
        summary = json.loads((out / "load.json").read_text())
        assert summary["errors"] == []
        assert summary["transactions"] == {"ok": EVENTS, "failed": 0, "in_doubt": 0}
    assert _kept(empty) == 3 * EVENTS
