"""Check `trials.until` and `until_decided` together with the rest of an experiment."""

from collections.abc import Iterator

from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.measures.trials import MOST_LOOKS
from fivenines.experiment.plan import tried
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Return all errors of the sections `trials` and `until_decided`."""
    yield from _until_decided(experiment)
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


def outside_a_study(experiment: Experiment) -> list[Mistake]:
    """Return the error of an experiment that waits for claims which it does not have."""
    if experiment.until_decided is None:
        return []
    text = "until_decided: only parts of a study have claims: leave it out, or use `trials.until`"
    return [Mistake(None, ("until_decided",), text)]


def _until_decided(experiment: Experiment) -> Iterator[Mistake]:
    settings = experiment.until_decided
    if settings is None:
        return
    path = ("until_decided",)
    if experiment.trials.until is not None:
        yield Mistake(
            None, path, "until_decided: `trials.until` ends trials by another rule: use one of them"
        )
    most = experiment.interleaved.blocks if experiment.design == "interleaved" else 0
    most = max(most, experiment.trials.at_most) if tried(experiment) else most
    key, dotted = (*path, "at_least"), "until_decided.at_least"
    if most <= settings.at_least:
        text = f"{dotted}: the largest number of trials or blocks is {most}, so nothing could end earlier"
        yield Mistake(None, key, text)
    if most > MOST_LOOKS:
        text = (
            f"until_decided: {most} trials or blocks: the largest number with `until_decided` is {MOST_LOOKS}"
        )
        yield Mistake(None, path, text)


def _mistake(key: str, text: str) -> Mistake:
    path = ("trials", "until", key) if key else ("trials", "until")
    return Mistake(None, path, f"{'.'.join(path)}: {text}")
