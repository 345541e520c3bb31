"""Sweeps of a run: the best case of each swept solution, and the cells as they are compared.

A best case is chosen for conditions that an operator knows: workload, number of connections, network; or for
the workload alone, as an operator may know no more. The next fault is unknown, so cells that differ only in
the fault share a choice: measures from before the fault use the trials of all of them together; for measures
of a fault, and of a whole load, each fault is a stratum (see `best_case`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from fivenines.analysis.cells import CellResult, analyse, cell_result
from fivenines.analysis.measured import values_of
from fivenines.analysis.measures.measures import Measure, measure_named
from fivenines.analysis.statistics.best_case import BestCase, Choice, Observation, choose, reports
from fivenines.results.records import CellKey
from fivenines.results.store import Run


@dataclass(frozen=True)
class Variant:
    """One variant of a sweep: its name as a solution, and its settings in words (`a=1, b=2`)."""

    name: str
    words: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Unit:
    """The conditions that a best case is chosen for; `key` has no fault.

    `key` is None for all conditions, or for all of one `workload`. `cells` are those of all variants, of all
    their trials. `choice` is None where too few trials are complete.
    """

    key: CellKey | None
    cells: Sequence[CellResult]
    choice: Choice | None
    workload: str = ""

    @property
    def conditions(self) -> dict[str, Any] | None:
        """Return the common conditions of all cells; None without any."""
        if self.key is not None:
            return self.key.model_dump(exclude={"solution", "fault"})
        return {"workload": self.workload} if self.workload else None

    def of(self, variant: str) -> list[CellResult]:
        """Return the cells of one variant."""
        return [cell for cell in self.cells if cell.key.solution == variant]


@dataclass(frozen=True)
class Sweep:
    """A swept solution of the run, its planned variants, and the best variant for each unit.

    `same_trials`: all trials choose, and the same trials are reported.
    """

    name: str
    by: Measure
    variants: Mapping[str, Variant]
    units: Sequence[Unit]
    same_trials: bool = False

    def best(self, unit: Unit) -> BestCase:
        """Return the best case that a unit's cells show; without a choice its variant has no name."""
        chosen = self.variants[unit.choice.best.name] if unit.choice else None
        name, words = (chosen.name, chosen.words) if chosen else ("", "none could be chosen")
        return BestCase(self.name, name, words, len(self.variants), self.same_trials)


@dataclass(frozen=True)
class Compared:
    """The cells of a run as they are compared: each swept solution appears as its best case alone."""

    cells: list[CellResult]
    sweeps: list[Sweep]
    # All cells of the plan in the order of its file, with each variant as a separate cell.
    planned: list[CellResult] = field(default_factory=list)
    # Cells with a search for a length or severity: means over their trials would have no meaning.
    searched: list[CellResult] = field(default_factory=list)

    @property
    def variants(self) -> list[CellResult]:
        """Return the cells of all variants, of all their trials."""
        return [cell for sweep in self.sweeps for unit in sweep.units for cell in unit.cells]

    @property
    def measured(self) -> list[CellResult]:
        """Return all cells of the plan, so that troubles of any variant are reported, not only of the
        best.
        """
        return [*(cell for cell in self.cells if cell.best is None), *self.variants, *self.searched]


def compared(run: Run) -> Compared:
    """Analyse a run, and replace the variants of each sweep by their best case."""
    planned = analyse(run)
    lengths = {item.cell for item in run.manifest.plan if item.search or item.severity}
    searched = [cell for cell in planned if cell.key in lengths]
    measured = [cell for cell in planned if cell.key not in lengths]
    sweeps = sweeps_of(run, measured)
    result: dict[CellKey, CellResult] = {}
    places = {cell.key: (sweep, unit) for sweep in sweeps for unit in sweep.units for cell in unit.cells}
    for cell in measured:
        if cell.key not in places:
            result[cell.key] = cell
            continue
        sweep, unit = places[cell.key]
        best = sweep.best(unit)
        key = cell.key.model_copy(update={"solution": best.name})
        if key not in result and (shown := _best_case(run, unit, cell, best)) is not None:
            result[key] = replace(shown, key=key, best=best)
    return Compared(list(result.values()), sweeps, planned, searched)


