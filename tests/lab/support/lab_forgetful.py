"""Relay connections to a MySQL server, and make the server forget a session's prepared statements."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

# Poolers send COM_RESET_CONNECTION between two clients.
RESET = b"\x01\x00\x00\x00\x1f"


class Forgetful:
    """Relay connections; `forget` resets each session as soon as its client has nothing in flight.

    Clients do not notice, as behind a pooler that assigns the server to another client in between.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._round = 0
        self.resets = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def forget(self) -> None:
        """Reset the sessions of all current connections."""
        self._round += 1

    def close(self) -> None:
        """Accept no more connections."""
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self._server))
        seen, quiet = self._round, False
        with closing(client), closing(server), suppress(OSError):
            while True:
                ready, _, _ = select.select([client, server], [], [], 0.005)
                if not ready:
                    if quiet and seen != self._round:
                        seen = self._round
                        self._reset(server)
                    continue
                for source, target in ((client, server), (server, client)):
                    if source in ready:
                        data = source.recv(65536)
                        if not data:
                            return
                        target.sendall(data)
                        # The session is idle when the server sent the last bytes.
                        quiet = source is server

    def _reset(self, server: socket.socket) -> None:
        server.sendall(RESET)
        head = server.recv(4, socket.MSG_WAITALL)
        server.recv(int.from_bytes(head[:3], "little"), socket.MSG_WAITALL)
        self.resets += 1


@contextmanager
def forgetful(port: int) -> Iterator[Forgetful]:
    """Run a relay to this port of this machine."""
    with closing(Forgetful(port)) as relay:
        yield relay
