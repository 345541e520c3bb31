"""A cluster that others run: measured through its endpoints, broken only by the user's own commands.

Nothing is deployed, and the load runs on this machine's own network. What needs control of the servers is
refused when the experiment is read, unless a hook is given.
"""

import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fivenines.access.base import Access
from fivenines.access.endpoints import Endpoints
from fivenines.engines.base import Engine, Report
from fivenines.engines.store import engine
from fivenines.errors import FiveninesError, UsageError, brief
from fivenines.faults.hooked import Hooked, HookedEnd
from fivenines.faults.settings import FaultSettings
from fivenines.lab import shell
from fivenines.lab.here import Here
from fivenines.lab.settings import OTHERS, NetworkSettings
from fivenines.lab.world import World
from fivenines.load import dataset
from fivenines.load.dsn import Place, parse_places
from fivenines.servers.base import Server, Value
from fivenines.servers.elsewhere import Elsewhere, elsewhere
from fivenines.servers.remote import Target
from fivenines.settings import Settings
from fivenines.solutions.base import Solution
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration
from fivenines.waiting import wait_until
from fivenines.workloads.settings import WorkloadSettings

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")

_BY_HOOKS = {
    "kill": ("kill", ""),
    "stop": ("stop", ""),
    "crash": ("crash", ""),
    "restart": ("restart", ""),
    "freeze": ("freeze", "thaw"),
    "partition": ("partition", "heal"),
    "stalled_replica": ("stall", "unstall"),
    "switchover": ("switchover", ""),
}
"""Faults that hooks can do: the hook that breaks it, and the one that ends it."""

_ENDED_BY_RESTART = ("kill", "stop", "crash")

_BY_SQL = ("none", "command", "connection_storm", "long_transaction")
"""Faults that need no control of the servers."""


class Hooks(Settings):
    """Shell commands, run on this machine; `{node}`, `{host}` and `{port}` are those of the member."""

    kill: str = Field("", description="ends a server at once, for the fault `kill`")
    stop: str = Field("", description="shuts a server down cleanly, for the fault `stop`")
    crash: str = Field("", description="takes a machine's power away, for the fault `crash`")
    restart: str = Field(
        "",
        description="starts a server again after `kill`, `stop` and `crash`, and is the fault `restart`; "
        "`true` where something else does it",
    )
    freeze: str = Field("", description="stops a server where it is, for the fault `freeze`")
    thaw: str = Field("", description="ends that")
    partition: str = Field("", description="cuts a member off, for the fault `partition`")
    heal: str = Field("", description="ends that")
    stall: str = Field(
        "", description="lets a replica apply nothing, for the fault `stalled_replica`"
    )
    unstall: str = Field("", description="ends that")
    switchover: str = Field(
        "",
        description="hands the role of the primary to another member, for the fault `switchover`",
    )
    timeout: Annotated[Duration, Field(gt=0)] = Field(
        30.0, description="longest time that one command may take"
    )


