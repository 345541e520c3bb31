"""A running load: `fivenines-core load` on the client host, its live figures and its files."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host
from fivenines.load.commands import account, described, endpoint_flags, secret
from fivenines.load.process import LoadProcess
from fivenines.load.settings import LoadSettings
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.results.load_summary import LOAD_SUMMARY, LoadSummary
from fivenines.servers.base import Server
from fivenines.servers.cluster.endpoints import Endpoints

# Interval at which the load writes live figures (`layout.TICKS`).
TICK = "100ms"

# Seconds between two checks whether it is running.
LOOK = 0.25

# The file with the start time of a waiting load.
_START = "start"

# The file with its error output.
_ERRORS = "load.err"

# Called with each live line: t, tps, qps, p95_ms, errors, in_doubt, connected.
Live = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class LoadPlan:
    """The plan of a load; `alongside` are flags for additional workloads."""

    workload: WorkloadSettings
    connections: int
    seconds: float
    seed: int
    settings: LoadSettings = field(default_factory=LoadSettings)
    alongside: Sequence[str] = ()
    # The number of the load, and the number of loads on the same servers.
    one_of: tuple[int, int] = (1, 1)
    # Whether the load waits for `release` after connecting.
    held: bool = False
    # Its name in messages.
    called: str = "the load"
    # Seconds of warm-up, after which fixed work begins.
    warmup: float = 0.0


class RunningLoad:
    """The load generator of a trial. It starts at once; `out` is the folder of its files."""

    def __init__(
        self, host: Host, server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path, live: Live
    ) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.host = host
        self.plan = plan
        host.files.lend(out)
        self.started_ns = 0
        self._called = plan.called
        self.live = live
        self._ready = threading.Event()
        self._begun = threading.Event()
        self.process = LoadProcess(
            host.commands.outside([*self.command(server, endpoints, plan, out), *_binds(host)]),
            self.environment(server),
            out / _ERRORS,
        )
        # A subclass reads the process's state at each line, so lines are read from here on.
        self.process.listen(self.read_line)

    def await_start(self, timeout: float = 30.0) -> int:
        """Wait until the load has started; return t = 0 in ns of CLOCK_MONOTONIC.

        Raises:
            FiveninesError: it ended, or did not start in time; with its last output.
        """
        self._await(self._begun, timeout)
        return self.started_ns

    def await_ready(self, timeout: float = 30.0) -> None:
        """Wait until a waiting load has connected.

        Raises:
            FiveninesError: it ended, or could not connect in time; with its last output.
        """
        self._await(self._ready, timeout)

    def release(self, moment_ns: int) -> None:
        """Start a waiting load: t = 0 is this moment of CLOCK_MONOTONIC."""
        self.host.files.put(self.out / _START, f"{self.host.clock.its_moment(moment_ns)}\n")

    def _await(self, event: threading.Event, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while not event.wait(0.05):
            if self.process.ended or time.monotonic() > deadline:
                raise FiveninesError(f"{self._called} did not start: {self.last_output()}")

    def await_moment(self, moment: float, or_end: bool = False) -> None:
        """Wait until a moment in seconds of CLOCK_MONOTONIC, or with `or_end` until the load's end.

        Raises:
            FiveninesError: the load ended early; with its last output.
        """
        while (left := moment - time.monotonic()) > 0:
            if self.require_well(or_end):
                return
            time.sleep(min(left, LOOK))

    def require_well(self, or_end: bool = False) -> bool:
        """Return whether the load has ended, which is permitted only with `or_end` and success.

        Raises:
            FiveninesError: it ended otherwise; with its last output.
        """
        if not self.process.ended:
            return False
        if or_end and self.process.status == 0:
            return True
        raise FiveninesError(f"{self._called} ended too early: {self.last_output()}")

    def await_end(self, timeout: float) -> LoadSummary:
        """Wait until the load has ended by itself; return its summary.

        Raises:
            FiveninesError: it failed, or did not end in time and was stopped.
        """
        status = self.process.wait(timeout)
        if status is None:
            self.stop()
            raise FiveninesError(f"{self._called} did not end within {timeout:.0f} s")
        self.host.files.bring_back(self.out)
        if status != 0:
            raise FiveninesError(f"{self._called} failed: {self.last_output()}")
        return self.result()

    def finish(self) -> None:
        """Let the load end as at the end of its time; returns at once."""
        self.process.finish()

    def stop(self, timeout: float = 10.0) -> None:
        """Stop the load early; it writes its results so far."""
        self.process.stop(timeout)

    def begun(self, moment_ns: int) -> None:
        """Record the start of the load, in ns of CLOCK_MONOTONIC."""
        self.started_ns = moment_ns
        self._begun.set()

    def command(self, server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path) -> list[str]:
        """Return the command line of the load generator."""
        return _command(server, endpoints, plan, out)

    def environment(self, server: Server) -> dict[str, str]:
        """Return the load generator's additional environment variables."""
        return secret(server)

    def read_line(self, line: str) -> None:
        """Process a line of the program's output."""
        event = json.loads(line)
        if event["event"] == "ready":
            self._ready.set()
        elif event["event"] == "started":
            self.begun(self.host.clock.our_moment(event["monotonic_ns"]))
        elif event["event"] == "live":
            self.live(event)

    def result(self) -> LoadSummary:
        """Return the result of the ended load.

        Raises:
            FiveninesError: the summary lacks a number that each load has.
        """
        return LoadSummary.read(self.out / LOAD_SUMMARY)

    def last_output(self) -> str:
        """Return its last output, for messages."""
        return self.process.last_errors()


def _command(server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path) -> list[str]:
    command = [str(core_binary()), "load", *account(server)]
    command += endpoint_flags(endpoints.write, endpoints.read, endpoints.find)
    command += ["--spread", plan.settings.spread or endpoints.spread]
    command += ["--connections", plan.settings.connected(plan.connections, plan.seconds)]
    command += ["--duration", f"{plan.seconds:g}"]
    command += [*plan.alongside, "--seed", str(plan.seed)]
    command += ["--live", "--tick", TICK, "--out", str(out), *plan.settings.flags(plan.seconds, plan.warmup)]
    if plan.one_of != (1, 1):
        command += ["--one-of", "/".join(map(str, plan.one_of))]
    if plan.held:
        command += ["--start-file", str(out / _START)]
    return [*command, *described(plan.workload)]


def _binds(host: Host) -> list[str]:
    """Return the flag for the source addresses of a host with several addresses."""
    if not host.addresses.extra:
        return []
    return ["--bind", ",".join([host.address, *host.addresses.extra])]
