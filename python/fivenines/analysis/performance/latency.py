"""Response times of a trial from its HdrHistogram log.

The log (HdrHistogram log format 1.2 or later) holds one histogram a second and tag, in
microseconds, stamped in seconds since the start of the load. Tags: `transaction` (all types),
`transaction.<type>` (where there are several), `expected`, `connect`, `ledger_write`, `ledger_read`.

The histograms are decoded by the package `hdrhistogram` and added up as arrays, because its own
queries walk every counter in Python. Percentiles follow HdrHistogram: the highest value equivalent
to that of the first counter at which the cumulated count reaches round(q / 100 * n).
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram

from fivenines.base.errors import FiveninesError
from fivenines.results.records import TrialRecord
from fivenines.results.unreadable import UnreadableError

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)

_LINE = re.compile(r"(?:Tag=(?P<tag>[^,]*),)?(?P<start>[\d.]+),(?P<length>[\d.]+),[^,]*,(?P<data>\S+)")
_SLACK_S = 0.02  # intervals end when the load generator's timer fires, some ms late

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Latency:
    """Response times of `n` operations in ms; `seconds` is the length of the merged intervals."""

    n: int
    seconds: float
    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    p999: float
    p9999: float
    max: float


@dataclass(frozen=True)
class Interval:
    """A line of the log: one tag's histogram of about a second."""

    tag: str
    start: float
    length: float
    data: str

    def within(self, from_ms: float, until_ms: float) -> bool:
        """Return whether it lies wholly within a window, give or take what a timer is late."""
        low, high = from_ms / 1000 - _SLACK_S, until_ms / 1000 + _SLACK_S
        return self.start >= low and self.start + self.length <= high


def latency_window(record: TrialRecord, fault_at: float | None) -> tuple[float, float] | None:
    """Between which moments (ms) the response times of a trial are taken; None without windows.

    It is the steady window, until the first fault. Where that ends with fixed work, nothing follows it, so
    that the interval in which it ends is taken whole.
    """
    if record.windows is None:
        return None
    start, end = record.windows.warmup_end, record.windows.steady_end
    if fault_at is not None and fault_at < end:
        return start, fault_at
    work = record.load.requested
    done = bool(record.load.completed and work and work.to_s is not None and 1000 * work.to_s <= end)
    return start, 1000.0 * math.ceil(end / 1000) if done else end


def read_latencies(log: Path, family: str, from_ms: float, until_ms: float) -> dict[str, Latency]:
    """Return the response times by tag: of the tag `family` and of all tags `family.*`.

    Merges the intervals that lie wholly within the window (20 ms of slack at its ends). Tags of
    which nothing was recorded in it are left out.

    Raises:
        FiveninesError: the log is missing or damaged.
    """
    merged: dict[str, Merged] = {}
    for interval in intervals(log):
        expected = interval.tag == family or interval.tag.startswith(f"{family}.")
        if expected and interval.within(from_ms, until_ms):
            merged.setdefault(interval.tag, Merged()).add(log, interval)
    return {tag: result for tag, sums in merged.items() if (result := sums.latency()) is not None}


