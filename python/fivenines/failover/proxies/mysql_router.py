"""MySQL Router in front of a group, on a separate host; it follows the group's membership by itself.

Source: MySQL Router 9 manual, "Configuration File Options", "Read/Write Splitting", "TLS Configuration".
"""

import json
import re
import shutil
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.drivers import pymysql
from fivenines.base.errors import FiveninesError
from fivenines.base.paths import short_path
from fivenines.base.units import Duration
from fivenines.base.waiting import wait_until
from fivenines.failover.proxies import router_metadata
from fivenines.failover.proxies.base import Access
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.lab.processes.process import Process, tail
from fivenines.servers import secrets
from fivenines.servers.base import REPLICATION, inside
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.mysql_family.opened import opened
from fivenines.software.store import engine

# Solutions with a group whose members Router can query.
_KINDS = ("group-replication", "innodb-cluster")


class MysqlRouterSettings(AccessSettings):
    """Clients connect to MySQL Router, which queries the group for its members and its primary."""

    host = "proxy"
    whole_seconds: ClassVar[tuple[str, ...]] = ("connect_timeout", "read_timeout", "quarantine_interval")

    kind: Literal["mysql-router"] = Field(description="through MySQL Router")
    ttl: Annotated[Duration, Field(ge=0.01, le=3600)] = Field(
        0.5, description="interval between two queries of the group (metadata_cache ttl)"
    )
    connect_timeout: Annotated[Duration, Field(ge=1)] = Field(
        5.0, description="timeout of a connection to a member, in whole seconds"
    )
    read_timeout: Annotated[Duration, Field(ge=1)] = Field(
        30.0, description="timeout of a member's answer about the group, in whole seconds"
    )
    quarantine_threshold: Annotated[int, Field(ge=1)] = Field(
        1, description="failed connections until a member gets no clients (error_quarantine_threshold)"
    )
    quarantine_interval: Annotated[Duration, Field(ge=1, le=3600)] = Field(
        1.0, description="interval between two tries to reach such a member, in whole seconds"
    )
    split: bool = Field(
        False,
        description="whether clients use the port that splits reads and writes by statement (6450), instead "
        "of one for writes (6446) and one for reads (6447)",
    )
    use_gr_notifications: bool = Field(
        False, description="whether members notify Router of changes at once (through the X Protocol)"
    )
    tls: Literal["preferred", "passthrough", "disabled"] = Field(
        "preferred",
        description="preferred: Router terminates TLS and opens a new TLS connection; passthrough: client "
        "and member negotiate TLS; disabled: none",
    )
    metadata: Literal["auto", "own", "shell"] = Field(
        "auto",
        description="what writes the metadata that Router reads: MySQL Shell of this machine (shell), or SQL "
        "of fivenines (own); auto: MySQL Shell if it is installed",
    )

    @property
    def watch_period(self) -> float:
        return self.ttl

    @property
    def server_settings(self) -> Mapping[str, str | int | float | bool]:
        # Members send notifications through the X Protocol only.
        return {"mysqlx": self.use_gr_notifications}

    def problems(self) -> list[str]:
        """Return what is wrong with the settings as a whole."""
        problems = [
            f"{name} must be whole seconds: MySQL Router accepts whole seconds only"
            for name in self.whole_seconds
            if getattr(self, name) % 1
        ]
        if self.split and self.tls == "passthrough":
            problems.append("split needs tls: preferred or disabled, as Router has to read statements")
        return problems

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.solution in _KINDS:
            return []
        return [f"access: mysql-router needs a group to follow: choose solution {' or '.join(_KINDS)}"]


_WRITE, _READ, _SPLIT = 6446, 6447, 6450
# Account with which Router queries members.
_USER = "mysqlrouter"

_KEYRING, _MASTER_KEY = map(secrets.seen_inside, ("keyring", "master.key"))

_TELLING = re.compile(r" (?:ERROR|WARNING) ")
_SOCKET = "write.sock"
# Longest wait in seconds until Router accepts clients.
_READY = 30.0


