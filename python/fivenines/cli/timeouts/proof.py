"""The experiment that proves the timeouts that `fivenines tune` recommends: deaths, and hiccups in turn."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import math
from collections.abc import Sequence
from dataclasses import dataclass
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

    kinds = _kinds(asked)
    longest = max(one.times * (1.5 * _PAUSE + parse_lengths(one.shape).longest) for one in kinds)
    question = f"Do the timeouts that `fivenines tune {asked.solution}` recommends keep their promise?"
    return experiment_text(
        "\n".join([question, *(one.needed(asked.wanted.needless.text, len(kinds)) for one in kinds)]),
        f"{asked.file.name}-proof",
        [f"trials: {TRIALS}"],
        [entry for entry in asked.file.solutions if entry["name"] in names],
        [asked.file.death, *(one.fault(number, len(kinds)) for number, one in enumerate(kinds, 1))],
        longest,
    )


@dataclass(frozen=True)
class _Kind:
    """Hiccups of one fault and one distribution of lengths.

    Attributes:
        model: one of the models that expect them.
        per_year: their number a year, of all these models.
        limit: needless failovers a year that they may cause.
    """

    model: "Hiccups"
    per_year: float
    limit: float

    @property
    def shape(self) -> str:
        """Return the distribution of their lengths."""
        return self.model.shape

    @property
    def least(self) -> int:
        """Return the hiccups without a failover that show the limit."""
        from fivenines.analysis.decision.judging import trials_without

        share = self.limit / self.per_year
        return trials_without(share) if share < 1 else 1

    @property
    def times(self) -> int:
        """Return the hiccups of a trial; only several are counted in turn."""
        return min(_MOST, max(2, math.ceil(self.least / TRIALS)))

    def fault(self, number: int, of: int) -> str:
        """Return the entry of the file; several kinds are numbered."""
        from fivenines.base.units import YEAR, format_duration
        from fivenines.experiment.defaults import in_a_line

        mtbf = format_duration(max(0.001, round(YEAR / self.per_year, 3)))
        return in_a_line(
            {
                "fault": "repeat",
                "name": f"{self.model.fault}s in turn{f' {number}' if of > 1 else ''}",
                "of": {"fault": self.model.fault, "mtbf": mtbf},
                "times": self.times,
                "every": format_duration(_PAUSE),
                "lengths": self.shape,
            }
        )

    def needed(self, text: str, of: int) -> str:
        """Return how many hiccups show the requirement, and what the file lacks."""
        from fivenines.analysis.availability.hiccups import LISTED
        from fivenines.analysis.wording import count

        fault, there = self.model.fault, TRIALS * self.times
        few = f"; this file has {there}: set more trials" if there < self.least else ""
        part = f", as one of {of} kinds" if of > 1 else ""
        cut = ""
        if len(self.model.lengths) > LISTED and self.shape.startswith("one of"):
            cut = f". Lengths that are rarer than one in {LISTED} are left out"
        hiccups = count(self.least, f"{fault} without a failover", f"{fault}s without a failover")
        return f"{hiccups} show {text}{part}{few}{cut}."


def _kinds(asked: "Asked") -> list[_Kind]:
    """Return the kinds of hiccups, of equal models one. They share the limit in equal parts."""
    rates: dict[tuple[str, str], float] = {}
    for model in asked.models:
        key = model.fault, model.shape
        rates[key] = rates.get(key, 0.0) + model.per_year
    models = {(model.fault, model.shape): model for model in asked.models}
    limit = asked.wanted.needless.per_year / len(rates)
    return [_Kind(models[key], per_year, limit) for key, per_year in rates.items()]
