"""The section `load:` of an experiment, common to all its cells."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration, format_duration
from fivenines.load.bounds import ANSWER, CONNECT, Bound, Keepalive, bound_flags
from fivenines.load.steps import parse_connection_step, parse_step, schedule
from fivenines.load.work import WorkSettings
from fivenines.load.workloads.program import OURS, Programs

Retryable = Literal["deadlock", "conflict", "lock_timeout"]

ReconnectMode = Literal["session", "transaction", "query", "random"]


class LoadSettings(Settings):
    """How the load is generated. Without a rate, each connection runs one transaction at a time."""

    program: Programs = Field(
        [OURS],
        description="load generator: fivenines, sysbench, or a list of both; with both, each "
        "measures every cell, and the report compares them",
    )
    rate: Annotated[float, Field(gt=0, le=10_000_000)] | None = Field(
        None,
        description="transactions per second of all connections together (open loop: response "
        "times count from the intended start); null: closed loop",
    )
    steps: list[str] = Field(
        default_factory=list,
        description="sequence of rates instead of `rate`, as [1000@10s, 2000@10s]; their durations add up "
        "to warm-up and steady window, and the last one continues during the recovery",
    )
    connection_steps: list[str] = Field(
        default_factory=list,
        description="sequence of numbers of connections, as [1000@10s, 4000@10s]; their durations add up to "
        "warm-up and steady window, and the last one continues during the recovery. `connections` must be "
        "the largest of them",
    )
    storm: bool = Field(
        False, description="whether all new connections of a step are opened at once; else 64 at a time"
    )
    transactions: WorkSettings | None = Field(
        None,
        description="fixed work: the load ends after this number of transactions in total, or after "
        "{each: N} per connection; null: it ends after the phases of `timing`",
    )
    cap: Annotated[Duration, Field(gt=0)] | None = Field(
        None,
        description="longest duration of fixed work, after which it is cut; null: 1h, or for a "
        "workload that ends by itself, the phases of `timing`",
    )
    arrivals: Literal["constant", "poisson"] = Field(
        "constant", description="distribution of intended starts, with a rate"
    )
    think_time: Duration = Field(0.0, description="pause of each connection between transactions")
    think_distribution: Literal["constant", "exponential"] = Field(
        "constant", description="distribution of pauses; think_time is their mean"
    )
    burst: bool = Field(
        False, description="whether all connections are opened at t = 0, and the time is measured"
    )
    retries: Annotated[int, Field(ge=0, le=1000)] = Field(
        0, description="how often a failed transaction is retried; response times span all attempts"
    )
    retry_on: list[Retryable] = Field(list(get_args(Retryable)), description="failures to retry after")
    reconnect: ReconnectMode | Annotated[int, Field(ge=0, le=1_000_000_000)] = Field(
        "session",
        description="when to reconnect. session: never; transaction: after each transaction; "
        "query: also after each single statement; random: one of these, drawn for each "
        "transaction; a number N: after N transactions",
    )
    protocol: Literal["prepared", "extended", "simple"] = Field(
        "prepared",
        description="how statements are executed, in pgbench's terms. prepared: each is prepared once per "
        "connection; extended: each execution parses an unnamed statement, as needed "
        "behind a transaction pooler (PostgreSQL only); simple: statements of SQL files are sent as "
        "text with the values in it, as pgbench does by default",
    )
    spread: Literal["first", "all", "random"] | None = Field(
        None, description="endpoint that a connection tries first; null: as set by the access layer"
    )
    read_share: Annotated[float, Field(ge=0, le=100)] | None = Field(
        None,
        description="percentage of read-only transactions sent to the read endpoints, if the "
        "solution's `reads` provides some; null: all",
    )
    answer_timeout: Bound | None = Field(
        ANSWER,
        description="longest wait for the answer to a statement before the client closes the "
        "connection; null: forever",
    )
    connect_timeout: Bound = Field(CONNECT, description="timeout for connecting and logging in")
    keepalive: Keepalive | None = Field(
        default_factory=Keepalive,
        description="TCP keepalive, which closes idle connections to an unreachable host; null: off",
    )
    tcp_user_timeout: Bound | None = Field(
        None,
        description="longest time that sent data may stay unacknowledged (TCP_USER_TIMEOUT); null: the "
        "kernel's default",
    )
    tls: Literal["disable", "prefer", "require", "verify-ca", "verify-full"] = Field(
        "disable", description="TLS mode; servers of the lab have a certificate only if set in `server`"
    )
    tls_ca: str | None = Field(None, description="file with the CA certificate for verify-ca and verify-full")

    def problems(self) -> list[str]:
        """Return problems of the settings as a whole."""
        found: list[str] = []
        for text in self.steps:
            try:
                parse_step(text)
            except ValueError as error:
                found.append(f"steps: {error}")
        found += self._problems_of_connections()
        open_loop = self.rate is not None or bool(self.steps)
        if self.transactions is not None and open_loop:
            found.append("transactions: fixed work is done at full speed: leave `rate` and `steps` out")
        if self.rate is not None and self.steps:
            found.append("rate and steps: the steps define the rates: leave `rate` out")
        if self.arrivals == "poisson" and not open_loop:
            found.append("arrivals: poisson arrivals need a `rate` or `steps`")
        if self.think_time and open_loop:
            found.append("think_time: has no effect with a rate: leave one of them out")
        if self.think_distribution != "constant" and not self.think_time:
            found.append("think_distribution: has no effect without think_time")
        if len(set(self.retry_on)) < len(self.retry_on):
            found.append("retry_on: a failure is repeated")
        if self.retries and not self.retry_on:
            found.append("retry_on: nothing would be retried: list failures, or set retries to 0")
        if self.tls_ca and not self.tls.startswith("verify"):
            found.append(f"tls_ca: has no effect with tls: {self.tls}: set tls to verify-ca or verify-full")
        return found

    def located(self, base: Path) -> "LoadSettings":
        """Return the settings with the absolute path of its file."""
        if not self.tls_ca:
            return self
        return self.model_copy(update={"tls_ca": str(base.absolute() / self.tls_ca)})

    def missing_files(self, base: Path) -> list[str]:
        """Return problems of missing files, relative to the folder `base`."""
        if self.tls_ca and not (base / self.tls_ca).is_file():
            return [f"tls_ca: {base / self.tls_ca}: the file does not exist"]
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
            found.append("storm: needs rising connection_steps, as [4000@10s, 40000@10s]")
        if self.storm and self.burst:
            found.append("storm: has no effect with `burst`: leave one of them out")
        if self.transactions is not None and self.connection_steps:
            found.append("transactions: not possible with `connection_steps`: leave one of them out")
        return found

    def problems_with(self, unbroken: float) -> list[str]:
        """Check the steps against the seconds `unbroken` of the phases before a fault."""
        found = []
        for name, steps in (("steps", self.steps), ("connection_steps", self.connection_steps)):
            try:
                total = sum(parse_step(text).seconds for text in steps)
            except ValueError:
                continue
            if steps and abs(total - unbroken) >= 1e-6:
                found.append(
                    f"load.{name}: the steps last {format_duration(total)}, but timing.warmup and "
                    f"timing.steady {format_duration(unbroken)}: make them equal"
                )
        return found

    def most_connections(self) -> int | None:
        """Return the largest number of connections of the steps; None without steps."""
        steps = [parse_connection_step(text) for text in self.connection_steps]
        return max((int(step.rate) for step in steps), default=None)

    def connected(self, connections: int, seconds: float) -> str:
        """Return the value of the flag for connections, for a load of this many seconds."""
        if not self.connection_steps:
            return str(connections)
        return schedule([parse_connection_step(text) for text in self.connection_steps], seconds)

    def flags(self, seconds: float, warmup: float = 0.0) -> list[str]:
        """Return the flags of `fivenines-core load`; defaults have none.

        Args:
            seconds: longest duration of the load.
            warmup: seconds after which fixed work begins.
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
