"""The data that all chapters are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fivenines.analysis.availability.severity import Severity, severities
from fivenines.analysis.availability.tolerance import Tolerance, tolerances
from fivenines.analysis.cells import CellResult
from fivenines.analysis.performance.interleaved import InterleavedResult, interleaved_results
from fivenines.analysis.performance.sweeps import Compared
from fivenines.analysis.stacks.cell import StackResult, cells_with_stacks
from fivenines.report.groups import Names, names_of
from fivenines.report.sentences.answer import Answer
from fivenines.results.records import CellKey
from fivenines.results.store import Run


@dataclass(frozen=True)
class Data:
    """A run with its measures, and its answers in sentences; each chapter begins with its own answers."""

    run: Run
    swept: Compared
    answers: Sequence[Answer] = ()

    @cached_property
    def names(self) -> Names:
        """Return the names of the dimensions that vary between the cells."""
        return names_of([*self.cells, *self.swept.searched])

    @property
    def cells(self) -> list[CellResult]:
        """Return all cells, for a sweep the best case."""
        return self.swept.cells

    @cached_property
    def done(self) -> list[CellResult]:
        """Return the cells with a complete trial."""
        return [cell for cell in self.cells if cell.complete]

    @cached_property
    def tolerances(self) -> list[Tolerance]:
        """Return what the cells tolerate in which the length of the fault is searched."""
        return list(tolerances(self.swept.searched, self.run.manifest))

    @cached_property
    def severities(self) -> list[Severity]:
        """Return what the cells do in which the severity of the fault is searched."""
        return list(severities(self.swept.searched, self.run.manifest))

    @cached_property
    def stacks(self) -> list[tuple[CellResult, list[StackResult]]]:
        """Return the cells with client stacks, and these."""
        return list(cells_with_stacks(self.done))

    def interleaved_rate(self, key: CellKey) -> float | None:
        """Return the mean rate of a cell's solution in its interleaved blocks; None if it has none."""
        where = key.without_fault
        rates = [side.tps for one in self.blocks for side in one.sides if side.key.without_fault == where]
        return rates[0] if len(rates) == 1 else None

    @cached_property
    def blocks(self) -> list[InterleavedResult]:
        """Return the results of the interleaved comparisons."""
        return interleaved_results(self.run)
