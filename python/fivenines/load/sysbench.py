"""Generate the load with sysbench, to compare the two tools.

sysbench runs on the client's host, like fivenines' load generator. It cannot find a primary, survive a
failover, keep a ledger or probe new connections. Experiments that need these are refused
(`experiment.validation.program`).
"""

import json
import signal
import time
from pathlib import Path
from typing import Any

import psutil

from fivenines.base.errors import FiveninesError
from fivenines.load.process import children
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.load.sysbench_options import address_flags, run_flags, script_flags, writes
from fivenines.load.sysbench_output import RESOLUTION, Output, Report, Second
from fivenines.load.sysbench_time_line import TIME_LINE, write_latencies, write_time_line
from fivenines.results.load_summary import LOAD_SUMMARY, LoadSummary
from fivenines.servers.base import Server
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.software.engines.sysbench_root import SysbenchRoot

_FORMAT = 2
_AGAIN = "sysbench retried the transaction after a deadlock, a conflict or a lock wait"


class SysbenchLoad(RunningLoad):
    """A running sysbench, with the files and live figures of a `RunningLoad`."""

    def command(self, server: Server, endpoints: Endpoints, plan: LoadPlan, out: Path) -> list[str]:
        self._software = SysbenchRoot()
        self._output = Output()
        self._driver = server.driver
        self._used = (0.0, 0.0)
        spread = plan.settings.spread or endpoints.spread
        addresses = endpoints.write if spread == "all" else endpoints.write[:1]
        return [
            *self._software.command(),
            self._software.script(plan.workload.workload),
            *address_flags(server.driver, addresses, server.application[0], server.database),
            *script_flags(plan.workload),
            *run_flags(plan.settings, plan.connections, plan.seed, plan.warmup, plan.seconds),
            "run",
        ]

    def environment(self, server: Server) -> dict[str, str]:
        # Other users could read the password in the arguments.
        password = server.application[1]
        account = {"MYSQL_PWD": password, "PGPASSWORD": password, "PGSSLMODE": "disable"}
        return self._software.environment() | account

    def read_line(self, line: str) -> None:
        known, begun = len(self._output.seconds), self._output.started
        self._output.read(line)
        if self._output.started and not begun:
            self.begun(time.monotonic_ns())
        if len(self._output.seconds) > known:
            self._used = self._processor_time() or self._used
            self.live(self._live_line(self._output.seconds[-1]))

    def last_output(self) -> str:
        """Return its last output, or how it ended, for messages."""
        fatal = [line for line in self._output.fatal if "function failed" not in line]
        if fatal:
            return "sysbench: " + "; ".join(fatal[:3])
        status = self.process.status or 0
        # Its PostgreSQL driver crashes when the server becomes unavailable.
        return f"sysbench was ended by {_signal(-status)}" if status < 0 else super().last_output()

    def result(self) -> LoadSummary:
        """Write its files, and return its result.

        Raises:
            FiveninesError: its output is incomplete.
        """
        reports = self._output.reports
        if len(reports) != (2 if self.plan.warmup else 1) or not self._output.histogram:
            raise FiveninesError(f"the output of sysbench is incomplete: {self.last_output()}")
        unix = time.time() - (time.monotonic() - self.started_ns / 1e9)
        plan = self.plan
        write_time_line(self.out / TIME_LINE, self._output, plan.warmup, plan.seconds, writes(plan.workload))
        write_latencies(self.out, self._output, unix, plan.warmup, plan.seconds)
        summary = self._summary(reports, unix)
        (self.out / LOAD_SUMMARY).write_text(json.dumps(summary, indent=1))
        return LoadSummary.of(summary)

    def _summary(self, reports: list[Report], unix: float) -> dict[str, Any]:
        plan, last = self.plan, reports[-1]
        done = sum(report.transactions for report in reports)
        rate = plan.settings.rate
        return {
            "format": _FORMAT,
            "program": "sysbench",
            "program_version": self._software.status().version,
            "not_measured": ["ledger", "probes", "stalls", "connects", "errors but those tried again"],
            "workload": plan.workload.workload,
            "driver": self._driver,
            "connections": plan.connections,
            "seed": plan.seed,
            "started_monotonic_ns": self.started_ns,
            "started_unix_ns": round(unix * 1e9),
            "duration_s": last.at,
            "transactions": {"ok": done, "failed": 0, "in_doubt": 0},
            "queries": sum(report.queries for report in reports),
            "reconnects": sum(report.reconnects for report in reports),
            "schedule": {
                "kind": "closed" if rate is None else "open",
                "rate": rate,
                "arrivals": None if rate is None else "poisson",
                "started": done,
            },
            "errors": _errors(sum(report.ignored for report in reports)),
            "latency": {
                "min_ms": last.min_ms,
                "avg_ms": last.avg_ms,
                "max_ms": last.max_ms,
                "resolution": round(RESOLUTION, 5),
                "from_s": plan.warmup,
                "to_s": plan.seconds,
            },
            "client": {
                "user_s": self._used[0],
                "system_s": self._used[1],
                "wall_s": self._output.seconds[-1].at if self._output.seconds else last.at,
            },
        }

    def _live_line(self, second: Second) -> dict[str, Any]:
        """Return the live line of a second, like that of fivenines' load generator."""
        seen = self._output.seconds
        return {
            "event": "live",
            "t": second.at,
            "tps": second.tps,
            "qps": second.qps,
            "p95_ms": second.p95_ms,
            "errors": round(sum(one.errors for one in seen)),
            "ok": round(sum(one.tps for one in seen)),
            "failed": 0,
            "in_doubt": 0,
            "connected": self.plan.connections,
        }

    def _processor_time(self) -> tuple[float, float] | None:
        """Return the CPU seconds used so far, in user and system mode."""
        try:
            used = [psutil.Process(pid).cpu_times() for pid in children(self.process.pid)]
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return None
        return sum(one.user for one in used), sum(one.system for one in used)


def _signal(number: int) -> str:
    """Return the name of a signal."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _errors(ignored: int) -> list[dict[str, Any]]:
    """Return the failures that sysbench retried; any other error ends it."""
    if not ignored:
        return []
    return [{"source": "load", "class": "ignored", "code": "sysbench", "message": _AGAIN, "count": ignored}]
