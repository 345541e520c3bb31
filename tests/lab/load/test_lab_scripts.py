"""sysbench's Lua scripts cause the same work by fivenines as by sysbench, by the server's counters."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_prepare import workload_flags
from lab_scripts import EVENTS, SCRIPTS, Place, options_of, standalone

from fivenines.servers.postgres.server import Postgres

# The tests share running servers.
pytestmark = pytest.mark.lasts(1)

TABLES = ["--tables=2", "--table-size=2000", "--rand-type=uniform"]
MINIATURES = sorted((Path(__file__).parents[2] / "compat/scripts").glob("*.lua"))


@pytest.fixture(scope="module", params=["mariadb-10.11", "postgres-18"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with standalone(request.param, tmp_path_factory.mktemp("scripts")) as place:
        yield place


@pytest.fixture
def tables(place: Place) -> Iterator[Place]:
    """Provide the tables of the oltp scripts, as sysbench creates them."""
    place.sysbench("oltp_read_write", *TABLES, "--threads=2", "prepare")
    yield place
    place.sysbench("oltp_read_write", *TABLES, "cleanup")


def _both(place: Place, script: str, out: Path, threads: int, own: list[str]) -> None:
    """Run the same number of events by both programs; the server must count the same."""
    with place.counted() as theirs:
        place.sysbench(script, *own, f"--threads={threads}", f"--events={EVENTS}", "--time=0", "run")
    with place.counted() as ours:
        file = f"{SCRIPTS / script}.lua"
        mine = workload_flags("script", files=[file], options=options_of(own))
        place.load(mine, out, threads, f"--transactions={EVENTS}")
    assert sum(theirs.values()) >= EVENTS
    assert ours == theirs


@pytest.mark.parametrize(
    ("script", "threads"),
    [
        # One thread where transactions with several writes could deadlock, which would change the counts.
        ("oltp_read_write", 1),
        ("oltp_read_only", 4),
        ("oltp_insert", 4),
        ("oltp_delete", 4),
        # Other scripts include their statements.
        *(
            pytest.param(script, threads, marks=pytest.mark.long)
            for script, threads in (
                ("oltp_write_only", 1),
                ("oltp_point_select", 4),
                ("oltp_update_index", 4),
                ("oltp_update_non_index", 4),
            )
        ),
    ],
)
def test_oltp_scripts_ask_the_same_of_a_server(
    tables: Place, tmp_path: Path, script: str, threads: int
) -> None:
    _both(tables, script, tmp_path, threads, TABLES)


def test_options_of_a_script_change_its_statements(tables: Place, tmp_path: Path) -> None:
    own = [*TABLES, "--point-selects=3", "--range-selects=off", "--delete_inserts=2", "--skip-trx"]
    _both(tables, "oltp_read_write", tmp_path, 1, own)


@pytest.mark.parametrize("script", ["select_random_points", "select_random_ranges"])
def test_scripts_with_one_table_ask_the_same(tables: Place, tmp_path: Path, script: str) -> None:
    _both(tables, script, tmp_path, 4, ["--tables=1", "--table-size=2000"])


def test_a_bulk_insert_sends_the_same_statements(place: Place, tmp_path: Path) -> None:
    statements, rows = [], []
    events = 50_000
    for ours in (False, True):
        with place.counted() as counted:
            if ours:
                place.prepare("bulk_insert", 1)
                script = workload_flags("script", files=[f"{SCRIPTS / 'bulk_insert.lua'}"])
                place.load(script, tmp_path, 1, f"--transactions={events}")
            else:
                place.sysbench("bulk_insert", "prepare")
                place.sysbench("bulk_insert", f"--events={events}", "--time=0", "run")
        statements.append(counted)
        rows.append(_rows(place, "SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest1"))
        place.sysbench("bulk_insert", "cleanup")
    assert statements[0] == statements[1] and sum(statements[0].values()) > 1
    assert rows[0] == rows[1] == [("50000", "1", "50000")]


@pytest.mark.parametrize("script", MINIATURES, ids=lambda script: script.stem)
def test_each_kind_of_script_asks_the_same(place: Place, tmp_path: Path, script: Path) -> None:
    if (place.engine, script.stem) == ("postgres", "duplicate"):
        # sysbench restarts an event after SQLSTATE 23505, so this script never ends there
        return
    text = script.read_text()
    prepares = any(word in text for word in ("prepare()", "prepare ="))
    compared = place.compare(script, tmp_path, events=20, prepares=prepares)
    assert compared.prepared[0] == compared.prepared[1]
    theirs, ours = compared.reported
    assert theirs.codes == ours.codes
    if not compared.ended_by_error:
        assert compared.ran[0] == compared.ran[1] and compared.ran[0]
        # sysbench counts a duplicate key although the script catches it
        assert theirs.errors == ours.errors or "pcall" in text


@pytest.mark.parametrize("own", [["--auto-inc=on"], ["--auto-inc=off", "--create-secondary=off"]])
def test_prepare_makes_the_same_tables(place: Place, own: list[str]) -> None:
    shapes = []
    for ours in (False, True):
        arguments = ["--tables=3", "--table-size=3000", *own]
        if ours:
            place.prepare("oltp_read_write", 2, *arguments)
        else:
            place.sysbench("oltp_read_write", *arguments, "--threads=2", "prepare")
        shapes.append([_shape(place, f"sbtest{table}") for table in (1, 2, 3)])
        if ours:
            place.prepare("oltp_read_write", 2, *arguments, command_of_script="cleanup")
        else:
            place.sysbench("oltp_read_write", *arguments, "cleanup")
        assert _tables(place) == [], "the cleanup drops what prepare has made"
    assert shapes[0] == shapes[1]


STREAMS = """
io.write("main chunk\\n")
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("SELECT 1")
   io.write("event ", 1, "\\n")
   io.stdout:write("to output\\n"):flush()
   io.stderr:write("to error\\n")
   io.output():write("default\\n")
   assert(io.type(io.stdout) == "file")
