"""A failover manager with a known timeout, for the search of the longest hiccup that is survived.

Usage: planted_manager.py TIMEOUT ACCOUNT: seconds, and a JSON file with user, password, primary and standby.
It asks the primary every 20 ms whether it accepts TLS, which a frozen server does not answer, and promotes
the standby as soon as the last answer is TIMEOUT old. It runs on a host of the lab, with its programs.
"""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

# PostgreSQL's SSLRequest, which any server answers with one byte.
QUESTION = bytes.fromhex("0000000804d2162f")
EVERY = 0.02


def answers(host: str, port: int, within: float) -> bool:
    """Return whether the server answers in time."""
    try:
        with socket.create_connection((host, port), timeout=within) as link:
            link.sendall(QUESTION)
            return len(link.recv(1)) == 1
    except OSError:
        return False


def main(timeout: float, account: dict[str, str]) -> None:
    """Watch the primary until it has been silent for the timeout."""
    host, _, port = account["primary"].rpartition(":")
    print("watching", flush=True)
    last = time.monotonic()
    while True:
        asked = time.monotonic()
        if answers(host, int(port), max(EVERY, last + timeout - asked)):
            last = asked
        elif time.monotonic() - last >= timeout:
            break
        time.sleep(EVERY)
    print("gives up", flush=True)
    standby, _, port = account["standby"].rpartition(":")
    command = ["psql", "-XAtq", "-h", standby, "-p", port, "-U", account["user"], "-d", "postgres"]
    environment = {**os.environ, "PGPASSWORD": account["password"]}
    subprocess.run([*command, "-c", "SELECT pg_promote()"], env=environment, check=True)
    print(f"promoted {account['name']}", flush=True)
    while True:
        time.sleep(60)


main(float(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()))
