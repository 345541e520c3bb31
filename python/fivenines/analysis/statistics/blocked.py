"""Comparison of two samples from several machines: the machine is a block.

The model is that of the randomised complete block design (Montgomery, Design and Analysis of
Experiments, ch. 4; unbalanced: Searle, Linear Models, ch. 7): value = sample + machine + error, by least
squares. A machine with n trials of a and k of b gives a difference of the weight n k / (n + k). With one
trial of each on every machine it is the paired t test.

For the ratio r the same is done with a - r b, whose difference squared and whose variance are quadratic in r
(Fieller 1954, with a covariance). Machines that are faster by a factor cancel there, as those that are
faster by an amount do in the difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass

# Machine and value of each trial.
Values = Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Moments:
    """Means over the machines that have both, their variances and covariance, degrees of freedom."""

    a: float
    b: float
    var_a: float
    var_b: float
    cov: float = 0.0
    df: float = 0.0


def several(a: Values, b: Values) -> bool:
    """Return whether the trials ran on more than one machine."""
    return bool(a) and bool(b) and len({machine for machine, _ in (*a, *b)}) > 1


def moments(a: Values, b: Values) -> Moments | None:
    """Return the weighted means of both samples; None if no machine has both, or without degrees of
    freedom.
    """
    first, second = _by_machine(a), _by_machine(b)
    both = [machine for machine in first if machine in second]
    df = len(a) + len(b) - len(first.keys() | second.keys()) - 1
    if not both or df < 1:
        return None
    weights = {m: _weight(len(first[m]), len(second[m])) for m in both}
    total = sum(weights.values())
    mean_a = sum(w * _mean(first[m]) for m, w in weights.items()) / total
    mean_b = sum(w * _mean(second[m]) for m, w in weights.items()) / total
    deviations = [(w, _mean(first[m]) - mean_a, _mean(second[m]) - mean_b) for m, w in weights.items()]
    scale = 1 / (df * total)
    return Moments(
        mean_a,
        mean_b,
        scale * (sum(map(_within, first.values())) + sum(w * x * x for w, x, _ in deviations)),
        scale * (sum(map(_within, second.values())) + sum(w * y * y for w, _, y in deviations)),
        scale * sum(w * x * y for w, x, y in deviations),
        df,
    )


def _by_machine(values: Values) -> dict[str, list[float]]:
    result: dict[str, list[float]] = {}
    for machine, value in values:
        result.setdefault(machine, []).append(value)
    return result


def _weight(n: int, k: int) -> float:
    return n * k / (n + k)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _within(values: Sequence[float]) -> float:
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values)
