"""Material of a decision: what a run contributes, alone or together with other runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.cases import CaseSettings
from fivenines.analysis.performance.interleaved import InterleavedResult
from fivenines.analysis.resources.cost import Prices


@dataclass(frozen=True)
class Material:
    """Cells and assumptions of a run, or of several runs.

    Attributes:
        cells: the cells, swept solutions as their best case.
        blocks: the interleaved comparisons.
        every: all cells, including those of all variants.
        prices: prices of hosts; None without any.
        mtbf: assumed seconds between two faults of a kind.
        kinds: kind of each workload that has another name, by run and name.
    """

    cells: Sequence[CellResult]
    blocks: Sequence[InterleavedResult] = ()
    every: Sequence[CellResult] = ()
    prices: Prices | None = None
    mtbf: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def of(self, case: CaseSettings) -> list[CellResult]:
        """Return the cells of a case."""
        return [
            cell
            for cell in self.cells
            if case.covers(cell.key.solution, self._called(cell), cell.key.connections, cell.key.network)
        ]

    def _called(self, cell: CellResult) -> set[str]:
        """Return the names that a case may use for a cell's workload: its own, and its kind."""
        name = cell.key.workload
        return {name, self.kinds.get((cell.run, name), name)}


def kinds_of(experiment: Mapping[str, Any], run: str = "") -> dict[tuple[str, str], str]:
    """Return the kinds of the workloads of an experiment as a manifest has it, by run and name."""
    items = experiment.get("workloads")
    return {
        (run, str(item["name"])): str(item["workload"])
        for item in (items if isinstance(items, list) else [])
        if isinstance(item, dict) and item.get("name") and item.get("workload")
    }


def together(materials: Mapping[str, Material]) -> Material:
    """Combine the runs of these names. Their cells stay distinct, and are compared within a run only.

    Prices or failure rates that differ between the runs are left out, as it is unclear which ones apply.
    """
    if len(materials) == 1:
        return next(iter(materials.values()))
    every = list(materials.items())
    prices = {repr(one.prices): one.prices for _, one in every if one.prices}
    mtbf = {repr(sorted(one.mtbf.items())): one.mtbf for _, one in every if one.mtbf}
    return Material(
        [replace(cell, run=name) for name, one in every for cell in one.cells],
        [block for _, one in every for block in one.blocks],
        [replace(cell, run=name) for name, one in every for cell in one.every],
        next(iter(prices.values())) if len(prices) == 1 else None,
        next(iter(mtbf.values())) if len(mtbf) == 1 else {},
        {(name, at): kind for name, one in every for (_, at), kind in one.kinds.items()},
    )
