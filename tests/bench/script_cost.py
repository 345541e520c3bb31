#!/usr/bin/env python3
"""Measure the client's cost of a Lua script: CPU per query and memory, against sysbench with the same script.

The programs run in turns against the same server; only ratios within one run are meaningful. Nothing is
asserted: the figures are reported. sysbench and its scripts must be installed.

    python3 tests/bench/script_cost.py --mysql-port 33061 --mysql-user sb \\
        --postgres-port 54321 --postgres-user postgres

A port may also be a unix socket's path. Passwords come from FIVENINES_MYSQL_PASSWORD and
FIVENINES_POSTGRES_PASSWORD. The tables are made by the script's own `prepare`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from client_cost import HEADER, ROOT, Cost, Row, found, line, measure, show

from fivenines.load.commands import described
from fivenines.load.workloads.script import Script

SCRIPTS = Path("/usr/share/sysbench")


class Bench:
    """Run the same script by both programs, against one server."""

    def __init__(self, args: argparse.Namespace, driver: str) -> None:
        self.args = args
        self.driver = driver
        self.place = str(getattr(args, f"{driver}_port"))
        self.user = str(getattr(args, f"{driver}_user"))
        self.variable = f"FIVENINES_{driver.upper()}_PASSWORD"
        self.env = dict(os.environ)
        self.env.setdefault(self.variable, "")
        self.tables = [f"--tables={args.tables}", f"--table-size={args.table_size}"]

    def _core(self, command: str) -> list[str]:
        return [
            self.args.core,
            command,
            f"--driver={self.driver}",
            f"--user={self.user}",
            f"--password-env={self.variable}",
            f"--database={self.args.database}",
        ]

    def _script(self, name: str, own: list[str]) -> list[str]:
        pairs = (word.removeprefix("--").partition("=") for word in own)
        options: dict[str, str | int | float | bool] = {name: value for name, _, value in pairs}
        return described(Script(workload="script", files=[f"{SCRIPTS}/{name}.lua"], options=options))

    def prepare(self) -> None:
        """Create the tables."""
        where = (
            [f"--socket={self.place}"]
            if self.place.startswith("/")
            else ["--host=127.0.0.1", f"--port={self.place}"]
        )
        script = self._script("oltp_read_write", self.tables)
        subprocess.run(
            [*self._core("prepare"), *where, "--threads=2", *script],
            check=True,
            env=self.env,
            capture_output=True,
        )

    def fivenines(self, script: str, connections: int) -> Cost:
        """Run fivenines once."""
        endpoint = self.place if self.place.startswith("/") else f"127.0.0.1:{self.place}"
        with tempfile.TemporaryDirectory() as folder:
            command = [*self._core("load"), f"--write={endpoint}", f"--connections={connections}"]
            command += [f"--duration={self.args.seconds}", f"--out={folder}"]
            own = [*self.tables, f"--rand-type={self.args.distribution}"]
            command += self._script(script, own)
            summary = Path(folder) / "load.json"
            return measure(command, self.env, lambda _: json.loads(summary.read_text())["queries"])

    def _sysbench(self, script: str, *more: str) -> list[str]:
        name = {"mysql": "mysql", "postgres": "pgsql"}[self.driver]
        command = ["sysbench", script, f"--db-driver={name}", f"--{name}-user={self.user}"]
        if not self.place.startswith("/"):
            command += [f"--{name}-host=127.0.0.1", f"--{name}-port={self.place}"]
        elif name == "mysql":
            command += [f"--mysql-socket={self.place}"]
        else:
            command += [f"--pgsql-host={Path(self.place).parent}"]
        command += [f"--{name}-db={self.args.database}", f"--{name}-password={self.env[self.variable]}"]
        return [*command, *self.tables, *more]

    def _cleanup(self) -> None:
        """Drop the tables."""
        subprocess.run(
            self._sysbench("oltp_read_write", "cleanup"), env=self.env, capture_output=True, check=False
        )

    def sysbench(self, script: str, connections: int) -> Cost:
        """Run sysbench once."""
        more = [f"--rand-type={self.args.distribution}", f"--threads={connections}"]
        command = self._sysbench(script, *more, f"--time={self.args.seconds}", "run")
        return measure(command, self.env, found(r"total:\s+(\d+)"))

    def compare(self, script: str, connections: int) -> None:
        """Run both in turns and return the medians."""
        pairs = [
            (self.sysbench(script, connections), self.fivenines(script, connections))
            for _ in range(self.args.turns)
        ]

        def median(of: Callable[[Cost], float], which: int) -> float:
            return statistics.median(of(pair[which]) for pair in pairs)

        figures: list[Callable[[Cost], float]] = [
            lambda cost: cost.us_per_query,
            lambda cost: cost.rss_kib,
            lambda cost: cost.queries / self.args.seconds,
        ]
        values = [median(of, which) for of in figures for which in (0, 1)]
        show(Row(f"{self.driver} {script}.lua : sysbench", connections, *values))

    def run(self) -> None:
        """Run all scripts with all numbers of connections."""
        self._cleanup()
        self.prepare()
        for script in self.args.scripts:
            for connections in self.args.connections:
                self.compare(script, connections)
        self._cleanup()


def main() -> None:
    """Compare on the given servers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--core", default=str(ROOT / "target/release/fivenines-core"))
    parser.add_argument("--mysql-port")
    parser.add_argument("--mysql-user", default="root")
    parser.add_argument("--postgres-port")
    parser.add_argument("--postgres-user", default="postgres")
    parser.add_argument("--database", default="sb")
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--table-size", type=int, default=10_000)
    parser.add_argument("--distribution", default="special")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--connections", type=int, nargs="+", default=[8, 64])
    parser.add_argument(
        "--scripts",
        nargs="+",
        default=["oltp_point_select", "oltp_read_write", "oltp_insert", "select_random_points"],
    )
    args = parser.parse_args()
    if args.mysql_port is None and args.postgres_port is None:
        parser.error("give --mysql-port, --postgres-port or both")
    print(line(HEADER), flush=True)
    for driver in ("mysql", "postgres"):
        if getattr(args, f"{driver}_port") is not None:
            Bench(args, driver).run()


if __name__ == "__main__":
    main()
