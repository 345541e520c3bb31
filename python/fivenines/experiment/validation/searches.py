"""Check faults whose length or severity is searched."""

from collections.abc import Iterator
from random import Random

from pydantic import ValidationError

from fivenines.analysis.availability.needless import HICCUPS
from fivenines.analysis.measures.trials import MOST_LOOKS
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake
from fivenines.faults.settings import FaultSettings
from fivenines.faults.severity import SeveritySettings

# The smallest number of trials with which a search can end.
LEAST = 6


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Return all errors of searches."""
    found = [(index, fault) for index, fault in enumerate(experiment.faults) if _searches(fault)]
    for index, fault in found:
        kind = "severity" if fault.severity is not None else "search"
        path = ("faults", index, kind)
        if text := _problem(fault):
            yield Mistake(None, path, f"faults[{index}].{kind}: {text}")
            continue
        key = fault.severity.of if fault.severity is not None else fault.length_key()
        if key in fault.model_fields_set:
            text = f"faults[{index}].{key}: `{kind}` sets it: leave it out"
            yield Mistake(None, ("faults", index, key), text)
    if not found:
        return
    if experiment.trials.at_most < LEAST:
        text = (
            f"trials: {experiment.trials.at_most}: a search needs {LEAST} or more; of 20 it leaves out those "
            "that are not needed"
        )
        yield Mistake(None, ("trials",), text)
    if experiment.trials.at_most > MOST_LOOKS:
        text = f"trials: {experiment.trials.at_most}: the largest number with a search is {MOST_LOOKS}"
        yield Mistake(None, ("trials",), text)
    if experiment.design == "interleaved":
        yield Mistake(None, ("design",), "design: a search has one trial after another: write `trials`")


def _searches(fault: FaultSettings) -> bool:
    """Return whether a fault, or one of which it consists, has a search."""
    return fault.searched or any(
        step.fault.searched for step in fault.schedule(Random(0)) if step.fault is not fault
    )


def _problem(fault: FaultSettings) -> str:
    if fault.severity is not None:
        if fault.search is not None:
            return "a fault has either a search or a severity: leave one of them out"
        if fault.lasts is None:
            return "its fault must end: set a duration"
        return fault.severity.problem(fault.severities) or _beyond(fault, fault.severity)
    if fault.search is None:
        return f"{fault.fault} consists of other faults: only a single fault can have a search"
    if not (fault.fault in HICCUPS or fault.harmless):
        kinds = ", ".join(sorted(HICCUPS))
        own = ", or set `hiccup: true` if its commands do" if fault.fault == "command" else ""
        return (
            f"{fault.fault} is no fault that kills no server and ends by itself: choose one of {kinds}{own}"
        )
    return fault.length_problem() or next(iter(fault.search.problems()), "")


def _beyond(fault: FaultSettings, severity: SeveritySettings) -> str:
    """Return which end of the range the setting itself does not permit; empty: neither."""
    others = fault.model_dump(exclude={"severity"}, exclude_unset=True)
    for key, value in zip(("at_least", "at_most"), severity.ends(fault.severities), strict=True):
        try:
            type(fault).model_validate({**others, severity.of: value})
        except ValidationError as error:
            why = error.errors()[0]["msg"]
            return f"{key}: {getattr(severity, key)} is not permitted for {severity.of}: {why}"
    return ""
