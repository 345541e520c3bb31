"""`fivenines bench` as a program against real servers: prepare, load, interrupt, check, refuse."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_support import LIMIT, ended, running, start_on

from fivenines.base.waiting import wait_until
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.servers.base import DATABASE
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine

SMALL = ("--workload", "tatp", "--set", "subscribers=300")
# A short load that makes progress however busy the machine is.
FEW = ("--transactions", "20", "--duration", "60s")
# The beginning of a progress line, for the first or a later second of the load.
SECOND = r"^ +[1-9]\d* s "


@dataclass
class Place:
    """Provide a running server with an empty database, and programs on its host."""

    server: LocalServer
    folder: Path

    def dsn(self, password: str = "", host: str = "", database: str = DATABASE) -> str:
        """Return the server's DSN; `host` precedes its own host."""
        scheme = "mysql" if self.server.driver == "mysql" else "postgresql"
        own = f"{self.server.host.address}:{self.server.port}"
        return f"{scheme}://app:{password or self.server.passwords.application}@{host}{own}/{database}"

    def start(self, *arguments: str, dsn: str = "") -> subprocess.Popen[str]:
        """Start `fivenines bench`."""
        return start_on(self.server, self.folder, "bench", "--dsn", dsn or self.dsn(), *arguments)

    def bench(self, *arguments: str, dsn: str = "") -> subprocess.CompletedProcess[str]:
        """Run `fivenines bench` to completion."""
        return ended(self.start(*arguments, dsn=dsn))


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a server whose database has TATP's tables."""
    software = engine(request.param)
    software.require(lambda message, fraction: None)
    folder = tmp_path_factory.mktemp("bench")
    with NamespaceLab(folder / "lab") as lab:
        postgres = server(lab.add_host("node1", software.root()), software)
        postgres.setup.initialise()
        postgres.setup.configure(postgres.unsafe_settings)
        postgres.start()
        postgres.wait_ready()
        made = Place(postgres, folder)
        prepared = made.bench(*SMALL, "--prepare", "--duration", "0s")
        assert prepared.returncode == 0, prepared.stderr
        assert re.search(r"^tatp: \d+ rows in ", prepared.stderr, re.MULTILINE)
        yield made
        postgres.stop()


def test_tables_are_prepared_once_and_then_loaded(place: Place, tmp_path: Path) -> None:
    done = place.bench(
        *SMALL,
        "--prepare",
        "--connections",
        "4",
        "--duration",
        "2200ms",
        "--json",
        "--check",
        "--out",
        str(tmp_path / "kept"),
    )
    assert done.returncode == 0, done.stderr
    assert "tatp: the tables exist already" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["load"]["transactions"]["ok"] == answer["latency_ms"]["n"] > 0
    assert len(answer["latency_by_type_ms"]) >= 5
    assert answer["throughput"]["MQTh"] == answer["throughput"]["transactions/s"] > 0
    assert answer["client"]["cpu_us_per_query"] > 0
    assert {check["status"] for check in answer["checks"]} == {"holds"}
    assert all(Path(file).stat().st_size for file in answer["files"])
    # One line per second: on a busy machine some are late, and the last one may follow the load.
    assert 1 <= len(re.findall(SECOND, done.stderr, re.MULTILINE)) <= 3


def test_a_planted_defect_is_found_and_named(place: Place) -> None:
    with place.server.sql.open_data() as connection, connection.cursor() as cursor:
        cursor.execute("UPDATE subscriber SET sub_nbr = '7' WHERE s_id = 123")
    try:
        done = place.bench(*SMALL, *FEW, "--check")
    finally:
        with place.server.sql.open_data() as connection, connection.cursor() as cursor:
            cursor.execute("UPDATE subscriber SET sub_nbr = '000000000000123' WHERE s_id = 123")
    assert done.returncode == 1
    assert "VIOLATED  sub_nbr is s_id in 15 digits: 1 row found" in done.stdout
    assert "s_id=123, sub_nbr=7" in done.stdout
    assert done.stderr.splitlines()[-1].startswith("error: an invariant of the data is violated")


# timeout(1) sends its signal to the program, and then to the process group, which the program belongs to.
@pytest.mark.parametrize(("number", "times"), [(signal.SIGINT, 1), (signal.SIGTERM, 1), (signal.SIGTERM, 2)])
def test_breaking_off_keeps_the_figures(place: Place, number: int, times: int) -> None:
    with place.start(*SMALL, "--duration", "1h") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if re.match(SECOND, line):
                break
        own = running(process, "bench")
        children = own.children()
        for _ in range(times):
            own.send_signal(number)
        out, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert "interrupted" in out and "MQTh" in out
    assert not any(child.is_running() for child in children), "nothing is left behind"


