"""Distributes the trials of a campaign to its workers, and repeats broken attempts."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.campaign.schedule import Schedule, Work
from fivenines.campaign.searches import Searches
from fivenines.campaign.workers.base import Order, Worker, WorkerLostError
from fivenines.experiment.interleaved_plan import seconds_of
from fivenines.experiment.plan import Trial
from fivenines.experiment.spec import Experiment
from fivenines.results import configuration, layout, stops
from fivenines.trial.deployment.deployed import over_budget
from fivenines.trial.progress import (
    CampaignStopped,
    Listener,
    Progress,
    TrialBroken,
    TrialFinished,
    TrialStarted,
    WorkerLost,
)

# A broken trial is retried once.
ATTEMPTS = 2

# Number of lost workers after which a trial is given up: it may be the cause.
LOSSES = 3

# Polling interval of workers in seconds; Ctrl-C takes effect in between.
_POLL = 0.2


class Dispatch:
    """Runs the remaining trials on workers.

    Args:
        schedule: gives the next trial for a machine.
        experiment: the experiment.
        folder: the run.
        rules: decide which cells need no more trials, and how long a searched fault lasts.
        listener: called from any thread, one event at a time.
        engines: versions of the run's engines, by name.
    """

    def __init__(
        self,
        schedule: Schedule,
        experiment: Experiment,
        folder: Path,
        rules: Searches,
        listener: Listener,
        engines: Mapping[str, str],
    ) -> None:
        self.broken: list[str] = []
        self._schedule = schedule
        self._experiment, self._folder, self._engines = experiment, folder, engines
        self._rules = rules
        self._index = 0
        self._losses: dict[str, int] = {}
        self._failure: BaseException | None = None
        self._too_dear = ""
        # Why no further trial may begin: it would exceed the budget.
        self._over = threading.Event()
        # A lost worker may report an event after the run and its journal are closed.
        self._is_listening = True
        self._under_way = 0
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._listener = listener

    def run(self, workers: Sequence[Worker]) -> None:
        """Run all trials.

        Raises:
            FiveninesError: an error that every other trial would have as well; or all workers are lost.
            KeyboardInterrupt: running trials are cancelled.
        """
        try:
            if len(workers) == 1:
                self._serve(workers[0])
            else:
                self._serve_all(workers)
            if self._failure is not None:
                raise self._failure
            self._conclude()
        finally:
            with self._lock:
                self._is_listening = False

    def _conclude(self) -> None:
        rest = self._schedule.rest()
        if rest and (self._too_dear or stops.is_asked(self._folder)):
            left = [item for item in rest if not self._rules.has_enough(item)]
            self._tell(CampaignStopped(len(left), self._too_dear))
        elif rest:
            raise FiveninesError(f"all workers are lost; {len(rest)} trials were not run")

    def _serve_all(self, workers: Sequence[Worker]) -> None:
        threads = [Background(target=self._guarded, args=(worker,), name=worker.name) for worker in workers]
        for thread in threads:
            thread.start()
        try:
            _join(threads)
        except KeyboardInterrupt:
            self._break_off(workers)
            _join(threads)
            raise

    def _break_off(self, workers: Sequence[Worker]) -> None:
        self._end()
        # Interrupt all at once, as an interrupt may wait for the worker's clean-up.
        requested = [Background(target=worker.interrupt) for worker in workers]
        for thread in requested:
            thread.start()
        _join(requested)

    def _guarded(self, worker: Worker) -> None:
        try:
            self._serve(worker)
        except BaseException as error:
            with self._lock:
                first, self._failure = self._failure is None, self._failure or error
            if first:
                # Running trials complete, and no further trial begins.
                self._end()

    def _end(self) -> None:
        with self._changed:
            self._over.set()
            self._changed.notify_all()

    def _serve(self, worker: Worker) -> None:
        while (work := self._take(worker)) is not None:
            try:
                self._see_through(work, worker)
            except WorkerLostError as error:
                self._lost(work, worker, error)
                if not worker.host_available():
                    self._schedule.lose(worker.host)
                    return
            finally:
                with self._changed:
                    self._under_way -= 1
                    self._changed.notify_all()

    def _take(self, worker: Worker) -> Work | None:
        with self._changed:
            while not self._ends():
                work = self._schedule.take(worker.host)
                if work is None:
                    if not self._under_way:
                        return None
                    # Another machine may still be lost, and its trials come to this one.
                    self._changed.wait(_POLL)
                elif self._is_too_dear(work):
                    self._schedule.give_back(work)
                elif not self._rules.spares(work, self._tell):
                    self._under_way += 1
                    return work
            return None

    def _ends(self) -> bool:
        return self._over.is_set() or bool(self._too_dear) or stops.is_asked(self._folder)

    def _is_too_dear(self, work: Work) -> bool:
        if isinstance(work, Trial):
            self._too_dear = over_budget(work.cell.solution, seconds_of([work], self._experiment))
        return bool(self._too_dear)

    def _see_through(self, work: Work, worker: Worker) -> None:
        """Run a trial until it is complete, or broken after its last attempt."""
        with self._lock:
            self._index += 1
            self._tell(TrialStarted(work, self._index, worker.name))
        first = _attempts_before(self._folder, work.id) + 1
        for attempt in range(first, first + ATTEMPTS):
            if attempt > first and self._is_too_dear(work):
                break
            with self._lock:
                ready = self._rules.prepared(work)
            order = Order(ready, self._experiment, self._folder, attempt, self._engines)
            delivered = worker.carry_out(order, self._tell)
            if delivered.record.status == "complete":
                configuration.share(self._folder, layout.trial_folder(self._folder, work.id))
                self._tell(TrialFinished(delivered.record, delivered.figures))
                return
            again = attempt + 1 < first + ATTEMPTS
            self._tell(TrialBroken(work.id, delivered.record.reason, will_retry=again))
        self.broken.append(work.id)

    def _lost(self, work: Work, worker: Worker, error: WorkerLostError) -> None:
        with self._lock:
            self._losses[work.id] = self._losses.get(work.id, 0) + 1
            given_up = self._losses[work.id] >= LOSSES
            self._tell(WorkerLost(worker.name, work.id, str(error)))
            if given_up:
                self._tell(TrialBroken(work.id, f"{LOSSES} workers were lost while they ran it", False))
                self.broken.append(work.id)
            else:
                self._index -= 1
                self._schedule.give_back(work)

    def _tell(self, event: Progress) -> None:
        with self._lock:
            if self._is_listening:
                self._listener(event)


def _join(threads: Sequence[Background]) -> None:
    while any(thread.is_alive() for thread in threads):
        for thread in threads:
            thread.join(_POLL)


def _attempts_before(folder: Path, trial_id: str) -> int:
    place = layout.trial_folder(folder, trial_id)
    return len(list(place.parent.glob(f"{trial_id}.broken-*")))
