"""Choice of the best of several variants on one half of the trials, reported on the other half.

The best of several noisy means is also the luckiest one: in a repetition the winner's mean would be worse
(the winner's curse, the optimizer's curse). So trials are split in halves by their numbers. Trials with odd
numbers choose; trials with even numbers have no influence on the choice and give all reported figures, so
these and their intervals are unbiased. Block n of a plan contains trial n of every variant in random order,
so the halves differ in nothing but their numbers.

Most publications choose and report on the same trials. A sweep with `same_trials` does so, too: both halves
are all trials. Its figures are too good, the more so with more variants, closer variants and fewer trials;
its intervals and verdicts do not correct for that.

Where a variant is chosen for several conditions at once, each is a stratum: variants are ranked by the
geometric mean, over the strata, of the ratios of their means, so that no stratum counts more because its
figures are larger. The interval of such a ratio is that of its logarithm by the delta method, with the
Welch-Satterthwaite degrees of freedom.

Sources: Capen, Clapp, Campbell, Competitive Bidding in High-Risk Situations, J. Petroleum Technology 23
(1971) 641 (winner's curse); Smith, Winkler, The Optimizer's Curse, Management Science 52 (2006) 311; Cox, A
Note on Data-Splitting for the Evaluation of Significance Levels, Biometrika 62 (1975) 441; Fleming,
Wallace, How Not to Lie with Statistics, Comm. ACM 29 (1986) 218 (geometric mean of ratios); Oehlert, A
Note on the Delta Method, The American Statistician 46 (1992) 27.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from fivenines.analysis.statistics.means import (
    Difference,
    Summary,
    compare,
    satterthwaite,
    student_t,
    summarise,
)


@dataclass(frozen=True)
class Observation:
    """One trial's value; `number` is the trial's, `bound` says that the value is a lower bound."""

    number: int
    value: float
    bound: bool = False


# What was observed of one variant, by stratum.
Strata = Mapping[str, Sequence[Observation]]

# The best against the second on the reporting half; `alike`: no difference is shown.
Verdict = Literal["ahead", "alike", "behind", "unknown"]


@dataclass(frozen=True)
class Half:
    """One half of a variant's trials: its values in short, by stratum, and how many are bounds."""

    strata: Mapping[str, Summary]
    bounds: int = 0

    @property
    def n(self) -> int:
        """Return the number of trials."""
        return sum(summary.n for summary in self.strata.values())


@dataclass(frozen=True)
class Candidate:
    """A variant that could be chosen."""

    name: str
    choosing: Half
    reporting: Half


@dataclass(frozen=True)
class Choice:
    """The candidates, the best first by the choosing half; the strata are those that all have.

    `left_out` are variants without a value on the choosing half. `same_trials`: both halves are all trials.
    """

    candidates: Sequence[Candidate]
    strata: Sequence[str]
    higher: bool
    left_out: Sequence[str]
    same_trials: bool = False

    @property
    def best(self) -> Candidate:
        """Return the chosen one."""
        return self.candidates[0]

    @property
    def next(self) -> Candidate | None:
        """Return the second by the choosing half."""
        return self.candidates[1] if len(self.candidates) > 1 else None

    def against(self, other: Candidate) -> Difference | None:
        """Return the best against another, both on the reporting half, see `compared`."""
        return self.compared(self.best.reporting, other.reporting)

    @property
    def optimism(self) -> Difference | None:
        """Return the best on the choosing half against itself on the other: the effect of the choice.

        None where the same trials choose and are reported: then the effect is unknown.
        """
        if self.same_trials:
            return None
        return self.compared(self.best.choosing, self.best.reporting)

    @property
    def verdict(self) -> Verdict:
        """Return whether the reporting half shows the best to be better than the second."""
        difference = self.against(self.next) if self.next else None
        if difference is None or not difference.known:
            return "unknown"
        if not difference.differs:
            return "alike"
        return "ahead" if ((difference.absolute or 0.0) > 0) == self.higher else "behind"

    def compared(self, a: Half, b: Half) -> Difference | None:
        """One half against another over the strata that both have.

        With lower bounds among the values only what is proven, see `compare`; None where such values
        have several strata, whose ratios have no mean then.
        """
        common = [name for name in self.strata if a.strata[name].n and b.strata[name].n]
        if not common:
            return Difference(Summary(a.n), Summary(b.n))
        if len(self.strata) == 1:
            return compare(a.strata[common[0]], b.strata[common[0]])
        if a.bounds or b.bounds:
            return None
        return mean_ratio([(a.strata[name], b.strata[name]) for name in common])


