#!/usr/bin/env python3
"""Measure the client's CPU per New-Order of TPC-C, against go-tpc and against the same statements in Go.

go-tpc and fivenines run the standard mix, each on separate tables; CPU per New-Order of that mix is compared.
The second peer, go_new_order, sends the statements of fivenines' New-Order by the libraries that go-tpc uses,
and both run only New-Orders. All run in turns against the same MariaDB. Nothing is asserted: only ratios
within one run are meaningful.

    python3 tests/bench/tpcc_cost.py --mysql-port 33061 --mysql-user app

The password comes from FIVENINES_MYSQL_PASSWORD. Go builds the peers into the cache; a peer that cannot be
built is skipped with the reason. `--go-tpc` names an existing go-tpc.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from client_cost import ROOT, Cost, found, measure

from fivenines.load.commands import described
from fivenines.load.workloads.tpcc import Tpcc

HERE = Path(__file__).resolve().parent
GO_TPC = "github.com/pingcap/go-tpc/cmd/go-tpc@v1.0.7"


def cache() -> Path:
    """Return the folder in which the peers are built."""
    base = os.environ.get("FIVENINES_CACHE") or str(Path.home() / ".cache" / "fivenines")
    folder = Path(base) / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def go(folder: Path, *arguments: str, **variables: str) -> str | None:
    """Run Go with these variables; return its error output, or None."""
    if shutil.which("go") is None:
        return "go is not installed"
    done = subprocess.run(
        ["go", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **variables},
    )
    return None if done.returncode == 0 else " ".join(done.stderr.split())


def build_new_order() -> Path | str:
    """Build the peer of this folder; return it, or why it is missing."""
    program = cache() / "go_new_order"
    return go(HERE / "go_new_order", "build", "-o", str(program), ".") or program


def build_go_tpc() -> Path | str:
    """Build go-tpc once; return it, or why it is missing."""
    program = cache() / GO_TPC.rpartition("/")[2]
    if program.exists():
        return program
    with tempfile.TemporaryDirectory() as name:
        problem = go(Path(name), "install", GO_TPC, GOBIN=name)
        if problem is None:
            shutil.move(Path(name) / "go-tpc", program)
    return problem or program


class Bench:
    """Run all comparisons for one set of arguments."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.env = {"FIVENINES_MYSQL_PASSWORD": "", **os.environ}

    def _account(self, driver: str = "mysql") -> list[str]:
        args = self.args
        return [
            f"--driver={driver}",
            f"--user={args.mysql_user}",
            f"--database={args.database}",
            "--password-env=FIVENINES_MYSQL_PASSWORD",
        ]

    def _workload(self, **settings: Any) -> list[str]:
        return described(Tpcc(workload="tpcc", warehouses=self.args.warehouses, **settings))

    def prepare(self) -> None:
        """Load fivenines' tables if they are missing."""
        command = [
            self.args.core,
            "prepare",
            *self._account(),
            *self._workload(),
            f"--port={self.args.mysql_port}",
        ]
        subprocess.run(command, check=True, env=self.env, stdout=subprocess.DEVNULL)

    def fivenines(self, connections: int, mix: str, driver: str = "mysql") -> Cost:
        """Return our cost per New-Order, including those that are rolled back as specified."""
        args = self.args
        with tempfile.TemporaryDirectory() as folder:
            command = [args.core, "load", *self._account(driver), *self._workload(mix=mix)]
            command += [f"--write=127.0.0.1:{args.mysql_port}", f"--connections={connections}"]
            command += [f"--duration={args.seconds}s", f"--out={folder}"]

            def count(_: str) -> int:
                types = json.loads((Path(folder) / "load.json").read_text())["types"]
                return int(types[0]["ok"] + types[0]["expected"])

            return measure(command, self.env, count)

    def new_order(self, program: Path, connections: int) -> Cost:
        """Return the cost of the same New-Orders in Go."""
        args = self.args
        command = [str(program), f"-address=127.0.0.1:{args.mysql_port}"]
        command += [f"-user={args.mysql_user}", f"-database={args.database}"]
        command += [f"-connections={connections}", f"-warehouses={args.warehouses}"]
        command += [f"-seconds={args.seconds}"]
        return measure(command, self.env, found(r"transactions (\d+)"))

    def go_tpc(self, program: Path, connections: int, what: str = "run") -> Cost:
        """Return the cost of go-tpc's mix per New-Order, or of loading its tables into a separate
        database.
        """
        args = self.args
        command = [str(program), "tpcc", what, "-H", "127.0.0.1", "-P", str(args.mysql_port)]
        command += ["-U", args.mysql_user, "-p", self.env["FIVENINES_MYSQL_PASSWORD"]]
        command += ["-D", args.go_tpc_database, "--warehouses", str(args.warehouses)]
        command += ["-T", str(connections), "--isolation", "2"]
        if what != "run":
            return measure(command, self.env, lambda _: 1)
        command += ["--time", f"{args.seconds}s"]
        return measure(command, self.env, found(r"\[Summary\] NEW_ORDER .*?Count: (\d+)"))

    def compare(
        self, name: str, connections: int, theirs: Callable[[], Cost], ours: Callable[[], Cost]
    ) -> None:
        """Return one line of the table: medians of several turns."""
        pairs = [(theirs(), ours()) for _ in range(self.args.turns)]

        def medians(of: Callable[[Cost], float]) -> list[float]:
            return [statistics.median(of(pair[side]) for pair in pairs) for side in (0, 1)]

        us = medians(lambda cost: cost.us_per_query)
        user = medians(lambda cost: cost.user_us_per_query)
        rate = medians(lambda cost: cost.queries)
        cells = [*us, us[1] / us[0], *user, user[1] / user[0], rate[1] / rate[0]]
        print(f"{name:<44}{connections:>6}" + "".join(f"{cell:>11.2f}" for cell in cells), flush=True)


