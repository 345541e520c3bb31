"""Searches: choose the length of a trial's fault by the trials before, and end when it is known.

The choice reads the folders of a cell's trials as the report does, so a resumed campaign continues where the
first one ended. With several workers a choice lacks the trials that are still running.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fivenines.analysis.availability.needless import Response
from fivenines.analysis.availability.tolerance import designs, outcomes
from fivenines.analysis.statistics.psychometric import Outcome
from fivenines.analysis.statistics.threshold import Design, next_length
from fivenines.analysis.trials import measures
from fivenines.campaign.as_needed import Spares, settle
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Trial
from fivenines.results import layout, store
from fivenines.results.records import CellKey, Settled
from fivenines.trial.progress import CellSettled, Listener, silent

# Precision of a length that is tried, in seconds.
_DIGITS = 3


@dataclass
class Searches:
    """Chooses lengths, and spares the trials of a search that has ended; `rule` decides on all other work."""

    folder: Path
    rule: Spares
    _known: dict[str, Response | None] = field(default_factory=dict)
    _ended: set[CellKey] = field(default_factory=set)

    def prepared(self, work: Trial | Block) -> Trial | Block:
        """Return the work with the length of its fault."""
        if not isinstance(work, Trial) or work.cell.fault.search is None:
            return work
        search = work.cell.fault.search
        found, design = self._outcomes(work.cell.key)
        # A search that has ended goes on only where its last trials run at once.
        seconds = next_length(found, design) or search.at_least
        fault = work.cell.fault.lasting(round(seconds, _DIGITS))
        return replace(work, cell=replace(work.cell, fault=fault))

    def spares(self, work: Trial | Block, listener: Listener) -> bool:
        """Return whether this work is not needed; report the end of a search to the listener."""
        if not isinstance(work, Trial) or work.cell.fault.search is None:
            return self.rule.spares(work, listener)
        if self.has_enough(work):
            return True
        found, design = self._outcomes(work.cell.key)
        if next_length(found, design) is not None:
            return False
        self._ended.add(work.cell.key)
        listener(CellSettled(self._spare(work.cell.key)))
        return True

    def has_enough(self, work: Trial | Block) -> bool:
        """Return whether this work is already known not to be needed."""
        if not isinstance(work, Trial) or work.cell.fault.search is None:
            return self.rule.has_enough(work)
        return work.cell.key in self._ended

    def left(self, work: Sequence[Trial | Block]) -> list[Trial | Block]:
        """Return the remaining work of a resumed campaign."""
        first: dict[CellKey, Trial] = {}
        for item in work:
            if isinstance(item, Trial) and item.cell.fault.search is not None:
                first.setdefault(item.cell.key, item)
        for trial in first.values():
            self.spares(trial, silent)
        return self.rule.left([item for item in work if not self.has_enough(item)])

    def _outcomes(self, key: CellKey) -> tuple[list[Outcome], Design]:
        """Return the outcomes of a cell in the order of its trials, and the design of its search."""
        run = store.open_run(self.folder)
        done = [item for item in run.complete if item.record.cell == key]
        for measured in measures([item for item in done if item.record.id not in self._known]):
            self._known[measured.record.id] = measured.response
        return outcomes([self._known[item.record.id] for item in done]), designs(run.manifest)[key]

    def _spare(self, key: CellKey) -> Settled:
        """Remove a cell's remaining trials from the plan, and return what that saves."""
        run = store.open_run(self.folder)
        done = [item for item in run.complete if item.record.cell == key]
        settled, manifest = settle(run, key, done, measured=True)
        store.write_json(self.folder / layout.MANIFEST, manifest)
        return settled
