#!/usr/bin/env python3
"""Measure the load generator's memory with thousands of connections, and how long they take to connect.

Deploys MariaDB with its thread pool in the lab and opens increasing numbers of connections, by a burst and by
a closed loop of point selects. Nothing is asserted: the figures are reported.

    python3 tests/bench/many_connections.py [--connections 1000 4000 16000] [--seconds 10]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from run import WORKLOAD, running

from fivenines.base.core import core_binary
from fivenines.lab.network import network
from fivenines.load.commands import described
from fivenines.servers.base import DATABASE, Server

COLUMNS = ("connections", "usable", "refused", "p50 ms", "p99 ms", "MiB", "KiB each", "tps")


def main() -> None:
    """Print one line for each number of connections."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--connections", type=int, nargs="+", default=[1000, 4000, 16_000])
    parser.add_argument("--seconds", type=int, default=10)
    args = parser.parse_args()
    most = max(args.connections)
    settings = {
        "max_connections": most + 100,
        "thread_handling": "pool-of-threads",
        "back_log": min(most, 65_535),
        "open_files_limit": 3 * most,
    }
    print("".join(f"{name:>12}" for name in COLUMNS), flush=True)
    with running("mariadb-10.11", settings) as node:
        for connections in args.connections:
            _line(connections, _load(node, connections, args.seconds))


def _load(node: Server, connections: int, seconds: int) -> dict[str, object]:
    user, password = node.application
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *network.into(node.host.pid),
            str(core_binary()),
            "load",
            "--driver",
            "mysql",
            "--user",
            user,
            "--password-env",
            "FIVENINES_PASSWORD",
            "--database",
            DATABASE,
            "--write",
            f"127.0.0.1:{node.port}",
            "--find",
            "any",
            *described(WORKLOAD),
            "--connections",
            str(connections),
            "--duration",
            f"{seconds}s",
            "--burst",
            "--connect-timeout",
            "30s",
            "--out",
            folder,
        ]
        subprocess.run(command, env={**os.environ, "FIVENINES_PASSWORD": password}, check=True)
        record: dict[str, object] = json.loads((Path(folder) / "load.json").read_text())
    return record


def _line(connections: int, record: dict[str, object]) -> None:
    connects, client = record["connects"], record["client"]
    transactions = record["transactions"]
    assert isinstance(connects, dict) and isinstance(client, dict) and isinstance(transactions, dict)
    rss = client["max_rss_kib"]
    cells = [
        str(connections),
        str(connects["ok"]),
        str(connects["refused"]),
        f"{connects['p50_ms']:.1f}",
        f"{connects['p99_ms']:.0f}",
        f"{rss / 1024:.1f}",
        f"{rss / connections:.1f}",
        f"{transactions['ok'] / client['wall_s']:.0f}",
    ]
    print("".join(f"{cell:>12}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
