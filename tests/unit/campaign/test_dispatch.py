"""Trials are handed out to workers, tried again, and none is lost."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError, NoSpaceError
from fivenines.campaign import dispatch as module
from fivenines.campaign.as_needed import AsNeeded
from fivenines.campaign.dispatch import LOSSES, Dispatch
from fivenines.campaign.schedule import Schedule
from fivenines.campaign.searches import Searches
from fivenines.campaign.workers.base import Delivered, Order, WorkerLostError
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.results import stops
from fivenines.results.records import TrialRecord
from fivenines.trial.progress import (
    CampaignStopped,
    Figures,
    Listener,
    ResultDropped,
    TrialBroken,
    TrialFinished,
    TrialStarted,
    WorkerLost,
)

SOURCE = """
name: x
seed: 1
trials: 3
connections: [1]
solutions: [{solution: standalone, name: a}, {solution: standalone, name: b}]
workloads: [oltp_read_only]
"""
EXPERIMENT = parse_experiment(SOURCE, "x.yaml")
WORK = plan(EXPERIMENT)

Outcome = Callable[[Order], str]


@dataclass
class Pretended:
    """A worker with planned outcomes of its trials; `lost` raises as a real worker does."""

    name: str
    host: str
    outcome: Outcome = lambda _order: "complete"
    there: bool = True
    orders: list[Order] = field(default_factory=list)
    listeners: list[Listener] = field(default_factory=list)
    interrupted: threading.Event = field(default_factory=threading.Event)

    def carry_out(self, order: Order, listener: Listener) -> Delivered:
        self.orders.append(order)
        self.listeners.append(listener)
        outcome = self.outcome(order)
        if outcome == "wait":
            assert self.interrupted.wait(10.0)
            raise KeyboardInterrupt
        if outcome == "lost":
            raise WorkerLostError("no power")
        if outcome == "full":
            raise NoSpaceError("the disk is full")
        if outcome == "broken":
            trial = f"trials/{order.work.id}.broken-{order.attempt}"
            (order.folder / trial).mkdir(parents=True)
        work: Any = order.work
        record = TrialRecord(
            id=work.id,
            number=work.number,
            seed=work.seed,
            cell=work.cell.key,
            started="",
            seconds=1.0,
            status="broken" if outcome == "broken" else "complete",
            reason=f"reason {order.attempt}",
        )
        return Delivered(record, Figures())

    def host_available(self) -> bool:
        return self.there

    def interrupt(self) -> None:
        self.interrupted.set()

    def close(self) -> None:
        return

    @property
    def ran(self) -> list[str]:
        return [order.work.id for order in self.orders]


def _after(seconds: float, message: str) -> Outcome:
    def work(_order: Order) -> str:
        time.sleep(seconds)
        return message

    return work


def _dispatch(folder: Path, events: list[Any], work: Any = WORK) -> Dispatch:
    rules = Searches(folder, AsNeeded(EXPERIMENT.trials, folder))
    return Dispatch(Schedule(work), EXPERIMENT, folder, rules, events.append, {})


def _attempts(folder: Path, outcomes: list[str]) -> tuple[list[int], list[Any]]:
    """Return the numbers of the attempts at one trial with these outcomes, and the reported events."""
    left = iter(outcomes)
    messages: list[Any] = []
    worker = Pretended("", "", lambda _order: next(left))
    _dispatch(folder, messages, WORK[:1]).run([worker])
    return [order.attempt for order in worker.orders], messages[1:]


def test_a_trial_that_works_is_tried_once(tmp_path: Path) -> None:
    attempts, events = _attempts(tmp_path, ["complete"])
    assert attempts == [1]
    assert [type(event) for event in events] == [TrialFinished]


def test_a_broken_trial_is_tried_once_more(tmp_path: Path) -> None:
    attempts, events = _attempts(tmp_path, ["broken", "complete"])
    assert attempts == [1, 2]
    assert events[0] == TrialBroken("0001", "reason 1", will_retry=True)
    assert isinstance(events[1], TrialFinished)


def test_a_trial_that_stays_broken_is_given_up_and_tried_again_on_resume(tmp_path: Path) -> None:
    attempts, events = _attempts(tmp_path, ["broken", "broken"])
    assert attempts == [1, 2]
    assert events[-1] == TrialBroken("0001", "reason 2", will_retry=False)
    attempts, _ = _attempts(tmp_path, ["broken", "complete"])
    assert attempts == [3, 4]


def test_all_workers_together_run_every_trial_once(tmp_path: Path) -> None:
    messages: list[Any] = []

    def slow(_order: Order) -> str:
        time.sleep(0.01)
        return "complete"

    workers = [Pretended(f"worker {n}", "here", slow) for n in range(3)]
    dispatch = _dispatch(tmp_path, messages)
    dispatch.run(workers)
    ran = [trial for worker in workers for trial in worker.ran]
    assert sorted(ran) == [trial.id for trial in WORK]
    assert dispatch.broken == []
    started = [event for event in messages if isinstance(event, TrialStarted)]
    assert [event.index for event in started] == [1, 2, 3, 4, 5, 6]
    assert {event.worker for event in started} <= {"worker 0", "worker 1", "worker 2"}


def test_a_trial_whose_worker_is_lost_runs_elsewhere(tmp_path: Path) -> None:
    messages: list[Any] = []
    gone = Pretended("first", "one", lambda _order: "lost", there=False)
    other = Pretended("second", "two", _after(0.02, "complete"))
    _dispatch(tmp_path, messages).run([gone, other])
    assert len(gone.orders) == 1
    assert sorted(other.ran) == [trial.id for trial in WORK]
    assert [order.attempt for order in other.orders] == [1] * len(WORK), "no trial is blamed"
    assert WorkerLost("first", gone.ran[0], "no power") in messages
    finished = [event for event in messages if isinstance(event, TrialFinished)]
    assert len(finished) == len(WORK)


def test_without_any_worker_left_it_is_a_failure(tmp_path: Path) -> None:
    workers = [Pretended(name, name, lambda _order: "lost", there=False) for name in ("one", "two")]
    with pytest.raises(FiveninesError, match=r"^all workers are lost; 6 trials were not run$"):
        _dispatch(tmp_path, []).run(workers)


def test_a_trial_that_kills_its_workers_is_given_up(tmp_path: Path) -> None:
    messages: list[Any] = []
    bad = WORK[2].id
    worker = Pretended("a", "a", lambda order: "lost" if order.work.id == bad else "complete")
    dispatch = _dispatch(tmp_path, messages)
    dispatch.run([worker])
    assert dispatch.broken == [bad]
    assert worker.ran.count(bad) == LOSSES
    assert len(set(worker.ran)) == len(WORK)


def test_a_full_disk_ends_it_and_what_is_under_way_ends_rightly(tmp_path: Path) -> None:
    messages: list[Any] = []
    full = Pretended("a", "here", _after(0.05, "full"))
    other = Pretended("b", "here", _after(0.2, "complete"))
    with pytest.raises(NoSpaceError):
        _dispatch(tmp_path, messages).run([full, other])
    assert len(other.orders) <= 1
    assert len([event for event in messages if isinstance(event, TrialFinished)]) == len(other.orders)


def test_who_asks_it_to_stop_is_told_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[Any] = []
    requested = threading.Event()

    def work(_order: Order) -> str:
        requested.set()
        return "complete"

    monkeypatch.setattr(stops, "is_asked", lambda _folder: requested.is_set())
    worker = Pretended("a", "a", work)
    _dispatch(tmp_path, messages).run([worker])
    assert len(worker.orders) == 1
    assert messages[-1] == CampaignStopped(len(WORK) - 1)


def _interrupted(folder: Path, workers: Sequence[Pretended], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C once all are at work."""
    joined = module._join
    calls: list[int] = []

    def interrupted_once(threads: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            while not all(worker.orders for worker in workers):
                time.sleep(0.01)
            raise KeyboardInterrupt
        joined(threads)

    monkeypatch.setattr(module, "_join", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        _dispatch(folder, []).run(workers)


def test_an_interruption_meets_every_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workers = [Pretended(name, "here", lambda _order: "wait") for name in ("a", "b")]
    _interrupted(tmp_path, workers, monkeypatch)
    assert all(worker.interrupted.is_set() for worker in workers)


def test_nobody_is_interrupted_only_after_somebody_else_has_cleaned_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = threading.Event()
    in_time: list[bool] = []

    class Slow(Pretended):
        """Cleans up once the other one was interrupted, too."""

        def interrupt(self) -> None:
            in_time.append(others.wait(2.0))
            super().interrupt()

    class Quick(Pretended):
        """Tells that it was interrupted."""

        def interrupt(self) -> None:
            others.set()
            super().interrupt()

    workers = [Slow("a", "here", lambda _order: "wait"), Quick("b", "here", lambda _order: "wait")]
    _interrupted(tmp_path, workers, monkeypatch)
    assert in_time == [True]


def test_a_trial_that_would_cost_too_much_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[Any] = []
    requested: list[float] = []

    def over_budget(_solution: Any, seconds: float) -> str:
        requested.append(seconds)
        return "its budget is 5" if len(requested) > 1 else ""

    monkeypatch.setattr(module, "over_budget", over_budget)
    worker = Pretended("a", "a", lambda _order: "complete")
    dispatch = _dispatch(tmp_path, messages)
    dispatch.run([worker])
    assert len(worker.orders) == 1 and all(seconds > 0 for seconds in requested)
    assert messages[-1] == CampaignStopped(len(WORK) - 1, "its budget is 5")


def test_what_a_lost_worker_reports_after_the_end_is_not_passed_on(tmp_path: Path) -> None:
    messages: list[Any] = []
    worker = Pretended("", "")
    _dispatch(tmp_path, messages, WORK[:1]).run([worker])
    before = len(messages)
    worker.listeners[0](ResultDropped("gone", WORK[0].id))
    assert len(messages) == before
