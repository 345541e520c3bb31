"""Lag, hosts and stale reads of a trial's steady window, computed on demand and cached.

They are a separate `Kind`, as few reports use them. Lag is that of the node furthest behind. `growth` is the
slope of its lag by least squares, in ms per second of the load: 0 where replicas keep up, 1000 where a
replica applies nothing.

The reported lag is the figure that operators use (`REPORTED`): the time by which a replica is behind in
applying. NULL is no number, so a replica that reports only NULL has no reported lag.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fivenines.analysis.availability.availability import steady_window
from fivenines.analysis.consistency import staleness
from fivenines.analysis.consistency.checkpoints import Lag, lag_between, lags
from fivenines.analysis.consistency.staleness import Staleness
from fivenines.analysis.figure_cache import Kind
from fivenines.analysis.replication.lag import reported_lags, truth_of
from fivenines.analysis.resources.counters import host_samples
from fivenines.analysis.resources.series import Samples, Series, mean_between
from fivenines.analysis.resources.traffic import Traffic, traffic
from fivenines.results.records import TrialRecord
from fivenines.results.store import StoredTrial

# Servers' figures for the age of a replica's last applied change.
REPORTED = ("Seconds_Behind_Master", "Seconds_Behind_Source", "pg_stat_replication.replay_lag")

_FIGURES = ("cpu_cores", "memory_bytes", "net_sent_bytes", "net_received_bytes")


@dataclass(frozen=True)
class LagCourse:
    """Lag of the node furthest behind: in ms, and its growth in ms per second (with two samples or more)."""

    max: float
    mean: float
    growth: float | None


@dataclass(frozen=True)
class HostUse:
    """Mean resources of a host: cores and bytes; None: not sampled."""

    cpu: float | None
    memory: float | None


@dataclass(frozen=True)
class SteadyFigures:
    """Figures of one trial; None or empty: not measured. `reads`: of the ledger, `stale`: the stale ones."""

    reported: LagCourse | None = None
    actual: LagCourse | None = None
    reads: int = 0
    stale: int = 0
    hosts: dict[str, HostUse] = field(default_factory=dict)
    traffic: Traffic | None = None
    checkpoint: Lag | None = None


def lag_course(nodes: Iterable[Series], start: float, end: float) -> LagCourse | None:
    """Return the lag over several nodes (ms) from `start` to `end`; None without a sample."""
    inside = [_between(node, start, end) for node in nodes]
    some = [item for item in inside if len(item)]
    if not some:
        return None
    slopes = [slope for item in some if (slope := _slope(item)) is not None]
    return LagCourse(
        max(float(item.v.max()) for item in some),
        max(float(item.v.mean()) for item in some),
        max(slopes, default=None),
    )


def _between(series: Series, start: float, end: float) -> Series:
    inside = (series.t >= start) & (series.t < end) & ~np.isnan(series.v)
    return Series(series.t[inside], series.v[inside])


def _slope(series: Series) -> float | None:
    """Return the slope by least squares, per second; None where all samples have the same time."""
    offsets = (series.t - series.t.mean()) / 1000
    square = float((offsets**2).sum())
    return float((offsets * series.v).sum()) / square if square else None


def _compute(trials: Sequence[StoredTrial]) -> list[SteadyFigures]:
    reported = reported_lags(trials, REPORTED)
    sampled = host_samples(trials, _FIGURES)
    checkpoints = lags(trials)
    return [
        replace(
            _figures(
                trial.record, reported.get(trial.folder.name, []), stale, sampled.get(trial.folder.name)
            ),
            checkpoint=_checkpoint(trial, checkpoints),
        )
        for trial, stale in zip(trials, staleness.measure_readable(trials), strict=True)
    ]


STEADY = Kind("steady", SteadyFigures, _compute)


def _figures(
    record: TrialRecord, series: Sequence[Series], stale: Staleness | None, samples: Samples | None
) -> SteadyFigures:
    start, end = steady_window(record)
    if end <= start:
        return SteadyFigures()
    reads, missed = _stale_reads(stale, start, end)
    truth = truth_of(stale)
    return SteadyFigures(
        lag_course(series, start, end),
        # A single node cannot lag behind another one.
        lag_course(truth.values(), start, end) if len(truth) > 1 or series else None,
        reads,
        missed,
        _hosts(samples or {}, start, end),
        _traffic(record, samples, start, end),
    )


def _checkpoint(trial: StoredTrial, lags: Mapping[str, Series]) -> Lag | None:
    series = lags.get(trial.folder.name)
    return None if series is None else lag_between(series, *steady_window(trial.record))


def _stale_reads(staleness: Staleness | None, start: float, end: float) -> tuple[int, int]:
    reads = missed = 0
    for endpoint in staleness.endpoints if staleness else ():
        inside = (endpoint.at_ms >= start) & (endpoint.at_ms < end)
        reads += int(inside.sum())
        missed += int((endpoint.age_ms[inside] > 0).sum())
    return reads, missed


def _hosts(samples: Samples, start: float, end: float) -> dict[str, HostUse]:
    def mean(figure: str, host: str) -> float | None:
        series: Mapping[str, Series] = samples.get(figure, {})
        return mean_between(series[host], start, end) if host in series else None

    names = dict.fromkeys(host for figure in _FIGURES[:2] for host in samples.get(figure, {}))
    return {name: HostUse(mean("cpu_cores", name), mean("memory_bytes", name)) for name in names}


def _traffic(record: TrialRecord, samples: Samples | None, start: float, end: float) -> Traffic | None:
    if samples is None or record.deployment is None or not record.deployment.hosts:
        return None
    return traffic(samples, record.deployment.hosts, start, end)
