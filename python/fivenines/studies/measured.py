"""Figures of runs, for the tests of claims."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from fivenines.analysis.measured import EVENTS, summary_of, values_of
from fivenines.analysis.order import in_order
from fivenines.analysis.performance.clients import client_measures
from fivenines.analysis.performance.load import failed_share
from fivenines.analysis.performance.sweeps import Compared, Sweep, Unit, Variant, compared
from fivenines.analysis.resources.cost import hosts_of
from fivenines.analysis.statistics.means import Summary, of_moments
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import count
from fivenines.results import layout
from fivenines.results.records import CellKey
from fivenines.results.store import Run, open_run
from fivenines.studies.blocks import FEW_FAILED, BlockFigures
from fivenines.studies.claims.figures import Events, Level, Place, Sample, TrialValue, Variants
from fivenines.studies.client_limited import Limited, mostly_limited
from fivenines.studies.measures import EXACT, full_name, of_all, taken
from fivenines.studies.models import Unavailable
from fivenines.studies.spots import Spot, levels, matching, one_cell, spots_of


class PartFigures:
    """A part of a study: its plan, and its run if it exists.

    Args:
        name: the part.
        planned: the cells of its plan.
        folder: folder of the run, which may be missing.
    """

    def __init__(self, name: str, planned: Sequence[Spot], folder: Path) -> None:
        self.name = name
        self._folder = folder
        self._planned = planned

    @cached_property
    def found(self) -> Compared | None:
        """Return the analysed run; None if it has not begun."""
        if not (self._folder / layout.MANIFEST).is_file():
            return None
        return compared(self._run)

    @cached_property
    def _run(self) -> Run:
        return open_run(self._folder)

    @property
    def complete(self) -> int:
        """Return the number of complete trials and blocks."""
        if self.found is None:
            return 0
        return len(self._run.complete) + sum(block.complete for block in self._run.blocks)

    @property
    def planned(self) -> int | None:
        """Return the number of trials and blocks that the run plans; None without a run."""
        if self.found is None:
            return None
        return len(self._run.manifest.plan) + len(self._run.manifest.blocks)

    @cached_property
    def spots(self) -> Sequence[Spot]:
        """Return the cells as planned by the run; without a run, as they would be planned."""
        if self.found is None:
            return self._planned
        manifest = self._run.manifest
        blocks = [cell for block in manifest.blocks for cell in block.cells]
        planned = [*(item.cell for item in manifest.plan), *blocks]
        keys = in_order(self._run, dict.fromkeys(planned))
        return spots_of(self.name, manifest.experiment, keys, set(blocks))

    def trials(self, spots: Sequence[Spot]) -> list[TrialMeasures]:
        """Return the complete trials of cells.

        For a swept solution without a named variant these are the reported trials of its best case; for named
        variants all of their trials.
        """
        if self.found is None:
            return []
        expected = {spot.key for spot in spots}
        whole = {condition: keys for condition, keys in self._of_sweeps.items() if keys <= expected}
        one_by_one = expected.difference(*whole.values())
        best = [
            cell for cell in self.found.cells if cell.best and _condition(cell.key, cell.best.sweep) in whole
        ]
        own = [cell for cell in self.found.measured if cell.key in one_by_one]
        return [trial for cell in [*own, *best] for trial in cell.trials]

    @cached_property
    def _of_sweeps(self) -> dict[CellKey, set[CellKey]]:
        """Return the cells of all variants of each sweep, by the cell that stands for them."""
        names = {sweep.name for sweep in self.found.sweeps} if self.found is not None else set()
        keys: dict[CellKey, set[CellKey]] = {}
        for spot in self.spots:
            if spot.is_variant and spot.solution in names:
                keys.setdefault(_condition(spot.key, spot.solution), set()).add(spot.key)
        return keys

    @cached_property
    def blocks(self) -> BlockFigures | None:
        """Return the figures of the run's complete blocks; None if it has not begun."""
        return BlockFigures(self._run) if self.found is not None else None

    def swept(self, name: str) -> Sweep | None:
        """Return the sweep of this name."""
        sweeps = self.found.sweeps if self.found is not None else []
        return next((sweep for sweep in sweeps if sweep.name == name), None)


