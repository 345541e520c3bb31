"""A cluster that others run: measured through its endpoints, broken only by the user's own commands.

Nothing is deployed, and the load runs on this machine's own network. What needs control of the servers is
refused when the experiment is read, unless a hook is given.
"""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Literal

from fivenines.cluster.capabilities import Drain
from fivenines.cluster.endpoints import Endpoints
from fivenines.errors import FiveninesError, UsageError, brief
from fivenines.faults.hooked import Hooked, HookedEnd
from fivenines.faults.settings import FaultSettings
from fivenines.lab import shell
from fivenines.lab.lab import Lab
from fivenines.lab.this_machine import ThisMachine
from fivenines.load import dataset
from fivenines.load.dsn import Address
from fivenines.servers.base import Server, Value
from fivenines.servers.external import ExternalServer, external_server
from fivenines.servers.external_odbc import ExternalByOdbc
from fivenines.servers.remote import Target
from fivenines.software.base import Engine, Report
from fivenines.software.store import engine
from fivenines.solutions.base import Solution
from fivenines.solutions.external_settings import BY_HOOKS, ENDED_BY_RESTART, ExternalSettings, address
from fivenines.waiting import wait_until
from fivenines.workloads.settings import WorkloadSettings

_loaded: set[tuple[object, ...]] = set()
"""Data sets that this process has loaded, or found and was told to use."""


