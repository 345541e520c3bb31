"""Parse the output of sysbench line by line.

Source: sysbench 1.0.20, src/sb_lua.c and src/db_driver.c (reports), src/sb_histogram.c (the histogram: 1,024
values from 0.001 ms to 100 s on a logarithmic scale; a time is counted at the nearest of them).
"""

import math
import re
from dataclasses import dataclass, field

# Relative precision of response times: half the distance between two values of the histogram.
RESOLUTION = math.exp(math.log(1e8) / 1023 / 2) - 1

_INTERMEDIATE = re.compile(
    r"\[ (?P<at>\d+)s \] thds: \d+ tps: (?P<tps>[\d.]+) qps: (?P<qps>[\d.]+)"
    r" \(r/w/o: (?P<reads>[\d.]+)/[\d.]+/[\d.]+\) lat \(ms,\d+%\): (?P<p95>[\d.]+)"
    r" err/s: (?P<errors>[\d.]+) reconn/s: [\d.]+"
)
_BUCKET = re.compile(r"\s*(?P<ms>\d+\.\d+) \|\**\s+(?P<count>\d+)")
_COUNT = re.compile(
    r"\s*(?P<name>read|transactions|queries|ignored errors|reconnects|total number of events):"
    r"\s+(?P<value>\d+)\b"
)
_TIME = re.compile(r"\s*(?P<name>total time|min|avg|max):\s+(?P<value>[\d.]+)s?")


@dataclass(frozen=True)
class Second:
    """The line of about one second, which ends `at` seconds after the start; rates are per second."""

    at: float
    tps: float
    qps: float
    reads: float
    p95_ms: float
    errors: float


@dataclass(frozen=True)
class Report:
    """Counts since the previous report, or since the start; `at`: its time, in seconds.

    `ignored`: transactions retried after a deadlock, a conflict or a lock wait.
    """

    at: float
    transactions: int
    queries: int
    reads: int
    ignored: int
    reconnects: int
    min_ms: float
    avg_ms: float
    max_ms: float


@dataclass
class Output:
    """The output so far; `reports` has that of the warm-up, if any, and the last one."""

    started: bool = False
    seconds: list[Second] = field(default_factory=list)
    # Values in ms and counts of transactions that ended after the warm-up.
    histogram: list[tuple[float, int]] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    fatal: list[str] = field(default_factory=list)
    _counts: dict[str, float] = field(default_factory=dict)

    def read(self, line: str) -> None:
        """Process a line; unknown lines are ignored."""
        if line.startswith("Threads started!"):
            self.started = True
        elif match := _INTERMEDIATE.match(line):
            self.seconds.append(Second(*(float(value) for value in match.groups())))
        elif match := _BUCKET.match(line):
            self.histogram.append((float(match["ms"]), int(match["count"])))
        elif match := _COUNT.match(line) or _TIME.match(line):
            self._counts[match["name"]] = float(match["value"])
        elif line.startswith("Threads fairness:"):
            self._end_report()
        elif line.startswith("FATAL:"):
            self.fatal.append(line.removeprefix("FATAL:").strip())

    def _end_report(self) -> None:
        counts, self._counts = self._counts, {}

        def whole(name: str) -> int:
            return int(counts.get(name, 0))

        self.reports.append(
            Report(
                at=counts.get("total time", 0.0),
                transactions=whole("transactions"),
                queries=whole("queries"),
                reads=whole("read"),
                ignored=whole("ignored errors"),
                reconnects=whole("reconnects"),
                min_ms=counts.get("min", 0.0),
                avg_ms=counts.get("avg", 0.0),
                max_ms=counts.get("max", 0.0),
            )
        )
