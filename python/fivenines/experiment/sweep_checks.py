"""What is wrong with a sweep that no single value shows."""

from collections.abc import Iterator
from typing import Any

from fivenines.experiment.mistakes import Mistake, of_entry, shown
from fivenines.experiment.spec import Experiment
from fivenines.requirements.measures import measure_named
from fivenines.solutions.settings import SolutionSettings

# Trials that a sweep takes: one to choose by, one to report.
LEAST_TRIALS = 2

# Trials from which on both halves have two, and so an interval.
INTERVAL_TRIALS = 4


def mistakes(experiment: Experiment) -> list[Mistake]:
    """All mistakes of an experiment's sweeps, the solutions by their place after the spreading."""
    return [
        *_too_few_trials(experiment),
        *_without_faults(experiment),
        *_name_taken(experiment),
        *_same_variants(experiment),
        *_disagreeing(experiment),
    ]


def alone(solution: SolutionSettings) -> list[str]:
    """What is wrong with a sweep outside of an experiment."""
    if solution.sweep is None and solution.variant is None:
        return []
    return ["only the solutions of an experiment file have a sweep: set one value"]


def too_few_trials(experiment: Experiment) -> str:
    """Why the best case of a sweep will not be known; empty if it will, or nothing is swept."""
    if not _halved(experiment) or experiment.trials.at_most >= LEAST_TRIALS:
        return ""
    return (
        "a sweep needs at least 2 trials: its best case is chosen on one half of them and reported on"
        " the other; take 4 for an interval"
    )


def _halved(experiment: Experiment) -> bool:
    """Whether a sweep has its trials in two halves."""
    return any(one.variant and one.variant.judged_on == "other-trials" for one in experiment.solutions)


def few_trials(experiment: Experiment) -> str:
    """What a number of trials leaves open of the sweeps; empty if nothing, or nothing is swept."""
    if text := too_few_trials(experiment):
        return text
    if not _halved(experiment) or experiment.trials.at_most >= INTERVAL_TRIALS:
        return ""
    return (
        f"with {experiment.trials.at_most} trials the half that reports the best case of a sweep has one:"
        " no interval, so the best cannot be told from the next; take 4 or more"
    )


def _too_few_trials(experiment: Experiment) -> Iterator[Mistake]:
    if text := too_few_trials(experiment):
        yield Mistake(None, ("trials",), f"trials: {experiment.trials.at_most}: {text}")


def _without_faults(experiment: Experiment) -> Iterator[Mistake]:
    """Sweeps that choose by what only faults have, without one."""
    for index, solution in enumerate(experiment.solutions):
        if solution.variant is None or not measure_named(solution.variant.by).fault:
            continue
        hit = any(
            fault.fault != "none" and (not fault.only or solution.is_called(fault.only))
            for fault in experiment.faults
        )
        if not hit:
            text = f"its sweep chooses by {solution.variant.by}, which only a trial with a fault has"
            more = "add one to `faults`, or choose by something else"
            yield of_entry("solutions", index, f"{text}: {more}")


def _name_taken(experiment: Experiment) -> Iterator[Mistake]:
    """Solutions that are called as a sweep is: nobody could name the one without the other."""
    sweeps = {one.variant.of for one in experiment.solutions if one.variant is not None}
    for index, solution in enumerate(experiment.solutions):
        name = solution.name or solution.default_name()
        if name in sweeps:
            text = f"a solution that is swept is called {shown(name)}, too"
            yield of_entry("solutions", index, f"{text}: give one of them another `name:`")


def _same_variants(experiment: Experiment) -> Iterator[Mistake]:
    """Values that mean the same, as 1s and 1000ms: two variants would be one."""
    seen: dict[tuple[str, str], str] = {}
    for index, solution in enumerate(experiment.solutions):
        if solution.variant is None:
            continue
        same = solution.model_copy(update={"name": "", "variant": None}).model_dump_json()
        first = seen.setdefault((solution.variant.of, same), solution.name)
        if first != solution.name:
            text = f"{shown(solution.name)} is the same as {shown(first)}"
            yield of_entry("solutions", index, f"{text}: remove one of the values")


def _disagreeing(experiment: Experiment) -> Iterator[Mistake]:
    """Variants of one sweep that say different things of it, in a file that has them one by one."""
    seen: dict[str, Any] = {}
    for index, solution in enumerate(experiment.solutions):
        if (variant := solution.variant) is None:
            continue
        said = (variant.by, variant.best_for, variant.judged_on, list(variant.settings))
        if seen.setdefault(variant.of, said) != said:
            text = f"other variants of {shown(variant.of)} choose otherwise"
            yield of_entry("solutions", index, text, "variant")
