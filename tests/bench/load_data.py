#!/usr/bin/env python3
"""Measure the speed of loading: `fivenines-core prepare` against `sysbench prepare` and `pgbench -i`.

The programs load in turns into the same server, with the same number of threads (pgbench has one), tables and
rows, including indexes. sysbench creates the same tables, so the ratio is that of times. pgbench fills one
table with only a primary key, and fivenines does the same in that comparison. Its rows are narrower, so it
gets enough of them to fill about the same space, and bytes stored per second are compared.

Only ratios within one run are meaningful. Nothing is asserted: the figures are reported.

    python3 tests/bench/load_data.py --mysql-port 33061 --mysql-user sb \\
        --postgres-port 54321 --postgres-user postgres

Passwords come from FIVENINES_MYSQL_PASSWORD and FIVENINES_POSTGRES_PASSWORD. Tables sbtest1..N and pgbench's
are dropped before each load.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pymysql

from fivenines.load.commands import described
from fivenines.load.workloads.oltp import Oltp

ROOT = Path(__file__).resolve().parents[2]

# Rows of pgbench that occupy the space of one of our rows with its primary key (measured, PostgreSQL 18).
PGBENCH_ROWS = 1.65


@dataclass(frozen=True)
class Load:
    """Record one load: its time, rows, the server's bytes afterwards, and the client's CPU."""

    seconds: float
    cpu_s: float
    rows: int
    size: int


class Bench:
    """Run all comparisons for one set of arguments."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.env = dict(os.environ)
        self.env.setdefault("FIVENINES_MYSQL_PASSWORD", "")
        self.env.setdefault("FIVENINES_POSTGRES_PASSWORD", "")
        self.env["PGPASSWORD"] = self.env["FIVENINES_POSTGRES_PASSWORD"]

    @property
    def rows(self) -> int:
        return int(self.args.tables * self.args.table_size)

    def port(self, driver: str) -> int:
        return int(getattr(self.args, f"{driver}_port"))

    def user(self, driver: str) -> str:
        return str(getattr(self.args, f"{driver}_user"))

    def password(self, driver: str) -> str:
        return self.env[f"FIVENINES_{driver.upper()}_PASSWORD"]

    def timed(self, command: list[str], rows: int, size: Callable[[], int]) -> Load:
        """Run a loader; return its time, and its CPU from wait4."""
        started = time.perf_counter()
        with subprocess.Popen(
            command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            errors = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}\nfailed:\n{errors}")
        return Load(seconds, usage.ru_utime + usage.ru_stime, rows, size())

    def fivenines(self, driver: str, alike: bool = False) -> Load:
        """Load our tables; with `alike` as pgbench does, one table with only its primary key."""
        args = self.args
        tables = 1 if alike else args.tables
        asked = Oltp(
            workload="oltp_read_write",
            tables=tables,
            table_size=self.rows // tables,
            secondary_indexes=0 if alike else 1,
        )
        command = [args.core, "prepare", *described(asked), f"--driver={driver}", "--drop"]
        command += [f"--port={self.port(driver)}", f"--user={self.user(driver)}"]
        command += [f"--database={args.database}"]
        command += [f"--password-env=FIVENINES_{driver.upper()}_PASSWORD"]
        command += [f"--threads={args.threads}"]
        self.drop(driver)
        return self.timed(command, self.rows, lambda: self.size(driver))

    def sysbench(self, driver: str) -> Load:
        args = self.args
        name = {"mysql": "mysql", "postgres": "pgsql"}[driver]
        command = ["sysbench", "oltp_read_write", f"--db-driver={name}"]
        command += [f"--{name}-host=127.0.0.1", f"--{name}-port={self.port(driver)}"]
        command += [f"--{name}-user={self.user(driver)}", f"--{name}-db={args.database}"]
        command += [f"--{name}-password={self.password(driver)}"]
        command += [f"--tables={args.tables}", f"--table-size={args.table_size}"]
        self.drop(driver)
        return self.timed(
            [*command, f"--threads={args.threads}", "prepare"], self.rows, lambda: self.size(driver)
        )

    def pgbench(self) -> Load:
        scale = max(1, round(self.rows * PGBENCH_ROWS / 100_000))
        command = ["pgbench", "-i", "-q", "-s", str(scale), "-h", "127.0.0.1"]
        command += ["-p", str(self.port("postgres")), "-U", self.user("postgres")]
        self.drop("postgres")
        return self.timed([*command, self.args.database], scale * 100_011, lambda: self.size("postgres"))

    def drop(self, driver: str) -> None:
        """Drop all tables of all loaders, and let the server write its pending data."""
        tables = [f"sbtest{number + 1}" for number in range(self.args.tables)]
        tables += [f"pgbench_{name}" for name in ("accounts", "branches", "history", "tellers")]
        self.sql(driver, *(f"DROP TABLE IF EXISTS {table}" for table in tables))
        time.sleep(self.args.pause)

    def size(self, driver: str) -> int:
        """Return the bytes of all loaded tables with their indexes."""
        if driver == "postgres":
            return self.sql(
                driver,
                "SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0) FROM pg_class "
                "WHERE relkind = 'r' AND (relname LIKE 'sbtest%' OR relname LIKE 'pgbench%')",
            )
        return self.sql(
            driver,
            "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables "
            "WHERE table_schema = DATABASE() AND table_name LIKE 'sbtest%'",
        )

    def sql(self, driver: str, *statements: str) -> int:
        """Run statements; return the number from the last one, if any."""
        args = self.args
        connection = (
            pymysql.connect(
                host="127.0.0.1",
                port=self.port(driver),
                user=self.user(driver),
                password=self.password(driver),
                database=args.database,
                autocommit=True,
            )
            if driver == "mysql"
            else psycopg.connect(
                host="127.0.0.1",
                port=self.port(driver),
                user=self.user(driver),
                password=self.password(driver),
                dbname=args.database,
                autocommit=True,
            )
        )
        with connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            row: Any = cursor.fetchone() if cursor.description else None
            return int(row[0]) if row else 0

    def compare(self, name: str, theirs: Callable[[], Load], ours: Callable[[], Load]) -> None:
        """Run both in turns and return the medians."""
        pairs = [(theirs(), ours()) for _ in range(self.args.turns)]

        def medians(pick: Callable[[Load], float]) -> tuple[float, float]:
            return (
                statistics.median(pick(pair[0]) for pair in pairs),
                statistics.median(pick(pair[1]) for pair in pairs),
            )

        seconds = medians(lambda load: load.seconds)
        rows = medians(lambda load: load.rows / load.seconds)
        sizes = medians(lambda load: load.size / load.seconds / 1e6)
        cpu = medians(lambda load: load.cpu_s / load.size * 1e9)
        ratios = [ours.size / ours.seconds * theirs.seconds / theirs.size for theirs, ours in pairs]
        cells = [name, *(f"{value:.2f}" for value in seconds), *(f"{value:,.0f}" for value in rows)]
        cells += [*(f"{value:.1f}" for value in sizes), *(f"{value:.1f}" for value in cpu)]
        cells += [f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f}-{max(ratios):.2f}"]
        print(line(cells), flush=True)


