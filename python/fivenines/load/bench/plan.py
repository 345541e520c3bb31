"""The plan of a bench: a load against any server of a DSN."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.load.commands import PASSWORD, account_flags, described, endpoint_flags
from fivenines.load.dsn import Address, Dsn
from fivenines.load.settings import LoadSettings
from fivenines.load.work import WorkSettings
from fivenines.load.workloads.settings import WorkloadSettings

# Seconds for a load that ends by itself, when its work is done.
ENDLESS = 365 * 86400.0


@dataclass(frozen=True)
class Filling:
    """How tables are filled: the number of connections, and whether to drop tables first.

    `command` is the command of a Lua script to run instead, as `cleanup`.
    """

    threads: int = 4
    drop: bool = False
    command: str = ""


@dataclass(frozen=True)
class Bench:
    """A load and its servers.

    Attributes:
        dsn: the account, and the candidate servers for writes.
        reads: servers for read-only transactions; empty: those for writes.
        workload: the workload.
        load: the load's settings.
        connections: the number of connections, unless the load has steps of connections.
        seconds: the duration; None: until its work is done.
        transactions: fixed work, after which the load ends; None: it ends after a time.
        bind: source addresses, used in turn; empty: chosen by the kernel.
        search: the bound of a search for the highest rate, as `p99=20ms`.
        seed: seed of all random numbers of the load.
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
        """Return the longest duration of the load, in seconds."""
        return ENDLESS if self.seconds is None else self.seconds

    @property
    def find(self) -> str:
        """Return which server to use: one of several candidates must be writable."""
        return self.dsn.find or ("writable" if len(self.dsn.addresses) > 1 else "any")

    def prepare_commands(self, address: Address, filling: Filling) -> list[tuple[str, list[str]]]:
        """Return the name of each data set, and the command that creates and fills its tables."""
        program = [str(core_binary()), "prepare", *self._account(), *_address(address), *self._tls()]
        # The rows are always the same, as --seed applies to the load.
        how = ["--threads", str(filling.threads), "--seed", "1"]
        how += ["--drop"] if filling.drop else []
        how += ["--command", filling.command] if filling.command else []
        return [
            (workload.family, [*program, *how, *described(workload)]) for workload in self.workload.prepares()
        ]

    def load_command(self, out: Path) -> list[str]:
        """Return the command of the load; results go to `out`."""
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
    """Return the environment with the password."""
    return {PASSWORD: dsn.password}


def _address(address: Address) -> Sequence[str]:
    if address.odbc:
        return ["--odbc", address.odbc]
    if address.socket:
        return ["--socket", address.socket]
    return ["--host", address.host, "--port", str(address.port)]
