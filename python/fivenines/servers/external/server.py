"""External servers: queried over the network with an ordinary account, and never started or stopped.

Values that the account may not read are left out. The kinds of servers are in `kinds` and `external_odbc`.
"""

import socket
from abc import abstractmethod
from pathlib import Path

from fivenines.base.errors import brief
from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.external.remote import Target
from fivenines.servers.external.writable import why_not
from fivenines.software.base import Engine

# Seconds for a connection to be accepted.
_KNOCK = 1.0

# The tables that a trial creates, see `crates/load`.
LEDGER, PROBES = "fivenines_ledger", "fivenines_probes"


class ExternalServer(Server):
    """Base of external servers of all kinds, which have no `setup` and no life cycle.

    Args:
        host: its name, and a folder for notes about it.
        engine: its kind of server.
        target: its address and the account.
    """

    def __init__(self, host: Host, engine: Engine, target: Target) -> None:
        super().__init__(host, engine)
        self.target = target
        self.port = target.port
        self.application = (target.user, target.password)
        self.administrator = target.user
        self.database = target.database
        self.odbc = ""

    @property
    def endpoint(self) -> str:
        host = f"[{self.target.host}]" if ":" in self.target.host else self.target.host
        return f"{host}:{self.port}"

    @property
    def client_endpoint(self) -> str:
        return self.odbc or self.endpoint

    @property
    def alive(self) -> bool:
        """Return whether it answers; its process is not visible."""
        return self.answers()

    @property
    def log(self) -> Path:
        return self.host.node / "log" / "server.out"

    @property
    def watched_at(self) -> str:
        # The watch uses unencrypted connections over a network.
        return self.endpoint if self.target.tls in ("disable", "prefer") else ""

    def tls_flags(self) -> list[str]:
        authority = ["--tls-ca", self.target.tls_ca] if self.target.tls_ca else []
        return ["--tls", self.target.tls, *authority]

    def listens(self) -> bool:
        """Return whether its port accepts connections, which a server without CPU time does, too."""
        try:
            with socket.create_connection((self.target.host, self.port), _KNOCK):
                return True
        except OSError:
            return False

    def refusal(self) -> str:
        """Return why it does not answer now; empty if it does."""
        try:
            self.sql.query("SELECT 1")
        except Exception as error:  # drivers raise what they like
            return brief(error)
        return ""

    def same_as(self, other: "ExternalServer") -> bool:
        """Return whether two addresses lead to one server; False also if that is unknown."""
        return False

    @abstractmethod
    def born(self) -> float | None:
        """Return its start in seconds since 1970, accurate to about a second; None without an answer."""

    @abstractmethod
    def follows(self) -> str:
        """Return why it is not a working member, as far as the account can see; empty if it is."""

    @abstractmethod
    def behind(self, primary: Server) -> str:
        """Return what it still has to apply of the primary's changes; empty if nothing."""

    def after_loading(self) -> None:
        """Finish newly loaded tables."""

    def drop_own_tables(self) -> None:
        """Remove the tables that a trial has created in addition to the workload's."""
        with self.sql.open_data(30.0) as connection, connection.cursor() as cursor:
            for table in (LEDGER, PROBES):
                cursor.execute(f"DROP TABLE IF EXISTS {table}")

    def takes_writes(self) -> bool:
        return not why_not(self.driver, self.sql.query)
