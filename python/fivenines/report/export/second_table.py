"""The tables `seconds` and `latencies`: throughput and response times over the time of a trial.

Both are read in one pass over a trial's log of histograms, as decoding takes most of the time.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb

from fivenines.analysis.performance.latency import Interval, Latency, Merged, intervals, latency_window
from fivenines.analysis.trials import TRANSACTION
from fivenines.base.errors import FiveninesError
from fivenines.report.export.attempts import Attempt
from fivenines.report.export.columns import Column, ExportTable, Type
from fivenines.report.export.keys import from_fault, of_trial
from fivenines.results import layout
from fivenines.results.store import StoredTrial, reader, table_path

_COUNTS = (
    "transactions_ok",
    "queries_ok",
    "reads_ok",
    "writes_ok",
    "reads_failed",
    "writes_failed",
    "writes_in_doubt",
    "connects_failed",
)
_SQL = f"""
    SELECT slot_ms // 1000 AS second, max(slot_ms) AS last,
           {", ".join(f"sum({name}) FILTER (source = 'load')::BIGINT" for name in _COUNTS)},
           sum(reads_ok) FILTER (source = 'ledger')::BIGINT,
           sum(writes_ok) FILTER (source = 'ledger')::BIGINT
    FROM read_parquet(?) GROUP BY second ORDER BY second
"""
# A histogram of a longer time does not belong to a second: sysbench has one for the whole steady window.
_LONGEST_S = 2.0

# A shorter part of a second has no rate.
_LEAST_S = 0.5


@dataclass(frozen=True)
class Second:
    """A second of a trial's load; `length` is less than 1 for the last one."""

    of: Attempt
    second: int
    length: float
    counts: Mapping[str, int]
    latency: Latency | None

    @property
    def tps(self) -> float | None:
        """Return transactions per second."""
        return self.counts["transactions_ok"] / self.length if self.length >= _LEAST_S else None


@dataclass(frozen=True)
class Histogram:
    """All response times of one kind in one part of a trial."""

    of: Attempt
    kind: str
    part: str
    merged: Merged


@dataclass(frozen=True)
class TimeCourse:
    """The rows of both tables of a trial; `notes` list what could not be read."""

    seconds: list[Second]
    histograms: list[Histogram]
    notes: list[str] = field(default_factory=list)


def time_course(of: Attempt) -> TimeCourse:
    """Read a complete trial's time line and log; damaged files are left out and noted."""
    if of.stored is None:
        return TimeCourse([], [])
    log, rows, notes = _Log(), [], []
    try:
        log = _read_log(of, of.stored)
    except FiveninesError as error:
        notes.append(str(error))
    try:
        rows = _read_line(of.stored)
    except FiveninesError as error:
        notes.append(str(error))
    return TimeCourse(
        list(_seconds(of, rows, log.seconds)) if rows else [],
        [Histogram(of, kind, part, merged) for (kind, part), merged in sorted(log.parts.items())],
        notes,
    )


@dataclass
class _Log:
    seconds: dict[int, Merged] = field(default_factory=dict)
    parts: dict[tuple[str, str], Merged] = field(default_factory=dict)


def _read_log(of: Attempt, stored: StoredTrial) -> _Log:
    path, log = stored.folder / layout.LATENCY, _Log()
    for interval in intervals(path):
        part = _part(of, interval)
        log.parts.setdefault((interval.tag, part), Merged()).add(path, interval)
        if interval.tag == TRANSACTION and interval.length < _LONGEST_S:
            log.seconds.setdefault(round(interval.start), Merged()).add(path, interval)
    return log


def _part(of: Attempt, interval: Interval) -> str:
    """Return the part of a trial; `steady`, wholly within the steady window, has its response times."""
    window = latency_window(of.record, of.fault_at) if of.record else None
    if window is None:
        return "all"
    if interval.within(*window):
        return "steady"
    return "warmup" if 1000 * interval.start < window[0] else "after"


def _read_line(stored: StoredTrial) -> list[Any]:
    path = table_path(stored.folder, "timeline")
    try:
        with reader() as connection:
            return connection.execute(_SQL, [str(path)]).fetchall()
    except duckdb.Error as error:
        raise FiveninesError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error


