"""Response times of a trial from its HdrHistogram log.

The log (HdrHistogram log format 1.2 or later) holds one histogram a second and tag, in
microseconds, stamped in seconds since the start of the load. Tags: `transaction`, `probe_write`,
`probe_read`.

The histograms are decoded by the package `hdrhistogram` and added up as arrays, because its own
queries walk every counter in Python. Percentiles follow HdrHistogram: the highest value equivalent
to that of the first counter at which the cumulated count reaches round(q / 100 * n).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]

from fivenines.errors import FiveninesError

PERCENTILES = (50.0, 95.0, 99.0, 99.9)

_LINE = re.compile(
    r"(?:Tag=(?P<tag>[^,]*),)?(?P<start>[\d.]+),(?P<length>[\d.]+),[^,]*,(?P<data>\S+)"
)
_SLACK_S = 0.02  # intervals end when the load generator's timer fires, some ms late

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Latency:
    """Response times of `n` operations in ms; `seconds` is the length of the merged intervals."""

    n: int
    seconds: float
    mean: float
    p50: float
    p95: float
    p99: float
    p999: float
    max: float


@dataclass(frozen=True)
class _Interval:
    tag: str
    start: float
    length: float
    data: str


def read_latency(log: Path, tag: str, from_ms: float, until_ms: float) -> Latency | None:
    """Merge the intervals of `tag` that lie wholly within the window (20 ms of slack at its ends).

    None if no interval lies within, or nothing was recorded in them.

    Raises:
        FiveninesError: the log is missing or damaged.
    """
    low, high = from_ms / 1000 - _SLACK_S, until_ms / 1000 + _SLACK_S
    counts: Ints | None = None
    values: Ints | None = None
    seconds = 0.0
    for interval in _intervals(log):
        if interval.tag != tag or interval.start < low or interval.start + interval.length > high:
            continue
        histogram = _decode(log, interval.data)
        seconds += interval.length
        own = np.ctypeslib.as_array(histogram.counts)[: histogram.counts_len].astype(np.int64)
        if counts is None or len(own) > len(counts):
            values = _lowest_values(histogram, len(own))
            own[: 0 if counts is None else len(counts)] += 0 if counts is None else counts
            counts = own
        else:
            counts[: len(own)] += own
    if counts is None or values is None or not counts.any():
        return None
    return _measure(counts, values, seconds)


def _intervals(log: Path) -> Iterator[_Interval]:
    try:
        text = log.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FiveninesError(f"{log}: the latencies cannot be read: {error}") from error
    for line in text.splitlines():
        if line.startswith(("#", '"')) or not line.strip():
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise FiveninesError(f"{log} is damaged: a line is no histogram: {line[:60]!r}")
        yield _Interval(
            match["tag"] or "", float(match["start"]), float(match["length"]), match["data"]
        )


def _decode(log: Path, data: str) -> Any:
    try:
        return HdrHistogram.decode(data)
    except Exception as error:  # the package raises whatever zlib, base64 or ctypes raise
        raise FiveninesError(f"{log} is damaged: a histogram cannot be decoded: {error}") from error


def _lowest_values(histogram: Any, length: int) -> Ints:
    """The lowest value of each counter (HdrHistogram's value_from_index, on an array)."""
    index = np.arange(length, dtype=np.int64)
    half = int(histogram.sub_bucket_half_count)
    bucket = (index >> int(histogram.sub_bucket_half_count_magnitude)) - 1
    sub_bucket = (index & (half - 1)) + np.where(bucket < 0, 0, half)
    shift = np.maximum(bucket, 0) + int(histogram.unit_magnitude)
    values: Ints = np.left_shift(sub_bucket, shift).astype(np.int64)
    return values


def _measure(counts: Ints, values: Ints, seconds: float) -> Latency:
    used = np.flatnonzero(counts)
    widths = np.append(np.diff(values), values[-1] - values[-2])[used]
    lowest, weights = values[used], counts[used]
    cumulated = np.cumsum(weights)
    n = int(cumulated[-1])
    ranks = [max(1, int(q / 100 * n + 0.5)) for q in PERCENTILES]
    at = np.searchsorted(cumulated, ranks)
    highest = (lowest + widths - 1) / 1000
    mean = float(np.average(lowest + widths // 2, weights=weights)) / 1000
    p50, p95, p99, p999 = (float(highest[index]) for index in at)
    return Latency(n, seconds, mean, p50, p95, p99, p999, float(highest[-1]))
