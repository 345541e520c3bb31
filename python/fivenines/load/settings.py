"""How the load is driven: one section of an experiment, common to all its cells."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from fivenines.load.bounds import ANSWER, CONNECT, Bound, Keepalive, bound_flags
from fivenines.load.steps import parse_connection_step, parse_step, schedule
from fivenines.load.work import WorkSettings
from fivenines.settings import Settings
from fivenines.units import Duration, format_duration
from fivenines.workloads.program import OURS, Programs

Retryable = Literal["deadlock", "conflict", "lock_timeout"]

ReconnectMode = Literal["session", "transaction", "query", "random"]


class LoadSettings(Settings):
    """How the load is driven. Without a rate each connection runs one transaction after the other."""

    program: Programs = Field(
        [OURS],
        description="which program makes the load, fivenines or sysbench, or both as a list: then each "
        "of them measures every cell, and the report says whether they agree",
    )
    rate: Annotated[float, Field(gt=0, le=10_000_000)] | None = Field(
        None,
        description="transactions per second of all connections together (open loop: response "
        "times count from the intended start); null: closed loop",
    )
    steps: list[str] = Field(
        default_factory=list,
        description="rates one after another instead of `rate`, as [1000@10s, 2000@10s], together "
        "as long as warm-up and steady window; the last one goes on through the recovery",
    )
    connection_steps: list[str] = Field(
        default_factory=list,
        description="numbers of connections one after another, as [1000@10s, 4000@10s], together as long as "
        "warm-up and steady window; the last one goes on through the recovery. `connections` is then their "
        "greatest number",
    )
    storm: bool = Field(
        False,
        description="where connection_steps rise, all new connections are made at once; else 64 at a time",
    )
    transactions: WorkSettings | None = Field(
        None,
        description="fixed work: the load ends when so many transactions are done, of all connections "
        "together, or {each: N} of each; null: it ends after the phases of `timing`",
    )
    cap: Annotated[Duration, Field(gt=0)] | None = Field(
        None,
        description="longest time that fixed work may take, after which it is cut; null: 1h, or for a "
        "workload that ends by itself the phases of `timing`",
    )
    arrivals: Literal["constant", "poisson"] = Field(
        "constant", description="how starts are spread in time, with a rate"
    )
    think_time: Duration = Field(0.0, description="pause of a connection between transactions")
    think_distribution: Literal["constant", "exponential"] = Field(
        "constant", description="the same pause each time, or one with this mean"
    )
    burst: bool = Field(False, description="all connections connect at t = 0, which is measured")
    retries: Annotated[int, Field(ge=0, le=1000)] = Field(
        0, description="how often a failed transaction is tried again; its time spans all attempts"
    )
    retry_on: list[Retryable] = Field(
        list(get_args(Retryable)), description="the failures that are tried again"
    )
    reconnect: ReconnectMode | Annotated[int, Field(ge=0, le=1_000_000_000)] = Field(
        "session",
        description="when a connection is left for a new one. session: never; transaction: after each; "
        "query: also after each statement outside of a transaction; random: one of these, drawn for each "
        "transaction; a number: after so many transactions",
    )
    protocol: Literal["prepared", "extended"] = Field(
        "prepared",
        description="how statements are executed, in pgbench's words. prepared: each is prepared once for "
        "each connection; extended: each execution parses its statement, which has no name, so that it works "
        "behind a pooler that changes the server between two transactions (PostgreSQL only)",
    )
    spread: Literal["first", "all", "random"] | None = Field(
        None, description="which endpoint connections start with; null: as the access layer says"
    )
    read_share: Annotated[float, Field(ge=0, le=100)] | None = Field(
        None,
        description="percentage of read-only transactions that go to the read endpoints, where the "
        "solution's `reads` offers some; null: all",
    )
    answer_timeout: Bound | None = Field(
        ANSWER,
        description="how long a client waits for the answer to a statement before it gives the "
        "connection up; null: for ever",
    )
    connect_timeout: Bound = Field(
        CONNECT, description="how long connecting and logging in may take together"
    )
    keepalive: Keepalive | None = Field(
        default_factory=Keepalive,
        description="TCP keepalive, which ends idle connections to a host that is gone; null: off",
    )
    tcp_user_timeout: Bound | None = Field(
        None,
        description="how long sent data may stay unacknowledged (TCP_USER_TIMEOUT); null: as long "
        "as the kernel tries",
    )
    tls: Literal["disable", "prefer", "require", "verify-ca", "verify-full"] = Field(
        "disable",
        description="encryption; servers of the lab have a certificate only if `server` "
        "settings give them one",
    )
    tls_ca: str | None = Field(None, description="file with the authority that verify-* trusts")

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        found: list[str] = []
        for text in self.steps:
            try:
                parse_step(text)
            except ValueError as error:
                found.append(f"steps: {error}")
        found += self._problems_of_connections()
        open_loop = self.rate is not None or bool(self.steps)
        if self.transactions is not None and open_loop:
            found.append(
                "transactions: fixed work is done as fast as it goes, so leave `rate` and `steps` out"
            )
        if self.rate is not None and self.steps:
            found.append("rate and steps: the steps say all rates, leave `rate` out")
        if self.arrivals == "poisson" and not open_loop:
            found.append("arrivals: poisson arrivals need a `rate` or `steps`")
        if self.think_time and open_loop:
            found.append("think_time: with a rate, starts do not depend on pauses; set one of them")
        if self.think_distribution != "constant" and not self.think_time:
            found.append("think_distribution: there is no think_time")
        if len(set(self.retry_on)) < len(self.retry_on):
            found.append("retry_on: a failure stands in the list twice")
        if self.retries and not self.retry_on:
            found.append("retry_on: nothing would be tried again; name failures or set retries to 0")
        if self.tls_ca and not self.tls.startswith("verify"):
            found.append(f"tls_ca: {self.tls} verifies nothing; set tls to verify-ca or verify-full")
        return found

    def located(self, base: Path) -> "LoadSettings":
        """The same, with the file that it names as an absolute path."""
        if not self.tls_ca:
            return self
        return self.model_copy(update={"tls_ca": str(base.absolute() / self.tls_ca)})

    def missing_files(self, base: Path) -> list[str]:
        """The files that it names, relative to the folder `base`, and that are not there."""
        if self.tls_ca and not (base / self.tls_ca).is_file():
            return [f"tls_ca: {base / self.tls_ca}: there is no such file"]
        return []

    def _problems_of_connections(self) -> list[str]:
        found: list[str] = []
        numbers: list[float] = []
        for text in self.connection_steps:
            try:
                numbers.append(parse_connection_step(text).rate)
            except ValueError as error:
                found.append(f"connection_steps: {error}")
        if self.storm and not found and not any(a < b for a, b in pairwise(numbers)):
            found.append("storm: connections must rise, as in connection_steps: [4000@10s, 40000@10s]")
        if self.storm and self.burst:
            found.append("storm: with `burst` all connections are made at once anyway; set one of them")
        if self.transactions is not None and self.connection_steps:
            found.append("transactions: the connections of fixed work stay, so leave `connection_steps` out")
        return found

    def problems_with(self, unbroken: float) -> list[str]:
        """What is wrong between the steps and the phases before a fault, which last so many seconds."""
        found = []
        for name, steps in (("steps", self.steps), ("connection_steps", self.connection_steps)):
            try:
                total = sum(parse_step(text).seconds for text in steps)
            except ValueError:
                continue
            if steps and abs(total - unbroken) >= 1e-6:
                found.append(
                    f"load.{name}: the steps last {format_duration(total)}, timing.warmup and "
                    f"timing.steady {format_duration(unbroken)}: make them equal"
                )
        return found

    def most_connections(self) -> int | None:
        """The greatest number of the steps of connections; None without steps."""
        steps = [parse_connection_step(text) for text in self.connection_steps]
        return max((int(step.rate) for step in steps), default=None)

    def connected(self, connections: int, seconds: float) -> str:
        """The connections of a load of so many seconds, as the program reads them."""
        if not self.connection_steps:
            return str(connections)
        return schedule([parse_connection_step(text) for text in self.connection_steps], seconds)

    def flags(self, seconds: float, warmup: float = 0.0) -> list[str]:
        """The flags of `fivenines-core load`; what is as usual has none.

        Args:
            seconds: the load takes so long at most.
            warmup: fixed work begins so long after the start.
        """
        flags = self.transactions.flags(warmup) if self.transactions is not None else []
        if self.steps:
            flags += ["--rate", schedule([parse_step(text) for text in self.steps], seconds)]
        elif self.rate is not None:
            flags += ["--rate", f"{self.rate:.15g}"]
        if self.arrivals != "constant":
            flags += ["--arrivals", self.arrivals]
        if self.think_time:
            flags += ["--think-time", format_duration(self.think_time)]
            flags += ["--think-distribution", self.think_distribution]
        flags += ["--burst"] if self.burst else []
        flags += ["--storm"] if self.storm else []
        if self.retries:
            flags += ["--retries", str(self.retries), "--retry-on", ",".join(self.retry_on)]
        if self.reconnect not in {0, "session"}:
            flags += ["--reconnect", str(self.reconnect)]
        if self.protocol != "prepared":
            flags += ["--protocol", self.protocol]
        if self.read_share is not None:
            flags += ["--read-share", f"{self.read_share:.15g}"]
        flags += bound_flags(self.answer_timeout, self.connect_timeout, self.keepalive, self.tcp_user_timeout)
        flags += ["--tls", self.tls]
        flags += ["--tls-ca", self.tls_ca] if self.tls_ca else []
        return flags
