"""Engines and data sets of trials: pulled and loaded where they are missing, held while they are used."""

from collections.abc import Container, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from fivenines.deployment.deployed import data_set, engines_of, existing, require_versions
from fivenines.experiment.plan import Trial
from fivenines.load import dataset
from fivenines.load.program import software_of
from fivenines.runner.progress import DataSet, EnginePull, Listener


def prepare(
    trials: Sequence[Trial], waiting: Container[str], begun: bool, listener: Listener, used: ExitStack
) -> dict[str, str]:
    """Have everything that trials need on this machine, until `used` ends; the versions of the engines.

    Args:
        trials: what is to be run, or has run.
        waiting: the ids of those that are still to be run: the others need no data, and no cluster.
        begun: whether they belong to a run that has begun: its data sets must not be made anew.
        listener: told about progress.
        used: holds what was prepared.

    Raises:
        FiveninesError: an engine or a data set could not be had.
    """
    result: dict[str, str] = {}
    # a thousand trials are of a few cells
    cells = {(trial.cell.solution.name, trial.cell.workload.name): trial.cell for trial in trials}.values()
    for cell in cells:
        software = software_of(cell.workload.program)
        for engine in [*engines_of(cell.solution), *([software] if software else [])]:
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

    held: set[Path] = set()
    for cell in cells:
        make = partial(data_set, cell.solution, cell.workload, report, begun)
        # once each: a lock is an open file
        if make() not in held:
            held.add(used.enter_context(dataset.used(make, report)))
    return result
