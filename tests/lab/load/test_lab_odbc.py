"""ODBC with Debian's drivers on real servers: measurements equal those of the native protocols."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from lab_external_servers import ODD, PASSWORD, ExternalServer, mariadb, postgres, running
from lab_support import LIMIT, program, run_trial, timing

DRIVERS = {"postgres": "PostgreSQL Unicode", "mariadb": "MariaDB Unicode"}
SMALL = ("--workload", "tatp", "--set", "subscribers=200")


@dataclass
class Place:
    """Provide a server that the account `app` with the password `app` may use."""

    kind: str
    server: ExternalServer

    @property
    def odbc(self) -> str:
        """Return its connection string, without a password."""
        driver = DRIVERS[self.kind]
        return f"Driver={{{driver}}};Server=127.0.0.1;Port={self.server.port};Database=sbtest;UID=app"

    @property
    def native(self) -> str:
        scheme = "mysql" if self.kind == "mariadb" else "postgresql"
        return f"{scheme}://app:app@{self.server.at}/sbtest"

    def start(self, *arguments: str, dsn: str = "", **environment: str) -> subprocess.Popen[str]:
        """Start `fivenines bench`, by ODBC unless `dsn` says otherwise."""
        return subprocess.Popen(
            program("bench", "--dsn", dsn or f"odbc:{self.odbc}", *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "ODBC_PWD": "app", "COLUMNS": "80", **environment},
        )

    def bench(self, *arguments: str, dsn: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        """Run `fivenines bench` to completion."""
        with self.start(*arguments, dsn=dsn, **environment) as process:
            out, err = process.communicate(timeout=LIMIT)
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess([], process.returncode, out, err)

    def counts(self, tables: tuple[str, ...]) -> dict[str, int]:
        """Return the number of rows of each table."""
        return {table: int(str(self.server.query(f"SELECT COUNT(*) FROM {table}")[0][0])) for table in tables}


@pytest.fixture(scope="module", params=["postgres", "mariadb"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("odbc")
    make = postgres if request.param == "postgres" else mariadb
    server = make(folder, "db1")
    with running(server):
        yield Place(request.param, server)


def _json(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


TATP = ("subscriber", "access_info", "special_facility", "call_forwarding")


def test_the_same_work_leaves_the_same_rows(place: Place) -> None:
    """Use one connection and one seed: both drivers run the same transactions and leave the same data."""
    rows_by_driver = {}
    for way, dsn in (("native", place.native), ("odbc", "")):
        work = ("--transactions", "400", "--connections", "1", "--seed", "7", "--check", "--json")
        done = _json(place.bench(*SMALL, "--prepare", "--drop", *work, dsn=dsn))
        load = done["load"]
        sums = place.server.query("SELECT SUM(vlr_location), SUM(bit_1) FROM subscriber")[0]
        rows_by_driver[way] = (
            load["transactions"],
            load["expected"],
            load["queries"],
            load["errors"],
            place.counts(TATP),
            [int(str(value)) for value in sums],
        )
        assert {check["status"] for check in done["checks"]} == {"holds"}
    assert rows_by_driver["odbc"] == rows_by_driver["native"]
    assert rows_by_driver["odbc"][0]["ok"] > 0


def test_oltp_by_odbc_reads_and_writes(place: Place) -> None:
    work = ("--tables", "2", "--table-size", "500", "--seed", "3", "--connections", "1", "--json")
    by_driver = {}
    for way, dsn in (("native", place.native), ("odbc", "")):
        done = _json(place.bench(*work, "--prepare", "--drop", "--transactions", "60", dsn=dsn))
        load = done["load"]
        sums = place.server.query("SELECT COUNT(*), SUM(id), SUM(k) FROM sbtest1")[0]
        by_driver[way] = (load["transactions"], load["queries"], [int(str(value)) for value in sums])
    assert by_driver["odbc"] == by_driver["native"]


def _await_transactions(bench: subprocess.Popen[str], after: float = 0) -> int:
    """Wait for a later second of the load with transactions; return its number."""
    assert bench.stderr is not None
    for line in bench.stderr:
        match = re.match(r" +(\d+) s +(?!0 )", line)
        if match and int(match[1]) > after:
            return int(match[1])
    raise AssertionError("the bench is over")


def test_the_load_survives_a_restart_of_the_server(place: Place) -> None:
    load_of = ("--prepare", "--duration", "1h", "--json", "--connections", "3")
    with place.start(*SMALL, *load_of) as bench:
        second, then = _await_transactions(bench), time.monotonic()
        server = psutil.Process(int(place.server.pid_file.read_text()))
        processes = [server, *server.children(recursive=True)]
        server.kill()
        # An old backend of PostgreSQL still uses the shared memory that the next server requires.
        assert psutil.wait_procs(processes, timeout=LIMIT)[1] == []
        time.sleep(1)
        place.server.start()
        _await_transactions(bench, second + time.monotonic() - then + 1)
        bench.send_signal(signal.SIGINT)
        out, err = bench.communicate(timeout=LIMIT)
    assert out, err
    load = json.loads(out)["load"]
    assert load["reconnects"] >= 1 and load["transactions"]["ok"] > 0
    classes = {error["class"] for error in load["errors"]}
    assert classes & {"connection", "shutdown"}, load["errors"]
    assert classes <= {"connection", "shutdown", "refused", "not_ready", "deadlock"}, load["errors"]


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_a_commit_on_a_dead_link_is_an_error_as_a_statement_alone(place: Place) -> None:
    """Show why COMMIT goes to PostgreSQL as a statement: SQLEndTran of psqlODBC 13.02 succeeds there."""
    result = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).parents[1] / "support" / "odbc_commit.py"),
            f"{place.odbc};PWD=app",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {"SQLEndTran": 0, "COMMIT": -1}
    assert place.server.query("SELECT COUNT(*) FROM committed")[0][0] == 0


def test_a_password_is_taken_as_it_is_written(place: Place, tmp_path: Path) -> None:
    script = tmp_path / "one.sql"
    script.write_text("SELECT 1;\n")
    if place.kind == "postgres":
        place.server.query(f"CREATE ROLE odd LOGIN PASSWORD '{ODD}'", account="postgres")
    dsn = f"odbc:{place.odbc.replace('UID=app', 'UID=odd')}"
    work = ("--script", str(script), "--connections", "1", "--transactions", "2", "--json")
    assert _json(place.bench(*work, dsn=dsn, ODBC_PWD=ODD))["load"]["transactions"]["ok"] == 2
    refused = place.bench(*work, dsn=dsn, ODBC_PWD="a b%41 ;}{=")
    assert refused.returncode != 0 and ODD not in refused.stderr


def test_statements_that_are_given_up_are_cancelled(place: Place, tmp_path: Path) -> None:
    script = tmp_path / "sleep.sql"
    sleep = "pg_sleep" if place.kind == "postgres" else "SLEEP"
    script.write_text(f"SELECT {sleep}(60);\n")
    bounds = ("--connections", "1", "--duration", "4s", "--answer-timeout", "1s")
    done = place.bench("--script", str(script), *bounds)
    assert "no reply to the statement" in done.stderr, done.stderr
    if place.kind == "postgres":
        log = (place.server.folder / "server.log").read_text()
        cancelled = log.count("canceling statement due to user request")
    else:
        (row,) = place.server.query("SHOW GLOBAL STATUS LIKE 'Com_kill'")
        cancelled = int(str(row[1]))
    assert cancelled >= 1


def test_each_refusal_is_one_message(place: Place) -> None:
    known = f"odbc:{place.odbc}"
    dead = re.sub(r"Port=\d+", "Port=9", known)
    failed = {
        "no listener": (place.bench(dsn=f"{dead};PWD=s3cret"), "onnect"),
        "unknown driver": (place.bench(dsn="odbc:Driver={Nix};PWD=s3cret"), "odbcinst.ini"),
        "unknown data source": (place.bench(dsn="odbc:DSN=nix;PWD=s3cret"), "odbc.ini"),
        "tables are missing": (place.bench("--workload", "tpcc"), "add --prepare to create"),
        "not in this dialect": (
            place.bench("--dialect", "oracle", "--workload", "tpcc"),
            "not written for the SQL of oracle",
        ),
    }
    if place.kind == "mariadb":  # PostgreSQL trusts its network in this test.
        failed["wrong password"] = (place.bench(dsn=f"{known};PWD=s3cret"), "Access denied")
    for why, (done, words) in failed.items():
        assert done.returncode in (1, 2), (why, done.stdout, done.stderr)
        assert done.stderr.count("error: ") == 1 and done.stdout == "", (why, done.stderr)
        assert words in done.stderr, (why, done.stderr)
        assert "s3cret" not in done.stdout + done.stderr, why


def test_a_missing_driver_manager_names_the_package(tmp_path: Path) -> None:
    # An empty file hides the library from the loader, as in a lab without it.
    empty = tmp_path / "libodbc.so.2"
    empty.touch()
    core = Path(sys.executable).with_name("fivenines-core")
    done = subprocess.run(
        [str(core), "odbc", "--odbc", "DSN=x"],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 1 and "apt-get install unixodbc" in done.stderr, done.stderr


def test_the_ledger_of_an_external_cluster_goes_by_odbc(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, "app")
    template = place.odbc.replace("127.0.0.1", "{host}").replace(str(place.server.port), "{port}")
    outcome = run_trial(
        tmp_path,
        f"solutions:\n  - solution: external\n    engine: external-{place.kind}\n"
        f"    members: {{db1: '{place.server.at}'}}\n    user: app\n    password_env: {PASSWORD}\n"
        f"    database: sbtest\n    existing: replace\n    odbc: '{template}'\n" + timing(recovery=1),
    )
    record = outcome.record
    assert record.check is not None and record.check.acknowledged > 0
    (node,) = record.check.nodes
    assert (node.lost, node.phantom, node.duplicate) == (0, 0, 0) and node.present > 0
    (endpoint,) = record.load.document["endpoints"]
    assert endpoint.startswith("odbc:Driver=") and "PWD" not in endpoint
