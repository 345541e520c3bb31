"""Confidence intervals that stay valid when trials are added until an interval is narrow.

A 95 % interval contains the mean in 95 % of campaigns whose number of trials was fixed in advance. Stopping
when the interval is narrow favours samples whose spread is small by chance, so the interval is right less
often. All intervals of such a run are therefore repeated confidence intervals: those of all looks together
contain the mean in 95 % of campaigns, whenever the run stops.

Source:
    Jennison and Turnbull, Interim analyses: the repeated confidence interval approach, J. R. Stat. Soc. B
    51 (1989) 305; with the same nominal level at every look (Pocock, Biometrika 64 (1977) 191). The t
    statistics of the looks at a normal sample depend neither on its mean nor on its spread, so the level is
    found by drawing many samples, and is not the far too cautious one of Bonferroni.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
from scipy import special

from fivenines.analysis.measures.trials import TrialsSettings, UntilDecidedSettings
from fivenines.analysis.statistics.means import CONFIDENCE, Summary, student_t, summarise
from fivenines.results.store import Run

# The level is known to about 3 % of its distance from 1.
_SAMPLES = 100_000

# Of the drawn samples' own error: the level is not too low with a chance of 99 %.
_SURE = 2.33

State = Literal["settled", "open", "not measured"]


@dataclass(frozen=True)
class Look:
    """Interim result of a measure of a cell after some of its trials.

    Attributes:
        summary: summary with the interval that is valid at every look.
        share: half the width of the interval as a share of the mean; None: an end is unknown, or no mean.
        state: `settled` when that is narrow enough; `not measured` when the first trials have no value.
    """

    summary: Summary
    share: float | None
    state: State


def look(
    values: Sequence[tuple[float, bool]], complete: int, at_least: int, within: float, nominal: float
) -> Look:
    """Return whether a mean is known well enough.

    Args:
        values: value of each trial that has the measure, and whether it is a lower bound.
        complete: trials of the cell, including those without a value.
        at_least: trials before the first look.
        within: permitted half width of the interval, as a share of the mean.
        nominal: the level of each look's interval, see `level`.
    """
    numbers = [value for value, _ in values]
    bounds = sum(bound for _, bound in values)
    result = at_level(summarise(numbers, bounds=bounds), nominal)
    if not values and complete >= at_least:
        return Look(result, None, "not measured")
    share = _share(result)
    known = len(values) >= at_least and share is not None and share <= within
    return Look(result, share, "settled" if known else "open")


def _share(summary: Summary) -> float | None:
    if summary.mean is None or summary.ci_low is None or summary.ci_high is None:
        return None
    half = (summary.ci_high - summary.ci_low) / 2
    if not half:
        return 0.0
    return half / abs(summary.mean) if summary.mean else None


def nominal_of(run: Run) -> float | None:
    """Return the level of a run whose trials were added as needed; None: their number was fixed."""
    trials = settings_of(run)
    if trials.until is not None:
        return level(trials.at_least, trials.at_most)
    decided = until_decided_of(run)
    return None if decided is None else level(decided.at_least, trials.at_most)


def nominal_of_blocks(run: Run) -> float | None:
    """Return the level of a run whose interleaved blocks ended by claims; None: their number was fixed."""
    decided = until_decided_of(run)
    if decided is None:
        return None
    return level(decided.at_least, int(run.manifest.experiment["interleaved"]["blocks"]))


def until_decided_of(run: Run) -> UntilDecidedSettings | None:
    """Return the rule by which claims ended a run; None: they did not."""
    settings = run.manifest.experiment.get("until_decided")
    return None if settings is None else UntilDecidedSettings.model_validate(settings)


def settings_of(run: Run) -> TrialsSettings:
    """Return the run's settings for the number of trials of each cell."""
    return TrialsSettings.model_validate(run.manifest.experiment.get("trials", 1))


@cache
def level(at_least: int, at_most: int, confidence: float = CONFIDENCE) -> float:
    """Return the level of the interval of each look, so that those of all looks hold at once with
    `confidence`.

    A normal sample is looked at after each of its values from the `at_least`th, 2 or more, to the
    `at_most`th. For 5 to 20 trials and 95 % it is about 0.990.
    """
    if at_most <= at_least:
        return confidence
    least = _least_chances(at_least, at_most, 1 - confidence)
    beyond = _SAMPLES * (1 - confidence)
    rank = beyond - _SURE * np.sqrt(beyond * confidence)
    return float(1 - np.partition(least, int(rank))[int(rank)])


def _least_chances(at_least: int, at_most: int, enough: float) -> "np.ndarray[Any, Any]":
    """Of each drawn sample the smallest two-sided chance of its t over all looks; 1 above `enough`."""
    draw = np.random.default_rng(1)
    total, squares = np.zeros(_SAMPLES), np.zeros(_SAMPLES)
    least = np.ones(_SAMPLES)
    for n in range(1, at_most + 1):
        values = draw.standard_normal(_SAMPLES)
        total += values
        squares += values**2
        if n < at_least:
            continue
        t = np.abs(total) / np.sqrt(n * (squares - total**2 / n) / (n - 1))
        rare = t > student_t(n - 1, 1 - enough)
        chances = 2 * special.stdtr(n - 1, -t[rare])
        least[rare] = np.minimum(least[rare], chances)
    return least


def at_level(summary: Summary, nominal: float) -> Summary:
    """Return the summary of the same sample with the interval of one of many looks."""
    if summary.mean is None or summary.sd is None:
        return replace(summary, nominal=nominal)
    half = student_t(summary.n - 1, nominal) * summary.sd / np.sqrt(summary.n)
    return replace(
        summary,
        nominal=nominal,
        ci_low=None if summary.ci_low is None else summary.mean - float(half),
        ci_high=None if summary.ci_high is None else summary.mean + float(half),
    )


def all_at_level(result: Any, nominal: float) -> Any:
    """The same with every summary at this level, also in lists, mappings and dataclasses."""
    if isinstance(result, Summary):
        return at_level(result, nominal)
    if isinstance(result, list | tuple) and type(result) in (list, tuple):
        return type(result)(all_at_level(item, nominal) for item in result)
    if isinstance(result, dict):
        return {key: all_at_level(item, nominal) for key, item in result.items()}
    if is_dataclass(result) and not isinstance(result, type):
        inner = {field.name: getattr(result, field.name) for field in fields(result) if field.init}
        made = {name: all_at_level(item, nominal) for name, item in inner.items()}
        changed = {name: item for name, item in made.items() if item is not inner[name]}
        return replace(result, **changed) if changed else result
    return result
