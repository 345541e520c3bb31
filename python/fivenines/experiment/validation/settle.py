"""Check that `timing.settle` is long enough for delayed standbys."""

from collections.abc import Iterator

from fivenines.base.units import format_duration
from fivenines.experiment.spec import Experiment
from fivenines.experiment.validation.mistakes import Mistake

# Seconds for applying the last writes.
_MARGIN = 5.0


def mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Return one error for all solutions, as `timing.settle` applies to the whole experiment."""
    longest = max(experiment.solutions, key=lambda one: one.traits.least_settle)
    least = longest.traits.least_settle
    if least and experiment.timing.settle < least + _MARGIN:
        path = ("timing", "settle")
        asked = format_duration(least + _MARGIN)
        yield Mistake(
            None,
            path,
            f"timing.settle: found {format_duration(experiment.timing.settle)}, but a standby of "
            f"{longest.name or longest.default_name()} has the last writes only after "
            f"{format_duration(least)}: write {asked} or more",
        )
