"""A load at work: `fivenines-core load` on the client host, its live figures, its files."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from fivenines.cluster.endpoints import Endpoints
from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.lab.host import Host
from fivenines.lab.process_tree import below
from fivenines.load.commands import account, described, endpoint_flags, secret
from fivenines.load.settings import LoadSettings
from fivenines.servers.base import Server
from fivenines.workloads.settings import WorkloadSettings

TICK = "100ms"
"""How often the load writes a line for those who watch (`layout.TICKS`)."""

LOOK = 0.25
"""Seconds between two looks whether it still runs."""

_START = "start"
"""The file with the moment at which a load that is held begins."""

Live = Callable[[dict[str, Any]], None]
"""Called with each live line: t, tps, qps, p95_ms, errors, in_doubt, connected."""


@dataclass(frozen=True)
class LoadPlan:
    """What is to be run: `seconds` in all, with `connections` and what runs beside the load, as flags."""

    workload: WorkloadSettings
    connections: int
    seconds: float
    seed: int
    settings: LoadSettings = field(default_factory=LoadSettings)
    beside: Sequence[str] = ()
    one_of: tuple[int, int] = (1, 1)
    """Which of how many loads at the same servers, from 1."""
    held: bool = False
    """Whether it connects, and then waits for the moment of `release`."""
    called: str = "the load"
    """How messages call it."""
    warmup: float = 0.0
    """So many of the seconds are not measured: fixed work begins then; other programs are told."""


class RunningLoad:
    """The load generator of one trial. Starts at once; `out` is the folder of its files."""

    def __init__(
        self, host: Host, server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path, live: Live
    ) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.host = host
        self.plan = plan
        host.lend(out)
        self.started_ns = 0
        self._called = plan.called
        self.live = live
        self._ready = threading.Event()
        self._begun = threading.Event()
        self._errors = (out / "load.err").open("w+")
        self._process = subprocess.Popen(
            host.outside([*self.command(server, endpoints, plan, out), *_binds(host)]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, **self.environment(server)},
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def await_start(self, timeout: float = 30.0) -> int:
        """Wait until the load runs; the moment t = 0 on CLOCK_MONOTONIC in ns.

        Raises:
            FiveninesError: it ended, or did not begin in time; with what it said.
        """
        self._await(self._begun, timeout)
        return self.started_ns

    def await_ready(self, timeout: float = 30.0) -> None:
        """Wait until a load that is held has its connections, and waits for `release`.

        Raises:
            FiveninesError: it ended, or could not connect in time; with what it said.
        """
        self._await(self._ready, timeout)

    def release(self, moment_ns: int) -> None:
        """Let a load that is held begin: t = 0 is this moment of CLOCK_MONOTONIC."""
        self.host.put(self.out / _START, f"{self.host.its_moment(moment_ns)}\n")

    def _await(self, event: threading.Event, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while not event.wait(0.05):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise FiveninesError(f"{self._called} did not start: {self.said()}")

    def await_moment(self, moment: float, or_end: bool = False) -> None:
        """Wait until this moment (seconds of CLOCK_MONOTONIC), or also for an earlier end.

        Raises:
            FiveninesError: the load ended before; with what it said.
        """
        while (left := moment - time.monotonic()) > 0:
            if self.require_well(or_end):
                return
            time.sleep(min(left, LOOK))

    def require_well(self, or_end: bool = False) -> bool:
        """Whether it has ended, as it may with `or_end` where it did all of its work.

        Raises:
            FiveninesError: it ended otherwise; with what it said.
        """
        if not self.ended:
            return False
        if or_end and self._process.returncode == 0:
            return True
        raise FiveninesError(f"{self._called} ended too early: {self.said()}")

    def await_end(self, timeout: float) -> dict[str, Any]:
        """Wait until the load has ended by itself; what it wrote to load.json.

        Raises:
            FiveninesError: it failed, or did not end in time (it is then stopped).
        """
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            self.stop()
            raise FiveninesError(f"{self._called} did not end within {timeout:.0f} s") from error
        self._reader.join(5.0)
        self.host.bring_back(self.out)
        if status != 0:
            raise FiveninesError(f"{self._called} failed: {self.said()}")
        return self.result()

    @property
    def pid(self) -> int:
        """What was started: the load itself, or what stands above it."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """How it ended; None: it runs."""
        return self._process.poll()

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    @property
    def told_all(self) -> bool:
        """Whether it has ended, and each of its lines was heard."""
        return self.ended and not self._reader.is_alive()

    def finish(self) -> None:
        """Let it begin no more transactions; returns at once, and it ends as at the end of its time."""
        for child in children(self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    def stop(self, timeout: float = 10.0) -> None:
        """End it early; it writes what it has."""
        self.finish()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            for child in children(self._process.pid):
                os.kill(child, signal.SIGKILL)
            self._process.kill()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.heard(line)

    def begun(self, moment_ns: int) -> None:
        """It runs, since this moment of CLOCK_MONOTONIC."""
        self.started_ns = moment_ns
        self._begun.set()

    def command(self, server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path) -> list[str]:
        """The program that makes the load, with its arguments."""
        return _command(server, endpoints, plan, out)

    def environment(self, server: Server) -> dict[str, str]:
        """What the program needs in its environment beside our own."""
        return secret(server)

    def heard(self, line: str) -> None:
        """The program wrote a line."""
        event = json.loads(line)
        if event["event"] == "ready":
            self._ready.set()
        elif event["event"] == "started":
            self.begun(self.host.our_moment(event["monotonic_ns"]))
        elif event["event"] == "live":
            self.live(event)

    def result(self) -> dict[str, Any]:
        """What it came to, once it has ended."""
        result: dict[str, Any] = json.loads((self.out / "load.json").read_text())
        return result

    def said(self) -> str:
        """What it said last; for messages."""
        self._errors.flush()
        text = (self.out / "load.err").read_text(errors="replace").strip()
        return text[-500:] or f"exit code {self._process.poll()}"


def _command(server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path) -> list[str]:
    command = [str(core_binary()), "load", *account(server)]
    command += endpoint_flags(endpoints.write, endpoints.read, endpoints.find)
    command += ["--spread", plan.settings.spread or endpoints.spread]
    command += ["--connections", plan.settings.connected(plan.connections, plan.seconds)]
    command += ["--duration", f"{plan.seconds:g}"]
    command += [*plan.beside, "--seed", str(plan.seed)]
    command += ["--live", "--tick", TICK, "--out", str(out), *plan.settings.flags(plan.seconds, plan.warmup)]
    if plan.one_of != (1, 1):
        command += ["--one-of", "/".join(map(str, plan.one_of))]
    if plan.held:
        command += ["--start-file", str(out / _START)]
    return [*command, *described(plan.workload)]


def _binds(host: Host) -> list[str]:
    """Where its connections come from, in turn, where a host has several addresses."""
    if not host.extra_addresses:
        return []
    return ["--bind", ",".join([host.address, *host.extra_addresses])]


def children(pid: int) -> list[int]:
    """The load itself: what is below its starter, or the process alone where nothing stands above it."""
    return [child.pid for child in below(pid)] or ([pid] if psutil.pid_exists(pid) else [])
