"""The experiment that proves the timeouts that `fivenines tune` recommends: deaths, and hiccups in turn."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fivenines.cli.timeouts.experiment_file import experiment_text

if TYPE_CHECKING:
    from fivenines.analysis.availability.hiccups import Hiccups
    from fivenines.cli.timeouts.asked import Asked

# Trials of the file: 59 without an outage beyond the limit show a 95th percentile.
TRIALS = 60

# Largest number of hiccups in a trial.
_MOST = 100

# Mean pause before each hiccup, in seconds.
_PAUSE = 10.0


def proof_text(asked: "Asked", names: Sequence[str]) -> str:
    """Return the text of the experiment file.

    Args:
        asked: the options of `tune`.
        names: names of the sets to repeat.
    """
    from fivenines.base.lengths import parse_lengths

    times = {model: _times(model, asked) for model in asked.models}
    longest = max(
        number * (1.5 * _PAUSE + parse_lengths(model.shape).longest) for model, number in times.items()
    )
    question = f"Do the timeouts that `fivenines tune {asked.solution}` recommends keep their promise?"
    return experiment_text(
        "\n".join([question, *(_needed(model, asked) for model in asked.models)]),
        f"{asked.file.name}-proof",
        [f"trials: {TRIALS}"],
        [entry for entry in asked.file.solutions if entry["name"] in names],
        [asked.file.death, *(_fault(model, number) for model, number in times.items())],
        longest,
    )


def _fault(model: "Hiccups", times: int) -> str:
    """Return the entry of hiccups in turn."""
    from fivenines.base.units import YEAR, format_duration
    from fivenines.experiment.defaults import in_a_line

    mtbf = format_duration(round(YEAR / model.per_year))
    return in_a_line(
        {
            "fault": "repeat",
            "of": {"fault": model.fault, "mtbf": mtbf},
            "times": times,
            "every": format_duration(_PAUSE),
            "lengths": model.shape,
        }
    )


def _hiccups(model: "Hiccups", asked: "Asked") -> int:
    """Return the hiccups without a failover that show the limit, which all models share in equal parts."""
    from fivenines.analysis.decision.judging import trials_without

    share = asked.wanted.needless.per_year / len(asked.models) / model.per_year
    return trials_without(share) if share < 1 else 1


def _times(model: "Hiccups", asked: "Asked") -> int:
    """Return the hiccups of a trial."""
    return min(_MOST, math.ceil(_hiccups(model, asked) / TRIALS))


def _needed(model: "Hiccups", asked: "Asked") -> str:
    """Return how many hiccups are needed, and how many the file has."""
    from fivenines.analysis.wording import count

    needed, there = _hiccups(model, asked), TRIALS * _times(model, asked)
    few = f"; this file has {there}: set more trials" if there < needed else ""
    part = f", of which this is one of {len(asked.models)} kinds" if len(asked.models) > 1 else ""
    hiccups = count(needed, f"{model.fault} without a failover", f"{model.fault}s without a failover")
    return f"{hiccups} show {asked.wanted.needless.text}{part}{few}."