HEADER = ("their us", "our us", "ratio", "their user", "our user", "user ratio", "rate ratio")


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--core", default=str(ROOT / "target/release/fivenines-core"))
    parser.add_argument("--build", action="store_true", help="build the peers, where there is a network")
    parser.add_argument("--mysql-port", type=int)
    parser.add_argument("--mysql-user", default="root")
    parser.add_argument("--database", default="sb")
    parser.add_argument("--go-tpc", type=Path, help="the program, when it is built already")
    parser.add_argument("--go-tpc-database", default="go_tpc", help="a database for its tables")
    parser.add_argument("--warehouses", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--connections", type=int, nargs="+", default=[8, 64])
    args = parser.parse_args()
    if args.mysql_port is None and not args.build:
        parser.error("give --mysql-port")
    return args


def tell(name: str, built: Path | str) -> None:
    """Print why a peer is missing."""
    if isinstance(built, str):
        print(f"{name} could not be built and is left out: {built}", file=sys.stderr)


def main() -> None:
    """Build the peers, then run all in turns."""
    args = parse()
    peer = build_new_order()
    go_tpc = args.go_tpc or build_go_tpc()
    tell("go_new_order", peer)
    tell("go-tpc", go_tpc)
    if not args.build:
        run(args, peer, go_tpc)


def run(args: argparse.Namespace, peer: Path | str, go_tpc: Path | str) -> None:
    """Run all available programs in turns."""
    bench = Bench(args)
    bench.prepare()
    print("CPU of the client per New-Order")
    print(f"{'':<44}{'conns':>6}" + "".join(f"{name:>11}" for name in HEADER), flush=True)
    if isinstance(go_tpc, Path):
        bench.go_tpc(go_tpc, 2, "prepare")
    for connections in args.connections:
        if isinstance(peer, Path):
            bench.compare(
                "the same New-Orders, Go's database/sql",
                connections,
                partial(bench.new_order, peer, connections),
                partial(bench.fivenines, connections, "100,0,0,0,0"),
            )
        if isinstance(go_tpc, Path):
            bench.compare(
                "the whole mix, go-tpc",
                connections,
                partial(bench.go_tpc, go_tpc, connections),
                partial(bench.fivenines, connections, "45,43,4,4,4"),
            )
    noop = bench.fivenines(8, "45,43,4,4,4", "noop")
    print(f"without a server, fivenines' whole mix: {noop.us_per_query:.2f} us per New-Order")


if __name__ == "__main__":
    main()
