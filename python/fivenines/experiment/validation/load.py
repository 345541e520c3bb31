"""Refuse settings of `load:` that a solution's load would silently ignore."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fivenines.experiment.sections.clients import ClientSettings
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, dotted, shown
from fivenines.load.settings import LoadSettings
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.software.store import family_of

if TYPE_CHECKING:
    from fivenines.experiment.spec import Experiment
    from fivenines.solutions.settings import SolutionSettings


def mistakes(experiment: "Experiment") -> Iterator[Mistake]:
    """Return one error for each load and the first solution that ignores its settings, with all of them."""
    for path, load, _ in _loads(experiment):
        for solution in experiment.solutions:
            if ignored := solution.checks.problems_with_load(load):
                keys = " and ".join(dotted((*path, key)) for key in ignored)
                first, why = next(iter(ignored.items()))
                called = shown(solution.name or solution.default_name())
                yield Mistake(None, (*path, first), f"{keys}: no effect on {called}: {why}")
                break
    yield from _alongside(experiment)
    yield from _protocol(experiment)


def _protocol(experiment: "Experiment") -> Iterator[Mistake]:
    """Check the protocol: unnamed statements are PostgreSQL's, and only SQL files can be sent as texts."""
    for path, load, workloads in _loads(experiment):
        for problem in [*_of_protocol(load, workloads, experiment.solutions)][:1]:
            yield Mistake(None, (*path, "protocol"), f"{dotted((*path, 'protocol'))}: {problem}")


def _loads(experiment: "Experiment") -> Iterator[tuple[KeyPath, LoadSettings, Sequence[WorkloadSettings]]]:
    """Return the section `load`, and those of clients, with the workloads that each drives."""
    cells = experiment.workloads
    inherited = [one.workload for one in experiment.clients if one.load is None and one.workload]
    driven = cells if not experiment.clients or any(_is_cells(one) for one in experiment.clients) else []
    yield ("load",), experiment.load, [*driven, *inherited]
    for index, client in enumerate(experiment.clients):
        if client.load is not None:
            path: KeyPath = ("clients", index, "load")
            yield path, client.load, [client.workload] if client.workload else cells


def _is_cells(client: ClientSettings) -> bool:
    return client.load is None and client.workload is None


def _of_protocol(
    load: LoadSettings, workloads: Sequence[WorkloadSettings], solutions: "Sequence[SolutionSettings]"
) -> Iterator[str]:
    if load.protocol == "simple":
        yield from filter(None, map(simple_problem, workloads))
    if load.protocol != "extended":
        return
    for solution in solutions:
        if family_of(solution.engine) != "postgresql":
            called = shown(solution.name or solution.default_name())
            yield (
                f"extended requires PostgreSQL and is not possible with {called}: leave it out, or split "
                "the solutions into two experiments"
            )


def simple_problem(workload: WorkloadSettings) -> str:
    """Return why the statements of a workload cannot be sent as texts; empty if they can."""
    if workload.only_sql_files:
        return ""
    called = shown(workload.name or workload.workload)
    return f"simple is for SQL files, and {called} has other statements: leave it out"


def _alongside(experiment: "Experiment") -> Iterator[Mistake]:
    for name in experiment.ledger.alongside():
        for solution in experiment.solutions:
            if why := solution.checks.problem_alongside():
                called = shown(solution.name or solution.default_name())
                text = f"ledger.{name}: not possible with {called}: {why}"
                yield Mistake(None, ("ledger", name, "rate"), text)
                break
