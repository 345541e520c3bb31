"""Settings of a cluster that others run: where it is, who we are there, and what may be done to it."""

import os
import re
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from fivenines.errors import UsageError
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.load.dsn import Address, parse_addresses
from fivenines.load.odbc import ConnectionStringError, split_password
from fivenines.load.settings import LoadSettings
from fivenines.servers.external_odbc import NO_ROLE
from fivenines.settings import Settings
from fivenines.software.store import engine
from fivenines.solutions.durability import STRICT
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration

_PORT = re.compile(r":\d+$")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_WORDS = ("proxy", "manager")
"""What faults call the hosts of parts that such a cluster has not."""

BY_HOOKS = {
    "kill": ("kill", ""),
    "stop": ("stop", ""),
    "host-kill": ("host_kill", ""),
    "restart": ("restart", ""),
    "freeze": ("freeze", "thaw"),
    "partition": ("partition", "heal"),
    "stalled-replica": ("stall", "unstall"),
    "switchover": ("switchover", ""),
}
"""Faults that hooks can do: the hook that breaks it, and the one that ends it."""

ENDED_BY_RESTART = ("kill", "stop", "host-kill")

_OF_SOCKETS = ("tls", "tls_ca", "keepalive", "tcp_user_timeout")
"""What of a load is set on connections that drivers of ODBC make themselves."""

_BY_SQL = ("none", "command", "connection-storm", "long-transaction")
"""Faults that need no control of the servers."""

_BY_OWN_SQL = ("connection-storm", "long-transaction")
"""Those of them that ask for what each DBMS has in a catalogue of its own."""


class Hooks(Settings):
    """Shell commands, run on this machine; `{node}`, `{host}` and `{port}` are those of the member."""

    kill: str = Field("", description="ends a server at once, for the fault `kill`")
    stop: str = Field("", description="shuts a server down cleanly, for the fault `stop`")
    host_kill: str = Field("", description="takes a machine's power away, for the fault `host-kill`")
    restart: str = Field(
        "",
        description="starts a server again after `kill`, `stop` and `host-kill`, and is the fault `restart`; "
        "`true` where something else does it",
    )
    freeze: str = Field("", description="stops a server where it is, for the fault `freeze`")
    thaw: str = Field("", description="ends that")
    partition: str = Field("", description="cuts a member off, for the fault `partition`")
    heal: str = Field("", description="ends that")
    stall: str = Field("", description="lets a replica apply nothing, for the fault `stalled-replica`")
    unstall: str = Field("", description="ends that")
    switchover: str = Field(
        "", description="hands the role of the primary to another member, for the fault `switchover`"
    )
    timeout: Annotated[Duration, Field(gt=0)] = Field(
        30.0, description="longest time that one command may take"
    )


