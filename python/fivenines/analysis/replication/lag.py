"""Replication lag: actual lag, reported lag, and misleading reports.

Actual lag, from `analysis.consistency.staleness`: the age of the oldest acknowledged write that a node lacks,
in each of its views (read on the node itself ten times a second, outside the network).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from fivenines.analysis.consistency import staleness
from fivenines.analysis.consistency.staleness import Staleness
from fivenines.analysis.figure_cache import Kind, cached
from fivenines.analysis.resources.series import Floats, Series, value_at
from fivenines.analysis.tables import Columns, by_trial, split
from fivenines.results.store import StoredTrial

# A reported lag of 0 is misleading if the actual lag exceeds this.
LATE_MS = 1000.0

# Units of time, in ms: figures in these units can be compared with the actual lag.
IN_MS = {"ms": 1.0, "s": 1000.0}

_REPORTED = """
    SELECT trial, source, unit, node, t_ms, coalesce(value, 'nan'::DOUBLE) AS value
    FROM rows ORDER BY trial, source, node, t_ms
"""


@dataclass(frozen=True)
class Figure:
    """A figure that servers report: its name, unit, and samples for each lagging node."""

    source: str
    unit: str
    nodes: dict[str, Series]


@dataclass(frozen=True)
class Lags:
    """Lag in one trial: actual lag in ms for each node, and the figures that servers report."""

    truth: dict[str, Series] = field(default_factory=dict)
    reported: list[Figure] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    """Comparison of reported and actual lag at the same times; times in ms, counts of samples.

    `zero` counts reports of 0 while the actual lag exceeded `LATE_MS`, and `zero_worst` is the greatest
    actual lag then; `null` and `null_worst` do so for NULL. `under` and `over` count reports at least
    `LATE_MS` below or above the actual lag; a figure in whole seconds gets one second of tolerance.
    """

    samples: int
    reported: Floats
    truth: Floats
    zero: int = 0
    zero_worst: float = 0.0
    null: int = 0
    null_worst: float = 0.0
    under: int = 0
    over: int = 0

    @property
    def misled(self) -> bool:
        """Return whether a report was badly wrong, or missing while there was lag."""
        return bool(self.zero or self.under or self.over or (self.null and self.null_worst > LATE_MS))


@dataclass(frozen=True)
class Judged:
    """Comparison of one reported figure of a trial with the actual lag, all nodes together."""

    source: str
    unit: str
    verdict: Verdict


@dataclass(frozen=True)
class LagFigures:
    """Lag in one trial; `truth` has the actual lag in each view (ms), None without views.

    A trial with neither actual nor reported lag has nothing to report.
    """

    truth: Floats | None
    reported: list[Judged]

    @property
    def known(self) -> bool:
        """Return whether the trial has actual or reported lag."""
        return self.truth is not None or bool(self.reported)


def lags(trials: Sequence[StoredTrial]) -> list[Lags]:
    """Return the lag in each trial, as curves; a damaged table counts as absent."""
    reported = by_trial(trials, "lag", _REPORTED)
    result = [
        Lags(truth, _figures(reported.get(trial.folder.name)))
        for trial, truth in zip(trials, map(truth_of, staleness.measure_readable(trials)), strict=True)
    ]
    # A single node cannot lag behind another one.
    return [each if each.reported or len(each.truth) > 1 else Lags() for each in result]


def reported_lags(trials: Sequence[StoredTrial], sources: Sequence[str]) -> dict[str, list[Series]]:
    """Return the lag that servers report in these figures (times), by trial: a curve in ms for each node."""
    reported = by_trial(trials, "lag", _REPORTED)
    return {
        trial: [
            Series(series.t, series.v * IN_MS[figure.unit])
            for figure in _figures(columns)
            if figure.source in sources and figure.unit in IN_MS
            for series in figure.nodes.values()
        ]
        for trial, columns in reported.items()
    }


def lag_figures(trials: Sequence[StoredTrial]) -> Iterator[LagFigures]:
    """Yield the lag in each trial as figures, one trial at a time, computed once and cached (see
    `analysis.figure_cache`).
    """
    return cached(FIGURES, trials)


def verdicts(trials: Iterable[LagFigures]) -> dict[tuple[str, str], Verdict]:
    """Return each figure, by its source and unit, over all trials."""
    result: dict[tuple[str, str], list[Verdict]] = {}
    for trial in trials:
        for item in trial.reported:
            result.setdefault((item.source, item.unit), []).append(item.verdict)
    return {key: merged(some) for key, some in result.items()}


def _in_figures(trials: Sequence[StoredTrial]) -> list[LagFigures]:
    return [_of_trial(item) for item in lags(trials)]


def _of_trial(seen: Lags) -> LagFigures:
    nothing = Series(np.zeros(0), np.zeros(0))
    messages = [
        Judged(
            item.source,
            item.unit,
            merged(
                [
                    judge(series, item.unit, seen.truth.get(node, nothing))
                    for node, series in item.nodes.items()
                ]
            ),
        )
        for item in seen.reported
    ]
    truth = [series.v for series in seen.truth.values()]
    return LagFigures(np.concatenate(truth) if truth else None, messages)


FIGURES = Kind("lag", LagFigures, _in_figures)

# Cached curves of drawn trials.
CURVES = Kind("curves", Lags, lags)


def judge(figure: Series, unit: str, true: Series) -> Verdict:
    """Compare a figure of one node with the actual lag; of a figure that is no time only zeros and NULLs are
    judged.
    """
    actual = value_at(true, figure.t, 1500.0)
    known = ~np.isnan(actual)
    reported, actual = figure.v[known], actual[known]
    null, late = np.isnan(reported), actual > LATE_MS
    zero = (reported == 0) & late
    more = reported * IN_MS.get(unit, np.nan) - actual
    much = LATE_MS + (1000.0 if unit == "s" else 0.0)
    return Verdict(
        samples=len(reported),
        reported=reported[~null],
        truth=actual,
        zero=int(zero.sum()),
        zero_worst=float(actual[zero].max(initial=0.0)),
        null=int(null.sum()),
        null_worst=float(actual[null].max(initial=0.0)),
        under=int((more <= -much).sum()),
        over=int((more >= much).sum()),
    )


def merged(verdicts: Sequence[Verdict]) -> Verdict:
    """Merge the verdicts of several nodes or trials."""
    return Verdict(
        samples=sum(verdict.samples for verdict in verdicts),
        reported=np.concatenate([verdict.reported for verdict in verdicts]),
        truth=np.concatenate([verdict.truth for verdict in verdicts]),
        zero=sum(verdict.zero for verdict in verdicts),
        zero_worst=max(verdict.zero_worst for verdict in verdicts),
        null=sum(verdict.null for verdict in verdicts),
        null_worst=max(verdict.null_worst for verdict in verdicts),
        under=sum(verdict.under for verdict in verdicts),
        over=sum(verdict.over for verdict in verdicts),
    )


def _figures(columns: Columns | None) -> list[Figure]:
    result = []
    for source, rows in split(columns, "source").items() if columns else ():
        nodes = {node: Series.of(part["t_ms"], part["value"]) for node, part in split(rows, "node").items()}
        result.append(Figure(source, str(rows["unit"][0]), nodes))
    return result


def truth_of(measured: Staleness | None) -> dict[str, Series]:
    """Return the actual lag of each node in ms, at each view."""
    nodes = measured.nodes if measured else []
    return {each.node: Series(each.t_ms, each.delay_ms) for each in nodes}