class ExternalSettings(SolutionSettings):
    """An existing cluster by its endpoints: nothing is deployed, and nothing but the database is touched."""

    elsewhere = True

    solution: Literal["external"] = Field(description="a cluster that others run")
    engine: Literal["external-postgres", "external-mariadb", "external-mysql"] = Field(
        description="which kind of server it is"
    )
    write: list[str] = Field(
        default_factory=list,
        description="where clients write: [host:port, ...]; empty: at the members",
    )
    read: list[str] = Field(
        default_factory=list,
        description="where single reads go: [host:port, ...]; empty: where writes go",
    )
    members: dict[str, str] = Field(
        default_factory=dict,
        description="the servers themselves, as {db1: host:port}, for the checks and the watch; empty: "
        "the endpoints stand for them",
    )
    find: Literal["writable", "any"] | None = Field(
        None,
        description="whether clients look for the endpoint that takes writes, or take any; null: they "
        "look if there are several",
    )
    writers: Literal["one", "all"] = Field(
        "one",
        description="how many servers take writes by design: two where one is meant are a split brain",
    )
    user: Annotated[str, Field(min_length=1)] = Field(description="the account")
    password_env: str = Field(
        "", description="the environment variable that holds its password; empty: it has none"
    )
    database: Annotated[str, Field(min_length=1)] = Field(
        description="the database that is written to"
    )
    tls: Literal["disable", "prefer", "require", "verify-ca", "verify-full"] = Field(
        "prefer",
        description="encryption of fivenines' own connections; that of the load is `load: {tls: ...}`",
    )
    tls_ca: str | None = Field(None, description="file with the authority that verify-* trusts")
    prepare: bool = Field(
        True, description="whether the workload's tables are made and filled; false: they are there"
    )
    existing: Literal["refuse", "reuse", "replace"] = Field(
        "refuse",
        description="with `prepare`, what becomes of tables that are there already when a run begins: "
        "reuse those that fivenines has loaded whole, or drop and load them again",
    )
    compare: bool = Field(
        True,
        description="whether all tables of the database are read on all members after a trial, and "
        "compared",
    )
    ledger: Literal["drop", "keep"] = Field(
        "drop", description="what becomes of the table fivenines_ledger after a trial"
    )
    hooks: Hooks = Field(
        default_factory=Hooks, description="commands that break and mend the servers"
    )

    def default_name(self) -> str:
        return "external"

    @property
    def nodes(self) -> int:
        return len(self.members) or len(self._endpoints())

    @property
    def single_writer(self) -> bool:
        return self.writers == "one"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        found = [*self._address_problems(), *self._foreign()]
        if not self.write and not self.members:
            found.append("write: name the endpoints that take writes, or the members")
        found += [
            f"members: {name!r} is no name: letters, digits, and . _ - between them, and not a word of ours"
            for name in self.members
            if not _NAME.fullmatch(name) or name in OTHERS
        ]
        if self.password_env and self.password_env not in os.environ:
            found.append(f"password_env: the environment has no variable {self.password_env}")
        if self.tls_ca and not self.tls.startswith("verify"):
            found.append(f"tls_ca: {self.tls} verifies nothing; set tls to verify-ca or -full")
        return found

    def _address_problems(self) -> list[str]:
        found = []
        for key, texts in (("write", self.write), ("read", self.read), ("members", self.members)):
            places = texts.values() if isinstance(texts, dict) else texts
            for text in places:
                try:
                    place(text, self.engine)
                except UsageError as error:
                    found.append(f"{key}: {error}")
        return found

    def _foreign(self) -> list[str]:
        """Settings of solutions that fivenines deploys."""
        found = {
            "server": bool(self.server),
            "limits": self.limits != type(self).model_fields["limits"].get_default(
                call_default_factory=True
            ),
            "durability": self.durability != "strict",
            "access": self.access.kind != "direct",
        }  # fmt: skip
        told = [
            f"{key}: fivenines does not set up this cluster: leave it out"
            for key, given in found.items()
            if given
        ]
        if self.reads != "primary":
            told.append("reads: name the endpoints of reads in `read:`")
        return told

    def refuses(self, fault: FaultSettings) -> str:
        if fault.fault in _BY_SQL:
            return ""
        if fault.fault not in _BY_HOOKS:
            return f"{fault.fault} takes a lab. `fault: command` runs a command of your own"
        strike, mend = _BY_HOOKS[fault.fault]
        wanted = [strike, *([mend] if mend and fault.lasts is not None else [])]
        if fault.fault in _ENDED_BY_RESTART and fault.lasts is not None:
            wanted.append("restart")
        missing = [name for name in wanted if not getattr(self.hooks, name)]
        if not missing:
            return ""
        named = " and ".join(f"`hooks.{name}`" for name in missing)
        return f"its servers are not fivenines' own. Give {named}, or use `fault: command`"

    def refuses_network(self, network: NetworkSettings) -> str:
        plain = NetworkSettings(name=network.name)
        return "" if network == plain else "the network between its servers is not fivenines' own"

    def switchover_problem(self) -> str:
        return "it has one member" if self.nodes == 1 else ""

    def places(self) -> dict[str, Place]:
        """The servers by name: the members, else the endpoints as node1, node2, …"""
        if self.members:
            return {name: place(text, self.engine) for name, text in self.members.items()}
        texts = self._endpoints()
        return {f"node{i}": place(text, self.engine) for i, text in enumerate(texts, start=1)}

    def _endpoints(self) -> list[str]:
        return list(dict.fromkeys([*self.write, *self.read]))


