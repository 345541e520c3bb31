"""Interface of workers, which run one trial at a time."""

import gc
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fivenines.base.errors import FiveninesError, brief
from fivenines.campaign.figures import figures_of
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Trial
from fivenines.experiment.spec import Experiment
from fivenines.results.records import BlockRecord, TrialRecord, WorkerRecord
from fivenines.trial.deployment.deployed import Deploy, Deployed
from fivenines.trial.interleaved.block import run_block
from fivenines.trial.progress import Figures, Listener
from fivenines.trial.trial import run_trial

# Seconds that an interrupted worker has to clean up.
PATIENCE = 60.0


class WorkerLostError(FiveninesError):
    """A worker was lost during a trial, which runs again on another worker."""


def unexpected(error: BaseException, details: str) -> RuntimeError:
    """Return an internal error of another process: one line, with its traceback as a note for the log."""
    result = RuntimeError(f"{type(error).__name__}: {brief(error)}")
    result.add_note(details)
    return result


@dataclass(frozen=True)
class Order:
    """One attempt at a trial or block: the data that a worker needs."""

    work: Trial | Block
    experiment: Experiment
    # Folder of the run.
    folder: Path
    attempt: int
    # Versions that the run began with, by engine name.
    engines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Delivered:
    """Result of an order; the trial's folder is in the run."""

    record: TrialRecord | BlockRecord
    figures: Figures


class Worker(Protocol):
    """Runs one order at a time; used by one thread, except `interrupt`.

    Attributes:
        name: name in output and records.
        host: the worker's machine, a block of the analysis.
    """

    name: str
    host: str

    def carry_out(self, order: Order, listener: Listener) -> Delivered:
        """Run a trial or block to its end.

        Raises:
            WorkerLostError: the worker was lost; the run contains no trace of the attempt.
            FiveninesError: an error that every other trial would have as well, as a full disk.
            KeyboardInterrupt: the worker was interrupted.
        """

    def host_available(self) -> bool:
        """Return whether the worker can continue after it was lost."""

    def interrupt(self) -> None:
        """Cancel the current trial, from another thread, and remove its folder."""

    def close(self) -> None:
        """Release the worker."""


class Here:
    """This process: trials run sequentially, with all resources of the machine."""

    name = ""
    host = ""

    def __init__(self, deploy: Deploy = Deployed) -> None:
        self._deploy = deploy

    def carry_out(self, order: Order, listener: Listener) -> Delivered:
        """Run the order in this thread."""
        return perform(order, listener, None, self._deploy)

    def host_available(self) -> bool:
        """Return True: this process is never lost."""
        return True

    def interrupt(self) -> None:
        """Do nothing: Ctrl-C reaches this thread anyway."""

    def close(self) -> None:
        """Do nothing."""


def perform(
    order: Order, listener: Listener, where: WorkerRecord | None, deploy: Deploy = Deployed
) -> Delivered:
    """Run a trial or block in this process.

    Raises:
        FiveninesError: an error that every other trial would have as well.
    """
    work, folder = order.work, order.folder
    record: TrialRecord | BlockRecord
    if isinstance(work, Block):
        record = run_block(work, order.experiment, folder, order.attempt, listener, deploy, where)
    else:
        record = run_trial(work, order.experiment, folder, order.attempt, listener, deploy, where)
    # Cycles of a trial's objects may hold descriptors; by itself the collector runs rarely in this program.
    gc.collect()
    complete = record.status == "complete"
    return Delivered(record, figures_of(folder, record) if complete else Figures())
