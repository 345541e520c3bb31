"""The load generator alone, against any running server that a DSN names."""

# ruff: noqa: PLC0415  (drivers are imported when one is needed)

import json
import math
import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from fivenines.analysis.latency import Latency, read_latency
from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.load.commands import PASSWORD
from fivenines.load.dsn import Dsn
from fivenines.results.layout import LATENCY
from fivenines.workloads.oltp import Oltp

CONNECT_TIMEOUT = 5
"""Seconds until a server that does not answer is given up."""


PATIENCE = 60.0
"""Seconds that the load generator may take beyond the duration of the load."""


@dataclass(frozen=True)
class Second:
    """The live figures of one second."""

    t: float
    tps: float
    qps: float
    errors: int


@dataclass(frozen=True)
class Bench:
    """What is asked of the load generator."""

    dsn: Dsn
    workload: Oltp
    connections: int
    duration: float

    def prepare_command(self) -> list[str]:
        """Make the tables and fill them."""
        return [
            str(core_binary()), "prepare", *self._account(),
            "--host", self.dsn.host, "--port", str(self.dsn.port), *self.workload.prepare_flags(),
        ]  # fmt: skip

    def load_command(self, out: Path) -> list[str]:
        """Put the server under load."""
        return [
            str(core_binary()), "load", *self._account(),
            "--write", self.dsn.address, "--find", "any", *self.workload.load_flags(),
            "--connections", str(self.connections), "--duration", f"{self.duration:g}",
            "--out", str(out), "--live",
        ]  # fmt: skip

    def _account(self) -> list[str]:
        return [
            "--driver", self.dsn.driver, "--user", self.dsn.user, "--password-env", PASSWORD,
            "--database", self.dsn.database,
        ]  # fmt: skip


@dataclass(frozen=True)
class Result:
    """What fivenines-core wrote down: load.json, and the response times of transactions."""

    record: dict[str, Any]
    latency: Latency | None

    def measures(self) -> list[tuple[str, str]]:
        """The figures that people ask for first."""
        counts, seconds = self.record["transactions"], float(self.record["duration_s"])
        rows = [
            ("transactions/s", f"{counts['ok'] / seconds:.1f}"),
            ("queries/s", f"{self.record['queries'] / seconds:.1f}"),
            ("failed", str(counts["failed"])),
            ("in doubt", str(counts["in_doubt"])),
        ]
        if self.latency is not None:
            for name in ("mean", "p50", "p95", "p99", "p999", "max"):
                rows.append((f"response, {name}", f"{getattr(self.latency, name):.2f} ms"))
        for error in self.record.get("errors", []):
            rows.append(
                (f"errors, {error['class']}", f"{error['count']} ({error['message'][:60]})")
            )
        if self.record["client"]["bottleneck"]:
            rows.append(("warning", "this machine's load generator may have been the bottleneck"))
        return rows


def prepare(bench: Bench) -> None:
    """Make the workload's tables and fill them.

    Raises:
        FiveninesError: it failed, with the reason.
    """
    done = subprocess.run(
        bench.prepare_command(), env=_environment(bench.dsn), capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode != 0:
        raise FiveninesError(f"preparing {bench.dsn} failed: {_reason(done.stderr, bench.dsn)}")


def load(bench: Bench, live: Callable[[Second], None], out: Path | None = None) -> Result:
    """Put the server under load.

    Raises:
        FiveninesError: it failed, with the reason.
    """
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        return _load(bench, live, out)
    with tempfile.TemporaryDirectory(prefix="fivenines-bench-") as folder:
        return _load(bench, live, Path(folder))


def check(dsn: Dsn, table: str | None) -> None:
    """Connect once, so that a refusal is one message and no endless retrying.

    Raises:
        FiveninesError: why the server refused, without the password; or `table` is not there.
    """
    problem = (_ask_mysql if dsn.driver == "mysql" else _ask_postgres)(dsn, table)
    if problem:
        raise FiveninesError(f"{dsn}: {_without(problem, dsn)}")


def _load(bench: Bench, live: Callable[[Second], None], out: Path) -> Result:
    with (out / "load.log").open("w+", encoding="utf-8") as log:
        program = subprocess.Popen(
            bench.load_command(out), env=_environment(bench.dsn), stdout=subprocess.PIPE,
            stderr=log, text=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        patience = Timer(bench.duration + PATIENCE, program.kill)
        patience.start()
        try:
            assert program.stdout is not None
            for line in program.stdout:
                if second := _second(line):
                    live(second)
            code = program.wait()
        finally:
            patience.cancel()
            if program.poll() is None:
                program.kill()
                program.wait()
        log.seek(0)
        said = log.read()
    if code != 0:
        raise FiveninesError(f"the load on {bench.dsn} failed: {_reason(said, bench.dsn)}")
    try:
        record = json.loads((out / "load.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FiveninesError(f"the load on {bench.dsn} left no result: {error}") from None
    if (problem := _nothing_worked(record)) is not None:
        raise FiveninesError(
            f"no transaction succeeded on {bench.dsn}: {_without(problem, bench.dsn)}"
        )
    return Result(dict(record), read_latency(out / LATENCY, "transaction", 0, math.inf))


def _nothing_worked(record: dict[str, Any]) -> str | None:
    """The commonest error of a load without any success; None when something succeeded."""
    if record["transactions"]["ok"] > 0 or not record.get("errors"):
        return None
    worst = max(record["errors"], key=lambda error: int(error["count"]))
    return str(worst["message"])


def _second(line: str) -> Second | None:
    """The figures in a line of live output, or None when it is something else."""
    try:
        found = json.loads(line)
        return Second(
            float(found["t"]), float(found["tps"]), float(found["qps"]), int(found["errors"])
        )
    except (ValueError, KeyError, TypeError):
        return None


def _environment(dsn: Dsn) -> dict[str, str]:
    return {**os.environ, PASSWORD: dsn.password}


def _reason(said: str, dsn: Dsn) -> str:
    lines = [line for line in said.strip().splitlines() if line.strip()]
    return _without(lines[-1] if lines else "it gave no reason", dsn)


def _without(text: str, dsn: Dsn) -> str:
    """The text without the password, should a server repeat it."""
    return text.replace(dsn.password, "***") if dsn.password else text


def _ask_mysql(dsn: Dsn, table: str | None) -> str | None:
    import pymysql

    try:
        with pymysql.connect(
            host=dsn.host, port=dsn.port, user=dsn.user, password=dsn.password,
            database=dsn.database, connect_timeout=CONNECT_TIMEOUT,
        ) as connection, connection.cursor() as cursor:  # fmt: skip
            if table is None:
                return None
            cursor.execute("SHOW TABLES LIKE %s", [table])
            return None if cursor.fetchone() else _absent(table)
    except (pymysql.Error, RuntimeError) as error:  # RuntimeError: an authentication it cannot do
        return str(error.args[-1]) if error.args else type(error).__name__


def _ask_postgres(dsn: Dsn, table: str | None) -> str | None:
    import psycopg

    try:
        with psycopg.connect(
            host=dsn.host, port=dsn.port, user=dsn.user, password=dsn.password,
            dbname=dsn.database, connect_timeout=CONNECT_TIMEOUT,
        ) as connection:  # fmt: skip
            if table is None:
                return None
            row = connection.execute("SELECT to_regclass(%s) IS NULL", [table]).fetchone()
            return _absent(table) if row is None or row[0] else None
    except psycopg.Error as error:
        lines = str(error).strip().splitlines()
        return lines[0] if lines else type(error).__name__


def _absent(table: str) -> str:
    return f"the table {table} is not there: add --prepare to make the workload's tables"
