"""Settings of an external cluster: its endpoints, the account, and hooks for faults."""

import os
import re
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.errors import UsageError
from fivenines.base.settings import Settings
from fivenines.base.units import Duration
from fivenines.lab.processes import placeholders
from fivenines.load.dsn import Address, parse_addresses
from fivenines.load.odbc import ConnectionStringError, split_password
from fivenines.servers.external.external_odbc import NO_ROLE
from fivenines.software.store import engine
from fivenines.solutions.durability import STRICT
from fivenines.solutions.external.checks import ExternalChecks
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

_PORT = re.compile(r":\d+$")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
# Names of hosts in faults that an external cluster does not have.
_WORDS = ("proxy", "manager")


class Hooks(Settings):
    """Shell commands, run on this machine. `{node}`, `{host}` and `{port}` stand for those of the member."""

    kill: str = Field("", description="kills a server, for the fault `kill`")
    stop: str = Field("", description="shuts a server down cleanly, for the fault `stop`")
    host_kill: str = Field(
        "",
        description="kills all processes of a host and silences its network, for the fault `host-kill`; data "
        "is at risk only if it also discards the page cache, as a power-off does",
    )
    restart: str = Field(
        "",
        description="starts a server again after `kill`, `stop` and `host-kill`, and injects the fault "
        "`restart`; `true` if another tool starts it",
    )
    freeze: str = Field("", description="suspends a server, for the fault `freeze`")
    thaw: str = Field("", description="ends `freeze`")
    partition: str = Field("", description="isolates a member, for the fault `partition`")
    heal: str = Field("", description="ends `partition`")
    stall: str = Field(
        "", description="stops a replica from applying changes, for the fault `stalled-replica`"
    )
    unstall: str = Field("", description="ends `stall`")
    switchover: str = Field(
        "", description="moves the primary's role to another member, for the fault `switchover`"
    )
    timeout: Annotated[Duration, Field(gt=0)] = Field(30.0, description="timeout of a command")

    def problems(self) -> list[str]:
        fields = {f"hooks.{name}": getattr(self, name) for name in type(self).model_fields}
        return placeholders.problems({key: text for key, text in fields.items() if isinstance(text, str)})


