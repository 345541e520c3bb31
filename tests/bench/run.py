#!/usr/bin/env python3
"""Run all benches one after the other: `make bench`. Prints ratios and medians; asserts nothing.

client_cost.py, client_floor.py, load_data.py and tpcc_cost.py require running servers: they are deployed in
the lab, each on a separate host from the cached data set. The clients run on the server's host, over its
loopback, with the machine's files.

    python3 tests/bench/run.py [--quick] [BENCH ...]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.lab.host import ENGINE
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.network import network
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.base import DATABASE, Value
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.servers.mariadb.server import Mariadb
from fivenines.software.base import Engine
from fivenines.software.store import engine

HERE = Path(__file__).resolve().parent
BENCHES = (
    "client_cost",
    "client_floor",
    "many_connections",
    "load_data",
    "tpcc_cost",
    "deploy_time",
    "controller_overhead",
    "observe_cost",
    "isolation_speed",
    "report_speed",
    "campaign_scale",
    "start_up",
)
# Benches that deploy their own servers: their options, and those of a short run.
_SCRIPTS: Mapping[str, tuple[list[str], list[str]]] = {
    "many_connections": ([], ["--connections", "1000"]),
    "deploy_time": ([], ["--turns", "1"]),
    "controller_overhead": (["--trials", "3"], ["--trials", "1"]),
    "observe_cost": ([], ["--blocks", "2", "--window", "1", "--turns", "1"]),
    "isolation_speed": ([], ["--quick"]),
    "report_speed": ([], ["--quick"]),
    "campaign_scale": ([], ["--quick"]),
    "start_up": ([], ["--turns", "1"]),
}

WORKLOAD = Oltp(workload="oltp_read_write", tables=4, table_size=10_000)
# More than the 1,000 of the largest comparison.
CONNECTIONS = 1100


def main() -> None:
    """Run the named benches, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("benches", nargs="*", metavar="BENCH", help=", ".join(BENCHES))
    parser.add_argument("--quick", action="store_true", help="few and short turns: does it run?")
    args = parser.parse_args()
    unknown = set(args.benches) - set(BENCHES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; the benches are {', '.join(BENCHES)}")
    for name in args.benches or BENCHES:
        print(f"\n== {name}", flush=True)
        if name == "client_cost":
            against_servers("client_cost.py", ["--turns", "1", "--seconds", "2"] if args.quick else [])
        elif name == "client_floor":
            against_servers("client_floor.py", ["--turns", "1", "--seconds", "2"] if args.quick else [])
        elif name == "load_data":
            quick = ["--turns", "1", "--table-size", "10000"]
            against_servers("load_data.py", quick if args.quick else [])
        elif name == "tpcc_cost":
            quick = ["--turns", "1", "--seconds", "2", "--warehouses", "1", "--connections", "8"]
            _tpcc(quick if args.quick else [])
        else:
            usual, quick = _SCRIPTS[name]
            _script(f"{name}.py", quick if args.quick else usual)


def against_servers(script: str, options: list[str]) -> None:
    """Run a comparison against MariaDB with sysbench, then against PostgreSQL with pgbench."""
    if shutil.which("sysbench") is None:
        print("sysbench is not installed: run `apt-get install sysbench` as root; skipped")
    else:
        with running("mariadb-10.11", {"max_connections": CONNECTIONS}) as node:
            _clients(node, "mysql", script, options)
    with running("postgres-18", {"max_connections": CONNECTIONS}) as node:
        _clients(node, "postgres", script, options)


def _tpcc(options: list[str]) -> None:
    """Compare TPC-C with Go clients, which are built first, as hosts of the lab have no internet access."""
    _script("tpcc_cost.py", ["--build"])
    # The bench measures the client's cost: a server that waits for its disk takes long to create the tables.
    relaxed = Mariadb.durability("relaxed")
    with running("mariadb-10.11", {"max_connections": CONNECTIONS, **relaxed}) as node:
        # These are go-tpc's tables; the load's account may not create a database.
        node.sql.execute("CREATE DATABASE go_tpc", f"GRANT ALL ON go_tpc.* TO {node.application[0]}")
        _clients(node, "mysql", "tpcc_cost.py", options)


@contextmanager
def running(engine_name: str, settings: Mapping[str, Value]) -> Iterator[LocalServer]:
    """Run a server in the lab, with our defaults and these settings, and sysbench's tables."""
    software = engine(engine_name)
    software.require(_tell)
    data = dataset.ensure(software, WORKLOAD, _tell)
    with (
        tempfile.TemporaryDirectory(prefix="fivenines-bench-") as folder,
        NamespaceLab(Path(folder) / "lab") as lab,
    ):
        node = server(lab.add_host("server", software.root()), software)
        dataset.copy(data, node)
        node.setup.configure(settings)
        _admit_loopback(node)
        node.start()
        node.wait_ready()
        yield node
        node.stop()


def _admit_loopback(node: LocalServer) -> None:
    """Admit loopback clients: PostgreSQL in the lab accepts only the lab's addresses, but the clients run on
    its host.
    """
    hba = node.host.node / "conf" / "pg_hba.conf"
    if hba.exists():
        hba.write_text(f"{hba.read_text()}host all all 127.0.0.1/32 scram-sha-256\n")


def _clients(node: LocalServer, driver: str, script: str, options: list[str]) -> None:
    user, password = node.application
    command = [sys.executable, str(HERE / script), "--core", str(core_binary())]
    command += [f"--{driver}-port", str(node.port), f"--{driver}-user", user]
    command += ["--database", DATABASE, *options]
    environment = {
        **os.environ,
        f"FIVENINES_{driver.upper()}_PASSWORD": password,
        "PATH": f"{_programs(node.engine)}:{os.environ['PATH']}",
    }
    # Only user and network: with the host's PIDs the bench would read other processes in /proc.
    subprocess.run([*network.into(node.host.pid), *command], env=environment, check=True)


def _programs(software: Engine) -> str:
    """Return the folder of the engine's client programs, as seen from outside the lab."""
    tree = software.root().engine
    if tree is None:
        return "/usr/bin"
    return str(tree / Path(software.program("pgbench")).parent.relative_to(ENGINE))


def _script(name: str, options: list[str]) -> None:
    subprocess.run([sys.executable, str(HERE / name), *options], check=True)


def _tell(message: str, fraction: float | None) -> None:
    if fraction is None:
        print(f"  {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
