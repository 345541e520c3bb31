"""Samples over the time of a trial, with gains of counters that may restart.

A cumulative counter begins again at 0 when its server restarts, and its gain between the last sample and the
restart is unknown. So a decrease counts as a restart, and the new value as the gain since then: a lower
bound, as in Prometheus' `increase`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Samples further apart than this many usual distances have a hole between them.
GAP = 2.5


@dataclass(frozen=True)
class Series:
    """Values `v` at the times `t` (ms since the start of the load, ascending). NaN: unknown."""

    t: Floats
    v: Floats

    @classmethod
    def of(cls, t: object, v: object) -> "Series":
        """Return a series of anything that makes arrays, in the order of its moments."""
        times = np.asarray(t, dtype=np.float64)
        order = np.argsort(times, kind="stable")
        return cls(times[order], np.asarray(v, dtype=np.float64)[order])

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def steps(self) -> "Steps":
        """Return what lies between each sample and the next."""
        wide = np.diff(self.t)
        return Steps(wide, _holes(wide), gains(self.v))


@dataclass(frozen=True)
class Steps:
    """From each sample to the next: the time in ms, whether it is a hole, the gain of a counter."""

    wide: Floats
    holes: npt.NDArray[np.bool_]
    gains: Floats


# Name of the figure -> node or host -> its samples.
Samples = dict[str, dict[str, Series]]


def summed(samples: Samples, names: Sequence[str]) -> dict[str, Series]:
    """Return the sum of several figures for each node; they share their moments."""
    result: dict[str, Series] = {}
    for name in names:
        for who, series in samples.get(name, {}).items():
            before = result.get(who)
            result[who] = series if before is None else Series(series.t, before.v + series.v)
    return result


def gains(values: Floats) -> Floats:
    """Return the gain of a counter from each sample to the next, at least 0; shorter than `values` by one."""
    steps = np.diff(values)
    return np.where(steps < 0, values[1:], steps)


def gain_between(series: Series, start: float, end: float) -> float | None:
    """Return what a counter gained from `start` to `end` (ms), interpolated between samples.

    None where samples cover less than half of that time, holes left out; what they do not cover is taken
    to have gone on at the same rate.
    """
    if len(series) < 2 or end <= start:
        return None
    steps = series.steps
    inside = np.minimum(series.t[1:], end) - np.maximum(series.t[:-1], start)
    inside = np.where(steps.holes, 0.0, np.maximum(0.0, inside))
    covered = float(inside.sum())
    if covered < 0.5 * (end - start):
        return None
    shares = np.divide(inside, steps.wide, out=np.zeros_like(steps.wide), where=steps.wide > 0)
    return float((steps.gains * shares).sum()) * (end - start) / covered


def rates(series: Series) -> Series:
    """Gains per second, each at the later of its two samples; NaN across a hole."""
    if len(series) < 2:
        return Series(series.t[:0], series.v[:0])
    steps = series.steps
    known = (steps.wide > 0) & ~steps.holes
    values = np.divide(1000 * steps.gains, steps.wide, out=np.full(len(steps.wide), np.nan), where=known)
    return Series(series.t[1:], values)


def mean_between(series: Series, start: float, end: float) -> float | None:
    """Return the mean of a gauge's samples from `start` to `end`; None without any."""
    inside = series.v[(series.t >= start) & (series.t < end)]
    inside = inside[~np.isnan(inside)]
    return float(inside.mean()) if len(inside) else None


def thinned(series: Series, most: int) -> Series:
    """At most about `most` samples: the largest of each group of neighbours, so that peaks stay."""
    if len(series) <= most:
        return series
    size = -(-len(series) // most)
    starts = np.arange(0, len(series), size)
    values = np.where(np.isnan(series.v), -np.inf, series.v)
    peaks = np.maximum.reduceat(values, starts)
    return Series(series.t[starts], np.where(np.isinf(peaks), np.nan, peaks))


def value_at(series: Series, moments: Floats, oldest: float) -> Floats:
    """Return the last value at or before each moment; NaN if it is older than `oldest` (ms)."""
    if not len(series):
        return np.full(len(moments), np.nan)
    index = np.searchsorted(series.t, moments, "right") - 1
    known = (index >= 0) & (moments - series.t[np.maximum(index, 0)] <= oldest)
    return np.where(known, series.v[np.maximum(index, 0)], np.nan)


def _holes(wide: Floats) -> npt.NDArray[np.bool_]:
    """Return which distances between samples are holes."""
    # As `np.median` computes it, which takes ten times as long for the few samples of a trial.
    ordered = np.sort(wide)
    middle = (ordered[(len(wide) - 1) // 2] + ordered[len(wide) // 2]) / 2
    holes: npt.NDArray[np.bool_] = wide > GAP * (ordered[-1] if np.isnan(ordered[-1]) else middle)
    return holes
