"""Refuse settings of `load:` that a solution's load would silently ignore."""

from collections.abc import Iterator

from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake, shown
from fivenines.software.store import family_of


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Return one error for the first solution that ignores settings, with all of them."""
    for solution in experiment.solutions:
        if ignored := solution.checks.problems_with_load(experiment.load):
            keys = " and ".join(f"load.{key}" for key in ignored)
            first, why = next(iter(ignored.items()))
            called = shown(solution.name or solution.default_name())
            yield Mistake(None, ("load", first), f"{keys}: no effect on {called}: {why}")
            break
    yield from _alongside(experiment)
    yield from _protocol(experiment)


def _protocol(experiment: Experiment) -> Iterator[Mistake]:
    """Check the protocol: only PostgreSQL's protocol supports unnamed statements."""
    if experiment.load.protocol == "prepared":
        return
    for solution in experiment.solutions:
        if family_of(solution.engine) != "postgresql":
            called = shown(solution.name or solution.default_name())
            yield Mistake(
                None,
                ("load", "protocol"),
                f"load.protocol: {experiment.load.protocol} requires PostgreSQL and is not possible with "
                f"{called}: leave it out, or split the solutions into two experiments",
            )
            return


def _alongside(experiment: Experiment) -> Iterator[Mistake]:
    ledger = experiment.ledger
    for name, workload in (("bank", ledger.bank), ("append", ledger.append)):
        for solution in experiment.solutions if workload.rate else ():
            if why := solution.checks.problem_alongside():
                called = shown(solution.name or solution.default_name())
                text = f"ledger.{name}: not possible with {called}: {why}"
                yield Mistake(None, ("ledger", name, "rate"), text)
                break