def test_a_bench_that_is_killed_takes_its_load_along(place: Place) -> None:
    with place.start(*SMALL, "--duration", "1h") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if re.match(SECOND, line):
                break
        own = running(process, "bench")
        (child,) = own.children()
        assert child.name() == "fivenines-core"
        own.kill()
        process.communicate(timeout=LIMIT)
    child.wait(timeout=LIMIT)  # This fails if the load outlives `fivenines bench`.


def test_a_dead_first_host_is_passed_over(place: Place) -> None:
    dead = f"{place.server.host.address}:9,"
    done = place.bench(*SMALL, *FEW, "--json", dsn=place.dsn(host=dead))
    assert done.returncode == 0, done.stderr
    served = json.loads(done.stdout)["load"]["endpoints"]
    assert [bool(pair["ok"]) for _, pair in sorted(served.items(), key=lambda pair: len(pair[0]))] == [
        False,
        True,
    ]


def test_metrics_are_answered_while_it_runs(place: Place) -> None:
    with place.start(*SMALL, "--duration", "1h", "--metrics", "127.0.0.1:9187") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if re.match(r" +[2-9] s ", line):
                break
        read = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9187/metrics').read().decode())"
        scraped = subprocess.run(
            place.server.host.commands.outside([sys.executable, "-c", read]),
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=True,
        )
        running(process, "bench").terminate()
        process.communicate(timeout=LIMIT)
    ok = re.search(
        r'^fivenines_transactions_total\{outcome="ok",workload="tatp"\} (\S+)$', scraped.stdout, re.MULTILINE
    )
    assert ok is not None and float(ok[1]) > 0
    assert 'fivenines_transaction_seconds_bucket{le="+Inf",type="update_location"' in scraped.stdout


def test_sql_scripts_make_their_own_tables(place: Place, tmp_path: Path) -> None:
    (tmp_path / "make.sql").write_text(
        "DROP TABLE IF EXISTS visits; CREATE TABLE visits (id INT PRIMARY KEY, n INT);\n"
        "INSERT INTO visits VALUES (1, 0), (2, 0);\n"
    )
    (tmp_path / "visit.sql").write_text(
        "\\set which random(1, :most)\nUPDATE visits SET n = n + 1 WHERE id = :which;\n"
    )
    done = place.bench(
        "--script",
        str(tmp_path / "visit.sql"),
        "--define",
        "most=2",
        "--prepare",
        "--set",
        f"setup=[{tmp_path / 'make.sql'}]",
        "--transactions",
        "50",
        "--json",
        "--connections",
        "1",
    )
    assert done.returncode == 0, done.stderr
    ok = json.loads(done.stdout)["load"]["transactions"]["ok"]
    with place.server.sql.open_data() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT SUM(n), COUNT(*) FROM visits WHERE n > 0")
        assert [int(value) for value in cursor.fetchone()] == [ok, 2]


def test_each_refusal_is_one_message(place: Place) -> None:
    address = place.server.host.address
    failed = {
        "no listener": place.bench(dsn=f"{place.dsn('s3cret').partition('@')[0]}@{address}:9/x"),
        "no such database": place.bench(dsn=place.dsn(database="nowhere")),
        "tables are missing": place.bench("--tables", "900"),
    }
    # One server suffices for what both refuse alike: each case starts the program.
    if place.server.driver == "mysql":
        failed["another data set is there"] = place.bench(
            "--workload", "tatp", "--set", "subscribers=9", "--prepare"
        )
        failed["wrong password"] = place.bench(*SMALL, dsn=place.dsn("s3cret"))
        assert "replace it with --drop" in failed["another data set is there"].stderr
        assert "Access denied" in failed["wrong password"].stderr
    assert "add --prepare to create and fill the workload's tables" in failed["tables are missing"].stderr
    for why, done in failed.items():
        assert done.returncode == 1, (why, done.stdout, done.stderr)
        assert done.stderr.count("error: ") == 1 and done.stdout == "", why
        assert "s3cret" not in done.stdout + done.stderr, why


def _script(folder: Path, text: str) -> tuple[str, ...]:
    file = folder / "own.sql"
    file.write_text(text)
    return ("--script", str(file), "--connections", "2")


def test_a_load_whose_transactions_fail_has_no_figures(place: Place, tmp_path: Path) -> None:
    """Fail one of two scripts always: the figures of the other do not describe the whole."""
    never = tmp_path / "never.sql"
    never.write_text("SELECT no_such_column FROM subscriber;\n")
    done = place.bench(*_script(tmp_path, "SELECT 1;"), "--script", str(never), "--duration", "5s")
    assert done.returncode == 1, done.stdout
    assert re.search(r"transactions failed .*no_such_column", done.stderr), done.stderr
    assert "the results above do not describe the database" in done.stderr


