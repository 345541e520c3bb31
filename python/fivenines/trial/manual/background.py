"""The load of `up --load`: as in a trial, with the ledger alongside, until `down`."""

import time
from dataclasses import replace
from typing import Any

from fivenines.base.errors import brief
from fivenines.experiment.sections.ledger import LedgerSettings, ProbeSettings
from fivenines.lab.lab import remove_tree
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.load.settings import LoadSettings
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.manual import seen, state
from fivenines.trial.manual.state import Clients, LoadStatus, Rows

CONNECTIONS = 8

# Duration of the load in seconds: ten days, longer than any deployment is used.
_LONG = 864_000.0

# Its 100 writes per second show an outage to 10 ms whatever the rate of the load.
_LEDGER = LedgerSettings(read_rate=0.0, probe=ProbeSettings(every=0.0))

# Seconds until a missing row counts as lost, and between two polls.
_SETTLE, _LOOK = 10.0, 0.25

# Timeout in seconds for reading the ledger's rows from a node.
_READ = 60.0


class BackgroundLoad:
    """A load on the running deployment; it has started when the constructor returns.

    Args:
        deployed: the deployment.
        workload: its transactions.
        rate: transactions per second.

    Raises:
        FiveninesError: the load did not start, with the reason.
    """

    def __init__(self, deployed: Deployed, workload: WorkloadSettings, rate: float) -> None:
        self._deployed = deployed
        self._workload, self._rate = workload.workload, rate
        self._live: dict[str, Any] = {"t": 0.0, "tps": None, "errors": 0}
        # Time until which its files are complete, in seconds since its start.
        self._known = 0.0
        remove_tree(state.load())
        settings, ledger = LoadSettings(rate=rate), _LEDGER.flags()
        plan = LoadPlan(workload, CONNECTIONS, _LONG, int(time.time()), settings, ledger)
        assert deployed.client is not None
        node, endpoints = deployed.solution.nodes[0], deployed.access.endpoints()
        self._running = RunningLoad(deployed.client, node, endpoints, plan, state.load(), self._note)
        self._running.await_start()
        self._seen = seen.Seen(state.load())
        self._faults = seen.Faults()
        # Rows reported as lost.
        self._reported: set[int] = set()

    def status(self) -> LoadStatus:
        """Return the state of the load."""
        live = self._live
        found = LoadStatus(self._workload, self._rate, live["tps"], live["errors"])
        return (
            replace(found, tps=0.0, ended=self._running.last_output())
            if self._running.process.ended
            else found
        )

    def since(self, moment_ns: int, check: bool) -> Clients:
        """Return what clients saw since a moment in ns of CLOCK_MONOTONIC; `check` includes their rows."""
        if self._running.process.ended:
            return Clients(unknown=f"the load has ended: {self._running.last_output()}")
        now = self._known * 1000
        moment = self._moment(moment_ns)
        self._seen.read()
        if now <= moment:
            return Clients()
        calm_from = self._faults.calm_before(moment, self._seen.writes)
        found = seen.since(self._seen.writes, moment, now, calm_from)
        return replace(found, rows=self._rows(moment)) if check else found

    def broken(self, moment_ns: int) -> None:
        """Record a fault at a moment in ns of CLOCK_MONOTONIC."""
        self._faults.note(self._moment(moment_ns))

    def stop(self) -> None:
        """Stop the load, and remove its files."""
        self._running.stop(2.0)
        remove_tree(state.load())

    def _moment(self, moment_ns: int) -> float:
        """Convert a moment to ms since the load's start."""
        return (moment_ns - self._running.started_ns) / 1e6

    def _note(self, event: dict[str, Any]) -> None:
        # The files of a second are written after its line.
        self._known = float(self._live["t"])
        self._live = event

    def _rows(self, moment: float) -> Rows:
        # The acknowledged rows are read first: all of them must exist from then on.
        acknowledged = list(self._seen.acknowledged)
        known = len(acknowledged), seen.in_doubt_since(self._seen, moment)
        deadline = time.monotonic() + _SETTLE
        while True:
            primary = self._deployed.solution.roles.primary()
            if primary is None:
                return Rows(*known, detail="no node is writable")
            try:
                present = [number for number, _ in primary.sql.ledger_rows(_READ)]
            except Exception as error:
                return Rows(*known, node=primary.name, detail=brief(error))
            lost = seen.rows_lost(acknowledged, present)
            # A node may have received rows that it shows only after applying them.
            if not lost - self._reported or time.monotonic() > deadline:
                break
            time.sleep(_LOOK)
        rows = seen.judged(known, primary.name, lost, self._reported)
        self._reported |= lost
        return rows


def problem(workload: WorkloadSettings) -> str:
    """Return why a workload cannot run continuously; empty if it can."""
    return f"{workload.workload} ends by itself" if workload.ends_itself else ""
