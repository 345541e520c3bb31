#!/usr/bin/env python3
"""Measure the load generator's cost: client CPU per query and memory, against sysbench and pgbench; and the
cost of ODBC against the native protocols, where Debian's drivers are installed.

The programs run in turns against the same server, so that other activity on the machine affects both. Only
ratios within one run are meaningful. Nothing is asserted: the figures are reported.

    python3 tests/bench/client_cost.py --mysql-port 33061 --mysql-user sb \\
        --postgres-port 54321 --postgres-user postgres

Passwords come from FIVENINES_MYSQL_PASSWORD and FIVENINES_POSTGRES_PASSWORD. The tables are created by
`fivenines-core prepare` in the given databases when they are missing (pgbench uses its own, `pgbench -i`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from fivenines.load.commands import described
from fivenines.load.workloads.oltp import Oltp

ROOT = Path(__file__).resolve().parents[2]

# Debian's drivers: name in odbcinst.ini, and file.
ODBC = {"mysql": ("MariaDB Unicode", "libmaodbc.so"), "postgres": ("PostgreSQL Unicode", "psqlodbcw.so")}


@dataclass(frozen=True)
class Cost:
    """Record one run: CPU seconds, answered queries, peak memory."""

    user_s: float
    system_s: float
    queries: int
    rss_kib: int

    @property
    def us_per_query(self) -> float:
        return (self.user_s + self.system_s) / max(self.queries, 1) * 1e6

    @property
    def user_us_per_query(self) -> float:
        return self.user_s / max(self.queries, 1) * 1e6


@dataclass(frozen=True)
class Row:
    """Represent a line of the table: the median of several turns of both programs."""

    name: str
    connections: int
    theirs_us: float
    ours_us: float
    theirs_user_us: float
    ours_user_us: float
    theirs_rss: float
    ours_rss: float
    theirs_qps: float
    ours_qps: float


def peak_kib(pid: int) -> int:
    """Return VmHWM: unlike ru_maxrss it does not include the process before exec, a copy of this Python."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def measure(
    command: list[str],
    env: dict[str, str],
    count: Callable[[str], int],
    stdin: IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
) -> Cost:
    """Run a program; CPU time comes from wait4, memory from /proc, the number of queries from its output."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=out, stderr=subprocess.STDOUT, env=env, pass_fds=pass_fds
        )
        peak = 0
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            peak = max(peak, peak_kib(process.pid))
            time.sleep(0.05)
        _, status, usage = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}\nfailed:\n{text}")
    return Cost(usage.ru_utime, usage.ru_stime, count(text), peak)


def found(pattern: str) -> Callable[[str], int]:
    """Return a counter that reads its number from a program's output."""

    def count(text: str) -> int:
        match = re.search(pattern, text)
        if match is None:
            sys.exit(f"no match for {pattern} in:\n{text}")
        return int(match.group(1))

    return count


