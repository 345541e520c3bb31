"""Prometheus metrics of a running campaign.

Names are those of `bench` where they mean the same; labels identify a trial's cell.
"""

import threading
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from fivenines.experiment.interleaved_plan import Block
from fivenines.results.records import CellKey
from fivenines.trial.progress import (
    CampaignFinished,
    CampaignStarted,
    CellSettled,
    ClaimsDecided,
    Figures,
    Progress,
    TrialBroken,
    TrialEvent,
    TrialFinished,
    TrialLive,
    TrialStarted,
    WorkerLost,
)

CELL = ("solution", "workload", "connections", "network", "fault")
Labels = tuple[str, ...]


class RunCollector(Collector):
    """Collects the events of a campaign; a scrape reads them from another thread."""

    def __init__(self, experiment: str) -> None:
        self._experiment = experiment
        self._lock = threading.Lock()
        self._planned = self._broken = 0
        self._done: dict[Labels, int] = {}
        self._cells: dict[str, Labels] = {}
        self._ended: dict[tuple[Labels, str], float] = {}
        self._faults: dict[Labels, int] = {}
        self._figures: dict[Labels, Figures] = {}
        self._running: dict[str, TrialLive | None] = {}

    def __call__(self, event: Progress) -> None:
        """Record an event."""
        with self._lock:
            self._take(event)

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics, as of the last event."""
        with self._lock:
            yield from self._trials()
            yield from self._of_load()
            yield from self._of_trials()

    def _take(self, event: Progress) -> None:
        match event:
            case CampaignStarted(total):
                self._planned = total
            case CellSettled(settled):
                self._planned -= settled.spared
            case ClaimsDecided(decided):
                self._planned -= decided.spared
            case TrialStarted(trial):
                first = trial.cells[0] if isinstance(trial, Block) else trial.cell
                self._cells[trial.id] = _labels(first.key)
                self._running[trial.id] = None
            case TrialLive():
                self._count(event)
            case TrialEvent(trial_id, kind="fault"):
                cell = self._cells.get(trial_id, ("",) * len(CELL))
                self._faults[cell] = self._faults.get(cell, 0) + 1
            case TrialFinished(record, figures):
                self._end(record.id, figures)
            case TrialBroken(trial_id, will_retry=again):
                self._broken += not again
                self._forget(trial_id, again)
            case WorkerLost(trial_id=trial_id):
                self._forget(trial_id, False)
            case CampaignFinished():
                self._running.clear()

    def _forget(self, trial: str, again: bool) -> None:
        """Remove the live figures of a trial that is over or begins again."""
        if again:
            self._running[trial] = None
        else:
            self._running.pop(trial, None)

    def _count(self, live: TrialLive) -> None:
        """Add a trial's counts, which begin at 0, to those of the metric, which only grow."""
        cell = self._cells.get(live.trial_id, ("",) * len(CELL))
        before = self._running.get(live.trial_id) or TrialLive(live.trial_id, 0.0, 0.0, 0.0, 0)
        for outcome in ("ok", "failed", "in_doubt"):
            gained = getattr(live, outcome) - getattr(before, outcome)
            self._ended[cell, outcome] = self._ended.get((cell, outcome), 0.0) + max(0, gained)
        self._running[live.trial_id] = live

    def _end(self, trial: str, figures: Figures) -> None:
        cell = self._cells.get(trial, ("",) * len(CELL))
        self._done[cell] = self._done.get(cell, 0) + 1
        self._figures[cell] = figures
        self._running.pop(trial, None)

    def _trials(self) -> Iterator[Metric]:
        yield _gauge("fivenines_trials_planned", "Trials to be done.", self._planned)
        yield _gauge("fivenines_trials_given_up", "Trials that were given up.", self._broken)
        done = CounterMetricFamily("fivenines_trials", "Trials that are done.", labels=CELL)
        for cell, count in self._done.items():
            done.add_metric(cell, count)
        yield done
        info = GaugeMetricFamily(
            "fivenines_trial_running", "1: this trial runs.", labels=["experiment", "trial", *CELL]
        )
        for trial in self._running:
            info.add_metric([self._experiment, trial, *self._cells[trial]], 1)
        yield info

    def _of_load(self) -> Iterator[Metric]:
        ended = CounterMetricFamily(
            "fivenines_transactions",
            "Transactions by outcome; failed ones are errors.",
            labels=[*CELL, "outcome"],
        )
        for (cell, outcome), count in self._ended.items():
            ended.add_metric([*cell, outcome], count)
        yield ended
        faults = CounterMetricFamily("fivenines_faults", "Faults that were injected.", labels=CELL)
        for cell, count in self._faults.items():
            faults.add_metric(cell, count)
        yield faults
        live = [item for item in self._running.values() if item is not None]
        if not live:
            return
        # For parallel trials: the sum over all, and the slowest.
        for name, text, value in (
            ("fivenines_elapsed_seconds", "Time since the start of the load.", max(item.t for item in live)),
            (
                "fivenines_transaction_rate",
                "Transactions in the last second.",
                sum(item.tps for item in live),
            ),
            (
                "fivenines_connections",
                "Connections that are usable now.",
                sum(item.connected for item in live),
            ),
            (
                "fivenines_transaction_p95_seconds",
                "95th percentile of the response times of the last second.",
                max(item.p95_ms for item in live) / 1000,
            ),
        ):
            yield _gauge(name, text, value)

    def _of_trials(self) -> Iterator[Metric]:
        for name, text, key, factor in (
            ("fivenines_last_tps", "Throughput of the cell's last trial.", "tps", 1.0),
            ("fivenines_last_outage_seconds", "Its longest outage.", "outage_ms", 0.001),
            ("fivenines_last_lost_rows", "Acknowledged rows that it lost.", "lost", 1.0),
        ):
            gauge = GaugeMetricFamily(name, text, labels=CELL)
            for cell, figures in self._figures.items():
                if (value := getattr(figures, key)) is not None:
                    gauge.add_metric(cell, value * factor)
            yield gauge


def _gauge(name: str, text: str, value: float) -> Metric:
    gauge = GaugeMetricFamily(name, text)
    gauge.add_metric([], value)
    return gauge


def _labels(key: CellKey) -> Labels:
    return tuple(str(getattr(key, name)) for name in CELL)
