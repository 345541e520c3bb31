"""Means with confidence intervals, and comparisons of two samples.

Sources:
    Student's t interval of a mean: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.2.
    Difference of two means with unequal variances: Welch, Biometrika 34 (1947), with the
        Welch-Satterthwaite degrees of freedom; NIST/SEMATECH 1.3.5.3.
    Interval of the ratio of two means: Fieller, J. R. Stat. Soc. B 16 (1954) 175. With the same
        degrees of freedom it excludes 1 exactly when the difference's interval excludes 0, so text
        and numbers agree.
    Samples of trials on several machines: the machine is a block, see `blocked`.
    Upper bound of a proportion that was never met: Clopper and Pearson, Biometrika 26 (1934) 404.

Lower bounds
    A trial in which service did not recover gives a lower bound of the true value (right-censored). It is
    never left out: it counts with its observed value. The observed values x = min(t, c) are a sample like any
    other, and as no x exceeds its t, the mean of t is at least the mean of x, and at least the lower end of
    its interval. So the lower end is valid and the upper end unknown; of a difference only the end that such
    values cannot move is known (for right-censored samples in general: Klein and Moeschberger, Survival
    Analysis, 2nd ed. 2003, 3.2 and 4.5).
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from fivenines.analysis.statistics import blocked

# The level of all intervals of a report.
CONFIDENCE = 0.95

# Fewer values than this that are all equal count as rounded, not as values without a spread.
EQUAL = 5


@dataclass(frozen=True)
class Summary:
    """Summary of a sample. All fields but `n`, `cov` and `confidence` have the unit of the sample.

    `sd` is the sample standard deviation (n - 1); `cov` is sd / |mean|. With n < 2 there is no
    `sd`, `cov` or interval; with fewer than `EQUAL` values that are all equal there is no interval;
    with a mean of 0 there is no `cov`; with no values there is no mean either. `bounds` of the values are
    lower bounds: then so is the mean, `sd` is that of the values as observed, and there is no `cov` and no
    upper end. `nominal` is the level of the interval's quantile where that is not `confidence`: of one of
    many looks at a sample, see `sequential`.
    """

    n: int
    mean: float | None = None
    sd: float | None = None
    cov: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    confidence: float = CONFIDENCE
    bounds: int = 0
    nominal: float | None = None
    machines: tuple[tuple[str, float], ...] = field(default=(), repr=False)

    @property
    def level(self) -> float:
        """Return the level of the quantile that its interval is made with."""
        return self.confidence if self.nominal is None else self.nominal

    @property
    def few_equal(self) -> bool:
        """Return whether all values are equal, and too few for that to be meaningful."""
        return self.sd == 0 and self.n < EQUAL


@dataclass(frozen=True)
class Difference:
    """Difference of sample a from sample b; `absolute` and its interval have the samples' unit.

    `ratio` is mean(a) / mean(b); its interval is absent where b may be 0. `differs` says whether
    the interval of the difference excludes 0. With n < 2 on either side nothing but `absolute` is
    known. Where values of a are lower bounds, the difference is at least `low` and has no `high`; where
    those of b are, it is at most `high` and has no `low`; of both, nothing is known.
    """

    a: Summary
    b: Summary
    absolute: float | None = None
    low: float | None = None
    high: float | None = None
    df: float | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    confidence: float = CONFIDENCE

    @property
    def known(self) -> bool:
        """Return whether there was enough data for an interval."""
        return self.low is not None or self.high is not None

    @property
    def bounded(self) -> bool:
        """Return whether values of a sample are lower bounds, so that at most one end is known."""
        return bool(self.a.bounds or self.b.bounds)

    @property
    def differs(self) -> bool:
        """Return whether the interval of the difference excludes 0."""
        return (self.low is not None and self.low > 0) or (self.high is not None and self.high < 0)


def summarise(
    values: Sequence[float], confidence: float = CONFIDENCE, bounds: int = 0, machines: Sequence[str] = ()
) -> Summary:
    """Return mean, spread and Student's t interval of a sample (NIST/SEMATECH 1.3.5.2).

    `bounds` of the values are lower bounds, see the module's text. `machines` names the machine of each, or
    nothing where that is all one.

    Raises:
        ValueError: a value is NaN or infinite, `confidence` is not between 0 and 1, or there are more
            bounds than values.
    """
    _check(values, confidence)
    n = len(values)
    if not 0 <= bounds <= n:
        raise ValueError(f"{bounds} lower bounds among {n} values")
    if n == 0:
        return Summary(0, confidence=confidence)
    mean = statistics.fmean(values)
    moments = of_moments(n, mean, _stdev(values, mean) if n > 1 else None, confidence, bounds)
    if not any(machines):
        return moments
    return replace(moments, machines=tuple(zip(machines, values, strict=True)))


def _stdev(values: Sequence[float], mean: float) -> float:
    """Return the sample standard deviation: `statistics.stdev` computes in fractions, ten times as long."""
    if min(values) == max(values):
        return 0.0  # the mean of equal values may be rounded
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def of_moments(
    n: int, mean: float, sd: float | None, confidence: float = CONFIDENCE, bounds: int = 0
) -> Summary:
    """Return the summary of a published sample: only number, mean and standard deviation are known.

    Without `sd`, with n < 2, or with a few values that are all equal, the summary has a mean and no interval.

    Raises:
        ValueError: n < 1, `sd` < 0, or a figure is NaN or infinite.
    """
    _check([mean, *([] if sd is None else [sd])], confidence)
    if n < 1 or (sd is not None and sd < 0):
        raise ValueError(f"n {n}, sd {sd}: n must be at least 1, and sd at least 0")
    if n == 1 or sd is None:
        return Summary(n, mean, confidence=confidence, bounds=bounds)
    half = student_t(n - 1, confidence) * sd / math.sqrt(n)
    cov = sd / abs(mean) if mean and not bounds else None
    high = None if bounds else mean + half
    result = Summary(n, mean, sd, cov, mean - half, high, confidence, bounds)
    return replace(result, ci_low=None, ci_high=None) if result.few_equal else result


def summaries(
    measured: Sequence[object], names: Iterable[str], machines: Sequence[str] = ()
) -> dict[str, Summary]:
    """Return the summary of each of these attributes, of those that have it; `machines` as of `summarise`."""
    return {name: summarise_known((getattr(item, name) for item in measured), machines) for name in names}


def summarise_known(values: Iterable[float | None], machines: Sequence[str] = ()) -> Summary:
    """Summarise the values that were measured, leaving out None."""
    known = [(index, value) for index, value in enumerate(values) if value is not None]
    where = [machines[index] for index, _ in known] if machines else ()
    return summarise([value for _, value in known], machines=where)


def at_confidence(summary: Summary, confidence: float) -> Summary:
    """Return the sample for a comparison at another level; one of many looks gets wider accordingly.

    The interval of the sample does not change.
    """
    if summary.nominal is None:
        return replace(summary, confidence=confidence)
    nominal = 1 - (1 - confidence) * (1 - summary.nominal) / (1 - summary.confidence)
    return replace(summary, confidence=confidence, nominal=nominal)


def scaled(summary: Summary, factor: float) -> Summary:
    """Return the summary of the same sample in another unit; `factor` > 0."""

    def times(value: float | None) -> float | None:
        return None if value is None else factor * value

    return replace(
        summary,
        mean=times(summary.mean),
        sd=times(summary.sd),
        ci_low=times(summary.ci_low),
        ci_high=times(summary.ci_high),
        machines=tuple((machine, factor * value) for machine, value in summary.machines),
    )


def student_t(df: float, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's t distribution, as 2.045 for df = 29 and 95 %."""
    # plans of runs have no intervals, and importing scipy takes longer than showing a plan
    from scipy import special  # noqa: PLC0415

    return float(special.stdtrit(df, (1 + confidence) / 2))