class Merged:
    """Intervals of one tag, added up."""

    def __init__(self) -> None:
        self._counts: Ints = np.zeros(0, dtype=np.int64)
        self._values: Ints = self._counts
        self._seconds = 0.0

    def add(self, log: Path, interval: Interval) -> None:
        """Add one.

        Raises:
            FiveninesError: its histogram is damaged.
        """
        histogram = decoded(log, interval.data)
        self._seconds += interval.length
        own = np.ctypeslib.as_array(histogram.counts)[: histogram.counts_len].astype(np.int64)
        if len(own) > len(self._counts):
            self._values = _lowest_values(
                int(histogram.sub_bucket_half_count),
                int(histogram.sub_bucket_half_count_magnitude),
                int(histogram.unit_magnitude),
                len(own),
            )
            own[: len(self._counts)] += self._counts
            self._counts = own
        else:
            self._counts[: len(own)] += own

    def cumulated(self, bounds_us: Sequence[int]) -> tuple[list[int], float]:
        """Return how many operations took at most so many us, for each bound; and the sum of all, in us."""
        if not self._counts.any():
            return [0] * len(bounds_us), 0.0
        until = np.cumsum(self._counts)
        at = np.searchsorted(self._values, bounds_us, side="right") - 1
        middles = self._values + np.append(np.diff(self._values), 0) // 2
        return [int(until[index]) for index in at], float(np.dot(middles, self._counts))

    @property
    def n(self) -> int:
        """Return how many operations were recorded."""
        return int(self._counts.sum())

    def counters(self) -> tuple[list[int], list[int], list[int]]:
        """Return the lowest and the highest value (us) and the count of each counter that is not 0."""
        if not self._counts.any():
            return [], [], []
        used = np.flatnonzero(self._counts)
        highest = self._values[used] + _widths(self._values)[used] - 1
        return self._values[used].tolist(), highest.tolist(), self._counts[used].tolist()

    def latency(self) -> Latency | None:
        """Return their measures; None when nothing was recorded."""
        if not self._counts.any():
            return None
        return _measure(self._counts, self._values, self._seconds)


def interval_of(line: str) -> Interval | None:
    """Return the interval in a line of the log; None when it is something else."""
    match = _LINE.fullmatch(line.strip())
    if match is None:
        return None
    return Interval(match["tag"] or "", float(match["start"]), float(match["length"]), match["data"])


def intervals(log: Path) -> Iterator[Interval]:
    """Yield all intervals of a log, in its order.

    Raises:
        FiveninesError: the log is missing or damaged.
    """
    try:
        text = log.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{log}: the latencies cannot be read: {error}") from error
    for line in text.splitlines():
        if line.startswith(("#", '"')) or not line.strip():
            continue
        interval = interval_of(line)
        if interval is None:
            raise FiveninesError(f"{log} is damaged: a line is no histogram: {line[:60]!r}")
        yield interval


def decoded(log: Path, data: str) -> Any:
    """Return the histogram of an interval.

    Raises:
        FiveninesError: it is damaged.
    """
    try:
        histogram = HdrHistogram.decode(data)
    except Exception as error:  # the package raises whatever zlib, base64 or ctypes raise
        raise FiveninesError(f"{log} is damaged: a histogram cannot be decoded: {error}") from error
    # It refers back to the histogram: 140 kB would wait for the garbage collector, which counts few objects.
    histogram.encoder = None
    return histogram


@lru_cache(maxsize=16)
def _lowest_values(half: int, magnitude: int, unit: int, length: int) -> Ints:
    """Return the lowest value of each counter (HdrHistogram's value_from_index, on an array).

    Args:
        half, magnitude: number of counters of the upper half of a bucket, and its logarithm to base 2.
        unit: logarithm to base 2 of the smallest difference.
        length: number of counters.
    """
    index = np.arange(length, dtype=np.int64)
    bucket = (index >> magnitude) - 1
    sub_bucket = (index & (half - 1)) + np.where(bucket < 0, 0, half)
    shift = np.maximum(bucket, 0) + unit
    values: Ints = np.left_shift(sub_bucket, shift).astype(np.int64)
    return values


def _widths(values: Ints) -> Ints:
    """Return how many values each counter counts as one."""
    return np.append(np.diff(values), values[-1] - values[-2])


def _measure(counts: Ints, values: Ints, seconds: float) -> Latency:
    used = np.flatnonzero(counts)
    widths = _widths(values)[used]
    lowest, weights = values[used], counts[used]
    cumulated = np.cumsum(weights)
    n = int(cumulated[-1])
    ranks = [max(1, int(q / 100 * n + 0.5)) for q in PERCENTILES]
    at = np.searchsorted(cumulated, ranks)
    highest = (lowest + widths - 1) / 1000
    mean = float(np.average(lowest + widths // 2, weights=weights)) / 1000
    p50, p90, p95, p99, p999, p9999 = (float(highest[index]) for index in at)
    return Latency(n, seconds, mean, p50, p90, p95, p99, p999, p9999, float(highest[-1]))
