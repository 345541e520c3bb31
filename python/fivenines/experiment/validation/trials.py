"""Check `trials.until` together with the rest of an experiment."""

from collections.abc import Iterator

from fivenines.analysis.measures.measures import MEASURES
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Return all errors of the section `trials`."""
    until = experiment.trials.until
    if until is None:
        return
    if MEASURES[until.measure].fault and not any(fault.fault != "none" for fault in experiment.faults):
        yield _mistake("measure", f"{until.measure} needs a fault: add one, or name another measure")
    if any(solution.variant for solution in experiment.solutions):
        yield _mistake(
            "",
            "a sweep chooses its best variant on one half of the trials and reports the other, so all "
            "variants need the same number: set a number of trials, or sweep in a separate experiment",
        )


def _mistake(key: str, text: str) -> Mistake:
    path = ("trials", "until", key) if key else ("trials", "until")
    return Mistake(None, path, f"{'.'.join(path)}: {text}")