def test_rows_that_are_not_there_are_a_caution(place: Place) -> None:
    """Delete nearly all rows behind the load's back, then choose from a small part of them."""
    size = ("--workload", "oltp_point_select", "--tables", "1", "--connections", "2")
    assert "CAUTION: sbtest1" not in place.bench(*size, "--prepare", *FEW).stderr
    few = place.bench(*size, "--table-size", "1000", *FEW)
    assert "sbtest1 has rows up to id 10000, and the load chooses from 1 to 1000 only" in few.stderr
    with place.server.sql.open_data(LIMIT) as connection, connection.cursor() as cursor:
        cursor.execute("DELETE FROM sbtest1 WHERE id > 100")
    gone = place.bench(*size, *FEW)
    assert "Only 1 of 100 rows that the load chooses from are in sbtest1 (id 1 to 10000)" in gone.stderr


def test_a_connection_that_is_still_busy_at_the_end_has_not_failed(place: Place, tmp_path: Path) -> None:
    """Cut a long transaction, as the end of each load does: its connection works."""
    sleep, sessions = "pg_sleep", "pg_stat_activity WHERE usename = 'app'"
    if place.server.driver == "mysql":
        sleep, sessions = "SLEEP", "information_schema.processlist WHERE user = 'app'"
    long, out = tmp_path / "long.sql", tmp_path / "out"
    long.write_text(f"SELECT {sleep}(8);\n")
    scripts = (*_script(tmp_path, "SELECT 1;"), "--script", str(long), "--connections", "8")
    done = place.bench(*scripts, "--duration", "2s", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "load.json").read_text())["connections_without_success"] == 0
    # A server notices only after the statement that its client is gone.
    count = f"SELECT count(*) FROM {sessions}"
    wait_until(
        lambda: "" if place.server.sql.query(count) == [(0,)] else count, LIMIT, "sessions did not end"
    )


def test_connections_that_the_server_refuses_are_no_part_of_the_figures(place: Place) -> None:
    """Let the account have three connections: the load had three, and not eight."""
    limits = ("ALTER USER app WITH MAX_USER_CONNECTIONS {}", "ALTER ROLE app CONNECTION LIMIT {}")
    limit, none = (limits[0], 0) if place.server.driver == "mysql" else (limits[1], -1)
    place.server.sql.execute(limit.format(3))
    try:
        done = place.bench(*SMALL, "--connections", "8", "--duration", "3s")
    finally:
        place.server.sql.execute(limit.format(none))
    assert done.returncode == 1, done.stdout
    assert re.search(r"5 of 8 connections never worked; most often refused \(\w+\)", done.stderr), done.stderr
    assert "lower --connections, or raise the server's limit" in done.stderr
    assert place.bench(*SMALL, "--connections", "8", *FEW).returncode == 0


@pytest.mark.parametrize("place", ["postgres-18"], indirect=True)
def test_what_a_session_discards_is_prepared_again(place: Place, tmp_path: Path) -> None:
    text = "SELECT 1;\nDISCARD ALL;\nSELECT 2;\nDEALLOCATE ALL;\n"
    done = place.bench(*_script(tmp_path, text), *FEW, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["load"]["errors"] == []


@pytest.mark.parametrize("place", ["postgres-18"], indirect=True)
def test_a_session_without_its_statements_is_replaced_and_reported(place: Place, tmp_path: Path) -> None:
    """Make the server forget statements silently: each connection continues with a new session."""
    text = "SELECT 1;\nDO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$;\n"
    script = _script(tmp_path, text)
    done = place.bench(*script, *FEW, "--json")
    load = json.loads(done.stdout)["load"]
    assert {(error["class"], error["code"]) for error in load["errors"]} == {("session_lost", "26000")}
    assert load["transactions"]["ok"] == 20 and load["transactions"]["in_doubt"] == 0
    assert done.returncode == 1 and "use the protocol `extended`" in done.stderr
    done = place.bench(*script, *FEW, "--json", "--protocol", "extended")
    assert done.returncode == 0 and json.loads(done.stdout)["load"]["errors"] == [], done.stderr


def test_a_statement_may_stand_twice_in_a_script(place: Place, tmp_path: Path) -> None:
    done = place.bench(*_script(tmp_path, "SELECT 1;\nSELECT 1;\n"), *FEW, "--json")
    assert done.returncode == 0, done.stderr
    load = json.loads(done.stdout)["load"]
    assert load["errors"] == [] and load["transactions"]["ok"] == 20
