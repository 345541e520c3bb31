"""Merge of several latency logs: adds up the histograms of the same second and tag, never percentiles."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from hdrh.histogram import HdrHistogram

from fivenines.analysis.performance.latency import Interval, decoded, intervals, read_latencies

# The greatest value of a merged histogram: a day, longer than any load.
_LONGEST_US = 24 * 3600 * 1_000_000

_HEADER = """\
#[Histogram log format version 1.3]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
"""

_ALL = "transaction"


def merge_logs(logs: Mapping[Path, Sequence[str]], target: Path) -> None:
    """Write the merged log, in the order of its seconds.

    Args:
        logs: the log of each load, with its types of transactions. A load of a single type writes no tag for
            it; next to loads of other types it gets one here.
        target: the merged log. A line has begin and length of the first load with a line for that second:
            loads differ by the lateness of timers, some ms.

    Raises:
        FiveninesError: a log is missing or damaged.
    """
    names = {name for types in logs.values() for name in types}
    firsts: dict[tuple[float, str], Interval] = {}
    sums: dict[tuple[float, str], HdrHistogram] = {}
    for log, types in logs.items():
        for interval in intervals(log):
            tags = [interval.tag]
            if interval.tag == _ALL and len(types) == 1 < len(names):
                tags.append(f"{_ALL}.{types[0]}")
            for tag in tags:
                key = (round(interval.start, 1), tag)
                firsts.setdefault(key, interval)
                _add(sums, key, log, interval)
    lines = [_line(tag, firsts[start, tag], sums[start, tag]) for start, tag in sorted(firsts)]
    target.write_text(_HEADER + "".join(lines))


def connect_times(log: Path) -> dict[str, float]:
    """Return the connect times under the names of percentiles in `connects` of load.json; {} without
    connects.

    Raises:
        FiveninesError: the log is missing or damaged.
    """
    result = read_latencies(log, "connect", 0.0, math.inf).get("connect")
    return {"p50_ms": result.p50, "p99_ms": result.p99} if result else {}


def _add(
    sums: dict[tuple[float, str], HdrHistogram], key: tuple[float, str], log: Path, interval: Interval
) -> None:
    histogram = decoded(log, interval.data)
    if key not in sums:
        sums[key] = HdrHistogram(1, _LONGEST_US, histogram.significant_figures)
    counts = np.ctypeslib.as_array(histogram.counts)[: histogram.counts_len]
    for index in np.flatnonzero(counts).tolist():
        sums[key].record_value(histogram.get_value_from_index(index), int(counts[index]))


def _line(tag: str, first: Interval, histogram: HdrHistogram) -> str:
    named = f"Tag={tag}," if tag else ""
    longest, data = histogram.get_max_value(), histogram.encode().decode("ascii")
    return f"{named}{first.start:.3f},{first.length:.3f},{longest:.3f},{data}\n"