class RunFigures:
    """Figures of all parts of a study that have run; implements `claims.figures.Figures`.

    Args:
        parts: all parts.
        unavailable: names in claims that cannot be run here.
        limited: what becomes of trials in which the client was the bottleneck.
    """

    def __init__(
        self,
        parts: Sequence[PartFigures],
        unavailable: Mapping[str, Unavailable],
        limited: Limited = "hinder",
    ) -> None:
        self._parts = {part.name: part for part in parts}
        self._unavailable = unavailable
        self._limited: Limited = limited

    def with_limited(self, limited: Limited) -> "RunFigures":
        """Return the same figures with another treatment of trials in which the client was the bottleneck."""
        return RunFigures(list(self._parts.values()), self._unavailable, limited)

    def sample(self, measure: str, place: Place) -> Sample:
        """Return the values of a measure at a place."""
        if reason := self._cannot(place):
            return Sample(unavailable=reason)
        spots = one_cell(self._spots(), place, measure)
        if isinstance(spots, str):
            return Sample(missing=spots)
        part = self._parts[spots[0].part]
        if not spots[0].in_blocks:
            return self._of_trials(measure, place.client, part, spots)
        if part.blocks is None:
            return Sample(missing=self._why_none(part.name))
        sample = part.blocks.sample(measure, spots[0].key, part.name, self._limited)
        return replace(sample, limited="") if self._limited == "keep" else sample

    def _of_trials(
        self, measure: str, client: str | None, part: PartFigures, spots: Sequence[Spot]
    ) -> Sample:
        """Return the values of a measure in the trials of some cells."""
        trials = self._trials(part.name, spots)
        if isinstance(trials, str):
            return Sample(missing=trials)
        if client is not None:
            if reason := of_all(measure):
                return Sample(missing=reason, source=part.name)
            trials = [client_measures(trial.stored, client) for trial in trials]
        if measure in EXACT:
            return _exact(trials, part.name)
        limited = [trial for trial in trials if trial.bottleneck]
        if self._limited == "leave out" and taken(measure) != "fault" and limited:
            if reason := mostly_limited(len(limited), len(trials)):
                return Sample(missing=reason, source=part.name)
            trials = [trial for trial in trials if not trial.bottleneck]
        sample = _sample(full_name(measure), trials, part.name)
        return replace(sample, limited="") if self._limited == "keep" else sample

    def events(self, measure: str, place: Place) -> Events:
        """Return the number of trials with an event at a place."""
        if reason := self._cannot(place):
            return Events(unavailable=reason)
        spots = one_cell(self._spots(), place, measure)
        if isinstance(spots, str):
            return Events(missing=spots)
        part = spots[0].part
        trials = self._trials(part, spots)
        if isinstance(trials, str):
            return Events(missing=trials)
        if place.client is not None:
            return Events(missing=of_all(measure), source=part)
        seen = [item for trial in trials if (item := EVENTS[measure](trial)) is not None]
        missing = "" if seen else f"{measure} could not be observed in any trial"
        return Events(sum(seen), len(seen), missing=missing, source=part)

    def variants(self, place: Place) -> Variants:
        """Return the variants of a sweep at a place."""
        if reason := self._cannot(place):
            return Variants(unavailable=reason)
        cells = matching(self._spots(), place)
        names = list(dict.fromkeys((item.part, item.solution) for item in cells))
        if len(names) != 1:
            return Variants(missing="the test must name a sweep" if names else "no such sweep")
        part, name = names[0]
        sweep = self._parts[part].swept(name)
        if sweep is None:
            return Variants(missing=self._why_none(part) or f"{name} is not swept")
        # A choice for several conditions is judged in one of them: trials of several conditions are no
        # sample.
        spots = one_cell(self._spots(), place, sweep.by.name)
        if isinstance(spots, str):
            return Variants(missing=spots)
        keys = {spot.key for spot in spots}
        unit = next(unit for unit in sweep.units if keys & {cell.key for cell in unit.cells})
        return _variants(sweep, unit, keys, part)

    def levels(self, axis: str, place: Place) -> Sequence[Level]:
        """Return the levels of an axis at a place."""
        return levels(self._spots(), axis, place)

    def _spots(self) -> list[Spot]:
        return [spot for part in self._parts.values() for spot in part.spots]

    def _cannot(self, place: Place) -> str:
        return cannot(self._unavailable, place)

    def _trials(self, part: str, spots: Sequence[Spot]) -> list[TrialMeasures] | str:
        """Return the complete trials of a part's cells, or the reason for none."""
        trials = self._parts[part].trials(spots)
        return trials or self._why_none(part) or "no trial is complete"

    def _why_none(self, part: str) -> str:
        return "" if self._parts[part].complete else f"the part {part} has not run"


