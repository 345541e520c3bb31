"""An external cluster: measured through its endpoints, broken only by the user's commands.

Nothing is deployed, and the load runs on this machine's own network. Faults that need control of the servers
are refused when the experiment is read, unless a hook is set.
"""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.waiting import wait_until
from fivenines.faults.base import Fault
from fivenines.faults.services.hooked import Hooked, HookedEnd
from fivenines.faults.settings import FaultSettings
from fivenines.lab.lab import Lab
from fivenines.lab.processes import placeholders, shell
from fivenines.lab.this_machine import ThisMachine
from fivenines.load import dataset
from fivenines.load.dsn import Address
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.base import Server, Value
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.switchover import Switchover
from fivenines.servers.external.external_odbc import ExternalByOdbc
from fivenines.servers.external.kinds import external_server
from fivenines.servers.external.remote import Target
from fivenines.servers.external.server import ExternalServer
from fivenines.servers.external.writable import endless_wait
from fivenines.software.base import Engine, Report
from fivenines.software.store import engine
from fivenines.solutions.base import Solution
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.external.checks import BY_HOOKS, ENDED_BY_RESTART
from fivenines.solutions.external.membership import (
    ExternalMembership,
    ExternalRoles,
    HookedStalling,
    HookedSwitchover,
)
from fivenines.solutions.external.settings import ExternalSettings, address
from fivenines.solutions.preparation import Preparation

# Data sets that this process has loaded, or was allowed to reuse.
_loaded: set[tuple[object, ...]] = set()


class ExternalPreparation(Preparation[ExternalSettings]):
    """Its data are in the cluster."""

    def data(self, workload: WorkloadSettings, report: Report, begun: bool = False) -> Path:
        settings = self.settings
        key = (*settings.addresses().items(), settings.database, settings.odbc, *workload.data_set().items())
        if settings.prepare and key not in _loaded:
            with (
                tempfile.TemporaryDirectory(prefix="fivenines-") as folder,
                ThisMachine(Path(folder) / "here") as here,
            ):
                solution = External(settings, here, engine(settings.engine), Path())
                solution.load_data(workload, report, begun)
            _loaded.add(key)
        # The data are in the cluster.
        return dataset.NOWHERE


class ExternalConfiguration(Configuration[ExternalSettings, ExternalServer]):
    """fivenines sets nothing."""

    def own(self, node: ExternalServer) -> dict[str, Value]:
        return {}