class External(Solution[ExternalSettings, ExternalServer]):
    """Knows its servers by asking them; who is primary is what they say."""

    settings_type = ExternalSettings
    server_of = staticmethod(external_server)
    """Makes the server of a host that is reached so."""
    lab: ThisMachine
    patience: ClassVar[float] = 60.0
    """Seconds that replicas have to catch up with what was loaded."""

    def __init__(self, settings: ExternalSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self._password = os.environ.get(settings.password_env, "") if settings.password_env else ""

    @classmethod
    def data_for(
        cls, settings: ExternalSettings, workload: WorkloadSettings, report: Report, begun: bool = False
    ) -> Path:
        key = (*settings.addresses().items(), settings.database, settings.odbc, *workload.data_set().items())
        if settings.prepare and key not in _loaded:
            with (
                tempfile.TemporaryDirectory(prefix="fivenines-") as folder,
                ThisMachine(Path(folder) / "here") as here,
            ):
                one = cls(settings, here, engine(settings.engine), Path())
                one.load_data(workload, report, begun)
            _loaded.add(key)
        # the data are where the cluster is
        return dataset.NOWHERE

    def load_data(self, workload: WorkloadSettings, report: Report, begun: bool = False) -> None:
        """Make and fill the workload's tables through the write endpoint.

        Raises:
            FiveninesError: they are there and must not be, or could not be made.
        """
        server = self._writer()
        report(f"loading {workload.name} at {server.endpoint}", None)
        existing = "reuse" if begun else self.settings.existing
        for one in workload.prepares():
            already = dataset.load_tables(
                server, one, dataset.reporter(workload, report), drop=existing == "replace"
            )
            if already and existing == "refuse":
                raise UsageError(
                    f"{self.settings.name}: the tables of {workload.name} are in the database "
                    f"{self.settings.database} already: set `existing: reuse` to go on with what is in "
                    "them, or `existing: replace` to drop and load them again"
                )
        for file in workload.setup_files():
            report(f"running {file.name}", None)
            server.run_file(file)
        server.after_loading()

    def deploy(self) -> None:
        with self.timed("hosts"):
            self.nodes = [self._server(*one) for one in self.settings.addresses().items()]
        with self.timed("start"):
            self.start()

    def configuration(self, node: ExternalServer) -> dict[str, Value]:
        return {}

    def start(self) -> None:
        for node in self.nodes:
            if reason := node.refusal():
                raise FiveninesError(f"{node.name} at {node.endpoint} does not let us in: {reason}")
        self._require_roles(self.nodes[0])
        wait_until(self._incomplete, self.patience, f"{self.settings.name}: it is not complete", 0.2)

    def _require_roles(self, server: ExternalServer) -> None:
        if problem := self.settings.problem_with_roles(server.driver):
            raise UsageError(f"{self.settings.name}: {problem}")

    def _incomplete(self) -> str:
        primary = self.primary()
        if primary is None:
            return "no member takes writes"
        return next(
            filter(None, (self.not_joined_reason(node) or self.lag_reason(node) for node in self.nodes)), ""
        )

    def observed_role(self, node: ExternalServer) -> Literal["primary", "replica", "down"]:
        try:
            writable = node.writable()
            alive = writable or node.answers()
        except Exception:  # drivers raise what they like
            return "down"
        if not alive:
            return "down"
        if writable and self.settings.writers == "all":
            return "primary" if self._first_writable() is node else "replica"
        return "primary" if writable else "replica"

    def _first_writable(self) -> ExternalServer | None:
        return next((node for node in self.nodes if node.writable()), None)

    def _of_record(self, observed: Mapping[str, str]) -> ExternalServer | None:
        writing = [name for name, role in observed.items() if role == "primary"]
        # its own failover has decided: there is nobody who would tell us
        if len(writing) == 1 and self.primary_of_record.name != writing[0]:
            self.appoint(writing[0])
        return super()._of_record(observed)

    def rejoin(self, node: ExternalServer) -> None:
        timeout = self.settings.hooks.timeout
        self.hook("restart", node)
        wait_until(node.refusal, timeout, f"{node.name} did not answer after the hook `restart`", 0.1)

    def not_joined_reason(self, node: ExternalServer) -> str:
        if reason := node.refusal():
            return f"{node.name} does not answer: {reason}"
        if self.settings.any_dbms:
            # whether it receives is not told: a row of the primary's must come
            return self.lag_reason(node)
        try:
            return node.follows()
        except Exception as error:
            return f"{node.name}: {brief(error)}"

    def lag_reason(self, node: ExternalServer) -> str:
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        try:
            return node.behind(primary)
        except Exception as error:
            return f"{node.name}: {brief(error)}"

    def fault(self, settings: FaultSettings) -> Hooked | None:
        inject, recover = BY_HOOKS.get(settings.fault, ("", ""))
        # these ask the solution by themselves
        if not inject or settings.fault in ("stalled-replica", "switchover"):
            return None
        kind = HookedEnd if settings.fault in ENDED_BY_RESTART else Hooked
        return kind(settings, inject, recover, self.hook)

    def stall(self, node: ExternalServer) -> str:
        return self.hook("stall", node)

    def unstall(self, node: ExternalServer) -> str:
        self.hook("unstall", node)
        return ""

    def hand_over(self, draining: Drain | None) -> str:
        return self.hook("switchover", self.target("primary"))

    def hook(self, name: str, node: Server) -> str:
        """Run a hook for a member; what is to be told about it.

        Raises:
            FiveninesError: there is none, or it failed: with its exit code and its last lines.
        """
        command: str = getattr(self.settings.hooks, name)
        if not command:
            raise FiveninesError(f"{self.settings.name} has no hook `{name}`")
        values = {"node": node.name, "host": node.host.address, "port": str(node.port)}
        done = shell.require(
            f"the hook `{name}` for {node.name}",
            shell.filled(command, values),
            node.host.node / "log" / f"hook-{name}.log",
            self.settings.hooks.timeout,
            {},
        )
        return f"hook `{name}` for {node.name}, {done.seconds:.2f} s"

    def endpoints(self) -> Endpoints:
        settings = self.settings
        write = settings.written_to()
        return Endpoints(
            write=[settings.client_endpoint(address(text, settings.engine)) for text in write],
            read=[settings.client_endpoint(address(text, settings.engine)) for text in settings.read],
            find=settings.looked_for(),
            spread="first",
        )

    @property
    def compared(self) -> bool:
        return self.settings.compare and not self.settings.any_dbms

    def leave(self) -> None:
        primary = self.primary() if self.nodes else None
        if self.settings.ledger == "keep" or primary is None:
            return
        # whatever keeps us from it (a cluster that is still away), the next trial's end does it
        with suppress(Exception):
            primary.drop_own_tables()

    def _writer(self) -> ExternalServer:
        """The first write endpoint that takes writes.

        Raises:
            FiveninesError: none does; with what each said.
        """
        settings = self.settings
        said = []
        for number, text in enumerate(settings.written_to(), start=1):
            try:
                server = self._server(f"write{number}", address(text, settings.engine))
            except FiveninesError as error:
                said.append(f"{text}: {error}")
                continue
            self._require_roles(server)
            if reason := server.refusal():
                said.append(f"{server.endpoint}: {reason}")
            elif server.writable():
                return server
            else:
                said.append(f"{server.endpoint} takes no writes")
        raise FiveninesError(f"{settings.name}: nobody takes writes: {'; '.join(said)}")

    def _server(self, name: str, where: Address) -> ExternalServer:
        settings = self.settings
        target = Target(
            where.host,
            where.port,
            settings.user,
            self._password,
            settings.database,
            "",
            settings.tls,
            settings.tls_ca or "",
        )
        host = self.lab.add_external(name, where.host)
        if settings.any_dbms:
            return ExternalByOdbc(
                host, self.engine, target, settings.connection_string(where), settings.dialect
            )
        server = self.server_of(host, self.engine, target)
        server.odbc = settings.client_endpoint(where) if settings.odbc else ""
        return server