def cannot(unavailable: Mapping[str, Unavailable], place: Place) -> str:
    """Return why figures of a place are not available on this machine; empty: they are."""
    for axis in ("part", "solution", "workload", "network", "fault"):
        name = place.level(axis)
        if name is not None and name in unavailable:
            return f"{name}: {unavailable[name].why}"
    return ""


def _limited(trials: Sequence[TrialMeasures]) -> str:
    busy = sum(bool(trial.bottleneck) for trial in trials)
    return f"the client was the bottleneck in {busy} of {count(len(trials), 'trial')}" if busy else ""


def _failing(trials: Sequence[TrialMeasures]) -> str:
    result = [trial for trial in trials if not trial.faults and failed_share(trial.record.load) > FEW_FAILED]
    if not result:
        return ""
    messages = [f"{error.code} {error.message}" for error in result[0].errors if error.source == "load"]
    why = f", most often with {messages[0]}" if messages else ""
    many = f"more than {100 * FEW_FAILED:.0f} % of transactions failed"
    return f"{many} in {len(result)} of {count(len(trials), 'trial')}{why}"


def _condition(key: CellKey, name: str) -> CellKey:
    return key.model_copy(update={"solution": name})


def _variants(sweep: Sweep, unit: Unit, keys: Set[CellKey], part: str) -> Variants:
    """Return the results of each variant in these cells, and the choice for their conditions."""
    samples = {}
    for variant in sweep.variants.values():
        cells = [cell for cell in unit.of(variant.name) if cell.key in keys]
        trials = [trial for cell in cells for trial in cell.trials]
        samples[_called(variant)] = _sample(sweep.by.name, trials, part)
    chosen = _called(sweep.variants[unit.choice.best.name]) if unit.choice else None
    missing = "" if any(sample.values for sample in samples.values()) else "no trial is complete"
    return Variants(samples, bool(sweep.by.more), chosen, sweep.by.name, missing)


def _called(variant: Variant) -> str:
    """Return the value of a single swept setting, or several settings with their names."""
    values = list(variant.settings.values())
    return str(values[0]) if len(values) == 1 else variant.words


def _exact(trials: Sequence[TrialMeasures], part: str) -> Sample:
    """Return the number of hosts, which all trials of a cell share."""
    hosts = hosts_of(trials[0].record.deployment)
    if hosts is None:
        return Sample(missing="no trial recorded its hosts", source=part)
    return Sample(of_moments(1, float(hosts), None), source=part, exact=True)


def _sample(measure: str, trials: Sequence[TrialMeasures], part: str) -> Sample:
    limited = "" if taken(measure) == "fault" else _limited(trials)
    failing = "" if measure.startswith("connect") else _failing(trials)
    result = zip(trials, values_of(measure, trials), strict=True)
    values = tuple(
        TrialValue(f"{part}/{trial.record.id}", *value) for trial, value in result if value is not None
    )
    if not values:
        missing = f"no trial measured {measure}" if trials else "no trial is complete"
        return Sample(missing=missing, source=part)
    summary = on_a_grid(measure, summary_of(measure, trials))
    return Sample(summary, values, limited, failing, source=part)


def on_a_grid(measure: str, summary: Summary) -> Summary:
    """Return a summary with the spread that the time slots of outages hide.

    If all outages fell into one slot, their standard deviation is that of a uniform distribution over the
    slot: its width / sqrt(12).
    """
    if not measure.startswith("outage_") or summary.sd != 0 or summary.bounds or summary.mean is None:
        return summary
    return of_moments(summary.n, summary.mean, layout.SLOT_MS / math.sqrt(12))