class External(Solution[ExternalSettings, ExternalServer]):
    """Queries its servers for their roles."""

    settings_type = ExternalSettings
    roles_type = ExternalRoles
    membership_type = ExternalMembership
    switchover_type: ClassVar[type[Switchover[Any]] | None] = HookedSwitchover
    stalling_type = HookedStalling
    configuration_type = ExternalConfiguration
    preparation: ClassVar[type[Preparation[Any]]] = ExternalPreparation

    # Creates the server object for a host.
    server_of = staticmethod(external_server)
    lab: ThisMachine
    # Seconds within which replicas must have caught up after loading.
    patience: ClassVar[float] = 60.0

    def __init__(self, settings: ExternalSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self._password = os.environ.get(settings.password_env, "") if settings.password_env else ""

    def load_data(self, workload: WorkloadSettings, report: Report, begun: bool = False) -> None:
        """Create and fill the workload's tables through the write endpoint.

        Raises:
            FiveninesError: tables exist and must not, or could not be created.
        """
        self._require_distinct([self._server(*named) for named in self.settings.addresses().items()])
        server = self._writer()
        if not self.settings.any_dbms and (reason := endless_wait(server.driver, server.sql.query)):
            raise FiveninesError(f"{self.settings.name}: {server.endpoint}: {reason}")
        report(f"loading {workload.name} at {server.endpoint}", None)
        existing = "reuse" if begun else self.settings.existing
        for step in workload.prepares():
            already = dataset.load_tables(
                server, step, dataset.reporter(workload, report), drop=existing == "replace"
            )
            if already and existing == "refuse":
                raise UsageError(
                    f"{self.settings.name}: the tables of {workload.name} already exist in the database "
                    f"{self.settings.database}: set `existing: reuse` to use them, or `existing: replace` to "
                    "drop and load them again"
                )
        for file in workload.setup_files():
            report(f"running {file.name}", None)
            server.sql.run_file(file)
        server.after_loading()

    def deploy(self) -> None:
        with self.timed("hosts"):
            self.nodes = [self._server(*named) for named in self.settings.addresses().items()]
        with self.timed("start"):
            self.start()

    def start(self) -> None:
        for node in self.nodes:
            if reason := node.refusal():
                raise FiveninesError(f"{node.name} at {node.endpoint} refuses the connection: {reason}")
        self._require_roles(self.nodes[0])
        self._require_distinct(self.nodes)
        wait_until(self._incomplete, self.patience, f"{self.settings.name}: it is not complete", 0.2)

    def _require_roles(self, server: ExternalServer) -> None:
        if problem := self.settings.problem_with_roles(server.driver):
            raise UsageError(f"{self.settings.name}: {problem}")

    def _require_distinct(self, nodes: Sequence[ExternalServer]) -> None:
        """Require that each member is another server: one by two names would seem to be a split brain.

        Raises:
            UsageError: two members are the same server.
        """
        for one, other in combinations(nodes, 2):
            if one.same_as(other):
                raise UsageError(
                    f"{self.settings.name}: {one.endpoint} and {other.endpoint} are the same server. Name "
                    "each server once in `members`; further names, and proxies, belong in `write` and `read`"
                )

    def _incomplete(self) -> str:
        primary = self.roles.certain_primary()
        members = self.membership
        if primary is None:
            return "no member is writable"
        return next(
            filter(
                None, (members.not_joined_reason(node) or members.lag_reason(node) for node in self.nodes)
            ),
            "",
        )

    def fault(self, settings: FaultSettings) -> Fault[Any] | None:
        inject, recover = BY_HOOKS.get(settings.fault, ("", ""))
        # These faults call the solution themselves.
        if not inject or settings.fault in ("stalled-replica", "switchover"):
            return None
        kind = HookedEnd if settings.fault in ENDED_BY_RESTART else Hooked
        return kind(settings, inject, recover, self.hook)

    def hook(self, name: str, node: Server) -> str:
        """Run a hook for a member; return a description of the call.

        Raises:
            FiveninesError: there is no such hook, or it failed: with its exit code and its last lines.
        """
        command: str = getattr(self.settings.hooks, name)
        if not command:
            raise FiveninesError(f"{self.settings.name} has no hook `{name}`: set `hooks.{name}`")
        values = {"node": node.name, "host": node.host.address, "port": str(node.port)}
        done = shell.require(
            f"the hook `{name}` for {node.name}",
            placeholders.filled(command, values),
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
        primary = self.roles.certain_primary() if self.nodes else None
        if self.settings.ledger == "keep" or primary is None:
            return
        # If this fails, as the cluster is still unavailable, the end of the next trial repeats it.
        with suppress(Exception):
            primary.drop_own_tables()

    def _writer(self) -> ExternalServer:
        """Return the first writable endpoint of `write`.

        Raises:
            FiveninesError: no endpoint is writable; with the answer of each.
        """
        settings = self.settings
        refusals = []
        for number, text in enumerate(settings.written_to(), start=1):
            try:
                server = self._server(f"write{number}", address(text, settings.engine))
            except FiveninesError as error:
                refusals.append(f"{text}: {error}")
                continue
            self._require_roles(server)
            if reason := server.refusal():
                refusals.append(f"{server.endpoint}: {reason}")
            elif server.writable():
                return server
            else:
                refusals.append(f"{server.endpoint} is not writable")
        raise FiveninesError(f"{settings.name}: no endpoint is writable: {'; '.join(refusals)}")

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
