"""A relay in front of a MySQL server that makes the server forget what a session has prepared."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

# COM_RESET_CONNECTION, as poolers send it between two clients.
RESET = b"\x01\x00\x00\x00\x1f"


class Forgetful:
    """Relays connections; `forget` resets the session of each, as soon as its client has nothing under way.

    Clients are not told, as behind a pooler that gives a server to another client in between.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._round = 0
        self.resets = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def forget(self) -> None:
        """Reset the sessions of all connections that there are now."""
        self._round += 1

    def close(self) -> None:
        """Take no more connections."""
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
                        # the server has spoken last
                        quiet = source is server

    def _reset(self, server: socket.socket) -> None:
        server.sendall(RESET)
        head = server.recv(4, socket.MSG_WAITALL)
        server.recv(int.from_bytes(head[:3], "little"), socket.MSG_WAITALL)
        self.resets += 1


@contextmanager
def forgetful(port: int) -> Iterator[Forgetful]:
    """A relay to this port of this machine."""
    with closing(Forgetful(port)) as relay:
        yield relay
