"""What is asked of the load generator alone: against any running server that a DSN names."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fivenines.core import core_binary
from fivenines.load.commands import PASSWORD, account_flags, described, endpoint_flags
from fivenines.load.dsn import Address, Dsn
from fivenines.load.settings import LoadSettings
from fivenines.load.work import WorkSettings
from fivenines.workloads.settings import WorkloadSettings

# Seconds for a load that ends by itself, when its work is done.
ENDLESS = 365 * 86400.0


@dataclass(frozen=True)
class Filling:
    """How tables are made and filled: by so many connections, after dropping those of these names."""

    threads: int = 4
    drop: bool = False


@dataclass(frozen=True)
class Bench:
    """A load, and the servers that it is for.

    Attributes:
        dsn: the account, and where writes go: candidates in their order.
        reads: where read-only transactions go; none: where writes go.
        workload: what is run.
        load: how it is driven.
        connections: how many, unless the load has steps of connections.
        seconds: how long; None: until its work is done.
        transactions: fixed work, after which the load ends; None: it ends after a time.
        bind: addresses of this machine to connect from, in turn; none: as the kernel chooses.
        search: the bound, as `p99=20ms`, for which the highest rate is looked for.
        seed: of all random numbers of the load.
    """

    dsn: Dsn
    workload: WorkloadSettings
    load: LoadSettings = field(default_factory=LoadSettings)
    reads: tuple[Address, ...] = ()
    connections: int = 8
    seconds: float | None = 10.0
    transactions: WorkSettings | None = None
    bind: tuple[str, ...] = ()
    search: str = ""
    seed: int = 1

    @property
    def bound(self) -> float:
        """Seconds after which the load ends at the latest."""
        return ENDLESS if self.seconds is None else self.seconds

    @property
    def find(self) -> str:
        """Which server to take: several are candidates of which one takes writes."""
        return self.dsn.find or ("writable" if len(self.dsn.addresses) > 1 else "any")

    def prepare_commands(self, address: Address, filling: Filling) -> list[tuple[str, list[str]]]:
        """Make the tables and fill them: each data set's name, and the command for it."""
        program = [str(core_binary()), "prepare", *self._account(), *_address(address), *self._tls()]
        # always the same rows: --seed is the load's
        how = ["--threads", str(filling.threads), "--seed", "1"]
        how += ["--drop"] if filling.drop else []
        return [(one.family, [*program, *how, *described(one)]) for one in self.workload.prepares()]

    def load_command(self, out: Path) -> list[str]:
        """Put the servers under load; results go to `out`."""
        command = [str(core_binary()), "load", *self._account()]
        command += endpoint_flags(self.dsn.addresses, self.reads, self.find)
        if self.load.spread:
            command += ["--spread", self.load.spread]
        command += ["--connections", self.load.connected(self.connections, self.bound)]
        if self.seconds is not None or not self.search:
            command += ["--duration", f"{self.bound:.15g}"]
        if self.transactions is not None:
            command += self.transactions.flags(0.0)
        if self.search:
            command += ["--search", self.search]
        command += ["--bind", ",".join(self.bind)] if self.bind else []
        command += ["--seed", str(self.seed), "--out", str(out), "--live"]
        command += self.load.flags(self.bound)
        return [*command, *described(self.workload)]

    def _tls(self) -> list[str]:
        mode, authority = self.load.tls, self.load.tls_ca
        return ["--tls", mode, *(["--tls-ca", authority] if authority else [])]

    def _account(self) -> list[str]:
        account = account_flags(self.dsn.driver, self.dsn.user, self.dsn.database)
        return [*account, *self.dsn.session.flags()]


def secret(dsn: Dsn) -> dict[str, str]:
    """The environment that carries the password."""
    return {PASSWORD: dsn.password}


def _address(address: Address) -> Sequence[str]:
    if address.odbc:
        return ["--odbc", address.odbc]
    if address.socket:
        return ["--socket", address.socket]
    return ["--host", address.host, "--port", str(address.port)]