HEADER = [
    "comparison",
    "their s",
    "our s",
    "their rows/s",
    "our rows/s",
    "their MB/s",
    "our MB/s",
    "their CPU/GB",
    "our CPU/GB",
    "speed-up",
    "range",
]
WIDTHS = (24, 9, 9, 14, 14, 12, 10, 14, 12, 10, 12)


def line(cells: list[str]) -> str:
    pairs = list(zip(cells, WIDTHS, strict=True))
    return pairs[0][0].ljust(pairs[0][1]) + "".join(cell.rjust(width) for cell, width in pairs[1:])


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--core", default=str(ROOT / "target/release/fivenines-core"))
    parser.add_argument("--mysql-port", type=int)
    parser.add_argument("--mysql-user", default="root")
    parser.add_argument("--postgres-port", type=int)
    parser.add_argument("--postgres-user", default="postgres")
    parser.add_argument("--database", default="sb")
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--table-size", type=int, default=250_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds before each load")
    args = parser.parse_args()
    if args.mysql_port is None and args.postgres_port is None:
        parser.error("give --mysql-port, --postgres-port or both")
    return args


def main() -> None:
    bench = Bench(parse())
    print(line(HEADER), flush=True)
    if bench.args.mysql_port is not None:
        bench.compare("mysql : sysbench", lambda: bench.sysbench("mysql"), lambda: bench.fivenines("mysql"))
    if bench.args.postgres_port is not None:
        bench.compare(
            "postgres : sysbench", lambda: bench.sysbench("postgres"), lambda: bench.fivenines("postgres")
        )
        bench.compare("postgres : pgbench -i", bench.pgbench, lambda: bench.fivenines("postgres", alike=True))


if __name__ == "__main__":
    main()
