"""Trials and blocks until claims are decided: look after each replication whether another one is needed.

A replication is trial n of every cell, and block n of every group. The claims are judged by repeated
confidence intervals, see `analysis.statistics.sequential`, with one level for all looks from `at_least` to
the largest number; so looking at them does not raise the error. The time limit depends on no result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from fivenines.analysis.measures.trials import UntilDecidedSettings
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Trial
from fivenines.results import layout, store
from fivenines.results.records import Decided, PlannedBlock, PlannedTrial
from fivenines.results.store import Run
from fivenines.trial.progress import ClaimsDecided, Listener, silent


@dataclass
class UntilDecided:
    """Ends all work of a run once its claims are decided, or its time is over; records that in the manifest.

    Attributes:
        settings: the rule.
        folder: the run.
        decided: whether the finished trials and blocks decide the claims.
    """

    settings: UntilDecidedSettings
    folder: Path
    decided: Callable[[], bool]
    _seen: set[int] = field(default_factory=set)
    _over: bool = False

    def spares(self, work: Trial | Block, listener: Listener) -> bool:
        """Return whether no more work is needed; report that once to the listener."""
        number = work.number - 1
        if self._over or number < self.settings.at_least or number in self._seen:
            return self._over
        run = store.open_run(self.folder)
        if not all(self._ended(item) for item in _planned(run) if item.number <= number):
            return False  # another worker still runs a trial of this replication
        self._seen.add(number)
        why = self._why(run)
        if why is None:
            return False
        self._over = True
        listener(ClaimsDecided(self._spare(run, number, why)))
        return True

    def has_enough(self, work: Trial | Block) -> bool:
        """Return whether no more work is needed."""
        return self._over and work.number > self.settings.at_least

    def left(self, work: Sequence[Trial | Block]) -> list[Trial | Block]:
        """Return the remaining work of a resumed campaign."""
        first = min(work, key=lambda item: item.number, default=None)
        return [] if first is not None and self.spares(first, silent) else list(work)

    def _why(self, run: Run) -> Literal["decided", "time"] | None:
        if self.decided():
            return "decided"
        limit = self.settings.within
        return "time" if limit is not None and sum(_seconds(run)) >= limit else None

    def _spare(self, run: Run, number: int, why: Literal["decided", "time"]) -> Decided:
        """Remove the remaining work from the plan, and return what that saves."""
        manifest = run.manifest
        spared = {item.id for item in _planned(run) if not self._ended(item) and item.number > number}
        seconds = _seconds(run)
        mean = sum(seconds) / len(seconds) if seconds else 0.0
        result = Decided(replications=number, why=why, spared=len(spared), seconds=mean * len(spared))
        update = {
            "plan": [item for item in manifest.plan if item.id not in spared],
            "blocks": [item for item in manifest.blocks if item.id not in spared],
            "decided": result,
        }
        store.write_json(self.folder / layout.MANIFEST, manifest.model_copy(update=update))
        return result

    def _ended(self, item: PlannedTrial | PlannedBlock) -> bool:
        """Return whether a trial or block is complete, or was tried and is broken."""
        place = layout.trial_folder(self.folder, item.id)
        return place.exists() or any(place.parent.glob(f"{item.id}.broken-*"))


def _planned(run: Run) -> list[PlannedTrial | PlannedBlock]:
    return [*run.manifest.plan, *run.manifest.blocks]


def _seconds(run: Run) -> list[float]:
    """Return the duration of each complete trial and block."""
    trials = [item.record.seconds for item in run.complete]
    return trials + [item.record.seconds for item in run.blocks if item.complete]
