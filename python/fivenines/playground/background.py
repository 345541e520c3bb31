"""The load that `up --load` keeps running: as in a trial, with the ledger beside it, until `down`."""

import time
from dataclasses import replace
from typing import Any

from fivenines.deployment.deployed import Deployed
from fivenines.errors import brief
from fivenines.experiment.ledger import LedgerSettings, ProbeSettings
from fivenines.lab.lab import remove_tree
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.load.settings import LoadSettings
from fivenines.playground import seen, state
from fivenines.playground.state import Clients, LoadStatus, Rows
from fivenines.workloads.settings import WorkloadSettings

CONNECTIONS = 8

# Seconds: ten days, which is longer than anybody looks at a playground.
_LONG = 864_000.0

# Its 100 writes a second show an outage to 10 ms whatever the rate of the load; nobody reads them
# here.
_LEDGER = LedgerSettings(read_rate=0.0, probe=ProbeSettings(every=0.0))

# Seconds until a row that a node does not show counts as lost, and between two looks.
_SETTLE, _LOOK = 10.0, 0.25

# Longest time, in seconds, for reading the ledger's rows of a node.
_READ = 60.0


class BackgroundLoad:
    """A load on a deployment that is up; it runs when this returns.

    Args:
        deployed: what is loaded.
        workload: its transactions.
        rate: transactions per second.

    Raises:
        FiveninesError: it did not start; with what it said.
    """

    def __init__(self, deployed: Deployed, workload: WorkloadSettings, rate: float) -> None:
        self._deployed = deployed
        self._workload, self._rate = workload.workload, rate
        self._live: dict[str, Any] = {"t": 0.0, "tps": None, "errors": 0}
        self._known = 0.0
        """Until when its files are complete, in seconds since its start."""
        remove_tree(state.load())
        settings, beside = LoadSettings(rate=rate), _LEDGER.flags()
        plan = LoadPlan(workload, CONNECTIONS, _LONG, int(time.time()), settings, beside)
        assert deployed.client is not None
        node, endpoints = deployed.solution.nodes[0], deployed.access.endpoints()
        self._running = RunningLoad(deployed.client, node, endpoints, plan, state.load(), self._note)
        self._running.await_start()
        self._seen = seen.Seen(state.load())
        self._breaks = seen.Breaks()
        self._told: set[int] = set()
        """Rows that were said to be lost."""

    def status(self) -> LoadStatus:
        """How it goes."""
        live = self._live
        found = LoadStatus(self._workload, self._rate, live["tps"], live["errors"])
        return replace(found, tps=0.0, ended=self._running.said()) if self._running.ended else found

    def since(self, moment_ns: int, check: bool) -> Clients:
        """What its clients saw since a moment in ns of CLOCK_MONOTONIC; with `check` also their rows."""
        if self._running.ended:
            return Clients(unknown=f"the load has ended: {self._running.said()}")
        now = self._known * 1000
        moment = self._moment(moment_ns)
        self._seen.read()
        if now <= moment:
            return Clients()
        calm_from = self._breaks.calm_before(moment, self._seen.writes)
        found = seen.since(self._seen.writes, moment, now, calm_from)
        return replace(found, rows=self._rows(moment)) if check else found

    def broken(self, moment_ns: int) -> None:
        """Note that something is broken at a moment in ns of CLOCK_MONOTONIC."""
        self._breaks.note(self._moment(moment_ns))

    def stop(self) -> None:
        """End it, and remove its files."""
        self._running.stop(2.0)
        remove_tree(state.load())

    def _moment(self, moment_ns: int) -> float:
        """In ms since the load's start."""
        return (moment_ns - self._running.started_ns) / 1e6

    def _note(self, event: dict[str, Any]) -> None:
        # the files of a second are written after the line about it
        self._known = float(self._live["t"])
        self._live = event

    def _rows(self, moment: float) -> Rows:
        # those that were acknowledged are known first: all of them must be there from then on
        acknowledged = list(self._seen.acknowledged)
        known = len(acknowledged), seen.in_doubt_since(self._seen, moment)
        deadline = time.monotonic() + _SETTLE
        while True:
            primary = self._deployed.solution.primary()
            if primary is None:
                return Rows(*known, detail="no node takes writes now")
            try:
                present = [number for number, _ in primary.ledger_rows(_READ)]
            except Exception as error:
                return Rows(*known, node=primary.name, detail=brief(error))
            lost = seen.rows_lost(acknowledged, present)
            # a node may have them, and show them only when it has applied them
            if not lost - self._told or time.monotonic() > deadline:
                break
            time.sleep(_LOOK)
        rows = seen.judged(known, primary.name, lost, self._told)
        self._told |= lost
        return rows


def problem(workload: WorkloadSettings) -> str:
    """Why a workload cannot be kept running; empty if it can."""
    return f"{workload.workload} ends by itself" if workload.ends_itself else ""
