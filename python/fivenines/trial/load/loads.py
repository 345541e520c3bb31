"""All loads of a trial: a generator on each client's host, with a common start and end."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.experiment.sections.clients import LOCAL, ClientPlan
from fivenines.load.program import endpoints_for, start_load
from fivenines.load.run import LOOK, Live, LoadPlan, RunningLoad
from fivenines.results import layout
from fivenines.results.load_summary import LoadSummary
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.trial.deployment.deployed import Deployed

# Time from the agreement on t = 0 to that moment: every generator polls for it every 10 ms.
_LEAD_NS = 300_000_000

# Polling interval for the end of the loads, in seconds.
_END = 0.05


@dataclass(frozen=True)
class Client:
    """A client with its load and its endpoints."""

    plan: ClientPlan
    site: str
    endpoints: Endpoints
    load: RunningLoad


class Loads:
    """All loads of a trial; `start` begins them together.

    A single load starts as soon as it is connected. Several connect one after another, so that each finds the
    tables that the previous one created; then all begin at the same moment.

    Args:
        deployed: the loaded deployment; the clients' hosts are running.
        plans: the clients.
        common: seconds, seed and flags of each load; the seed is that of the first client.
        part: the trial's folder, in which each load gets a folder for its files.
        live: called with the live lines of all loads together.
        before: called when all are connected, just before t = 0; None: no call.
    """

    def __init__(
        self,
        deployed: Deployed,
        plans: Sequence[ClientPlan],
        common: LoadPlan,
        part: Path,
        live: Live,
        before: Callable[[], None] | None = None,
    ) -> None:
        self.clients: list[Client] = []
        self._deployed, self._plans, self._common, self._part = deployed, plans, common, part
        self._before = before
        self._held = len(plans) > 1 or before is not None
        self._sum = LiveSum(len(plans), live)

    @property
    def started_ns(self) -> int:
        """t = 0 on CLOCK_MONOTONIC."""
        return self.clients[0].load.started_ns

    @property
    def ended(self) -> bool:
        """Return whether all of them have ended."""
        return all(client.load.process.ended for client in self.clients)

    def start(self) -> int:
        """Start all loads; return their common t = 0 on CLOCK_MONOTONIC in ns.

        Raises:
            FiveninesError: a load ended, or could not connect in time; the message has its output.
        """
        for number in range(len(self._plans)):
            self.clients.append(self._client(number))
            if self._held:
                self.clients[-1].load.await_ready()
        if self._held:
            if self._before is not None:
                self._before()
            moment = time.monotonic_ns() + _LEAD_NS
            for client in self.clients:
                client.load.release(moment)
        moments = {client.load.await_start() for client in self.clients}
        if len(moments) > 1:
            raise FiveninesError(
                "the loads did not start at the same moment: their records are not comparable"
            )
        return moments.pop()

    def await_moment(self, moment: float, or_end: bool = False) -> None:
        """Wait until this moment (seconds of CLOCK_MONOTONIC), or also for an earlier end of all.

        Raises:
            FiveninesError: a load ended before; the message has its output.
        """
        while (left := moment - time.monotonic()) > 0:
            # Check all of them, so that a dead load is detected before others are done.
            for client in self.clients:
                client.load.require_well(or_end)
            if self._over():
                return
            time.sleep(min(left, LOOK))

    def await_end(self, timeout: float, enough: Callable[[], bool] | None = None) -> list[LoadSummary]:
        """Wait until all have ended by themselves, or there is `enough`; return the summary of each.

        Raises:
            FiveninesError: one failed, or did not end in time (it is then stopped).
        """
        deadline = time.monotonic() + timeout
        while not self._over() and (left := deadline - time.monotonic()) > 0:
            if enough is not None and enough():
                enough = None
                for client in self.clients:
                    client.load.finish()
            time.sleep(min(left, _END))
        return [client.load.await_end(max(0.0, deadline - time.monotonic())) for client in self.clients]

    def _over(self) -> bool:
        """Return whether all have ended, or one has failed: its `await_end` reports that."""
        for client in self.clients:
            if client.load.process.status:
                client.load.await_end(0.0)
            elif client.load.process.drained:
                self._sum.ended(client.plan.name)
        return self.ended

    def stop(self) -> None:
        """Stop the running loads."""
        for client in self.clients:
            if not client.load.process.ended:
                client.load.stop()

    def _client(self, number: int) -> Client:
        plan, deployed, several = self._plans[number], self._deployed, len(self._plans) > 1
        common = self._common
        own = LoadPlan(
            plan.workload,
            plan.connections,
            common.seconds,
            common.seed + number,
            plan.load,
            common.alongside,
            (number + 1, len(self._plans)),
            self._held,
            f"the load of {plan.name}" if several else common.called,
            common.warmup,
        )
        offered = endpoints_of(deployed, plan)
        endpoints = endpoints_for(own.workload.program, offered, deployed.solution.roles.primary)
        out = self._part / (f"{layout.LOAD}-{plan.name}" if several else layout.LOAD)
        load = start_load(
            deployed.clients[plan.name],
            deployed.solution.nodes[0],
            endpoints,
            own,
            out,
            self._sum.hearer(plan.name),
        )
        return Client(plan, deployed.lab.sites.of(plan.name), endpoints, load)


class LiveSum:
    """Adds up the live lines of several loads by second; reports a second once all loads have reported it.

    The last line of an ended load continues to count, without a rate. Percentiles do not add up: the reported
    95th percentile is the longest of the loads', an upper bound of that of all together.
    """

    def __init__(self, count: int, live: Live) -> None:
        self._count, self._live = count, live
        self._waiting: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._last: dict[str, dict[str, Any]] = {}
        self._over: set[str] = set()
        self._lock = threading.Lock()

    def hearer(self, name: str) -> Live:
        """Return the callback for the lines of one load."""
        return lambda line: self._hear(name, line)

    def ended(self, name: str) -> None:
        """Record that a load has no more lines."""
        with self._lock:
            self._over.add(name)
            lines = self._complete_lines()
        for line in lines:
            self._live(line)

    def _hear(self, name: str, line: dict[str, Any]) -> None:
        if self._count == 1:
            self._live(line)
            return
        with self._lock:
            self._waiting[name].append(line)
            lines = self._complete_lines()
        for each in lines:
            self._live(each)

    def _complete_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the seconds that all loads have reported."""
        result = []
        while self._complete():
            lines = []
            for name in {**self._waiting, **self._last}:
                if waiting := self._waiting[name]:
                    lines.append(waiting.pop(0))
                    self._last[name] = {**lines[-1], **_STILL}
                elif name in self._last:
                    lines.append(self._last[name])
            summed = {key: round(sum(line[key] for line in lines), 1) for key in _SUMMED}
            result.append({**summed, **{key: max(line[key] for line in lines) for key in _GREATEST}})
        return result

    def _complete(self) -> bool:
        """Return whether each load has reported its next second or ended, and at least one has reported
        it.
        """
        missing = self._count - sum(map(bool, self._waiting.values()))
        gone = sum(not self._waiting[name] for name in self._over)
        return missing < self._count and missing == gone


_SUMMED = ("tps", "qps", "errors", "ok", "failed", "in_doubt", "connected")
_GREATEST = ("t", "p95_ms")
# Live figures of a load that has ended.
_STILL = {"tps": 0.0, "qps": 0.0, "connected": 0, "p95_ms": 0.0}


def endpoints_of(deployed: Deployed, plan: ClientPlan) -> Endpoints:
    """Return the endpoints of a client."""
    offered, solution = deployed.access.endpoints(), deployed.solution
    if plan.endpoint is None:
        return offered
    if plan.endpoint != LOCAL:
        return offered.only(solution.node(plan.endpoint).client_endpoint)
    site_of = deployed.lab.sites.of
    own = site_of(plan.name)
    return offered.preferring(
        {node.client_endpoint for node in solution.nodes if site_of(node.host.name) == own}
    )
