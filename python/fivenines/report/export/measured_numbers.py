"""Export the measures of trials by name, for other programs."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from fivenines.analysis.measured import EVENTS, seen_in, summary_of
from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.trials import TrialMeasures


def measured_numbers(
    trials: Sequence[TrialMeasures], names: Iterable[str] = MEASURES
) -> dict[str, dict[str, Any]]:
    """Return each measure of the trials: unit and summary of values, number of trials for events.

    With `bounds` > 0 the mean is a lower bound, and has neither spread nor interval.
    """
    numbers: dict[str, dict[str, Any]] = {}
    for name in names:
        if name in EVENTS:
            seen = seen_in(name, trials)
            if seen:
                numbers[name] = {"trials": sum(seen), "of": len(seen)}
        elif MEASURES[name].valued:
            summary = summary_of(name, trials)
            if summary.n:
                bound = {"sd": None, "cov": None, "ci_low": None} if summary.bounds else {}
                numbers[name] = {"unit": MEASURES[name].unit, **asdict(summary), **bound}
    return numbers