def sweeps_of(run: Run, cells: Sequence[CellResult]) -> list[Sweep]:
    """Return the sweeps of which at least two variants are in the plan, in the order of the experiment."""
    result = []
    for name, items in _variants(run).items():
        planned = [item for item in items if any(c.key.solution == item["name"] for c in cells)]
        if len(planned) < 2:
            continue
        settings = [item["variant"] for item in planned]
        measure = _by(settings[0]["by"]) or measure_named("tps")
        same = settings[0].get("judged_on") == "same-trials"
        variants = {
            item["name"]: Variant(item["name"], words_of(setting["settings"]), setting["settings"])
            for item, setting in zip(planned, settings, strict=True)
        }
        own = [cell for cell in cells if cell.key.solution in variants]
        units = [
            replace(
                unit,
                choice=choose(
                    _observed(variants, unit.cells, measure), higher=bool(measure.more), same_trials=same
                ),
            )
            for unit in _units(name, own, settings[0].get("best_for", "each"))
        ]
        result.append(Sweep(name, measure, variants, units, same))
    return result


def words_of(settings: Mapping[str, Any]) -> str:
    """Return settings in one line: `poll_spin_loops=1000`; the last part of a key where that is enough."""
    last = [key.rpartition(".")[2] for key in settings]
    keys = last if len(set(last)) == len(last) else list(settings)
    return ", ".join(
        f"{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in zip(keys, settings.values(), strict=True)
    )


def _variants(run: Run) -> dict[str, list[dict[str, Any]]]:
    """Return the solutions of the experiment that are variants, by the name of their sweep."""
    result: dict[str, list[dict[str, Any]]] = {}
    items = run.manifest.experiment.get("solutions")
    for item in items if isinstance(items, list) else []:
        variant = item.get("variant") if isinstance(item, dict) else None
        if isinstance(variant, dict) and _by(variant.get("by")):
            result.setdefault(str(variant.get("of")), []).append(item)
    return result


def _by(name: object) -> Measure | None:
    """Return the measure that a sweep chooses by; older runs call transactions per second throughput."""
    try:
        return measure_named("tps" if name == "throughput" else str(name))
    except ValueError:
        return None


def _units(name: str, cells: Sequence[CellResult], best_for: str) -> list[Unit]:
    if best_for == "all":
        return [Unit(None, list(cells), None)]
    if best_for == "workload":
        workloads = dict.fromkeys(cell.key.workload for cell in cells)
        return [
            Unit(None, [cell for cell in cells if cell.key.workload == workload], None, workload)
            for workload in workloads
        ]
    result: dict[CellKey, list[CellResult]] = {}
    for cell in cells:
        key = cell.key.model_copy(update={"solution": name, "fault": ""})
        result.setdefault(key, []).append(cell)
    return [Unit(key, some, None) for key, some in result.items()]


def _observed(
    variants: Iterable[str], cells: Sequence[CellResult], measure: Measure
) -> dict[str, dict[str, list[Observation]]]:
    """Return the values of each variant, by stratum."""
    observations: dict[str, dict[str, list[Observation]]] = {name: {} for name in variants}
    for cell in cells:
        if measure.fault and not cell.faulted:
            continue
        fault = "" if measure.when == "steady" else cell.key.fault
        stratum = cell.key.model_copy(update={"solution": "", "fault": fault}).model_dump_json()
        values = observations[cell.key.solution].setdefault(stratum, [])
        for trial, value in zip(cell.trials, values_of(measure.name, cell.trials), strict=True):
            if value is not None:
                values.append(Observation(trial.record.number, *value))
    return observations


def _best_case(run: Run, unit: Unit, like: CellResult, best: BestCase) -> CellResult | None:
    """Return the chosen variant's cell with the reported trials; None where it was not planned."""
    name = best.variant or like.key.solution
    key = like.key.model_copy(update={"solution": name})
    cell = next((cell for cell in unit.cells if cell.key == key), None)
    if cell is None:
        return None
    belongs = partial(reports, same_trials=best.same_trials)
    planned = sum(item.cell == key and belongs(item.number) for item in run.manifest.plan)
    broken = sum(item.record.cell == key and belongs(item.record.number) for item in run.broken)
    reporting = [trial for trial in cell.trials if belongs(trial.record.number)]
    return cell_result(key, planned, broken, reporting if best.variant else [])