class ExternalSettings(SolutionSettings):
    """An existing cluster by its endpoints: nothing is deployed, and nothing but the database is touched."""

    external = True

    can_be_vms = False

    solution: Literal["external"] = Field(description="a cluster that others run")
    engine: Literal["external-postgres", "external-mariadb", "external-mysql", "external-odbc"] = Field(
        description="which kind of server it is; external-odbc: any DBMS, where all goes by `odbc`, also "
        "filling the tables and reading the ledger's rows; copies are not compared there, and no server "
        "tells its delay or counters"
    )
    write: list[str] = Field(
        default_factory=list, description="where clients write: [host:port, ...]; empty: at the members"
    )
    read: list[str] = Field(
        default_factory=list, description="where single reads go: [host:port, ...]; empty: where writes go"
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
        "one", description="how many servers take writes by design: two where one is meant are a split brain"
    )
    user: Annotated[str, Field(min_length=1)] = Field(
        description="the account; with external-odbc `odbc` names it by a keyword of its own, as it does the "
        "database"
    )
    password_env: str = Field(
        "", description="the environment variable that holds its password; empty: it has none"
    )
    database: Annotated[str, Field(min_length=1)] = Field(description="the database that is written to")
    odbc: str = Field(
        "",
        description="a connection string of ODBC with {host} and {port}, without a password: the load, its "
        "ledger and its tries of fresh connections go by this driver, with the password of `password_env`; "
        "all checks go by the server's own protocol; encryption and keepalive are keywords of the driver; "
        "empty: no ODBC; with external-odbc it must be given, and {port} may be missing",
    )
    dialect: Literal["", "mysql", "postgres", "soliddb", "oracle", "sqlserver", "db2"] = Field(
        "", description="with external-odbc, which SQL the servers speak; empty: by the DBMS' name"
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
        description="whether all tables of the database are read on all members after a trial, and compared",
    )
    ledger: Literal["drop", "keep"] = Field(
        "drop", description="what becomes of the tables fivenines_ledger and fivenines_probes after a trial"
    )
    hooks: Hooks = Field(default_factory=Hooks, description="commands that break the servers and end that")

    def default_name(self) -> str:
        return "external"

    @property
    def nodes(self) -> int:
        return len(self.members) or len(self._endpoints())

    @property
    def own_watch_period(self) -> float:
        # nobody has said what watches it: the usual period of Patroni, the longest one that is common
        return 10.0

    @property
    def single_writer(self) -> bool:
        return self.writers == "one"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        found = [*self._address_problems(), *self._foreign()]
        if not self.write and not self.members:
            found.append("write: name the endpoints that take writes, or the members")
        found += [
            f"members: {name!r} is not a name: letters, digits, and . _ - between them; and hosts such as "
            "client have theirs"
            for name in self.members
            if not _NAME.fullmatch(name) or name in (*self.topology().host_names, *_WORDS)
        ]
        if self.password_env and self.password_env not in os.environ:
            found.append(f"password_env: the environment has no variable {self.password_env}")
        found += self._odbc_problems()
        if self.any_dbms and (problem := self.problem_with_roles(self.dialect)):
            found.append(problem)
        if self.any_dbms and (self.tls != "prefer" or self.tls_ca):
            found.append("tls: by ODBC that is the driver's: say it by a keyword of the driver in `odbc`")
        if self.tls_ca and not self.tls.startswith("verify"):
            found.append(f"tls_ca: {self.tls} verifies nothing; set tls to verify-ca or -full")
        return found

    @property
    def any_dbms(self) -> bool:
        """Whether the servers are reached by ODBC alone."""
        return self.engine == "external-odbc"

    def _odbc_problems(self) -> list[str]:
        if self.dialect and not self.any_dbms:
            return [f"dialect: {self.engine} has its own; it is for external-odbc"]
        if not self.odbc:
            return ["odbc: external-odbc needs a connection string"] if self.any_dbms else []
        wanted = ("{host}",) if self.any_dbms else ("{host}", "{port}")
        missing = [word for word in wanted if word not in self.odbc]
        if missing:
            return [f"odbc: {' and '.join(missing)} must stand where those of an endpoint go"]
        try:
            _, password = split_password(self.connection_string(Address("host", 1)))
        except ConnectionStringError as error:
            return [f"odbc: {error}"]
        if password is not None:
            return ["odbc: a password has no place in a file: leave it out, and use password_env"]
        return []

    def connection_string(self, where: Address) -> str:
        """The connection string for a server, without its password."""
        return self.odbc.replace("{host}", where.host).replace("{port}", str(where.port))

    def client_endpoint(self, where: Address) -> str:
        """Where clients reach a server: host:port, or by ODBC its connection string."""
        return str(Address("", odbc=self.connection_string(where)) if self.odbc else where)

    def _address_problems(self) -> list[str]:
        found = []
        for key, texts in (("write", self.write), ("read", self.read), ("members", self.members)):
            addresses = texts.values() if isinstance(texts, dict) else texts
            for text in addresses:
                try:
                    where = address(text, self.engine)
                except UsageError as error:
                    found.append(f"{key}: {error}")
                else:
                    if not where.port and "{port}" in self.odbc:
                        found.append(f"{key}: {text!r} has no port, and `odbc` has {{port}}")
        return found

    def written_to(self) -> list[str]:
        """Where clients write: the endpoints that were named, else the members."""
        return self.write or list(self.members.values())

    def looked_for(self) -> Literal["writable", "any"]:
        """Whether clients look for the endpoint that takes writes."""
        return self.find or ("writable" if len(self.written_to()) > 1 else "any")

    def problem_with_roles(self, dialect: str) -> str:
        """Why clients cannot find who takes writes, in this dialect of SQL; empty: they can, or need not."""
        if dialect not in NO_ROLE or self.looked_for() == "any":
            return ""
        return (
            f"find: it is not known how clients ask {dialect} for its role: name one endpoint in `write` "
            "that leads to the primary, or set `find: any`"
        )

    def _foreign(self) -> list[str]:
        """Settings of solutions that fivenines deploys."""
        found = {
            "server": bool(self.server),
            "limits": self.limits != type(self).model_fields["limits"].get_default(call_default_factory=True),
            "durability": self.durability != STRICT,
            "access": self.access.kind != "direct",
        }
        told = [
            f"{key}: fivenines does not set up this cluster: leave it out"
            for key, given in found.items()
            if given
        ]
        if self.reads != "primary":
            told.append("reads: name the endpoints of reads in `read:`")
        return told

    def problems_with_fault(self, fault: FaultSettings) -> list[str]:
        if self.any_dbms and fault.fault in _BY_OWN_SQL:
            return ["it is written in the SQL of PostgreSQL, MariaDB and MySQL"]
        if fault.fault in _BY_SQL:
            return []
        if fault.fault not in BY_HOOKS:
            return [f"{fault.fault} takes a lab. `fault: command` runs a command of your own"]
        inject, recover = BY_HOOKS[fault.fault]
        wanted = [inject, *([recover] if recover and fault.lasts is not None else [])]
        if fault.fault in ENDED_BY_RESTART and fault.lasts is not None:
            wanted.append("restart")
        missing = [name for name in wanted if not getattr(self.hooks, name)]
        if not missing:
            return []
        named = " and ".join(f"`hooks.{name}`" for name in missing)
        return [f"its servers are not fivenines' own. Give {named}, or use `fault: command`"]

    def problems_with_load(self, load: LoadSettings) -> dict[str, str]:
        usual = LoadSettings()
        why = "by ODBC that is the driver's: leave it out, and say it by a keyword of the driver in `odbc`"
        given = (key for key in _OF_SOCKETS if getattr(load, key) != getattr(usual, key))
        return dict.fromkeys(given, why) if self.odbc else {}

    def problem_alongside(self) -> str:
        if self.dialect in ("", "mysql", "postgres"):
            return ""
        return f"it is not written for the SQL of {self.dialect}"

    def problems_with_network(self, network: NetworkSettings) -> list[str]:
        if network == NetworkSettings(name=network.name):
            return []
        return ["the network between its servers is not fivenines' own"]

    def problems_with_switchover(self) -> list[str]:
        return ["it has one member"] if self.nodes == 1 else []

    def addresses(self) -> dict[str, Address]:
        """The servers by name: the members, else the endpoints as node1, node2, …"""
        if self.members:
            return {name: address(text, self.engine) for name, text in self.members.items()}
        texts = self._endpoints()
        return {f"node{i}": address(text, self.engine) for i, text in enumerate(texts, start=1)}

    def _endpoints(self) -> list[str]:
        return list(dict.fromkeys([*self.write, *self.read]))


def address(text: str, software: str) -> Address:
    """The server that `host:port` names.

    Raises:
        UsageError: it names none, several, or a socket.
    """
    family = engine(software).family
    found = parse_addresses(text, "postgres" if family == "postgresql" else "mysql")
    if len(found) != 1 or found[0].socket or found[0].odbc or "://" in text:
        raise UsageError(f"{text!r} is not host:port")
    # nobody knows the usual port of any DBMS
    return replace(found[0], port=0) if family == "odbc" and not _PORT.search(text) else found[0]
