"""A TCP proxy with outages at exact times: `python proxy_program.py ADDRESS PORT TO_ADDRESS TO_PORT`.

It runs in the network of a lab host, outside the container, and prints lines of JSON: `{"ready": true}`, and
for each outage its actual beginning and end in ns of CLOCK_MONOTONIC. It reads planned outages from standard
input, one per line, as `{"at": ns, "for": ns, "how": "silent"}`, and exits at the end of input.

silent   no data passes: bytes and new connections wait and continue afterwards, as with a frozen host
reset    all connections are reset and new ones refused; afterwards new ones are served, as after a restart

A single thread ensures that no data passes during an outage. An outage begins after the last byte was
forwarded, and ends before the next one.
"""

import json
import os
import selectors
import socket
import struct
import sys
import time
from collections import deque
from contextlib import suppress

_CHUNK = 1 << 16
_AWHILE = 0.5
_SPIN_NS = 500_000


class Proxy:
    """Connections and planned outages of the proxy."""

    def __init__(self, own: tuple[str, int], target: tuple[str, int]) -> None:
        self.own, self.target = own, target
        self.selector = selectors.DefaultSelector()
        self.peers: dict[socket.socket, socket.socket] = {}
        self.plan: deque[dict[str, int | str]] = deque()
        self.received = b""
        self.listener = self._listen()
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        os.set_blocking(sys.stdin.fileno(), False)

    def run(self) -> None:
        """Serve until standard input ends."""
        say({"ready": True})
        while True:
            now = time.monotonic_ns()
            if self.plan and now >= int(self.plan[0]["at"]):
                self._interrupt(self.plan.popleft())
                continue
            left = (int(self.plan[0]["at"]) - now) / 1e9 if self.plan else _AWHILE
            for key, _ in self.selector.select(max(0.0, min(left, _AWHILE))):
                if key.fileobj is self.listener:
                    self._accept()
                elif isinstance(key.fileobj, socket.socket):
                    self._pass_on(key.fileobj)
                elif not self._hear():
                    return

    def _hear(self) -> bool:
        """Read planned outages; return False at the end of input."""
        data = os.read(sys.stdin.fileno(), _CHUNK)
        *lines, self.received = (self.received + data).split(b"\n")
        self.plan.extend(json.loads(line) for line in lines)
        return bool(data)

    def _interrupt(self, outage: dict[str, int | str]) -> None:
        how = outage["how"]
        if how == "reset":
            self._reset_all()
        began = time.monotonic_ns()
        sleep_until(began + int(outage["for"]))
        ended = time.monotonic_ns()
        if how == "reset":
            self.listener = self._listen()
        say({"how": how, "from": began, "until": ended})

    def _listen(self) -> socket.socket:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(self.own)
        listener.listen(256)
        self.selector.register(listener, selectors.EVENT_READ)
        return listener

    def _reset_all(self) -> None:
        self.selector.unregister(self.listener)
        self.listener.close()
        for peer in list(self.peers):
            self._close(peer)

    def _accept(self) -> None:
        client, _ = self.listener.accept()
        server = socket.socket()
        try:
            server.connect(self.target)
        except OSError:
            reset(client)
            return
        for item, peer in ((client, server), (server, client)):
            item.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.peers[item] = peer
            self.selector.register(item, selectors.EVENT_READ)

    def _pass_on(self, source: socket.socket) -> None:
        if source not in self.peers:  # closed together with its peer just before
            return
        try:
            data = source.recv(_CHUNK)
            if data:
                self.peers[source].sendall(data)
                return
        except OSError:
            pass
        self._close(source)

    def _close(self, item: socket.socket) -> None:
        """End a connection on both sides."""
        peer = self.peers.pop(item, None)
        if peer is None:
            return
        del self.peers[peer]
        for each in (item, peer):
            self.selector.unregister(each)
            reset(each)


def reset(item: socket.socket) -> None:
    """Close a socket at once; the other end gets a reset."""
    with suppress(OSError):
        item.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    item.close()


def sleep_until(moment: int) -> None:
    """Sleep until a time of CLOCK_MONOTONIC in ns; busy-wait for the last half millisecond."""
    while (left := moment - time.monotonic_ns()) > 0:
        if left > _SPIN_NS:
            time.sleep((left - _SPIN_NS) / 1e9)


def say(what: dict[str, object]) -> None:
    """Print a line of JSON."""
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    address, port, to_address, to_port = sys.argv[1:]
    Proxy((address, int(port)), (to_address, int(to_port))).run()