def place(text: str, software: str) -> Place:
    """The server that `host:port` names.

    Raises:
        UsageError: it names none, several, or a socket.
    """
    driver: Literal["mysql", "postgres"] = (
        "postgres" if engine(software).family == "postgresql" else "mysql"
    )
    found = parse_places(text, driver)
    if len(found) != 1 or found[0].socket or "://" in text:
        raise UsageError(f"{text!r} is not host:port")
    return found[0]


_loaded: set[tuple[object, ...]] = set()
"""Data sets that this process has loaded, or found and was told to use."""


class External(Solution[ExternalSettings]):
    """Knows its servers by asking them; who is primary is what they say."""

    settings_type = ExternalSettings
    nodes: list[Elsewhere]  # type: ignore[assignment]
    patience: ClassVar[float] = 60.0
    """Seconds that replicas have to catch up with what was loaded."""

    def __init__(
        self, settings: ExternalSettings, world: World, engine: Engine, data: Path
    ) -> None:
        super().__init__(settings, world, engine, data)
        self._password = os.environ.get(settings.password_env, "") if settings.password_env else ""

    @classmethod
    def data_for(
        cls,
        settings: ExternalSettings,
        workload: WorkloadSettings,
        report: Report,
        begun: bool = False,
    ) -> Path:
        key = (*settings.places().items(), settings.database, *workload.data_set().items())
        if settings.prepare and key not in _loaded:
            with (
                tempfile.TemporaryDirectory(prefix="fivenines-") as folder,
                Here(Path(folder) / "here") as here,
            ):
                one = cls(settings, here, engine(settings.engine), Path())
                one.load_data(workload, report, begun)
            _loaded.add(key)
        # the data are where the cluster is
        return Path()

    def load_data(self, workload: WorkloadSettings, report: Report, begun: bool = False) -> None:
        """Make and fill the workload's tables through the write endpoint.

        Raises:
            FiveninesError: they are there and must not be, or could not be made.
        """
        server = self._writer()
        report(f"loading {workload.name} at {server.endpoint}", None)
        existing = "reuse" if begun else self.settings.existing
        for flags in workload.prepare_flags():
            drop = ["--drop"] if existing == "replace" else []
            already = dataset.load_tables(
                server, [*drop, *flags], lambda part: report(f"loading {workload.name}", part)
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
            self.nodes = [self._server(*one) for one in self.settings.places().items()]
        with self.timed("start"):
            self.start()

    def configuration(self, node: Server) -> dict[str, Value]:
        return {}

    def start(self) -> None:
        for node in self.nodes:
            if reason := node.refusal():
                raise FiveninesError(f"{node.name} at {node.endpoint} does not let us in: {reason}")
        wait_until(
            self._incomplete, self.patience, f"{self.settings.name}: it is not complete", 0.2
        )

    def _incomplete(self) -> str:
        primary = self.primary()
        if primary is None:
            return "no member takes writes"
        return next(filter(None, (self.joined(node) or self.lag(node) for node in self.nodes)), "")

    def observed_role(self, node: Server) -> Literal["primary", "replica", "down"]:
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

    def _first_writable(self) -> Server | None:
        return next((node for node in self.nodes if node.writable()), None)

    def _of_record(self, observed: Mapping[str, str]) -> Server | None:
        writing = [name for name, role in observed.items() if role == "primary"]
        # its own failover has decided: there is nobody who would tell us
        if len(writing) == 1 and self.record.name != writing[0]:
            self.appoint(writing[0])
        return super()._of_record(observed)

    def rejoin(self, node: Server) -> None:
        own, timeout = self._own(node), self.settings.hooks.timeout
        self.hook("restart", own)
        wait_until(
            own.refusal, timeout, f"{node.name} did not answer after the hook `restart`", 0.1
        )

    def joined(self, node: Server) -> str:
        own = self._own(node)
        if reason := own.refusal():
            return f"{node.name} does not answer: {reason}"
        try:
            return own.follows()
        except Exception as error:
            return f"{node.name}: {brief(error)}"

    def lag(self, node: Server) -> str:
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        try:
            return self._own(node).behind(primary)
        except Exception as error:
            return f"{node.name}: {brief(error)}"

    def fault(self, settings: FaultSettings) -> Hooked | None:
        strike, mend = _BY_HOOKS.get(settings.fault, ("", ""))
        # these ask the solution by themselves
        if not strike or settings.fault in ("stalled_replica", "switchover"):
            return None
        kind = HookedEnd if settings.fault in _ENDED_BY_RESTART else Hooked
        return kind(settings, strike, mend, self.hook)

    def stall(self, node: Server) -> str:
        return self.hook("stall", node)

    def unstall(self, node: Server) -> str:
        self.hook("unstall", node)
        return ""

    def hand_over(self, access: Access[Any]) -> str:
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
            f"the hook `{name}` for {node.name}", shell.filled(command, values),
            node.host.node / "log" / f"hook-{name}.log", self.settings.hooks.timeout, {},
        )  # fmt: skip
        return f"hook `{name}` for {node.name}, {done.seconds:.2f} s"

    def endpoints(self) -> Endpoints:
        settings = self.settings
        write = settings.write or [node.endpoint for node in self.nodes]
        return Endpoints(
            write=[str(place(text, settings.engine)) for text in write],
            read=[str(place(text, settings.engine)) for text in settings.read],
            find=settings.find or ("writable" if len(write) > 1 else "any"),
            spread="first",
        )

    @property
    def compared(self) -> bool:
        return self.settings.compare

    def leave(self) -> None:
        primary = self.primary() if self.nodes else None
        if self.settings.ledger == "keep" or primary is None:
            return
        # whatever keeps us from it (a cluster that is still away), the next trial's end does it
        with (
            suppress(Exception),
            primary.open_data(30.0) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute("DROP TABLE IF EXISTS fivenines_ledger")

    def _writer(self) -> Elsewhere:
        """The first write endpoint that takes writes.

        Raises:
            FiveninesError: none does; with what each said.
        """
        settings = self.settings
        texts = settings.write or list(settings.members.values())
        said = []
        for number, text in enumerate(texts, start=1):
            server = self._server(f"write{number}", place(text, settings.engine))
            if reason := server.refusal():
                said.append(f"{server.endpoint}: {reason}")
            elif server.writable():
                return server
            else:
                said.append(f"{server.endpoint} takes no writes")
        raise FiveninesError(f"{settings.name}: nobody takes writes: {'; '.join(said)}")

    def _server(self, name: str, where: Place) -> Elsewhere:
        assert isinstance(self.world, Here)
        settings = self.settings
        target = Target(
            where.host, where.port, settings.user, self._password, settings.database, "",
            settings.tls, settings.tls_ca or "",
        )  # fmt: skip
        return elsewhere(self.world.add_place(name, where.host), self.engine, target)

    def _own(self, node: Server) -> Elsewhere:
        assert isinstance(node, Elsewhere)
        return node
