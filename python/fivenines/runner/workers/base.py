"""What a worker is: it carries out one trial at a time, wherever that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fivenines.deployment.deployed import Deploy, Deployed
from fivenines.errors import FiveninesError, brief
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Trial
from fivenines.experiment.spec import Experiment
from fivenines.results.records import BlockRecord, TrialRecord, WorkerRecord
from fivenines.runner.figures import figures_of
from fivenines.runner.interleaved import run_block
from fivenines.runner.progress import Figures, Listener
from fivenines.runner.trial import run_trial

# Seconds that a worker has to clean up once it was interrupted.
PATIENCE = 60.0


class WorkerLostError(FiveninesError):
    """A worker is gone in the middle of a trial: not the trial's fault, which runs again elsewhere."""


def unexpected(error: BaseException, details: str) -> RuntimeError:
    """Return a mistake of ours in another process: one line, with its traceback as a note for the log."""
    result = RuntimeError(f"{type(error).__name__}: {brief(error)}")
    result.add_note(details)
    return result


@dataclass(frozen=True)
class Order:
    """One attempt at one trial or interleaved: what a worker has to know."""

    work: Trial | Block
    experiment: Experiment
    # The run.
    folder: Path
    attempt: int
    # The versions that the run began with, by the engines' names.
    engines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Delivered:
    """What an order came to; the trial's folder is in the run."""

    record: TrialRecord | BlockRecord
    figures: Figures


class Worker(Protocol):
    """Carries out one order at a time; used by one thread, but for `interrupt`.

    Attributes:
        name: as lines and records call it.
        host: the machine it is on, a block of the analysis.
    """

    name: str
    host: str

    def carry_out(self, order: Order, listener: Listener) -> Delivered:
        """Run a trial or an interleaved comparison to its end.

        Raises:
            WorkerLostError: the worker is gone; nothing of the attempt is left in the run.
            FiveninesError: no other trial could do better here, as when the disk is full.
            KeyboardInterrupt: it was interrupted.
        """

    def host_is_there(self) -> bool:
        """Return whether it can go on after it was lost."""

    def interrupt(self) -> None:
        """End what is under way, from another thread; its folder goes."""

    def close(self) -> None:
        """Nothing more is to be carried out."""


class Here:
    """This process: trials run one after another, with all that the machine has."""

    name = ""
    host = ""

    def __init__(self, deploy: Deploy = Deployed) -> None:
        self._deploy = deploy

    def carry_out(self, order: Order, listener: Listener) -> Delivered:
        """Run it in this thread."""
        return perform(order, listener, None, self._deploy)

    def host_is_there(self) -> bool:
        """It is never lost."""
        return True

    def interrupt(self) -> None:
        """Ctrl-C meets this thread by itself."""

    def close(self) -> None:
        """There is nothing to end."""


def perform(
    order: Order, listener: Listener, where: WorkerRecord | None, deploy: Deploy = Deployed
) -> Delivered:
    """Run a trial or an interleaved comparison in this process.

    Raises:
        FiveninesError: no other trial could do better here.
    """
    work, folder = order.work, order.folder
    record: TrialRecord | BlockRecord
    if isinstance(work, Block):
        record = run_block(work, order.experiment, folder, order.attempt, listener, deploy, where)
    else:
        record = run_trial(work, order.experiment, folder, order.attempt, listener, deploy, where)
    complete = record.status == "complete"
    return Delivered(record, figures_of(folder, record) if complete else Figures())
