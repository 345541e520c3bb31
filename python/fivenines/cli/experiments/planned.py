"""The planned work of a file: the trials and blocks of each part."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.base.errors import UsageError

if TYPE_CHECKING:
    from fivenines.experiment.document import Document
    from fivenines.experiment.interleaved_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.experiment.source import Part
    from fivenines.experiment.spec import Experiment


InventoryOption = Annotated[
    Path | None, typer.Option(help="Run on the machines of this inventory, over SSH.", metavar="HOSTS.yaml")
]
TrialsOption = Annotated[
    int | None, typer.Option(min=1, max=1000, help="Number of trials per cell.", metavar="N")
]


@dataclass(frozen=True)
class Planned:
    """The planned work of a part; a part without a name is the whole file."""

    part: str
    experiment: "Experiment"
    source: "Document"
    trials: "list[Trial]"
    blocks: "list[Block]"

    @property
    def seconds(self) -> float:
        """Return the expected duration, in seconds."""
        from fivenines.experiment.interleaved_plan import seconds_of

        return seconds_of([*self.blocks, *self.trials], self.experiment)

    def seconds_by(self, at_once: int) -> float:
        """Return the expected duration with parallel trials, in seconds."""
        return self.seconds / max(1, min(at_once, self.work))

    @property
    def work(self) -> int:
        """Return the number of trials and blocks."""
        return len(self.trials) + len(self.blocks)

    def folder(self, group: Path) -> Path:
        """Return the run's folder, below that of all parts."""
        return group / self.part if self.part else group


def planned(parts: "Sequence[Part]", only: Sequence[str] = (), trials: int | None = None) -> list[Planned]:
    """Return the work of each part that has one of the solutions in `only`.

    Raises:
        UsageError: no part has a solution of such a name.
    """
    from fivenines.analysis.measures.trials import exactly
    from fivenines.experiment.interleaved_plan import blocks
    from fivenines.experiment.plan import plan, select

    found, every = [], []
    for part in parts:
        experiment = part.experiment
        if trials is not None:
            experiment = experiment.model_copy(update={"trials": exactly(trials)})
        own = plan(experiment)
        sides = [member for block in blocks(experiment) for member in block.members()]
        every += [*own, *sides]
        mine = [one for one in only if any(t.cell.solution.is_called([one]) for t in [*own, *sides])]
        if only and not mine:
            continue
        chosen = [one for one in select([*own, *sides], mine) if one in own]
        found.append(Planned(part.name, experiment, part.source, chosen, blocks(experiment, mine)))
    select(every, only)  # refuses a name that no part has
    return found


def chosen_parts(parts: "Sequence[Part]", names: Sequence[str], file: str) -> "list[Part]":
    """Return the parts of these names, in the order of the file; all if no name is given.

    Raises:
        UsageError: the file has no such part.
    """
    from fivenines.base.spelling import nearest

    known = [part.name for part in parts if part.name]
    for name in names:
        if not known:
            raise UsageError(f"--part {name}: {file} has no parts")
        if name not in known:
            raise UsageError(
                f"{file} has no part {name!r}{nearest(name, known)}\n    allowed: {', '.join(known)}"
            )
    return [part for part in parts if not names or part.name in names]


def remaining(work: Planned, folder: Path) -> Planned:
    """Return the work without the trials that the run has already; print their number."""
    from fivenines.cli.output import console
    from fivenines.results import layout

    trials = [trial for trial in work.trials if not layout.trial_folder(folder, trial.id).exists()]
    blocks = [block for block in work.blocks if not layout.trial_folder(folder, block.id).exists()]
    left = replace(work, trials=trials, blocks=blocks)
    console.note(f"{folder}: {work.work - left.work} of {work.work} trials are complete")
    return left


def solution_names(experiment: "Experiment") -> list[str]:
    """Return the names of solutions for thresholds, with a sweep under its own name."""
    every = experiment.solutions
    return list(dict.fromkeys(one.variant.of if one.variant else one.name for one in every))
