"""What the options of `fivenines tune` ask for, and what was found."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fivenines.base.errors import UsageError
from fivenines.cli.timeouts.experiment_file import Searched, death_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fivenines.analysis.availability.hiccups import Hiccups
    from fivenines.analysis.decision.tuning import SetResult, Wanted
    from fivenines.cli.timeouts.sets import TimeoutSet


@dataclass(frozen=True)
class Asked:
    """What the options ask for, checked."""

    solution: str
    wanted: "Wanted"
    models: "Sequence[Hiccups]"
    sets: "Sequence[TimeoutSet]"
    given: "TimeoutSet"
    file: Searched


@dataclass
class Found:
    """What was measured.

    Attributes:
        asked: the options.
        results: verdicts by the name of the set.
        unfinished: whether the budget ended the search.
    """

    asked: Asked
    results: "dict[str, SetResult]"
    unfinished: bool = False

    @property
    def given(self) -> "SetResult":
        """Return the verdict on the settings as given."""
        return self.results[self.asked.given.name]

    @property
    def measured(self) -> "dict[int, SetResult]":
        """Return the verdicts on the sets by their place among all, from the quickest on."""
        every = enumerate(self.asked.sets)
        return {place: self.results[one.name] for place, one in every if one.name in self.results}

    @property
    def named(self) -> "dict[str, TimeoutSet]":
        """Return the measured sets by name, the given settings first."""
        every = (self.asked.given, *self.asked.sets)
        return {one.name: one for one in every if one.name in self.results}


def asked(
    solution: str, require: list[str], hiccups: list[str], settings: list[str], death: str, trials: int
) -> Asked:
    """Check the options.

    Raises:
        UsageError: one is wrong, or the solution has no timeouts to choose.
    """
    from fivenines.analysis.availability.hiccups import parse_hiccups
    from fivenines.analysis.decision.tuning import parse_wanted
    from fivenines.cli.timeouts.sets import sets_of

    try:
        wanted = parse_wanted(require)
    except ValueError as error:
        raise UsageError(f"--require: {error}") from None
    try:
        models = [parse_hiccups(text) for text in hiccups]
    except ValueError as error:
        raise UsageError(f"--hiccups: {error}") from None
    death_named("--death", death)
    given, sets = sets_of(solution, settings)
    ranges: dict[str, tuple[float, float]] = {}
    for model in models:
        low, high = model.range()
        before = ranges.get(model.fault, (low, high))
        ranges[model.fault] = round(min(low, before[0]), 1), round(max(high, before[1]), 1)
    every = [given, *(one for one in sets if one is not given)]
    file = Searched(
        f"Which timeouts of {solution} meet {', '.join(require)}, with {'; '.join(hiccups)}?",
        f"tune-{solution}",
        [{**one.entry, "name": one.name} for one in every],
        death,
        ranges,
        trials,
    )
    return Asked(solution, wanted, models, sets, given, file)