class MysqlRouter(Access[MysqlRouterSettings]):
    """One Router; its files are in the host's folder: conf, run (state, sockets), log."""

    settings_type = MysqlRouterSettings
    solution: Cluster[Mysql]
    software = "mysql-9.7"

    def configure(self) -> None:
        self.host = self.solution.lab.add_host("proxy", engine(self.software).root())
        self.host.files.show_socket(_SOCKET)
        self._write_files(self.solution.nodes)

    def start(self) -> None:
        members = self.solution.nodes
        primary = self.solution.roles.target("primary")
        if self._by_shell:
            router_metadata.by_shell(primary)
        else:
            primary.sql.execute(*router_metadata.statements(members, self._group))
        primary.sql.execute(*router_metadata.account(_USER, self.solution.passwords.router))
        self._take_certificate(members[0])
        self._keep_password()
        self.restart()

    @property
    def _group(self) -> str:
        return str(getattr(self.solution, "group_name", ""))

    @property
    def process(self) -> Process:
        return self._process

    def restart(self) -> None:
        self._process = self.host.commands.spawn(
            ["mysqlrouter", "-c", inside("conf", "mysqlrouter.conf")], uid=Mysql.uid, log="mysqlrouter.out"
        )
        try:
            wait_until(self._not_ready, _READY, "MySQL Router accepts no clients", 0.05)
        except FiveninesError as error:
            raise FiveninesError(f"{error}\n{self.last_words()}") from error

    def endpoints(self) -> Endpoints:
        address = self.host.address
        write = f"{address}:{_SPLIT if self.settings.split else _WRITE}"
        reads = bool(self.solution.endpoints().read) and not self.settings.split
        return Endpoints.of_one(write, [f"{address}:{_READ}"] if reads else [])

    def last_words(self, lines: int = 6) -> str:
        """Return the last warnings and errors of its log, which name what it cannot reach."""
        text = tail(self.host.node / "log" / "mysqlrouter.log", 200)
        problems = [line for line in text.splitlines() if _TELLING.search(line)]
        shown = problems[-lines:] or self._process.log_tail().splitlines()
        return "\n".join(f"  {line}" for line in shown) or "  (no log)"

    @property
    def _by_shell(self) -> bool:
        choice, installed = self.settings.metadata, shutil.which("mysqlsh") is not None
        if choice == "shell" and not installed:
            raise FiveninesError(
                "access.metadata: shell needs MySQL Shell (mysqlsh) on this machine: install it, or leave "
                "metadata out"
            )
        return installed if choice == "auto" else choice == "shell"

    def _not_ready(self) -> str:
        if not self._process.alive:
            raise FiveninesError(f"MySQL Router did not start:\n{self.last_words()}")
        password = self.solution.passwords.replication
        try:
            with (
                short_path(self.host.node / "run") as folder,
                opened(
                    unix_socket=f"{folder}/{_SOCKET}",
                    user=REPLICATION,
                    password=password,
                    connect_timeout=2,
                    read_timeout=2,
                    ssl_disabled=True,
                ) as connection,
                connection.cursor() as cursor,
            ):
                cursor.execute("SELECT @@global.super_read_only")
                return "its primary is read-only" if cursor.fetchone() != (0,) else ""
        except (pymysql.Error, OSError) as error:
            return f"it finds no primary that answers ({error.args[-1]})"

    def _write_files(self, members: list[Mysql]) -> None:
        (self.host.node / "conf" / "mysqlrouter.conf").write_text(self._text())
        servers = [f"mysql://{member.endpoint}" for member in members]
        known = {"group-replication-id": self._group, "cluster-metadata-servers": servers}
        state = {"metadata-cache": known, "version": "1.0.0"}
        self.host.data.write_configuration("state.json", json.dumps(state, indent=1) + "\n")

    def _take_certificate(self, member: Mysql) -> None:
        if self.settings.tls == "preferred":
            # Any certificate serves, as no client verifies it: use the one that a member has generated.
            for name in ("server-cert.pem", "server-key.pem"):
                secrets.write(self.host, name, member.host.data.read_text(name))

    def _keep_password(self) -> None:
        """Write the password into the keyring, the only place where Router looks for it."""
        secrets.folder(self.host)
        key = f"--master-key-file={_MASTER_KEY}"
        for arguments in (["init", key, _KEYRING], ["set", key, _KEYRING, _USER, "password"]):
            # The value is passed on the standard input, as every user of the machine can read arguments.
            self.host.commands.run(
                ["mysqlrouter_keyring", *arguments],
                uid=Mysql.uid,
                stdin=f"{self.solution.passwords.router}\n",
            )

    def _text(self) -> str:
        settings, timeout = self.settings, f"{self.settings.connect_timeout:.0f}"
        sections: dict[str, dict[str, str]] = {
            "DEFAULT": {
                "logging_folder": inside("log"),
                "runtime_folder": inside("run"),
                "data_folder": inside("run"),
                "keyring_path": _KEYRING,
                "master_key_path": _MASTER_KEY,
                "dynamic_state": inside("data", "state.json"),
                "max_total_connections": "5000",
                **_tls(settings.tls),
            },
            "logger": {"level": "info"},
            "metadata_cache:group": {
                "cluster_type": "gr",
                "router_id": str(router_metadata.ROUTER_ID),
                "user": _USER,
                "metadata_cluster": router_metadata.CLUSTER,
                "ttl": f"{settings.ttl:g}",
                "connect_timeout": timeout,
                "read_timeout": f"{settings.read_timeout:.0f}",
                "use_gr_notifications": str(int(settings.use_gr_notifications)),
            },
            "destination_status": {
                "error_quarantine_threshold": str(settings.quarantine_threshold),
                "error_quarantine_interval": f"{settings.quarantine_interval:.0f}",
            },
            "routing:write": _route(_WRITE, "PRIMARY", "first-available", timeout)
            | {"socket": inside("run", _SOCKET)},
            "routing:read": _route(_READ, "SECONDARY", "round-robin-with-fallback", timeout),
        }
        if settings.split:
            sections["routing:split"] = {
                **_route(_SPLIT, "PRIMARY_AND_SECONDARY", "round-robin", timeout),
                "access_mode": "auto",
                "connection_sharing": "1",
            }
        return "\n".join(
            f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in options.items())
            for name, options in sections.items()
        )


def _tls(mode: str) -> dict[str, str]:
    if mode == "passthrough":
        return {"client_ssl_mode": "PASSTHROUGH", "server_ssl_mode": "AS_CLIENT"}
    if mode == "disabled":
        return {"client_ssl_mode": "DISABLED", "server_ssl_mode": "DISABLED"}
    return {
        "client_ssl_mode": "PREFERRED",
        "client_ssl_cert": secrets.seen_inside("server-cert.pem"),
        "client_ssl_key": secrets.seen_inside("server-key.pem"),
        "server_ssl_mode": "PREFERRED",
        "server_ssl_verify": "DISABLED",
    }


def _route(port: int, role: str, strategy: str, timeout: str) -> dict[str, str]:
    return {
        "bind_address": "0.0.0.0",
        "bind_port": str(port),
        "destinations": f"metadata-cache://group/?role={role}",
        "routing_strategy": strategy,
        "protocol": "classic",
        "connect_timeout": timeout,
    }
