"""Thresholds on ratios of a run to a baseline: `tps >= 0.95`, `galera: outage_writes p95 <= 1.1`."""

import re
from dataclasses import dataclass
from typing import Literal, cast

from fivenines.requirements.condition import NAME
from fivenines.requirements.measures import Measure, measure_named
from fivenines.requirements.thresholds import split

Relation = Literal["<", "<=", ">", ">="]

_RATIO = re.compile(
    rf"{NAME}(?:\s+p(?P<percentile>\d{{1,2}}))?\s*(?P<how><=|>=|<|>)\s*"
    r"(?P<value>\d+(?:\.\d*)?|\.\d+)\s*(?P<sign>%?)"
)
_EXAMPLES = "'tps >= 0.95', 'outage_writes <= 110%' or 'galera: failover p50 <= 1.1'"


@dataclass(frozen=True)
class RatioThreshold:
    """What a measure may become, as a multiple of what it was.

    Attributes:
        measure: one that each trial has a value of.
        relation: how the ratio has to stand to the limit: at least for what should be large, at most for what
            should be small; either where neither is better.
        limit: of the later run to the baseline.
        percentile: of the trials' values, as a share; None: their mean.
        solution: of which one; None: of all.
        text: as it is shown.
    """

    measure: Measure
    relation: Relation
    limit: float
    percentile: float | None
    solution: str | None
    text: str

    @property
    def below(self) -> bool:
        """Whether the ratio has to be small."""
        return self.relation in ("<", "<=")


def parse_ratio(text: str) -> RatioThreshold:
    """The threshold that the text says.

    Raises:
        ValueError: it says none; with what to write instead.
    """
    parts = split(text)
    match = _RATIO.fullmatch(parts["requirement"])
    if match is None:
        name = re.match(rf"{NAME}\s*(?=[<>=]|$)", parts["requirement"])
        if name:
            _comparable(measure_named(name["name"]), text)
        raise ValueError(
            f"{text!r} is no threshold on a ratio: write a measure, a relation and a multiple of the "
            f"baseline, as in {_EXAMPLES}"
        )
    measure = measure_named(match["name"])
    _comparable(measure, text)
    relation = cast(Relation, match["how"])
    if measure.more is not None and measure.more != (relation in (">", ">=")):
        other = ">=" if measure.more else "<="
        raise ValueError(f"{text!r}: nobody needs that: write {other}")
    percentile = None if match["percentile"] is None else int(match["percentile"]) / 100
    if percentile == 0:
        raise ValueError(f"{text!r}: there is no percentile p0")
    limit = float(match["value"]) / (100 if match["sign"] else 1)
    if not limit:
        raise ValueError(f"{text!r}: a multiple of the baseline is more than 0")
    return RatioThreshold(measure, relation, limit, percentile, parts.get("solution"), text.strip())


def _comparable(measure: Measure, text: str) -> None:
    if not measure.valued:
        raise ValueError(
            f"{text!r}: {measure.name} has no ratio; `fivenines check` judges it in one run, and --allow "
            "fails for what never happened before"
        )
