"""Write the time line and response times of sysbench in the format of fivenines' load generator.

sysbench reports rates once a second. Each second's transactions are distributed evenly over its slots. The
sum over the steady window is that of sysbench's report: exact over the window, not within a second.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram

from fivenines.load.sysbench_output import Output, Report, Second
from fivenines.results.layout import LATENCY, SLOT_MS, TABLES

TIME_LINE = "timeline.csv"

_SLOTS = 1000 // SLOT_MS
_LONGEST_US, _DIGITS = 3_600_000_000, 3

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def slots(seconds: Sequence[Second], reports: Sequence[Report], warmup: float, end: float, name: str) -> Ints:
    """Count `name` (transactions, queries or reads) in each slot of 10 ms from the start on.

    Transactions that ended after the end of the load are after `end`, as sysbench counts them.

    Args:
        seconds: the lines of seconds, in order.
        reports: that of the warm-up, unless `warmup` is 0, and the last one.
        warmup: seconds until counting restarted.
        end: seconds until the last transaction started.
        name: the count.
    """
    rate = {"transactions": "tps", "queries": "qps", "reads": "reads"}[name]
    last = max(end, reports[-1].at)
    density = _density(seconds, rate, int(np.ceil(last * _SLOTS)))
    borders = [0.0, warmup, last] if len(reports) > 1 else [0.0, last]
    counted = np.zeros(len(density), dtype=np.int64)
    for report, start, stop in zip(reports, borders, borders[1:], strict=False):
        part = slice(round(start * _SLOTS), round(stop * _SLOTS) or None)
        counted[part] = _shared(getattr(report, name), density[part])
    return counted


def _density(seconds: Sequence[Second], rate: str, length: int) -> Floats:
    """Return the rate in each slot; slots without a line have the rate of the previous line."""
    density = np.full(length, np.nan)
    since = 0
    for second in seconds:
        until = min(round(second.at * _SLOTS), length)
        density[since:until] = getattr(second, rate)
        since = max(since, until)
    known = density[:since]
    density[since:] = known[-1] if len(known) else 1.0
    return density


def _shared(total: int, weights: Floats) -> Ints:
    """Divide a whole number by weights, so that every partial sum is correct to within one."""
    if not len(weights):
        return np.zeros(0, dtype=np.int64)
    if not weights.sum() > 0:
        weights = np.ones(len(weights))
    until = np.floor(np.cumsum(weights) / weights.sum() * total + 0.5).astype(np.int64)
    until[-1] = total
    shared: Ints = np.diff(until, prepend=0)
    return shared


def write_time_line(file: Path, output: Output, warmup: float, end: float, writes: bool) -> None:
    """Write the time line: the table `timeline`, all of it from the load."""
    found = {
        name: slots(output.seconds, output.reports, warmup, end, name)
        for name in ("transactions", "queries", "reads")
    }
    columns = TABLES["timeline"]
    with file.open("w", newline="") as target:
        lines = csv.DictWriter(target, list(columns), restval=0)
        lines.writeheader()
        for slot, (transactions, queries, reads) in enumerate(zip(*found.values(), strict=True)):
            if transactions or queries or reads:
                lines.writerow(
                    {
                        "slot_ms": slot * SLOT_MS,
                        "source": "load",
                        "reads_ok": reads,
                        "writes_ok": transactions if writes else 0,
                        "transactions_ok": transactions,
                        "queries_ok": queries,
                    }
                )


def write_latencies(folder: Path, output: Output, unix_s: float, warmup: float, end: float) -> None:
    """Write the log of response times: one histogram of the time after the warm-up."""
    histogram = HdrHistogram(1, _LONGEST_US, _DIGITS)
    for value, count in output.histogram:
        histogram.record_value(max(1, round(value * 1000)), count)
    text = histogram.encode().decode()
    (folder / LATENCY).write_text(
        "#[Histogram log format version 1.3]\n"
        f"#[StartTime: {unix_s:.3f} (seconds since epoch)]\n"
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
        f"Tag=transaction,{warmup:.3f},{end - warmup:.3f},{histogram.get_max_value():.3f},{text}\n"
    )
