"""Refuse settings of workloads that a solution would silently ignore."""

from collections.abc import Iterator

from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, of_entry, shown
from fivenines.load.workloads.mix import Mix
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.solutions.settings import SolutionSettings

# The server's default isolation level.
_OWN = "server"


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Return an error for the first solution that does not support a setting."""
    for path, level in _levels(experiment):
        found = ((one, one.traits.isolations) for one in experiment.solutions)
        for solution, given in found:
            if given is not None and level not in (_OWN, *given):
                text = (
                    f"{_written(path)}: {_called(solution)} supports only {' or '.join(given)}: "
                    "leave it out, or measure this in a separate file"
                )
                yield Mistake(None, path, text, ", ".join((_OWN, *given)))
                break
    for index, workload in enumerate(experiment.workloads):
        problems = (
            f"{_called(solution)}: {text}"
            for _, one in _parts((), workload)
            for solution in experiment.solutions
            for text in solution.checks.problems_with_workload(one)
        )
        if text := next(problems, ""):
            yield of_entry("workloads", index, text)


def _called(solution: SolutionSettings) -> str:
    return shown(solution.name or solution.default_name())


def _written(path: KeyPath) -> str:
    """Format a path, as `workloads[0].isolation`."""
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path).lstrip(".")


def _levels(experiment: Experiment) -> Iterator[tuple[KeyPath, str]]:
    for index, workload in enumerate(experiment.workloads):
        for path, one in _parts(("workloads", index), workload):
            if (level := getattr(one, "isolation", None)) is not None:
                yield (*path, "isolation"), str(level)
    for name, alongside in experiment.ledger.alongside().items():
        if (level := getattr(alongside, "isolation", None)) is not None:
            yield ("ledger", name, "isolation"), str(level)


def _parts(
    path: tuple[str | int, ...], workload: WorkloadSettings
) -> Iterator[tuple[tuple[str | int, ...], WorkloadSettings]]:
    yield path, workload
    if isinstance(workload, Mix):
        for index, part in enumerate(workload.parts):
            yield (*path, "parts", index, "workload"), part.workload
