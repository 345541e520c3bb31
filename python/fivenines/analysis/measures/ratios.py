"""Parse thresholds on ratios of a run to a baseline: `tps >= 0.95`, `galera: outage_writes p95 <= 1.1`."""

import re
from dataclasses import dataclass
from typing import Literal, cast

from fivenines.analysis.measures.condition import NAME
from fivenines.analysis.measures.measures import Measure, measure_named
from fivenines.analysis.measures.thresholds import split

Relation = Literal["<", "<=", ">", ">="]

_RATIO = re.compile(
    rf"{NAME}(?:\s+p(?P<percentile>\d{{1,2}}))?\s*(?P<how><=|>=|<|>)\s*"
    r"(?P<value>\d+(?:\.\d*)?|\.\d+)\s*(?P<sign>%?)"
)
_EXAMPLES = "'tps >= 0.95', 'outage_writes <= 110%' or 'galera: failover p50 <= 1.1'"


@dataclass(frozen=True)
class RatioThreshold:
    """A limit on a measure, as a multiple of its value in the baseline.

    Attributes:
        measure: a measure with a value in each trial.
        relation: a lower limit where more is better, an upper limit where less is better, either otherwise.
        limit: limit of the ratio of the later run to the baseline.
        percentile: percentile of the trials' values, as a fraction; None: their mean.
        solution: name of the solution; None: all solutions.
        text: the threshold as reports show it.
    """

    measure: Measure
    relation: Relation
    limit: float
    percentile: float | None
    solution: str | None
    text: str

    @property
    def below(self) -> bool:
        """Return whether the limit is an upper one."""
        return self.relation in ("<", "<=")


def parse_ratio(text: str) -> RatioThreshold:
    """Parse a threshold on a ratio.

    Raises:
        ValueError: the text is not such a threshold; the message says what to write instead.
    """
    parts = split(text)
    match = _RATIO.fullmatch(parts["requirement"])
    if match is None:
        name = re.match(rf"{NAME}\s*(?=[<>=]|$)", parts["requirement"])
        if name:
            _comparable(measure_named(name["name"]), text)
        raise ValueError(
            f"{text!r} is not a threshold on a ratio: write a measure, a relation and a multiple of the "
            f"baseline, as in {_EXAMPLES}"
        )
    measure = measure_named(match["name"])
    _comparable(measure, text)
    relation = cast(Relation, match["how"])
    if measure.more is not None and measure.more != (relation in (">", ">=")):
        better, other = ("more", ">=") if measure.more else ("less", "<=")
        raise ValueError(f"{text!r}: {better} of {measure.name} is better: write {other}")
    percentile = None if match["percentile"] is None else int(match["percentile"]) / 100
    if percentile == 0:
        raise ValueError(f"{text!r}: there is no percentile p0")
    limit = float(match["value"]) / (100 if match["sign"] else 1)
    if not limit:
        raise ValueError(f"{text!r}: the multiple of the baseline must be more than 0")
    return RatioThreshold(measure, relation, limit, percentile, parts.get("solution"), text.strip())


def _comparable(measure: Measure, text: str) -> None:
    if not measure.valued:
        raise ValueError(
            f"{text!r}: {measure.name} has no ratio. Use `fivenines check` to judge it in one run, or "
            "--allow to fail on events that the baseline does not have"
        )
