"""TEST ONLY: cells of a synthetic run whose trials have planted figures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import CellResult, analyse
from fivenines.results.store import open_run


def planted_cells(
    folder: Path, field: str, planted: Mapping[str, Sequence[Any]], fault: str
) -> list[CellResult]:
    """Return a cell for each solution, whose trials have these values of a field of their figures."""
    trials = max(len(each) for each in planted.values())
    write_run(folder, Matrix([Recipe(name) for name in planted], faults=[fault], trials=trials))
    return [
        replace(
            cell,
            trials=[
                replace(trial, **{field: value})
                for trial, value in zip(cell.trials, planted[cell.key.solution], strict=True)
            ],
        )
        for cell in analyse(open_run(folder))
    ]
