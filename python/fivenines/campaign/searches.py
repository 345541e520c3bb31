"""Searches: choose the length or severity of a trial's fault by the trials before, and end when it is known.

The choice reads the folders of a cell's trials as the report does, so a resumed campaign continues where the
first one ended. With several workers a choice lacks the trials that are still running.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fivenines.analysis.availability import severity, tolerance
from fivenines.analysis.availability.needless import Response
from fivenines.analysis.statistics.threshold import next_length
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
    """Chooses values, and spares the trials of a search that has ended; `rule` decides on all other work."""

    folder: Path
    rule: Spares
    _known: dict[str, Response | None] = field(default_factory=dict)
    _ended: set[CellKey] = field(default_factory=set)

    def prepared(self, work: Trial | Block) -> Trial | Block:
        """Return the work with the length or severity of its fault."""
        if not isinstance(work, Trial) or not work.cell.fault.searched:
            return work
        fault, value = work.cell.fault, self._next(work)
        # A search that has ended goes on only where its last trials run at once.
        if fault.severity is not None:
            low, _ = fault.severity.ends(fault.severities)
            value = float(f"{low if value is None else value:.3g}")
            return replace(work, cell=replace(work.cell, fault=fault.of_severity(value)), severity=value)
        assert fault.search is not None
        seconds = round(fault.search.at_least if value is None else value, _DIGITS)
        return replace(work, cell=replace(work.cell, fault=fault.lasting(seconds)))

    def spares(self, work: Trial | Block, listener: Listener) -> bool:
        """Return whether this work is not needed; report the end of a search to the listener."""
        if not isinstance(work, Trial) or not work.cell.fault.searched:
            return self.rule.spares(work, listener)
        if self.has_enough(work):
            return True
        if self._next(work) is not None:
            return False
        self._ended.add(work.cell.key)
        listener(CellSettled(self._spare(work.cell.key)))
        return True

    def has_enough(self, work: Trial | Block) -> bool:
        """Return whether this work is already known not to be needed."""
        if not isinstance(work, Trial) or not work.cell.fault.searched:
            return self.rule.has_enough(work)
        return work.cell.key in self._ended

    def left(self, work: Sequence[Trial | Block]) -> list[Trial | Block]:
        """Return the remaining work of a resumed campaign."""
        first: dict[CellKey, Trial] = {}
        for item in work:
            if isinstance(item, Trial) and item.cell.fault.searched:
                first.setdefault(item.cell.key, item)
        for trial in first.values():
            self.spares(trial, silent)
        return self.rule.left([item for item in work if not self.has_enough(item)])

    def _next(self, work: Trial) -> float | None:
        """Return the next value of a search, by the cell's trials in their order; None: it has ended."""
        run, key = store.open_run(self.folder), work.cell.key
        done = [item for item in run.complete if item.record.cell == key]
        for measured in measures([item for item in done if item.record.id not in self._known]):
            self._known[measured.record.id] = measured.response
        responses = [self._known[item.record.id] for item in done]
        if work.cell.fault.severity is None:
            return next_length(tolerance.outcomes(responses), tolerance.designs(run.manifest)[key])
        found = [
            severity.tried(item.record.severity, response)
            for item, response in zip(done, responses, strict=True)
        ]
        _, design = severity.plans(run.manifest)[key]
        return severity.next_value([item for item in found if item is not None], design)

    def _spare(self, key: CellKey) -> Settled:
        """Remove a cell's remaining trials from the plan, and return what that saves."""
        run = store.open_run(self.folder)
        done = [item for item in run.complete if item.record.cell == key]
        settled, manifest = settle(run, key, done, measured=True)
        store.write_json(self.folder / layout.MANIFEST, manifest)
        return settled
