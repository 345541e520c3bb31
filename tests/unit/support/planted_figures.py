"""TEST ONLY: figures that are planted, as a run or a publication would answer a test of claims."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fivenines.analysis.statistics.means import of_moments, summarise
from fivenines.experiment.validation.mistakes import validated
from fivenines.studies.claims.figures import Events, Level, Place, Sample, TrialValue, Variants
from fivenines.studies.claims.kinds import AnyTest
from fivenines.studies.claims.verdicts import Atom, Verdict

# Measure, solution, level of the axis.
Key = tuple[str, str, str]


def trials(
    values: Sequence[float], bounds: Sequence[int] = (), limited: str = "", failing: str = ""
) -> Sample:
    """Return a sample of trials; `bounds` are indices of values that are lower bounds."""
    taken = tuple(TrialValue(f"t{index}", value, index in bounds) for index, value in enumerate(values))
    return Sample(summarise(list(values), bounds=len(bounds)), taken, limited, failing)


def printed(n: int, mean: float, sd: float | None = None) -> Sample:
    """Return a sample as a publication has it."""
    return Sample(of_moments(n, mean, sd), source="T1")


def spread(mean: float, cov: float, n: int = 10) -> Sample:
    """Return a printed sample with its spread as a share of the mean."""
    return printed(n, mean, cov * mean)


def drawn(seed: int, mean: float, sd: float, n: int) -> Sample:
    """Return a sample of normal values."""
    return trials(np.random.default_rng(seed).normal(mean, sd, n).tolist())


@dataclass
class Planted:
    """Figures by measure, solution and level of one axis (connections, unless it says otherwise)."""

    samples: Mapping[Key, Sample] = field(default_factory=dict)
    axis: str = "connections"
    seen: Mapping[str, Events] = field(default_factory=dict)
    swept: Mapping[str, Variants] = field(default_factory=dict)

    def sample(self, measure: str, place: Place) -> Sample:
        key = (measure, place.solution or "", place.level(self.axis) or "")
        return self.samples.get(key, Sample(missing="not planted"))

    def events(self, measure: str, place: Place) -> Events:
        return self.seen.get(place.solution or "", Events(missing="not planted"))

    def variants(self, place: Place) -> Variants:
        return self.swept.get(place.solution or "", Variants(missing="not planted"))

    def levels(self, axis: str, place: Place) -> list[Level]:
        if axis == "solution":
            return [Level(name) for name in dict.fromkeys(key[1] for key in self.samples)]
        own = [key[2] for key in self.samples if place.solution in (None, key[1])]
        names = dict.fromkeys(own) if axis == self.axis else {}
        return sorted((Level(name, _number(name)) for name in names), key=lambda item: item.number or 0)

    def but(self, change: Callable[[Sample], Sample], *keys: Key) -> "Planted":
        """The same with these samples changed; all of them without keys."""
        changed = {key: change(self.samples[key]) for key in keys or self.samples}
        return replace(self, samples={**self.samples, **changed})


def two(a: Sample, b: Sample, measure: str = "tps") -> Planted:
    """Return two solutions, a and b, without any axis."""
    return Planted({(measure, "a", ""): a, (measure, "b", ""): b})


def row(samples: Mapping[float, Sample], measure: str = "tps", axis: str = "connections") -> Planted:
    """One solution, a, along an axis."""
    return Planted({(measure, "a", f"{at:g}"): sample for at, sample in samples.items()}, axis)


def judge(figures: Planted, **test: Any) -> Verdict:
    """Return the verdict of a test as a study writes it: `judge(figures, greater={...})`."""
    made: AnyTest = validated(AnyTest, test)
    assert made.problems() == []
    return made.judge(figures)


def atom(figures: Planted, **test: Any) -> Atom:
    """The same of a test of a single comparison."""
    (result,) = judge(figures, **test).atoms
    return result


def _number(name: str) -> float | None:
    try:
        return float(name)
    except ValueError:
        return None
