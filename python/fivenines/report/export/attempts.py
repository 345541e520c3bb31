"""Iterate over runs with their names, and over every attempt of their trials."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from fivenines.analysis.resources.cost import Prices, prices
from fivenines.analysis.trials import TrialMeasures, measures, read_steady
from fivenines.results.names import run_names
from fivenines.results.records import CellKey, TrialRecord
from fivenines.results.store import Run, StoredTrial

# The number of trials that are measured at once, to bound the memory for their tables.
_CHUNK = 8

# Keys of an experiment that span the matrix; a trial's settings have only its entry of each.
_AXES = ("solutions", "workloads", "connections", "network", "faults")


@dataclass(frozen=True)
class NamedRun:
    """A run and its name in the file."""

    name: str
    run: Run

    @property
    def experiment(self) -> Mapping[str, Any]:
        """Return the experiment of the manifest, with all defaults."""
        return self.run.manifest.experiment

    @property
    def prices(self) -> Prices | None:
        """Return the prices of hosts, if the experiment has any."""
        return prices(self.experiment)

    def engine(self, cell: CellKey) -> str | None:
        """Return the name of the engine of a cell's solution."""
        entry = self.entry("solutions", cell.solution)
        return str(entry["engine"]) if entry and entry.get("engine") else None

    def entry(self, section: str, name: str) -> dict[str, Any] | None:
        """Return the experiment's entry for a solution, workload, network or fault, by name or kind."""
        items = self.experiment.get(section)
        entries = [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
        kind = {"solutions": "solution", "workloads": "workload", "faults": "fault"}.get(section)
        for one in entries:
            if (one.get("name") or one.get(kind or "")) == name:
                return one
        # A name that was made distinct begins with its kind.
        return next((one for one in entries if kind and name.startswith(str(one.get(kind)))), None)

    def settings(self, cell: CellKey) -> dict[str, Any]:
        """Return all settings of a cell, without those of other cells."""
        rest = {key: value for key, value in self.experiment.items() if key not in _AXES}
        return {
            "solution": self.entry("solutions", cell.solution),
            "workload": self.entry("workloads", cell.workload),
            "connections": cell.connections,
            "network": self.entry("network", cell.network),
            "fault": self.entry("faults", cell.fault),
            **rest,
        }


@dataclass(frozen=True)
class Attempt:
    """One attempt of a trial; a planned trial without an attempt is `missing`.

    `stored` and `measures` are those of a complete trial; a broken one has no measures. `notes` list files
    that could not be read.
    """

    of: NamedRun
    id: str
    cell: CellKey
    number: int
    seed: int
    status: Literal["complete", "broken", "missing"]
    reason: str
    record: TrialRecord | None = None
    stored: StoredTrial | None = None
    measures: TrialMeasures | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def fault_at(self) -> float | None:
        """Return the time of the first fault in ms of the load; None without a fault."""
        fault = self.record.fault if self.record else None
        return None if fault is None or fault.kind == "none" else fault.at


def named(runs: Sequence[Run]) -> list[NamedRun]:
    """Return the runs with their names.

    Raises:
        UsageError: a run is listed twice.
    """
    return [NamedRun(name, run) for name, run in zip(run_names(runs), runs, strict=True)]


def number_of(run: Run) -> int:
    """Return the number of attempts that `attempts` yields."""
    return len(run.complete) + len(run.broken) + len(_untried(run))


def attempts(of: NamedRun) -> Iterator[Attempt]:
    """Yield every attempt of a run: complete ones with their measures, broken ones, missing ones."""
    run = of.run
    for start in range(0, len(run.complete), _CHUNK):
        stored = run.complete[start : start + _CHUNK]
        measured = measures(stored)
        read_steady(measured)
        for one, values in zip(stored, measured, strict=True):
            yield _tried(of, values.record, one, values)
    for one in run.broken:
        yield _tried(of, one.record, one, None)
    for planned in _untried(run):
        yield Attempt(of, planned.id, planned.cell, planned.number, planned.seed, "missing", "not run (yet)")


def _untried(run: Run) -> list[Any]:
    tried = {one.record.id for one in run.trials}
    return [planned for planned in run.manifest.plan if planned.id not in tried]


def _tried(of: NamedRun, record: TrialRecord, stored: StoredTrial, measures: TrialMeasures | None) -> Attempt:
    return Attempt(
        of,
        record.id,
        record.cell,
        record.number,
        record.seed,
        "broken" if measures is None else "complete",
        record.reason,
        record,
        stored,
        measures,
    )