end
"""


def test_what_scripts_write_is_on_standard_error_once_for_each_event(place: Place, tmp_path: Path) -> None:
    script = tmp_path / "streams.lua"
    script.write_text(STREAMS)
    flags = workload_flags("script", files=[str(script)])
    written = place.run(flags, tmp_path / "out", "--connections=1", "--transactions=3")
    for line in ("event 1", "to output", "to error", "default"):
        assert len(re.findall(f"(?m)^{line}$", written)) == 3, written
    assert written.count("main chunk") == 1


# Scripts below sysbench's Lua API, which use symbols that it exports through FFI, as third parties do.
BELOW = """
local ffi = require("ffi")
ffi.cdef[[
void sb_counter_inc(int thread_id, sb_counter_type type);
void sb_event_start(int thread_id);
void sb_event_stop(int thread_id);
bool sb_more_events(int thread_id);
]]
sysbench.cmdline.options = {rows = {"Rows of the table", 2000}}
function thread_init()
   con = ffi.C.db_connection_create(ffi.C.db_create(nil))
   local sql = "SELECT k FROM sbtest1 WHERE id = ?"
   stmt = ffi.C.db_prepare(con, sql, #sql)
   id, length, null = ffi.new("int64_t[1]"), ffi.new("unsigned long[1]", 8), ffi.new("char[1]")
   binds = ffi.new("sql_bind[1]")
   binds[0].type, binds[0].buffer, binds[0].max_len = ffi.C.SQL_TYPE_BIGINT, id, 8
   binds[0].data_len, binds[0].is_null = length, null
   assert(ffi.C.db_bind_param(stmt, binds, 1) == 0)
   seen = sysbench.histogram.new(20, 1, 1000)
end
local function send(sql)
   local rs = ffi.C.db_query(con, sql, #sql)
   if rs == nil then con:check_error(rs, sql) end
   return rs
end
function event() error("the script has its own loop") end
function thread_run(tid)
   while ffi.C.sb_more_events(tid) do
      ffi.C.sb_event_start(tid)
      id[0] = ffi.C.sb_rand_uniform(1, sysbench.opt.rows)
      local rs = ffi.C.db_execute(stmt)
      con:check_error(rs, "<prepared statement>")
      ffi.C.db_free_results(rs)
      rs = send("SELECT COUNT(*) FROM sbtest2 WHERE id < 100")
      local row = ffi.C.db_fetch_row(rs)
      assert(ffi.string(row.values[0].ptr, row.values[0].len) == "99")
      ffi.C.db_free_results(rs)
      send("BEGIN")
      send("ROLLBACK")
      ffi.C.sb_counter_inc(tid, ffi.C.SB_CNT_ERROR)
      seen:update(5)
      seen:update(50)
      ffi.C.sb_event_stop(tid)
   end
   send("DELETE FROM sbtest1 WHERE id = -1")
   if tid == 0 then seen:print() end
end
"""


def test_a_script_below_sysbenchs_lua_api_asks_the_same(tables: Place, tmp_path: Path) -> None:
    script = tmp_path / "below.lua"
    script.write_text(BELOW)
    with tables.counted() as theirs:
        output = tables.sysbench(str(script), "--threads=1", f"--events={EVENTS}", "--time=0", "run")
    out = tmp_path / "out"
    with tables.counted() as ours:
        mine = workload_flags("script", files=[f"{script}"])
        heard = tables.run(mine, out, f"--transactions={EVENTS}", "--connections=1")
    assert ours == theirs and sum(ours.values()) >= 4 * EVENTS
    summary = json.loads((out / "load.json").read_text())
    assert summary["script_counters"] == {"error": EVENTS} and summary["connections"] == 1
    # sysbench's ignored errors are those that the script counted.
    assert re.search(rf"ignored errors: +{EVENTS} ", output)
    drawn = [line.rstrip() for line in output.splitlines() if "|*" in line]
    assert len(drawn) == 2
    assert [line.rstrip() for line in heard.splitlines() if "|*" in line] == drawn


def test_a_scripts_prepare_reports_rows_and_progress(place: Place, tmp_path: Path) -> None:
    script = tmp_path / "slow.lua"
    script.write_text(
        "function prepare()\n"
        "  local con = sysbench.sql.driver():connect()\n"
        "  con:query('CREATE TABLE filled (id INT PRIMARY KEY)')\n"
        "  con:bulk_insert_init('INSERT INTO filled VALUES')\n"
        "  for id = 1, 700 do con:bulk_insert_next('(' .. id .. ')') end\n"
        "  con:bulk_insert_done()\n"
        "  local wait = sysbench.opt.db_driver == 'pgsql' and 'pg_sleep' or 'SLEEP'\n"
        "  con:query('SELECT ' .. wait .. '(1.2)')\n"
        "end\n"
    )
    try:
        lines = place.prepare(script, 1).splitlines()
        events = [json.loads(line) for line in lines]
        assert {"event": "progress", "done": 700, "tables": 1} in events
        assert (events[-1]["event"], events[-1]["rows"], events[-1]["tables"]) == ("done", 700, 1)
    finally:
        _execute(place, "DROP TABLE filled")


def test_a_sql_file_runs_its_statements(tables: Place, tmp_path: Path) -> None:
    (tmp_path / "move.sql").write_text(
        "\\set id random(1, :rows)\n\\setstring pad ####-@@@@\nBEGIN;\n"
        "SELECT k FROM sbtest1 WHERE id = :id \\into k\n\\if :k >= 0\n"
        "UPDATE sbtest1 SET k = :k + 1, pad = :pad WHERE id = :id;\n\\endif\nCOMMIT;\n"
    )
    (tmp_path / "look.sql").write_text("SELECT COUNT(*) FROM sbtest2 WHERE k > :client_id;\n")
    before = _rows(tables, "SELECT SUM(k) FROM sbtest1")
    files = [f"{tmp_path / 'move.sql'}@3", f"{tmp_path / 'look.sql'}"]
    script = workload_flags("script", files=files, define={"rows": 2000})
    with tables.counted() as counted:
        summary = tables.load(script, tmp_path / "out", 2, "--transactions=200")
    after = _rows(tables, "SELECT SUM(k) FROM sbtest1")
    moved = int(after[0][0]) - int(before[0][0])
    assert moved == summary["update"] == summary["begin"] == summary["commit"]
    assert 100 < moved < 200 and summary["select"] == 200
    kinds = ("Com_", "execute ")
    update = next(counted[f"{kind}update"] for kind in kinds if f"{kind}update" in counted)
    assert update == moved


def test_a_sql_file_that_ends_within_a_transaction_ends_the_load(tables: Place, tmp_path: Path) -> None:
    (tmp_path / "open.sql").write_text("BEGIN;\nUPDATE sbtest1 SET k = k + 1000000 WHERE id = 1;\n")
    before = _rows(tables, "SELECT SUM(k) FROM sbtest1")
    script = workload_flags("script", files=[f"{tmp_path / 'open.sql'}"])
    with pytest.raises(AssertionError, match=r"open\.sql: the script has ended within a transaction"):
        tables.load(script, tmp_path / "out", 1, "--transactions=5")
    assert _rows(tables, "SELECT SUM(k) FROM sbtest1") == before


def _execute(place: Place, sql: str) -> None:
    if isinstance(place.node, Postgres):
        with place.node.sql.connect(database=place.node.database) as connection:
            connection.execute(sql)
    else:
        place.node.sql.execute(f"USE {place.node.database}", sql)


def _rows(place: Place, sql: str) -> list[tuple[str, ...]]:
    """Return the rows of a query in the scripts' database, as text."""
    if isinstance(place.node, Postgres):
        with place.node.sql.connect(database=place.node.database) as connection:
            rows = connection.execute(sql).fetchall()
    else:
        database = place.node.database
        rows = place.node.sql.query(sql.replace("FROM ", f"FROM {database}."), timeout=20)
    return [tuple(str(field) for field in row) for row in rows]


def _tables(place: Place) -> list[tuple[str, ...]]:
    """Return the scripts' tables."""
    if isinstance(place.node, Postgres):
        return _rows(place, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'sbtest%'")
    return [
        tuple(row) for row in place.node.sql.query(f"SHOW TABLES IN {place.node.database} LIKE 'sbtest%'")
    ]


def _shape(place: Place, table: str) -> list[tuple[str, ...]]:
    """Return a table's columns, indexes, and the figures of its rows that are not random."""
    rows = _rows(
        place,
        "SELECT COUNT(*), MIN(id), MAX(id), MIN(LENGTH(c)), MAX(LENGTH(c)), MIN(LENGTH(pad)), "
        f"MIN(k) > 0, MAX(k) <= 3000 FROM {table}",
    )
    if isinstance(place.node, Postgres):
        columns = (
            "SELECT column_name, data_type, character_maximum_length, is_nullable, column_default "
            f"FROM information_schema.columns WHERE table_name = '{table}' ORDER BY 1"
        )
        indexes = f"SELECT indexdef FROM pg_indexes WHERE tablename = '{table}' ORDER BY 1"
        return rows + _rows(place, columns) + _rows(place, indexes)
    ((_, definition),) = place.node.sql.query(f"SHOW CREATE TABLE {place.node.database}.{table}")
    return [*rows, (re.sub(r" AUTO_INCREMENT=\d+", "", str(definition)),)]