class ExternalSettings(SolutionSettings):
    """An existing cluster by its endpoints: nothing is deployed, and only the database is changed."""

    checks_type = ExternalChecks

    external = True

    can_be_vms = False

    solution: Literal["external"] = Field(description="an existing cluster")
    engine: Literal["external-postgres", "external-mariadb", "external-mysql", "external-odbc"] = Field(
        description="kind of server. external-odbc: any DBMS; all access is through `odbc`, including "
        "loading tables and reading the ledger; copies are not compared, and servers report neither lag nor "
        "counters"
    )
    write: list[str] = Field(
        default_factory=list, description="endpoints for writes: [host:port, ...]; empty: the members"
    )
    read: list[str] = Field(
        default_factory=list,
        description="endpoints for single reads: [host:port, ...]; empty: those for writes",
    )
    members: dict[str, str] = Field(
        default_factory=dict,
        description="the servers, as {db1: host:port}, for checks and observation; empty: the endpoints",
    )
    find: Literal["writable", "any"] | None = Field(
        None,
        description="whether clients look for the writable endpoint, or use any; null: they look if there "
        "are several",
    )
    writers: Literal["one", "all"] = Field(
        "one",
        description="how many servers are writable by design; with one, two writable servers are a split "
        "brain",
    )
    user: Annotated[str, Field(min_length=1)] = Field(
        description="database account; with external-odbc, `odbc` names account and database by its own "
        "keywords"
    )
    password_env: str = Field("", description="environment variable with its password; empty: no password")
    database: Annotated[str, Field(min_length=1)] = Field(description="database that is written to")
    odbc: str = Field(
        "",
        description="ODBC connection string with {host} and {port}, without a password. The load, its ledger "
        "and its new connections use this driver, with the password of `password_env`; all checks use the "
        "server's own protocol. TLS and keepalive are keywords of the driver. Empty: no ODBC. Required with "
        "external-odbc, where {port} may be missing",
    )
    dialect: Literal["", "mysql", "postgres", "soliddb", "oracle", "sqlserver", "db2"] = Field(
        "",
        description="with external-odbc, the SQL dialect of the servers; empty: derived from the DBMS' name",
    )
    tls: Literal["disable", "prefer", "require", "verify-ca", "verify-full"] = Field(
        "prefer", description="TLS of fivenines' own connections; for the load see `load: {tls: ...}`"
    )
    tls_ca: str | None = Field(None, description="file with the certificate authority for verify-*")
    prepare: bool = Field(
        True, description="whether to create and fill the workload's tables; false: they exist"
    )
    existing: Literal["refuse", "reuse", "replace"] = Field(
        "refuse",
        description="with `prepare`, what to do with tables that exist when a run begins. refuse: end with "
        "an error; reuse: use tables that fivenines has loaded completely; replace: drop and load them again",
    )
    compare: bool = Field(
        True, description="whether to compare all tables of the database between the members after a trial"
    )
    ledger: Literal["drop", "keep"] = Field(
        "drop",
        description="whether to drop or keep the tables fivenines_ledger and fivenines_probes after a trial",
    )
    hooks: Hooks = Field(default_factory=Hooks, description="commands that inject and end faults")

    def default_name(self) -> str:
        return "external"

    @property
    def traits(self) -> Traits:
        return Traits(
            nodes=len(self.members) or len(self._endpoints()),
            single_writer=self.writers == "one",
            # The failure detector is unknown: 10 s is Patroni's default, the longest of the common ones.
            watch_period=10.0,
        )

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        problems = [*self._address_problems(), *self._foreign()]
        if not self.write and not self.members:
            problems.append("write: name the endpoints for writes, or the members")
        problems += [
            f"members: {name!r} is not a valid name: use letters and digits, with . _ - between them, and no "
            "reserved name such as client"
            for name in self.members
            if not _NAME.fullmatch(name) or name in (*self.topology().host_names, *_WORDS)
        ]
        if self.password_env and self.password_env not in os.environ:
            problems.append(
                f"password_env: the environment has no variable {self.password_env}: set it to the password"
            )
        problems += self._odbc_problems()
        if self.any_dbms and (problem := self.problem_with_roles(self.dialect)):
            problems.append(problem)
        if self.any_dbms and (self.tls != "prefer" or self.tls_ca):
            problems.append("tls: an ODBC driver controls TLS: set it with a keyword of the driver in `odbc`")
        if self.tls_ca and not self.tls.startswith("verify"):
            problems.append(
                f"tls_ca: tls: {self.tls} verifies no certificate; set tls to verify-ca or verify-full"
            )
        return problems

    @property
    def any_dbms(self) -> bool:
        """Return whether the servers are reached through ODBC only."""
        return self.engine == "external-odbc"

    def _odbc_problems(self) -> list[str]:
        if self.dialect and not self.any_dbms:
            return [f"dialect: {self.engine} has a fixed dialect: leave it out"]
        if not self.odbc:
            return ["odbc: external-odbc needs a connection string: set it"] if self.any_dbms else []
        required = ("{host}",) if self.any_dbms else ("{host}", "{port}")
        missing = [word for word in required if word not in self.odbc]
        if missing:
            return [f"odbc: it must contain {' and '.join(missing)} in place of those of an endpoint"]
        try:
            _, password = split_password(self.connection_string(Address("host", 1)))
        except ConnectionStringError as error:
            return [f"odbc: {error}"]
        if password is not None:
            return [
                "odbc: a connection string in a file must not contain a password: leave it out, and use "
                "password_env"
            ]
        return []

    def connection_string(self, where: Address) -> str:
        """Return the connection string for a server, without its password."""
        return self.odbc.replace("{host}", where.host).replace("{port}", str(where.port))

    def client_endpoint(self, where: Address) -> str:
        """Return how clients reach a server: host:port, or its ODBC connection string."""
        return str(Address("", odbc=self.connection_string(where)) if self.odbc else where)

    def _address_problems(self) -> list[str]:
        problems = []
        for key, texts in (("write", self.write), ("read", self.read), ("members", self.members)):
            addresses = texts.values() if isinstance(texts, dict) else texts
            for text in addresses:
                try:
                    where = address(text, self.engine)
                except UsageError as error:
                    problems.append(f"{key}: {error}")
                else:
                    if not where.port and "{port}" in self.odbc:
                        problems.append(f"{key}: {text!r} has no port, but `odbc` contains {{port}}")
        return problems

    def written_to(self) -> list[str]:
        """Return the endpoints for writes: those of `write`, else the members."""
        return self.write or list(self.members.values())

    def looked_for(self) -> Literal["writable", "any"]:
        """Return whether clients look for the writable endpoint."""
        return self.find or ("writable" if len(self.written_to()) > 1 else "any")

    def problem_with_roles(self, dialect: str) -> str:
        """Return why clients cannot find the writable node in this dialect; empty: they can, or need not."""
        if dialect not in NO_ROLE or self.looked_for() == "any":
            return ""
        return (
            f"find: fivenines has no query for the role in {dialect}: name one endpoint in `write` that "
            "leads to the primary, or set `find: any`"
        )

    def _foreign(self) -> list[str]:
        """Return settings that apply only to solutions that fivenines deploys."""
        foreign = {
            "server": bool(self.server),
            "limits": self.limits != type(self).model_fields["limits"].get_default(call_default_factory=True),
            "durability": self.durability != STRICT,
            "access": self.access.kind != "direct",
        }
        problems = [
            f"{key}: fivenines does not set up this cluster: leave it out"
            for key, given in foreign.items()
            if given
        ]
        if self.reads != "primary":
            problems.append("reads: name the endpoints for reads in `read:`")
        return problems

    def addresses(self) -> dict[str, Address]:
        """Return the servers by name: the members, else the endpoints as node1, node2, …"""
        if self.members:
            return {name: address(text, self.engine) for name, text in self.members.items()}
        texts = self._endpoints()
        return {f"node{i}": address(text, self.engine) for i, text in enumerate(texts, start=1)}

    def _endpoints(self) -> list[str]:
        return list(dict.fromkeys([*self.write, *self.read]))


def address(text: str, software: str) -> Address:
    """Parse `host:port`.

    Raises:
        UsageError: it names no server, several, or a socket.
    """
    family = engine(software).family
    addresses = parse_addresses(text, "postgres" if family == "postgresql" else "mysql")
    if len(addresses) != 1 or addresses[0].socket or addresses[0].odbc or "://" in text:
        raise UsageError(f"{text!r} is not host:port")
    # There is no common default port for an unknown DBMS.
    return replace(addresses[0], port=0) if family == "odbc" and not _PORT.search(text) else addresses[0]
