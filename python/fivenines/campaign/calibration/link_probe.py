"""Both ends of a measured link: `link_probe.py serve ADDRESS`, `... ask ADDRESS WHAT SECONDS`.

Both run in the network of lab hosts, outside their containers. WHAT is `trips`, the times of round trips of
one byte, or `flow`, the bytes received in SECONDS. The client prints JSON: `{"trips_ms": [...]}`, or
`{"bytes": n, "seconds": s}`.
"""

import json
import socket
import sys
import threading
import time
from contextlib import suppress

_PORT = 6001
_CHUNK = 1 << 16
# Seconds excluded at the beginning of a flow, until TCP has found the bandwidth.
_SETTLED = 0.7


def serve(address: str) -> None:
    """Answer until killed."""
    with socket.create_server((address, _PORT)) as listener:
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, suppress(OSError):
        if connection.recv(1) == b"f":
            _pour(connection)
        else:
            while byte := connection.recv(1):
                connection.sendall(byte)


def _pour(connection: socket.socket) -> None:
    chunk = bytes(_CHUNK)
    while True:
        connection.sendall(chunk)


def trips(connection: socket.socket, seconds: float) -> dict[str, list[float]]:
    """Measure consecutive round trips of one byte, in ms, without the first."""
    result: list[float] = []
    connection.sendall(b"t")
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(result) < 6:
        began = time.perf_counter_ns()
        connection.sendall(b".")
        connection.recv(1)
        result.append((time.perf_counter_ns() - began) / 1e6)
        time.sleep(0.002)
    return {"trips_ms": result[1:]}


def flow(connection: socket.socket, seconds: float) -> dict[str, float]:
    """Return the received bytes, and the time between the first and the last arrival."""
    connection.sendall(b"f")
    settled = time.monotonic() + _SETTLED
    while (now := time.monotonic()) < settled:
        connection.recv(_CHUNK)
    began, total = now, 0
    while now < began + seconds:
        total += len(connection.recv(_CHUNK))
        now = time.monotonic()
    return {"bytes": total, "seconds": now - began}


def ask(address: str, what: str, seconds: float) -> None:
    """Measure once, and print the result."""
    with socket.create_connection((address, _PORT), timeout=20.0) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        print(json.dumps((trips if what == "trips" else flow)(connection, seconds)), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        ask(sys.argv[2], sys.argv[3], float(sys.argv[4]))
