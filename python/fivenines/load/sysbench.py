"""The load made by sysbench itself, so that two tools can be asked the same question.

It runs on the client's host as our own load generator does. It cannot look for a primary, outlive a failover,
keep a ledger or try fresh connections: what needs those is refused before (`experiment.program_checks`).
"""

import json
import signal
import time
from pathlib import Path
from typing import Any

import psutil

from fivenines.cluster.endpoints import Endpoints
from fivenines.errors import FiveninesError
from fivenines.load.run import LoadPlan, RunningLoad, children
from fivenines.load.sysbench_options import address_flags, run_flags, script_flags, writes
from fivenines.load.sysbench_output import RESOLUTION, Output, Report, Second
from fivenines.load.sysbench_time_line import TIME_LINE, write_latencies, write_time_line
from fivenines.servers.base import Server
from fivenines.software.sysbench_root import SysbenchRoot

_FORMAT = 2
_AGAIN = "sysbench tried the transaction again, after a deadlock, a conflict or a lock wait"


class SysbenchLoad(RunningLoad):
    """sysbench at work, with the files and the live figures of a `RunningLoad`."""

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
        # as an argument everybody could read the password
        password = server.application[1]
        account = {"MYSQL_PWD": password, "PGPASSWORD": password, "PGSSLMODE": "disable"}
        return self._software.environment() | account

    def heard(self, line: str) -> None:
        known, begun = len(self._output.seconds), self._output.started
        self._output.read(line)
        if self._output.started and not begun:
            self.begun(time.monotonic_ns())
        if len(self._output.seconds) > known:
            self._used = self._processor_time() or self._used
            self.live(self._told(self._output.seconds[-1]))

    def said(self) -> str:
        """What it said last, or how it ended; for messages."""
        fatal = [line for line in self._output.fatal if "function failed" not in line]
        if fatal:
            return "sysbench: " + "; ".join(fatal[:3])
        status = self.status or 0
        # its PostgreSQL half does not survive a server that goes away
        return f"sysbench: it was ended by {_signal(-status)}" if status < 0 else super().said()

    def result(self) -> dict[str, Any]:
        """What it came to; its files are written now.

        Raises:
            FiveninesError: it did not report all of its run.
        """
        reports = self._output.reports
        if len(reports) != (2 if self.plan.warmup else 1) or not self._output.histogram:
            raise FiveninesError(f"sysbench did not report its whole run: {self.said()}")
        unix = time.time() - (time.monotonic() - self.started_ns / 1e9)
        plan = self.plan
        write_time_line(self.out / TIME_LINE, self._output, plan.warmup, plan.seconds, writes(plan.workload))
        write_latencies(self.out, self._output, unix, plan.warmup, plan.seconds)
        found = self._summary(reports, unix)
        (self.out / "load.json").write_text(json.dumps(found, indent=1))
        return found

    def _summary(self, reports: list[Report], unix: float) -> dict[str, Any]:
        plan, last = self.plan, reports[-1]
        done = sum(one.transactions for one in reports)
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
            "queries": sum(one.queries for one in reports),
            "reconnects": sum(one.reconnects for one in reports),
            "schedule": {
                "kind": "closed" if rate is None else "open",
                "rate": rate,
                "arrivals": None if rate is None else "poisson",
                "started": done,
            },
            "errors": _errors(sum(one.ignored for one in reports)),
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

    def _told(self, second: Second) -> dict[str, Any]:
        """The live line of a second, as our own load generator writes it."""
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
        """Seconds of processor time that it has used so far, in its own code and in the kernel's."""
        try:
            used = [psutil.Process(pid).cpu_times() for pid in children(self.pid)]
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return None
        return sum(one.user for one in used), sum(one.system for one in used)


def _signal(number: int) -> str:
    """A signal as it is called."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _errors(ignored: int) -> list[dict[str, Any]]:
    """What failed and was tried again; any other error ends sysbench."""
    if not ignored:
        return []
    return [{"source": "load", "class": "ignored", "code": "sysbench", "message": _AGAIN, "count": ignored}]
