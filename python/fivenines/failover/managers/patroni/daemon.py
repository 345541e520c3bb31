"""Patroni on one node: its configuration, its process, its server, its REST interface.

Source: Patroni's documentation, "Patroni configuration" (YAML, dynamic) and "Patroni REST API".
"""

import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
from ruamel.yaml import YAML

from fivenines.base.errors import FiveninesError
from fivenines.lab.network.http import Answer, ask
from fivenines.lab.processes.process import Process, tail
from fivenines.servers import secrets
from fivenines.servers.base import REPLICATION, Value, inside
from fivenines.servers.in_effect import Finding
from fivenines.servers.postgres.accounts import ADMINISTRATOR
from fivenines.servers.postgres.server import Postgres
from fivenines.software.engines.patroni_root import ASIDE

# The port of its REST interface.
REST = 8008

# Server settings that Patroni passes on the command line, equal on all nodes: they are stored in etcd, not in
# files.
CONTROLLED = (
    "max_connections",
    "max_locks_per_transaction",
    "max_prepared_transactions",
    "max_replication_slots",
    "max_wal_senders",
    "max_worker_processes",
    "track_commit_timestamp",
    "wal_keep_size",
    "wal_level",
    "wal_log_hints",
)

_SCOPE = "fivenines"


class Daemon:
    """The Patroni of one node."""

    def __init__(self, node: Postgres, version: int) -> None:
        self.node = node
        self._version = version
        self._process: Process | None = None
        node.process = Supervised(self)

    @property
    def process(self) -> Process | None:
        """Return Patroni's process; None before the first start."""
        return self._process

    @property
    def alive(self) -> bool:
        """Return whether Patroni's process runs."""
        return self._process is not None and self._process.alive

    @property
    def log(self) -> Path:
        """Return Patroni's log; the server has a separate log."""
        return self.node.host.node / "log" / "patroni.log"

    def start(self) -> None:
        """Start Patroni, which starts the server."""
        node = self.node
        node.host.data.close_to_others()
        if not node.alive:
            node.forget_the_dead()
            node.forget_durability()
        command = ["python3", "-m", "patroni", inside("conf", "patroni.yml")]
        command = node.disk.wrap(command) if node.disk is not None else command
        env = {"TZ": "UTC", **_passwords(node)}
        env |= {"PYTHONPATH": ASIDE} if self._version >= 4 else {}
        # The server's standard error is the server's log.
        self._process = node.host.commands.spawn(command, uid=node.uid, log="server.out", env=env)

    def ask(self, method: str, path: str, body: object = None, timeout: float = 2.0) -> Answer:
        """Send a request to the REST interface, from its own host."""
        url = f"http://{self.node.host.address}:{REST}{path}"
        return ask(self.node.host, method, url, body, timeout)

    def require(self) -> None:
        """Check that Patroni runs.

        Raises:
            FiveninesError: it has ended; with its last output.
        """
        if not self.alive:
            raise FiveninesError(f"{self.node.name}: Patroni has ended.\n{self.last_words()}")

    def require_settings(self) -> None:
        """Check that the server has not refused its settings: Patroni would restart it for ever.

        Raises:
            FiveninesError: it has; with its message.
        """
        if _REFUSED.search(tail(self.node.log, 40)):
            raise FiveninesError(f"{self.node.name}: the server did not start.\n{self.node.last_words(4)}")

    def last_words(self) -> str:
        """Return the last message of Patroni or the server that explains a failure."""
        lines = tail(self.log, 60).splitlines()
        telling = [line for line in lines if any(word in line for word in _TELLING)]
        shown = (telling or lines)[-4:]
        return "\n".join([*(f"  {line}" for line in shown), self.node.last_words(4)])


_REFUSED = re.compile(r"FATAL:  (?:configuration file|could not|invalid|data directory|database files)")
_TELLING = ("CRITICAL", "ERROR", "FATAL", "WARNING", "mismatch")


