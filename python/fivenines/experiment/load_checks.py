"""What the section `load:` asks for, and the load of a solution cannot have: it would be ignored, untold."""

from collections.abc import Iterator

from fivenines.experiment.mistakes import Mistake, shown
from fivenines.experiment.spec import Experiment
from fivenines.software.store import family_of


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """One mistake for the first solution that ignores something, with all that it ignores."""
    for solution in experiment.solutions:
        if ignored := solution.problems_with_load(experiment.load):
            keys = " and ".join(f"load.{key}" for key in ignored)
            first, why = next(iter(ignored.items()))
            called = shown(solution.name or solution.default_name())
            yield Mistake(None, ("load", first), f"{keys}: no effect on {called}: {why}")
            break
    yield from _beside(experiment)
    yield from _protocol(experiment)


def _protocol(experiment: Experiment) -> Iterator[Mistake]:
    """Only PostgreSQL's own protocol executes a statement without a name."""
    if experiment.load.protocol == "prepared":
        return
    for solution in experiment.solutions:
        if family_of(solution.engine) != "postgresql":
            called = shown(solution.name or solution.default_name())
            yield Mistake(
                None,
                ("load", "protocol"),
                f"load.protocol: {experiment.load.protocol} is for PostgreSQL, and not possible with "
                f"{called}: leave it out, or put the solutions into two experiments",
            )
            return


def _beside(experiment: Experiment) -> Iterator[Mistake]:
    ledger = experiment.ledger
    for name, beside in (("bank", ledger.bank), ("append", ledger.append)):
        for solution in experiment.solutions if beside.rate else ():
            if why := solution.problem_alongside():
                called = shown(solution.name or solution.default_name())
                text = f"ledger.{name}: not possible with {called}: {why}"
                yield Mistake(None, ("ledger", name, "rate"), text)
                break
