"""The best of several variants: chosen on one half of the trials, reported on the other.

Whoever takes the best of several noisy means takes the luckiest, too: the mean of the winner is better
than it would be again (the winner's curse, the optimizer's curse). So the trials are split in halves by
their numbers alone. The half with odd numbers chooses; the half with even numbers, which had no say in
the choice, gives all figures that are reported: they are unbiased, and so are their intervals. Block n of
a plan holds trial n of every variant, in random order, so both halves are alike in all but their numbers.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fivenines.analysis.statistics import (
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


Strata = Mapping[str, Sequence[Observation]]
"""What was observed of one variant, by stratum."""

Verdict = Literal["ahead", "alike", "behind", "unknown"]
"""The best against the next on the reporting half; `alike`: they cannot be told apart."""


@dataclass(frozen=True)
class Half:
    """One half of a variant's trials: its values in short, by stratum, and how many are bounds."""

    strata: Mapping[str, Summary]
    bounds: int = 0

    @property
    def n(self) -> int:
        """The number of trials."""
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

    `left_out` are variants without a value on the choosing half.
    """

    candidates: Sequence[Candidate]
    strata: Sequence[str]
    higher: bool
    left_out: Sequence[str]

    @property
    def best(self) -> Candidate:
        """The chosen one."""
        return self.candidates[0]

    @property
    def next(self) -> Candidate | None:
        """The second by the choosing half."""
        return self.candidates[1] if len(self.candidates) > 1 else None

    def against(self, other: Candidate) -> Difference | None:
        """The best against another, both on the reporting half, see `compared`."""
        return self.compared(self.best.reporting, other.reporting)

    @property
    def optimism(self) -> Difference | None:
        """The best on the half that chose it against itself on the other: what choosing flattered."""
        return self.compared(self.best.choosing, self.best.reporting)

    @property
    def verdict(self) -> Verdict:
        """Whether the reporting half tells the best from the next."""
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
    """Which variant of a swept solution a cell shows, and of how many; `words` are its settings."""

    sweep: str
    variant: str
    words: str
    number: int

    @property
    def name(self) -> str:
        """What the solution is called in all its cells."""
        return f"{self.sweep} (best of {self.number})"

    @property
    def called(self) -> str:
        """The same with the settings that were chosen."""
        return f"{self.sweep} (best of {self.number}: {self.words})"


def chooses(number: int) -> bool:
    """Whether a trial belongs to the half that chooses: those with odd numbers do."""
    return number % 2 == 1


def choose(variants: Mapping[str, Strata], *, higher: bool) -> Choice | None:
    """The best of the variants by the choosing half; None if no two can be compared.

    A variant whose service did not come back in fewer of its trials is better whatever the times of
    the others. Of equal variants the first counts.
    """
    observed = {
        name: {key: [one for one in some if chooses(one.number)] for key, some in strata.items()}
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
            _half(variants[name], strata, choosing=True),
            _half(variants[name], strata, choosing=False),
        )
        for name in known
    ]
    ranked = sorted(candidates, key=lambda one: _rank(one.choosing, higher=higher))
    return Choice(ranked, strata, higher, [name for name in variants if name not in known])


def mean_ratio(pairs: Sequence[tuple[Summary, Summary]]) -> Difference:
    """The geometric mean of mean(a) / mean(b) over pairs of samples, against 1.

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
    parts = [(((one.sd or 0.0) / (one.mean or 1.0)) ** 2 / one.n, one.n) for one in samples]
    df = satterthwaite(parts)
    half = student_t(df) * math.sqrt(math.fsum(part for part, _ in parts)) / len(pairs)
    low, high = math.exp(log - half), math.exp(min(log + half, _LARGEST))
    return Difference(left, right, ratio - 1, low - 1, high - 1, df, ratio, low, high)


_LARGEST = 700.0
"""Below the largest exponent of a float."""


def _half(strata: Strata, names: Sequence[str], *, choosing: bool) -> Half:
    own = {
        name: [one for one in strata.get(name, ()) if chooses(one.number) is choosing]
        for name in names
    }
    bounds = sum(one.bound for some in own.values() for one in some)
    strata_found = {
        name: summarise([one.value for one in some], bounds=sum(one.bound for one in some))
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