class Bench:
    """Run all comparisons for one set of arguments."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        # Thousands of connections need as many descriptors, in the programs that are measured as well.
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        self.env = {"FIVENINES_MYSQL_PASSWORD": "", "FIVENINES_POSTGRES_PASSWORD": "", **os.environ}
        self.env["PGPASSWORD"] = self.env["FIVENINES_POSTGRES_PASSWORD"]

    def _workload(self, kind: str, tables: int) -> list[str]:
        size, distribution = self.args.table_size, self.args.distribution
        return described(
            Oltp.model_validate(
                {"workload": kind, "tables": tables, "table_size": size, "distribution": distribution}
            )
        )

    def fivenines(self, driver: str, workload: str, connections: int, tables: int, odbc: str = "") -> Cost:
        """Run fivenines; `odbc` is the driver's name, if one is used."""
        args = self.args
        with tempfile.TemporaryDirectory() as folder:
            asked = self._workload(workload, tables)
            command = [args.core, "load", f"--driver={driver}", *asked]
            port, user = getattr(args, driver + "_port"), getattr(args, driver + "_user")
            where = f"127.0.0.1:{port}"
            if odbc:
                where = f"odbc:Driver={{{odbc}}};Server=127.0.0.1;Port={port}"
                where += f";Database={args.database};UID={user}"
            command += [f"--write={where}"]
            command += [f"--user={getattr(args, driver + '_user')}", f"--database={args.database}"]
            command += [f"--password-env=FIVENINES_{driver.upper()}_PASSWORD"]
            command += [f"--connections={connections}"]
            command += [f"--duration={args.seconds}", f"--out={folder}"]
            return measure(
                command, self.env, lambda _: json.loads((Path(folder) / "load.json").read_text())["queries"]
            )

    def compare_odbc(self, driver: str, workload: str, tables: int) -> None:
        """Compare the native protocol (as the peer) with ODBC."""
        name, library = ODBC[driver]
        if not list(Path("/usr/lib").glob(f"*/odbc/{library}")):
            print(f"{driver} by ODBC: {library} is not installed", flush=True)
            return
        for connections in self.args.connections:
            self.compare(
                f"{driver} {workload} by ODBC : own protocol",
                connections,
                partial(self.fivenines, driver, workload, connections, tables),
                partial(self.fivenines, driver, workload, connections, tables, name),
            )

    def sysbench(self, driver: str, workload: str, connections: int) -> Cost:
        args = self.args
        name = {"mysql": "mysql", "postgres": "pgsql"}[driver]
        command = ["sysbench", workload, f"--db-driver={name}"]
        command += [f"--{name}-host=127.0.0.1", f"--{name}-port={getattr(args, driver + '_port')}"]
        command += [f"--{name}-user={getattr(args, driver + '_user')}", f"--{name}-db={args.database}"]
        command += [f"--{name}-password={self.env[f'FIVENINES_{driver.upper()}_PASSWORD']}"]
        command += [f"--tables={args.tables}", f"--table-size={args.table_size}"]
        command += [f"--rand-type={args.distribution}"]
        command += [f"--threads={connections}", f"--time={args.seconds}", "run"]
        return measure(command, self.env, found(r"total:\s+(\d+)"))

    def pgbench(self, connections: int) -> Cost:
        args = self.args
        command = ["pgbench", "-S", "-M", "prepared", "-n", "-h", "127.0.0.1", "-p", str(args.postgres_port)]
        command += ["-U", args.postgres_user, "-c", str(connections), "-T", str(args.seconds), args.database]
        return measure(command, self.env, found(r"transactions actually processed: (\d+)"))

    def compare(
        self, name: str, connections: int, theirs: Callable[[], Cost], ours: Callable[[], Cost]
    ) -> Row:
        pairs = [(theirs(), ours()) for _ in range(self.args.turns)]

        def median(pick: Callable[[Cost], float], which: int) -> float:
            return statistics.median(pick(pair[which]) for pair in pairs)

        def us(cost: Cost) -> float:
            return cost.us_per_query

        def user(cost: Cost) -> float:
            return cost.user_us_per_query

        def rss(cost: Cost) -> float:
            return cost.rss_kib

        def qps(cost: Cost) -> float:
            return cost.queries / float(self.args.seconds)

        row = Row(
            name, connections, *(median(pick, which) for pick in (us, user, rss, qps) for which in (0, 1))
        )
        show(row)
        return row

    def prepare(self, driver: str) -> None:
        """Create the tables if they are missing."""
        args = self.args
        command = [args.core, "prepare", f"--driver={driver}", f"--port={getattr(args, driver + '_port')}"]
        command += [f"--user={getattr(args, driver + '_user')}", f"--database={args.database}", "--drop"]
        command += [f"--password-env=FIVENINES_{driver.upper()}_PASSWORD"]
        command += self._workload("oltp_read_write", args.tables)
        subprocess.run(command, check=True, env=self.env, stdout=subprocess.DEVNULL)

    def run_mysql(self) -> None:
        self.prepare("mysql")
        tables = self.args.tables
        for workload in ("oltp_point_select", "oltp_read_write"):
            for connections in self.args.connections:
                self.compare(
                    f"mysql {workload} : sysbench",
                    connections,
                    partial(self.sysbench, "mysql", workload, connections),
                    partial(self.fivenines, "mysql", workload, connections, tables),
                )
        self.compare_odbc("mysql", "oltp_point_select", tables)
        self.compare_odbc("mysql", "oltp_read_write", tables)
        for connections in self.args.many:
            self.compare(
                "mysql oltp_point_select : sysbench",
                connections,
                partial(self.sysbench, "mysql", "oltp_point_select", connections),
                partial(self.fivenines, "mysql", "oltp_point_select", connections, tables),
            )

    def run_postgres(self) -> None:
        self.prepare("postgres")
        command = ["pgbench", "-i", "-q", "-h", "127.0.0.1", "-p", str(self.args.postgres_port)]
        command += ["-U", self.args.postgres_user, self.args.database]
        subprocess.run(command, check=True, env=self.env, capture_output=True)
        # pgbench has one table, so fivenines uses one as well.
        for connections in self.args.connections:
            self.compare(
                "postgres point_select : pgbench -S -M prepared",
                connections,
                partial(self.pgbench, connections),
                partial(self.fivenines, "postgres", "oltp_point_select", connections, 1),
            )
        self.compare_odbc("postgres", "oltp_point_select", 1)


HEADER = (
    "comparison",
    "conns",
    "their us/q",
    "our us/q",
    "CPU ratio",
    "their user",
    "our user",
    "their MiB",
    "our MiB",
    "RSS ratio",
    "qps ratio",
)
WIDTHS = (48, 6, 11, 10, 10, 11, 9, 10, 9, 10, 10)


def line(cells: tuple[str, ...]) -> str:
    first, *rest = (
        cell.ljust(width) if index == 0 else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    )
    return first + "".join(rest)


def show(row: Row) -> None:
    print(
        line(
            (
                row.name,
                str(row.connections),
                f"{row.theirs_us:.2f}",
                f"{row.ours_us:.2f}",
                f"{row.ours_us / row.theirs_us:.2f}",
                f"{row.theirs_user_us:.2f}",
                f"{row.ours_user_us:.2f}",
                f"{row.theirs_rss / 1024:.1f}",
                f"{row.ours_rss / 1024:.1f}",
                f"{row.ours_rss / row.theirs_rss:.2f}",
                f"{row.ours_qps / row.theirs_qps:.2f}",
            )
        ),
        flush=True,
    )


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
    parser.add_argument("--table-size", type=int, default=10_000)
    parser.add_argument("--distribution", default="special")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--connections", type=int, nargs="+", default=[8, 64])
    parser.add_argument(
        "--many", type=int, nargs="*", default=[512, 1000], help="point selects only, MySQL only"
    )
    args = parser.parse_args()
    if args.mysql_port is None and args.postgres_port is None:
        parser.error("give --mysql-port, --postgres-port or both")
    return args


def main() -> None:
    args = parse()
    bench = Bench(args)
    print(line(HEADER), flush=True)
    if args.mysql_port is not None:
        bench.run_mysql()
    if args.postgres_port is not None:
        bench.run_postgres()


if __name__ == "__main__":
    main()
