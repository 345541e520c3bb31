"""Cached figures of servers and hosts in the steady window of a trial."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.availability import steady_window
from fivenines.analysis.figure_cache import Kind, cached
from fivenines.analysis.resources.counters import (
    Gained,
    Samples,
    Watched,
    gained,
    host_panels,
    panels_of,
    steady_mean,
    watched,
    witnesses,
)
from fivenines.analysis.resources.disk import Written
from fivenines.analysis.resources.panels import Panel
from fivenines.results.records import TrialRecord
from fivenines.results.store import StoredTrial


@dataclass(frozen=True)
class Sampled:
    """Figures of one trial; `means` has a mean for each panel's title and host.

    `watched`: whether servers or hosts were sampled at all. `written` is None without a steady window, or
    without any source.
    """

    watched: bool
    gained: Gained
    means: dict[tuple[str, str], float]
    written: Written | None


def sampled(trials: Sequence[StoredTrial]) -> Iterator[Sampled]:
    """Return the figures of each trial, one after the other."""
    return cached(SAMPLED, trials)


def kinds(watched: Watched) -> list[tuple[str, Samples, tuple[Panel, ...]]]:
    """Return the kinds of samples with their panels that are not empty."""
    return [
        ("Servers", watched.counters, panels_of(watched.counters)),
        ("Hosts", watched.hosts, host_panels(watched.hosts)),
    ]


def _compute(trials: Sequence[StoredTrial]) -> list[Sampled]:
    return [_figures(seen, trial.record) for trial, seen in zip(trials, _watched(trials), strict=True)]


SAMPLED = Kind("sampled", Sampled, _compute)


def _watched(trials: Sequence[StoredTrial]) -> list[Watched]:
    seen = watched(trials)
    return [seen[trial.folder.name] for trial in trials]


# Cached samples of drawn trials.
WATCHED = Kind("watched", Watched, _watched)


def _figures(seen: Watched, record: TrialRecord) -> Sampled:
    start, end = steady_window(record)
    means = {
        (panel.title, host): mean
        for _, samples, panels in kinds(seen)
        for panel in panels
        for host, mean in steady_mean(samples, panel, start, end).items()
    }
    return Sampled(
        bool(seen.counters or seen.hosts),
        gained(seen, record, start, end),
        means,
        _written(seen, record, start, end),
    )


def _written(seen: Watched, record: TrialRecord, start: float, end: float) -> Written | None:
    if end <= start:
        return None
    written = witnesses(seen, record, start, end)
    known = (written.servers, written.charged, written.device)
    return written if any(item is not None for item in known) else None
