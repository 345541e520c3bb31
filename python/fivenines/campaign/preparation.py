"""Engines and data sets of trials: downloads and loads missing ones, and locks them while in use."""

from collections.abc import Container, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from fivenines.experiment.plan import Trial
from fivenines.experiment.sections.stacks import StackSettings, stacks_of
from fivenines.load import dataset
from fivenines.load.program import software_of
from fivenines.load.stacks.stack import stack
from fivenines.software.base import Engine
from fivenines.solutions.settings import SolutionSettings
from fivenines.trial.deployment.deployed import data_set, engines_of, existing, require_versions
from fivenines.trial.progress import DataSet, EnginePull, Listener


def prepare(
    trials: Sequence[Trial],
    stacks: Sequence[StackSettings],
    waiting: Container[str],
    begun: bool,
    listener: Listener,
    used: ExitStack,
) -> dict[str, str]:
    """Provide the engines and data sets of trials on this machine until `used` ends; return engine versions.

    Args:
        trials: all trials of the run, finished or not.
        stacks: its client stacks, whose packages are engines here.
        waiting: ids of the trials that are still to run: the others need no data and no cluster.
        begun: whether the run has begun: its data sets must not be created again.
        listener: called with progress.
        used: exit stack that holds the locks.

    Raises:
        FiveninesError: an engine or a data set is not available.
    """
    result: dict[str, str] = {}
    # A thousand trials share a few cells.
    cells = {(trial.cell.solution.name, trial.cell.workload.name): trial.cell for trial in trials}.values()
    for cell in cells:
        software = software_of(cell.workload.program)
        others = [*([software] if software else []), *runtimes_of(stacks, cell.solution)]
        for engine in [*engines_of(cell.solution), *others]:
            if engine.name not in result:
                name = engine.name
                status = engine.used(
                    lambda message, fraction, name=name: listener(EnginePull(name, message, fraction))  # type: ignore[misc]
                )
                result[name] = used.enter_context(status).version

    def report(message: str, fraction: float | None) -> None:
        listener(DataSet(message, fraction))

    cells = {
        (trial.cell.solution.name, trial.cell.workload.name): trial.cell
        for trial in trials
        if trial.id in waiting
    }.values()
    for solution in {cell.solution.name: cell.solution for cell in cells}.values():
        require_versions(solution)
        used.enter_context(existing(solution, report))

    locked: set[Path] = set()
    for cell in cells:
        make = partial(data_set, cell.solution, cell.workload, report, begun)
        # Lock each once: a lock is an open file.
        if make() not in locked:
            locked.add(used.enter_context(dataset.used(make, report)))
    return result


def runtimes_of(section: Sequence[StackSettings], solution: SolutionSettings) -> list[Engine]:
    """Return the packages of the client stacks that can use a solution, each once."""
    kinds = [stack(one.stack) for one in stacks_of(section, solution) if one.stack is not None]
    return list({kind.runtime.name: kind.runtime for kind in kinds}.values())