def satterthwaite(parts: Sequence[tuple[float, int]]) -> float:
    """Welch-Satterthwaite degrees of freedom of a sum of variances, each with its sample size."""
    largest = max(part for part, _ in parts)
    if largest == 0:
        return float(sum(n - 1 for _, n in parts))
    scaled = [(part / largest, n) for part, n in parts]  # squares neither vanish nor overflow
    return sum(part for part, _ in scaled) ** 2 / sum(part**2 / (n - 1) for part, n in scaled)


def compare(a: Summary, b: Summary) -> Difference:
    """Compare two independent samples: a minus b (Welch 1947), and a / b (Fieller 1954).

    With trials on several machines the machine is a block, see `blocked`; if no machine has both samples,
    there is no interval. Two samples without any variance give an interval of width 0, or none if a sample is
    too small (`few_equal`). Ends that lower bounds among the values leave open are None.
    """
    confidence = min(a.confidence, b.confidence)
    if a.mean is None or b.mean is None:
        return Difference(a, b, confidence=confidence)
    absolute = a.mean - b.mean
    ratio = a.mean / b.mean if b.mean else None
    result = _moments(a, b)
    if result is None:
        return Difference(a, b, absolute, ratio=ratio, confidence=confidence)
    moments, df = result
    level = max(item.level for item in (a, b) if item.confidence == confidence)
    t = student_t(df, level)
    absolute = moments.a - moments.b
    half = t * math.sqrt(max(0.0, moments.var_a + moments.var_b - 2 * moments.cov))
    low, high = _fieller(moments, t)
    known = Difference(
        a,
        b,
        absolute,
        absolute - half,
        absolute + half,
        df,
        moments.a / moments.b if moments.b else None,
        low,
        high,
        confidence,
    )
    if a.bounds:
        known = replace(known, high=None, ratio_high=None)
    return replace(known, low=None, ratio_low=None) if b.bounds else known