@dataclass(frozen=True)
class BestCase:
    """Which variant of a swept solution a cell shows, and of how many; `words` are its settings.

    `same_trials`: the same trials chose it and are reported, so that its figures are too good.
    """

    sweep: str
    variant: str
    words: str
    number: int
    same_trials: bool = False

    @property
    def name(self) -> str:
        """Return the name of the solution in all its cells."""
        return f"{self.sweep} ({self._best})"

    @property
    def called(self) -> str:
        """The same with the settings that were chosen."""
        return f"{self.sweep} ({self._best}: {self.words})"

    @property
    def _best(self) -> str:
        return f"best of {self.number}{' on the same trials' if self.same_trials else ''}"


def chooses(number: int, *, same_trials: bool = False) -> bool:
    """Return whether a trial is among those that choose: with odd numbers, or all."""
    return same_trials or number % 2 == 1


def reports(number: int, *, same_trials: bool = False) -> bool:
    """Return whether a trial is among those that are reported: with even numbers, or all."""
    return same_trials or number % 2 == 0


def choose(variants: Mapping[str, Strata], *, higher: bool, same_trials: bool = False) -> Choice | None:
    """Return the best of the variants by the choosing half; None if no two can be compared.

    With `same_trials` both halves are all trials. A variant with fewer trials without recovery is better,
    whatever its times. Of equal variants the first wins.
    """
    observed = {
        name: {
            key: [item for item in some if chooses(item.number, same_trials=same_trials)]
            for key, some in strata.items()
        }
        for name, strata in variants.items()
    }
    known = [name for name, strata in observed.items() if any(strata.values())]
    strata = [
        key
        for key in dict.fromkeys(key for name in known for key in observed[name])
        if all(observed[name].get(key) for name in known)
    ]
    if len(known) < 2 or not strata:
        return None
    candidates = [
        Candidate(
            name,
            _half(variants[name], strata, partial(chooses, same_trials=same_trials)),
            _half(variants[name], strata, partial(reports, same_trials=same_trials)),
        )
        for name in known
    ]
    ranked = sorted(candidates, key=lambda item: _rank(item.choosing, higher=higher))
    left_out = [name for name in variants if name not in known]
    return Choice(ranked, strata, higher, left_out, same_trials)


def mean_ratio(pairs: Sequence[tuple[Summary, Summary]]) -> Difference:
    """Return the geometric mean of mean(a) / mean(b) over pairs of samples, against 1.

    The variance of the logarithm of a mean is that of the mean over its square (delta method). With
    a mean that is not above 0 nothing is known; with fewer than two values on any side no interval is.
    """
    n_a, n_b = sum(a.n for a, _ in pairs), sum(b.n for _, b in pairs)
    means = [(a.mean or 0.0, b.mean or 0.0) for a, b in pairs]
    if not pairs or any(a <= 0 or b <= 0 for a, b in means):
        return Difference(Summary(n_a), Summary(n_b))
    log = math.fsum(math.log(a) - math.log(b) for a, b in means) / len(pairs)
    ratio = math.exp(log)
    left, right = Summary(n_a, ratio), Summary(n_b, 1.0)
    samples = [sample for pair in pairs for sample in pair]
    if any(sample.sd is None for sample in samples):
        return Difference(left, right, ratio - 1, ratio=ratio)
    parts = [(((item.sd or 0.0) / (item.mean or 1.0)) ** 2 / item.n, item.n) for item in samples]
    df = satterthwaite(parts)
    half = student_t(df) * math.sqrt(math.fsum(part for part, _ in parts)) / len(pairs)
    low, high = math.exp(log - half), math.exp(min(log + half, _LARGEST))
    return Difference(left, right, ratio - 1, low - 1, high - 1, df, ratio, low, high)


# Below the largest exponent of a float.
_LARGEST = 700.0


def _half(strata: Strata, names: Sequence[str], belongs: Callable[[int], bool]) -> Half:
    own = {name: [item for item in strata.get(name, ()) if belongs(item.number)] for name in names}
    bounds = sum(item.bound for some in own.values() for item in some)
    strata_found = {
        name: summarise([item.value for item in some], bounds=sum(item.bound for item in some))
        for name, some in own.items()
    }
    return Half(strata_found, bounds)


def _rank(half: Half, *, higher: bool) -> tuple[float, float]:
    """Sorts the best to the front."""
    means = [summary.mean or 0.0 for summary in half.strata.values()]
    if len(means) > 1:
        means = [math.log(mean) if mean > 0 else -math.inf for mean in means]
    score = sum(means) / len(means)
    return half.bounds / half.n, -score if higher else score
