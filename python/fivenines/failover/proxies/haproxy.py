"""HAProxy in front of the nodes, on a separate host, with a health check of every node.

The defaults are common for Galera (see docs/explanation/measures.md): a check every 3000 ms, two failures to
take a node out, one success to bring it back.
"""

import resource
import socket
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.paths import short_path
from fivenines.base.units import Duration
from fivenines.base.waiting import wait_until
from fivenines.failover.proxies import haproxy_in_effect
from fivenines.failover.proxies.base import Access
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.lab.host import Host
from fivenines.lab.processes.process import Process
from fivenines.load.commands import health_command
from fivenines.servers.base import Server, inside
from fivenines.servers.cluster.capabilities import Drain, Entry
from fivenines.servers.cluster.cluster import Purpose
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.in_effect import Finding
from fivenines.software.store import engine

# Failover managers that move the entry.
_MOVERS = ("mha",)


class HaproxySettings(AccessSettings):
    """Clients connect to HAProxy, which follows the nodes' health checks."""

    host = "proxy"

    # Words of haproxy.cfg.
    elsewhere: ClassVar[Mapping[str, str]] = {
        "inter": "write `interval`",
        "on_marked_down": "write `shutdown_sessions`",
        **dict.fromkeys(
            ("timeout", "timeout client", "timeout server", "timeout connect", "timeout check"),
            "fivenines sets timeouts that cut no session of the load (`fivenines show`): leave it out",
        ),
        "default_server": "write `interval`, `fall` and `rise`",
        "option": "fivenines checks the nodes by HTTP: leave it out",
    }

    kind: Literal["haproxy"] = Field(description="through HAProxy")
    interval: Annotated[Duration, Field(ge=0.001)] = Field(3.0, description="interval of health checks")
    fall: Annotated[int, Field(ge=1)] = Field(2, description="failed checks until a node is taken out")
    rise: Annotated[int, Field(ge=1)] = Field(1, description="successful checks until a node is used again")
    shutdown_sessions: bool = Field(
        True,
        description="close the sessions of a node that failed its checks (`on-marked-down "
        "shutdown-sessions`); false: they go on until the client or the node ends them",
    )
    entry: Literal["checks", "manager"] = Field(
        "checks",
        description="what leads writes to another node. checks: HAProxy's health checks; manager: the "
        "failover manager moves the write entry (mha only), and health checks decide about reads",
    )

    def problems_with(self, topology: Topology) -> list[str]:
        if self.entry == "checks" or topology.manager in _MOVERS:
            return []
        owner = f"manager {topology.manager}" if topology.manager else topology.solution
        return [
            f"access.entry: {owner} does not move HAProxy's entry, {' and '.join(_MOVERS)} can: write entry: "
            "checks, or choose that manager"
        ]

    @property
    def watch_period(self) -> float:
        return self.interval


_WRITE, _READ = 3306, 3307
_WRITE_CHECK, _READ_CHECK = 9200, 9201
# Port of HAProxy's runtime API for a failover manager; it is reachable in the lab's network only.
_CONTROL = 9999

_SOCKET = "haproxy.sock"
_REMOTE = f"  stats socket ipv4@0.0.0.0:{_CONTROL} level admin\n"
_ENTRY = "write/entry"
_CONFIG = """\
global
  maxconn {connections}
  stats socket {stats} mode 600 level admin
{control}defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
"""