def _moments(a: Summary, b: Summary) -> tuple[blocked.Moments, float] | None:
    """Return means, variances and degrees of freedom of two samples; None: there are too few for an
    interval.
    """
    assert a.mean is not None and b.mean is not None
    if blocked.several(a.machines, b.machines):
        moments = blocked.moments(a.machines, b.machines)
        return None if moments is None else (moments, moments.df)
    if a.sd is None or b.sd is None or both_few_equal(a, b):
        return None
    var_a, var_b = a.sd**2 / a.n, b.sd**2 / b.n
    df = satterthwaite([(var_a, a.n), (var_b, b.n)])
    return blocked.Moments(a.mean, b.mean, var_a, var_b), df


def both_few_equal(a: Summary, b: Summary) -> bool:
    """Return whether neither sample has a spread, with so few values that they count as rounded."""
    return a.sd == b.sd == 0 and (a.few_equal or b.few_equal)


def of_two_runs(a: Summary, b: Summary) -> tuple[Summary, Summary]:
    """Return two samples for a comparison of runs: their machines are blocks only where they had some in
    common.
    """
    shared = {machine for machine, _ in a.machines} & {machine for machine, _ in b.machines}
    return (a, b) if shared else (replace(a, machines=()), replace(b, machines=()))


def never_upper_bound(n: int, confidence: float = CONFIDENCE) -> float:
    """Return the largest probability compatible with 0 events in n trials (Clopper-Pearson, one-sided).

    Raises:
        ValueError: n < 1.
    """
    if n < 1:
        raise ValueError("an upper bound takes at least one trial")
    return 1 - float((1 - confidence) ** (1 / n))


def _check(values: Sequence[float], confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")
    for value in values:
        if not math.isfinite(value):
            raise ValueError(f"{value} in a sample: leave out values that were not measured")


def _fieller(of: blocked.Moments, t: float) -> tuple[float | None, float | None]:
    """Return all ratios r for which a - r b is compatible with 0; none if b itself may be 0."""
    denominator = of.b**2 - t**2 * of.var_b
    if denominator <= 0:
        return None, None
    middle = of.a * of.b - t**2 * of.cov
    # (a b - t2 cov)2 - (a2 - t2 var_a) (b2 - t2 var_b), without the difference of large numbers
    discriminant = t**2 * (
        of.b**2 * of.var_a
        + of.a**2 * of.var_b
        - 2 * of.a * of.b * of.cov
        - t**2 * (of.var_a * of.var_b - of.cov**2)
    )
    half = math.sqrt(max(discriminant, 0.0))
    return (middle - half) / denominator, (middle + half) / denominator
