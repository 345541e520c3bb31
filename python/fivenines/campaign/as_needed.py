"""Trials as needed: decide after each trial whether its cell needs another one.

The decision reads the folders of a cell's trials as the report does, so a resumed campaign continues where
the first one ended.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fivenines.analysis.measured import VALUES
from fivenines.analysis.measures.measure import Value
from fivenines.analysis.measures.trials import TrialsSettings, UntilSettings
from fivenines.analysis.statistics.means import CONFIDENCE
from fivenines.analysis.statistics.sequential import Look, look, nominal_of
from fivenines.analysis.trials import measures
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Trial
from fivenines.results import layout, store
from fivenines.results.records import CellKey, Manifest, Settled
from fivenines.results.store import Run, StoredTrial
from fivenines.trial.progress import CellSettled, Listener, silent


class Spares(Protocol):
    """A rule by which planned work is left out."""

    def spares(self, work: Trial | Block, listener: Listener) -> bool:
        """Return whether this work is not needed; report a new decision to the listener."""

    def has_enough(self, work: Trial | Block) -> bool:
        """Return whether this work is already known not to be needed."""

    def left(self, work: Sequence[Trial | Block]) -> list[Trial | Block]:
        """Return the remaining work of a resumed campaign, without what is not needed."""


@dataclass
class AsNeeded:
    """Decides which cells need more trials, and records settled cells in the manifest."""

    settings: TrialsSettings
    folder: Path
    _known: dict[str, Value | None] = field(default_factory=dict)
    _settled: set[CellKey] = field(default_factory=set)

    def spares(self, work: Trial | Block, listener: Listener) -> bool:
        """Return whether its cell needs no more trials; report a newly settled cell to the listener."""
        until = self.settings.until
        if until is None or not isinstance(work, Trial) or work.number <= self.settings.at_least:
            return False
        if self.has_enough(work):
            return True
        key = work.cell.key
        run = store.open_run(self.folder)
        done = [item for item in run.complete if item.record.cell == key]
        seen = self._look(done, until, nominal_of(run) or CONFIDENCE)
        if seen.state == "open":
            return False
        self._settled.add(key)
        listener(CellSettled(self._spare(run, key, seen, done)))
        return True

    def has_enough(self, work: Trial | Block) -> bool:
        """Return whether its cell is already settled."""
        return (
            isinstance(work, Trial)
            and work.number > self.settings.at_least
            and work.cell.key in self._settled
        )

    def left(self, work: Sequence[Trial | Block]) -> list[Trial | Block]:
        """Return the remaining work of a resumed campaign, without cells that were settled before."""
        first: dict[CellKey, Trial] = {}
        for item in work:
            if isinstance(item, Trial) and item.number > self.settings.at_least:
                first.setdefault(item.cell.key, item)
        for trial in first.values():
            self.spares(trial, silent)
        return [item for item in work if not self.has_enough(item)]

    def _look(self, done: list[StoredTrial], until: UntilSettings, nominal: float) -> Look:
        new = [item for item in done if item.record.id not in self._known]
        for measured in measures(new):
            self._known[measured.record.id] = VALUES[until.measure](measured)
        result = [self._known[item.record.id] for item in done]
        values = [item for item in result if item is not None]
        return look(values, len(done), self.settings.at_least, until.within, nominal)

    def _spare(self, run: Run, key: CellKey, seen: Look, done: list[StoredTrial]) -> Settled:
        """Remove the cell's remaining trials from the plan, and return what that saves."""
        settled, manifest = settle(run, key, done, seen.state == "settled")
        before = [item for item in manifest.settled if item.cell != key]
        changed = manifest.model_copy(update={"settled": [*before, settled]})
        store.write_json(self.folder / layout.MANIFEST, changed)
        return settled


def settle(run: Run, key: CellKey, done: Sequence[StoredTrial], measured: bool) -> tuple[Settled, Manifest]:
    """Return what the end of a cell's trials saves, and the manifest without its remaining trials.

    Args:
        run: the run.
        key: the cell.
        done: its complete trials.
        measured: see `Settled`.
    """
    complete = {item.record.id for item in done}
    # A trial that was given up is reported as broken, so it stays in the plan.
    removed = {
        item.id
        for item in run.manifest.plan
        if item.cell == key and item.id not in complete and not _broken(run, item.id)
    }
    mean = sum(item.record.seconds for item in done) / len(done) if done else 0.0
    settled = Settled(
        cell=key, trials=len(done), measured=measured, spared=len(removed), seconds=mean * len(removed)
    )
    plan = [item for item in run.manifest.plan if item.id not in removed]
    return settled, run.manifest.model_copy(update={"plan": plan})


def _broken(run: Run, trial_id: str) -> bool:
    place = layout.trial_folder(run.folder, trial_id)
    return any(place.parent.glob(f"{trial_id}.broken-*"))