class Haproxy(Access[HaproxySettings]):
    """HAProxy on a separate host, and a health responder next to every node."""

    settings_type = HaproxySettings
    software = "mariadb-10.11"

    @property
    def for_measuring(self) -> Mapping[str, str]:
        own = {"maxconn": "the load needs as many", "timeout": "no session of the load is cut"}
        if self.solution.health_check("write") is None:
            own["default_server"] = "its program on each node answers the checks"
        return own

    def configure(self) -> None:
        self._leads_to = self.solution.roles.primary_of_record
        self.host = self.solution.lab.add_host("proxy", engine(self.software).root())
        self.host.files.show_socket(_SOCKET)
        self._write_configuration()

    def start(self) -> None:
        self._responders: dict[str, list[Process]] = {}
        for node in self.solution.nodes:
            self.start_on(node)
        self.restart()

    @property
    def process(self) -> Process:
        return self._process

    def restart(self) -> None:
        self._process = self.host.commands.spawn(
            ["haproxy", "-db", "-f", inside("conf", "haproxy.cfg")], log="haproxy.out"
        )
        wait_until(self._not_ready, 15.0, f"HAProxy did not find a writable node: {self.host.name}")

    @property
    def entry(self) -> Entry | None:
        return self if self._moved_by_manager else None

    @property
    def control(self) -> str:
        return f"{self.host.address}:{_CONTROL}"

    def commands(self, address: str) -> list[str]:
        # Existing sessions would stay with their server.
        port = self._leads_to.port
        return [f"set server {_ENTRY} addr {address} port {port}", f"shutdown sessions server {_ENTRY}"]

    def moved(self, name: str) -> None:
        self._leads_to = self.solution.node(name)
        self._write_configuration()
        # srv_addr is the fifth column (management guide, "show servers state").
        rows = [line.split() for line in _ask(self.host, "show servers state write").splitlines()]
        leads = next((row[4] for row in rows if len(row) > 4 and row[3] == "entry"), "nowhere")
        if leads != self._leads_to.host.address:
            raise FiveninesError(f"HAProxy's entry leads to {leads}, not to {name}")

    @property
    def _moved_by_manager(self) -> bool:
        return self.settings.entry == "manager"

    def _write_configuration(self) -> None:
        (self.host.node / "conf" / "haproxy.cfg").write_text(self._configuration())

    def in_effect(self) -> list[Finding]:
        requested = self.settings.model_dump(mode="json", exclude={"kind"})
        addresses = {node.name: node.endpoint for node in self.solution.nodes}
        rows = haproxy_in_effect.rows_of(_ask(self.host, "show stat"))
        file = self.host.node / "conf" / "haproxy.cfg"
        findings = haproxy_in_effect.findings(self.host.name, requested, addresses, rows)
        if file.read_text() != self._configuration():
            why = "its configuration file was changed"
            findings.append(
                Finding(
                    self.host.name, "access.interval", requested["interval"], "another value", "differs", why
                )
            )
        return findings

    @property
    def draining(self) -> Drain:
        return self

    def drain(self, name: str) -> str:
        """Stop sending writes and reads to a node, and end its sessions (HAProxy, `set server`)."""
        for entry in self._entries_of(name):
            self._command(f"set server {entry} state maint")
            self._command(f"shutdown sessions server {entry}")
        return "in maintenance at HAProxy, its sessions ended"

    def undrain(self, name: str) -> None:
        """Let clients reach a drained node again."""
        for entry in self._entries_of(name):
            self._command(f"set server {entry} state ready")

    def _entries_of(self, name: str) -> list[str]:
        """Return the entries of a node in the configuration, except the entry that a manager moves."""
        purposes: tuple[Purpose, ...] = ("read",) if self._moved_by_manager else ("write", "read")
        return [
            f"{purpose}/{name}"
            for purpose in purposes
            if any(node.name == name for node in self._servers(purpose))
        ]

    def _command(self, text: str) -> None:
        if answer := _ask(self.host, text).strip():
            raise FiveninesError(f"HAProxy refused {text!r}: {answer}")

    def endpoints(self) -> Endpoints:
        reads = bool(self.solution.endpoints().read)
        address = self.host.address
        return Endpoints.of_one(f"{address}:{_WRITE}", [f"{address}:{_READ}"] if reads else [])

    def start_on(self, node: Server) -> None:
        if self.solution.health_check("write") is None and not any(
            check.alive for check in self._responders.get(node.name, [])
        ):
            checks = [(_WRITE_CHECK, self.solution.health), (_READ_CHECK, "readable")]
            if self._moved_by_manager:
                checks = checks[1:]
            self._responders[node.name] = [self._watch(node, *check) for check in checks]

    def _watch(self, node: Server, port: int, expect: str) -> Process:
        command, secret = health_command(node, port, expect)
        return node.host.commands.spawn_outside(command, log=f"health-{port}.out", env=secret)

    def _configuration(self) -> str:
        # A check that recognises the single primary finds it anywhere, so no order is needed.
        spread = self.solution.endpoints().spread == "all" or self.solution.health_check("write")
        text = _CONFIG.format(
            stats=inside("run", _SOCKET),
            connections=_most_connections(),
            control=_REMOTE if self._moved_by_manager else "",
        )
        if self._moved_by_manager:
            text += f"listen write\n  bind 0.0.0.0:{_WRITE}\n  server entry {self._leads_to.endpoint}\n"
        else:
            text += self._listen("write", _WRITE, _WRITE_CHECK, backup=not spread)
        return text + self._listen("read", _READ, _READ_CHECK, backup=False)

    def _listen(self, name: Purpose, port: int, check: int, *, backup: bool) -> str:
        settings = self.settings
        own = self.solution.health_check(name)
        check, path = own or (check, "/")
        ends = " on-marked-down shutdown-sessions" if settings.shutdown_sessions else ""
        lines = [
            f"listen {name}",
            f"  bind 0.0.0.0:{port}",
            "  balance roundrobin",
            f"  option httpchk GET {path}",
            f"  default-server port {check} inter {round(settings.interval * 1000)} "
            f"fall {settings.fall} rise {settings.rise}{ends}",
        ]
        for number, node in enumerate(self._servers(name)):
            rank = " backup" if backup and number > 0 else ""
            lines.append(f"  server {node.name} {node.endpoint} check{rank}")
        return "\n".join(lines) + "\n"

    def _servers(self, purpose: Purpose) -> Sequence[Server]:
        nodes = self.solution.nodes
        if purpose == "read" and self.solution.health_check(purpose) is None:
            return self.solution.replicas or nodes
        return nodes

    def _not_ready(self) -> str:
        if not self.process.alive:
            raise FiveninesError(f"HAProxy did not start:\n{self.process.log_tail()}")
        table = _show_stat(self.host)
        if self._moved_by_manager:
            return "" if table else "it does not answer yet"
        up = [row[1] for row in table if row[0] == "write" and row[17].startswith("UP")]
        waiting = [row[1] for row in table if row[0] == "write" and "/" in row[17]]
        known = [name for name in up if name.startswith("node")]
        return "" if known and not waiting else "no node is up"


def _most_connections() -> int:
    # A connection takes two descriptors, and an unprivileged user cannot raise the limit.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(20_000, max(64, hard // 2 - 200))


def _show_stat(host: Host) -> list[list[str]]:
    try:
        answer = _ask(host, "show stat")
    except OSError:
        return []
    rows = [line.split(",") for line in answer.splitlines() if not line.startswith("#")]
    return [row for row in rows if len(row) > 17]


def _ask(host: Host, command: str) -> str:
    with short_path(host.node / "run") as folder, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.settimeout(2.0)
        stream.connect(f"{folder}/{_SOCKET}")
        stream.sendall(f"{command}\n".encode())
        return b"".join(iter(lambda: stream.recv(65536), b"")).decode()