class Supervised(Process):
    """A server that Patroni starts. Patroni shuts it down, as it restarts a server that others stop."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._server = daemon.node.host.processes.adopt("postgres", daemon.node.log)
        self.log = daemon.node.log

    @property
    def alive(self) -> bool:
        return self._server.alive

    @property
    def frozen(self) -> bool:
        """Return whether `freeze` has stopped it; a server that was started since is not frozen."""
        return self._server.frozen

    @frozen.setter
    def frozen(self, value: bool) -> None:
        self._server.frozen = value

    def send(self, process: psutil.Process, number: signal.Signals) -> None:
        self._server.send(process, number)

    def members(self) -> list[psutil.Process]:
        return self._server.members()

    def interrupt(self, number: signal.Signals) -> None:
        if self._daemon.process is not None and self._daemon.alive:
            self._daemon.process.interrupt(signal.SIGTERM)
        else:
            self._server.interrupt(number)

    def wait(self, timeout: float) -> bool:
        daemon = self._daemon.process
        return (daemon is None or daemon.wait(timeout)) and self._server.wait(timeout)


def configuration(
    node: Postgres, etcd: Sequence[str], dynamic: Mapping[str, object], controlled: Mapping[str, Value]
) -> dict[str, Any]:
    """Return Patroni's configuration for this node.

    Patroni renames the server's `postgresql.conf` to `postgresql.base.conf`, and writes its own file instead.

    Args:
        node: the server.
        etcd: address:port of each member.
        dynamic: initial content of etcd (ttl, loop_wait, …).
        controlled: server settings that must be equal on all nodes, see `CONTROLLED`.
    """
    address = node.host.address
    parameters = {name: _plain(value) for name, value in controlled.items()}
    return {
        "scope": _SCOPE,
        "name": node.name,
        "log": {"level": "INFO", "dir": inside("log")},
        "restapi": {"listen": f"{address}:{REST}", "connect_address": f"{address}:{REST}"},
        "etcd3": {"hosts": list(etcd)},
        "bootstrap": {"dcs": {**dynamic, "postgresql": {**_of_dict(dynamic), "parameters": parameters}}},
        "postgresql": {
            "listen": f"0.0.0.0:{node.port}",
            "connect_address": f"{address}:{node.port}",
            "data_dir": inside("data"),
            "config_dir": inside("conf"),
            "bin_dir": str(Path(node.engine.program("postgres")).parent),
            "pgpass": secrets.seen_inside("patroni-pgpass"),
            "use_unix_socket": True,
            "use_unix_socket_repl": True,
            "authentication": {
                "superuser": {"username": ADMINISTRATOR},
                "replication": {"username": REPLICATION},
                "rewind": {"username": REPLICATION},
            },
            "parameters": {"unix_socket_directories": inside("run")},
        },
    }


def dynamic_in_effect(asked: Mapping[str, Any], now: Mapping[str, Any], above: str = "") -> list[Finding]:
    """Return the settings in etcd that differ from the experiment (`GET /config`)."""
    found: list[Finding] = []
    for name, value in asked.items():
        what, has = f"{above}{name}", now.get(name)
        if isinstance(value, Mapping):
            found += dynamic_in_effect(value, has if isinstance(has, Mapping) else {}, f"{what}.")
        elif has != value:
            why = "the configuration in etcd was changed" if name in now else "etcd does not have it"
            found.append(Finding("Patroni", what, str(value), str(has), "differs", why))
    return found


def _passwords(node: Postgres) -> dict[str, str]:
    """Return its environment with the passwords; the configuration file is kept with the results."""
    own, others = node.passwords.administrator, node.passwords.replication
    return {
        "PATRONI_SUPERUSER_PASSWORD": own,
        "PATRONI_REPLICATION_PASSWORD": others,
        "PATRONI_REWIND_PASSWORD": others,
    }


def write(settings: Mapping[str, Any], file: Path) -> None:
    """Write Patroni's configuration file."""
    with file.open("w") as stream:
        YAML().dump(dict(settings), stream)


def _of_dict(dynamic: Mapping[str, object]) -> dict[str, object]:
    inner = dynamic.get("postgresql")
    return dict(inner) if isinstance(inner, Mapping) else {}


def _plain(value: Value) -> Value:
    if isinstance(value, bool):
        # Not on and off, which Patroni's YAML 1.1 does not read as text.
        return "true" if value else "false"
    return value
