"""A relay to a server with planted outages, for clients in the same network.

Arguments: the port to listen on, and host and port of the server. A line of standard input, as "reset 500",
plants an outage of so many ms. reset: connections are reset, also new ones. refused: connections are reset,
and new ones refused. silent: nothing is passed on, and connections stay open. The beginning and end of each
outage are written to standard output, in us of CLOCK_MONOTONIC: nothing was passed on between them.
"""

import json
import socket
import struct
import sys
import threading
import time

port, server = int(sys.argv[1]), (sys.argv[2], int(sys.argv[3]))
# Held by a thread that passes bytes on, and by an outage.
passing = threading.Lock()
resetting = threading.Event()
pairs: set[tuple[socket.socket, socket.socket]] = set()
listeners: list[socket.socket] = []


def reset(connection: socket.socket) -> None:
    """Close a connection with a reset, also if another thread reads from it."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RD)
    except OSError:
        pass
    connection.close()


def pass_on(source: socket.socket, target: socket.socket, pair: tuple[socket.socket, socket.socket]) -> None:
    try:
        while data := source.recv(65536):
            with passing:
                target.sendall(data)
    except OSError:
        pass
    for end in pair:
        reset(end)
    pairs.discard(pair)


def accept(listener: socket.socket) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        if resetting.is_set():
            reset(client)
            continue
        pair = (client, socket.create_connection(server))
        pairs.add(pair)
        for source, target in (pair, pair[::-1]):
            threading.Thread(target=pass_on, args=(source, target, pair), daemon=True).start()


def listen() -> None:
    listeners.append(socket.create_server(("127.0.0.1", port), backlog=64))
    threading.Thread(target=accept, args=(listeners[-1],), daemon=True).start()


def outage(kind: str, ms: int) -> None:
    with passing:
        began = time.monotonic_ns() // 1000
        if kind != "silent":
            resetting.set()
            for pair in list(pairs):
                for end in pair:
                    reset(end)
        if kind == "refused":
            listener = listeners.pop()
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        time.sleep(ms / 1000)
        ended = time.monotonic_ns() // 1000
        resetting.clear()
        if kind == "refused":
            listen()
    print(json.dumps({"kind": kind, "from_us": began, "to_us": ended}), flush=True)


listen()
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    outage(words[0], int(words[1]))
