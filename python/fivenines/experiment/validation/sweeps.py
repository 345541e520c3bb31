"""Check sweeps together with the rest of an experiment."""

from collections.abc import Iterator
from typing import Any

from fivenines.analysis.measures.measures import measure_named
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake, of_entry, shown
from fivenines.solutions.settings import SolutionSettings

# Least number of trials of a sweep: one to choose a variant, one to report it.
LEAST_TRIALS = 2

# Least number of trials with which each half has two, and so an interval.
INTERVAL_TRIALS = 4


def mistakes(experiment: Experiment) -> list[Mistake]:
    """Return all errors of an experiment's sweeps, with the solutions' indices after expansion."""
    return [
        *_too_few_trials(experiment),
        *_without_faults(experiment),
        *_name_taken(experiment),
        *_same_variants(experiment),
        *_disagreeing(experiment),
    ]


def alone(solution: SolutionSettings) -> list[str]:
    """Refuse a sweep outside an experiment file."""
    if solution.sweep is None and solution.variant is None:
        return []
    return ["sweeps are possible only in experiment files: set one value"]


def too_few_trials(experiment: Experiment) -> str:
    """Return why the trials do not suffice to choose the best variant; empty if they do."""
    if not _halved(experiment) or experiment.trials.at_most >= LEAST_TRIALS:
        return ""
    return (
        "a sweep needs at least 2 trials: its best variant is chosen on one half of them and reported on"
        " the other half; use 4 or more for a confidence interval"
    )


def _halved(experiment: Experiment) -> bool:
    """Return whether a sweep splits its trials into two halves."""
    return any(
        solution.variant and solution.variant.judged_on == "other-trials" for solution in experiment.solutions
    )


def few_trials(experiment: Experiment) -> str:
    """Return what the number of trials cannot show about the sweeps; empty if nothing."""
    if text := too_few_trials(experiment):
        return text
    if not _halved(experiment) or experiment.trials.at_most >= INTERVAL_TRIALS:
        return ""
    return (
        f"with {experiment.trials.at_most} trials, the half that reports the best variant of a sweep has one"
        " trial and so no confidence interval: use 4 or more"
    )


def _too_few_trials(experiment: Experiment) -> Iterator[Mistake]:
    if text := too_few_trials(experiment):
        yield Mistake(None, ("trials",), f"trials: {experiment.trials.at_most}: {text}")


def _without_faults(experiment: Experiment) -> Iterator[Mistake]:
    """Find sweeps that choose by a measure of faults, in an experiment without faults."""
    for index, solution in enumerate(experiment.solutions):
        if solution.variant is None or not measure_named(solution.variant.by).fault:
            continue
        hit = any(
            fault.fault != "none" and (not fault.only or solution.is_called(fault.only))
            for fault in experiment.faults
        )
        if not hit:
            text = f"its sweep chooses by {solution.variant.by}, which needs trials with a fault"
            more = "add one to `faults`, or choose by another measure"
            yield of_entry("solutions", index, f"{text}: {more}")


def _name_taken(experiment: Experiment) -> Iterator[Mistake]:
    """Find solutions with the name of a sweep, which would be ambiguous."""
    sweeps = {one.variant.of for one in experiment.solutions if one.variant is not None}
    for index, solution in enumerate(experiment.solutions):
        name = solution.name or solution.default_name()
        if name in sweeps:
            text = f"a swept solution has the same name {shown(name)}"
            yield of_entry("solutions", index, f"{text}: set another `name:` for one of them")


def _same_variants(experiment: Experiment) -> Iterator[Mistake]:
    """Find equal values, as 1s and 1000ms, of which two variants would be the same."""
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
    """Find variants of one sweep with contradictory settings."""
    seen: dict[str, Any] = {}
    for index, solution in enumerate(experiment.solutions):
        if (variant := solution.variant) is None:
            continue
        criteria = (variant.by, variant.best_for, variant.judged_on, list(variant.settings))
        if seen.setdefault(variant.of, criteria) != criteria:
            text = f"differs from other variants of {shown(variant.of)} in how the best is chosen"
            yield of_entry("solutions", index, text, "variant")
