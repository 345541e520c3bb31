"""What is to be done of a file: of each of its parts the trials and blocks."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fivenines.errors import UsageError

if TYPE_CHECKING:
    from fivenines.experiment.document import Document
    from fivenines.experiment.interleaved_plan import Block
    from fivenines.experiment.plan import Trial
    from fivenines.experiment.source import Part
    from fivenines.experiment.spec import Experiment


@dataclass(frozen=True)
class Planned:
    """A part of a file with what is to be done of it; without a name it is the whole file."""

    part: str
    experiment: "Experiment"
    source: "Document"
    trials: "list[Trial]"
    blocks: "list[Block]"

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        from fivenines.experiment.interleaved_plan import seconds_of

        return seconds_of([*self.blocks, *self.trials], self.experiment)

    def seconds_by(self, at_once: int) -> float:
        """The same with so many side by side."""
        return self.seconds / max(1, min(at_once, self.work))

    @property
    def work(self) -> int:
        """The number of trials and blocks."""
        return len(self.trials) + len(self.blocks)

    def folder(self, group: Path) -> Path:
        """Where its run is, in the folder of all parts."""
        return group / self.part if self.part else group


def planned(parts: "Sequence[Part]", only: Sequence[str] = (), trials: int | None = None) -> list[Planned]:
    """The work of each part; of parts that have none of the solutions in `only`, nothing.

    Raises:
        UsageError: no part has a solution of such a name.
    """
    from fivenines.experiment.interleaved_plan import blocks
    from fivenines.experiment.plan import plan, select
    from fivenines.requirements.trials import exactly

    found, every = [], []
    for part in parts:
        experiment = part.experiment
        if trials is not None:
            experiment = experiment.model_copy(update={"trials": exactly(trials)})
        own = plan(experiment)
        sides = [one for block in blocks(experiment) for one in block.members()]
        every += [*own, *sides]
        mine = [one for one in only if any(t.cell.solution.is_called([one]) for t in [*own, *sides])]
        if only and not mine:
            continue
        chosen = [one for one in select([*own, *sides], mine) if one in own]
        found.append(Planned(part.name, experiment, part.source, chosen, blocks(experiment, mine)))
    select(every, only)  # refuses a name that no part has
    return found


def chosen_parts(parts: "Sequence[Part]", names: Sequence[str], file: str) -> "list[Part]":
    """The parts of these names, in the order of the file; all where none is named.

    Raises:
        UsageError: the file has no such part.
    """
    from fivenines.spelling import nearest

    known = [one.name for one in parts if one.name]
    for name in names:
        if not known:
            raise UsageError(f"--part {name}: {file} has no parts")
        if name not in known:
            raise UsageError(
                f"{file} has no part {name!r}{nearest(name, known)}\n    allowed: {', '.join(known)}"
            )
    return [one for one in parts if not names or one.name in names]


def what_is_left(work: Planned, folder: Path) -> Planned:
    """The same without what its run holds already; says of which run."""
    from fivenines.cli import console
    from fivenines.results import layout

    trials = [one for one in work.trials if not layout.trial_folder(folder, one.id).exists()]
    blocks = [one for one in work.blocks if not layout.trial_folder(folder, one.id).exists()]
    left = replace(work, trials=trials, blocks=blocks)
    console.note(f"{folder}: {work.work - left.work} of {work.work} trials are done")
    return left


def solution_names(experiment: "Experiment") -> list[str]:
    """What thresholds may call solutions; a sweep by its own name."""
    every = experiment.solutions
    return list(dict.fromkeys(one.variant.of if one.variant else one.name for one in every))