def _seconds(of: Attempt, rows: list[Any], latencies: Mapping[int, Merged]) -> Iterator[Second]:
    """Yield a row for each second until the end of the load, also for seconds without a success."""
    names = (*_COUNTS, "ledger_reads_ok", "ledger_writes_ok")
    by_second = {row[0]: dict(zip(names, row[2:], strict=True)) for row in rows}
    last = max((row[1] + layout.SLOT_MS for row in rows), default=0)
    windows = of.record.windows if of.record else None
    end = max(last, windows.end if windows else 0.0) / 1000
    for second in range(math.ceil(end)):
        counts = {name: by_second.get(second, {}).get(name) or 0 for name in names}
        merged = latencies.get(second)
        yield Second(of, second, min(1.0, end - second), counts, merged.latency() if merged else None)


def _count(name: str, meaning: str) -> Column[Second]:
    return Column(name, "BIGINT", "", meaning, lambda one: one.counts[name])


def _latency(name: str, title: str) -> Column[Second]:
    return Column(
        f"latency_{name}_ms",
        "DOUBLE",
        "ms",
        f"response time of transactions ({title})",
        lambda one: getattr(one.latency, name) if one.latency else None,
    )


def _column(name: str, kind: Type, unit: str, meaning: str, get: Any) -> Column[Any]:
    return Column(name, kind, unit, meaning, get)


SECONDS: ExportTable[Second] = ExportTable(
    "seconds",
    "a second of a complete trial's load, including seconds without a success",
    [
        *of_trial(),
        _column("second", "BIGINT", "s", "its start, from the start of the load", lambda o: o.second),
        _column(
            "from_fault_s",
            "DOUBLE",
            "s",
            "its start, from the first fault; NULL without a fault",
            lambda o: None if (t := from_fault(o.of, 1000.0 * o.second)) is None else t / 1000,
        ),
        _column("length_s", "DOUBLE", "s", "its length: 1, or less for the last second", lambda o: o.length),
        _column("tps", "DOUBLE", "1/s", "transactions of the load per second", lambda o: o.tps),
        _count("transactions_ok", "transactions of the load that succeeded"),
        _count("queries_ok", "queries of the load that succeeded"),
        _count("reads_ok", "reads of the load that succeeded"),
        _count("writes_ok", "writes of the load that succeeded"),
        _count("reads_failed", "reads of the load that failed"),
        _count("writes_failed", "writes of the load that failed"),
        _count("writes_in_doubt", "writes of the load whose reply was lost"),
        _count("connects_failed", "connects of the load that failed"),
        _count("ledger_reads_ok", "reads of the ledger that succeeded"),
        _count("ledger_writes_ok", "writes of the ledger that succeeded"),
        _column(
            "latency_n",
            "BIGINT",
            "",
            "transactions whose response time was measured",
            lambda o: o.latency.n if o.latency else 0,
        ),
        *(
            _latency(name, title)
            for name, title in (
                ("mean", "mean"),
                ("p50", "median"),
                ("p95", "95th percentile"),
                ("p99", "99th percentile"),
                ("max", "maximum"),
            )
        ),
    ],
)

LATENCIES: ExportTable[Histogram] = ExportTable(
    "latencies",
    "the histogram of one kind of operation in one part of a complete trial",
    [
        *of_trial(),
        _column(
            "kind",
            "VARCHAR",
            "",
            "`transaction` (all types), `transaction.TYPE`, `connect`, "
            "`ledger_write`, `ledger_read`, ...; `waited`: time that transactions waited for the load"
            " generator",
            lambda one: one.kind,
        ),
        _column(
            "part",
            "VARCHAR",
            "",
            "`warmup`; `steady`: until the fault, the basis of response times in `trials`; "
            "`after`; `all` if the windows are not known",
            lambda one: one.part,
        ),
        _column("n", "BIGINT", "", "operations", lambda one: one.merged.n),
        _column(
            "lowest_us",
            "BIGINT[]",
            "us",
            "smallest value of each non-zero counter, ascending",
            lambda one: one.merged.counters()[0],
        ),
        _column(
            "highest_us",
            "BIGINT[]",
            "us",
            "largest value of the same counter",
            lambda one: one.merged.counters()[1],
        ),
        _column("counts", "BIGINT[]", "", "operations of each counter", lambda one: one.merged.counters()[2]),
    ],
)
