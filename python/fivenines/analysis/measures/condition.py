"""Parse conditions on measures: `outage_writes < 10s`, `lost = 0`, `failover p95 <= 8s`.

The requirements of a decision and the thresholds of a pipeline are such conditions.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from fivenines.analysis.measures.measures import Measure, measure_named
from fivenines.base.settings import invalid
from fivenines.base.units import parse_duration

Relation = Literal["<", "<=", ">", ">=", "="]

# `lost = 0` is met once a loss in more than this share of trials can be excluded.
NEVER = 0.10

# A measure's name at the beginning of a condition. A counter's name may have dots, slashes and blanks.
NAME = r"(?P<name>\w[^<>=]*?)"

_REQUIREMENT = re.compile(
    rf"{NAME}(?:\s+p(?P<percentile>\d{{1,2}}))?\s*(?P<how><=|>=|==|=|<|>)\s*(?P<value>\S.*)"
)

EXAMPLES = "outage_writes < 10s, failover p95 < 8s, tps >= 500, lost = 0, stale <= 5%"


@dataclass(frozen=True)
class Requirement:
    """A condition on a measure.

    Attributes:
        measure: the measure that is limited.
        relation: the relation of the measure to the limit.
        limit: per second, in ms, as a share of trials (events), as a fraction, or in the measure's unit.
        percentile: percentile of the trials' values, as a fraction; None: their mean.
        text: the condition as reports show it.
    """

    measure: Measure
    relation: Relation
    limit: float
    percentile: float | None
    text: str

    @property
    def below(self) -> bool:
        """Return whether the limit is an upper one."""
        return self.relation in ("<", "<=", "=")


def parse_requirement(text: str) -> Requirement:
    """Parse a condition.

    Raises:
        ValueError: the text is not a condition; the message says what to write instead.
    """
    match = _REQUIREMENT.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"{text!r} is not a condition: write a measure, a relation and a limit, as in {EXAMPLES}"
        )
    measure = measure_named(match["name"])
    relation: Any = "=" if match["how"] == "==" else match["how"]
    if measure.kind == "event" and relation == "<=" and match["value"].strip() in ("0", "0%"):
        relation = "="  # `lost <= 0` means the same as `lost = 0`
    percentile = None if match["percentile"] is None else int(match["percentile"]) / 100
    limit = _limit(measure, relation, match["value"].strip(), text)
    _require_sense(measure, relation, percentile, match["value"].strip(), text)
    middle = f" p{match['percentile']}" if match["percentile"] else ""
    return Requirement(
        measure, relation, limit, percentile, f"{measure.name}{middle} {relation} {match['value'].strip()}"
    )


def _limit(measure: Measure, relation: str, value: str, text: str) -> float:
    if measure.kind == "time":
        return 1000 * parse_duration(value)
    if measure.kind == "amount" and measure.unit:
        value = value.removesuffix(measure.unit).rstrip()
    share = value.endswith("%")
    if measure.kind == "event":
        if value in ("0", "0%"):
            return NEVER
        if not share:
            raise ValueError(
                f"{text!r}: {measure.name} is counted in trials: write `{measure.name} = 0`, or a share of "
                f"trials, as in `{measure.name} <= 5%`"
            )
    elif share and measure.kind not in ("share", "estimate"):
        raise ValueError(f"{text!r}: {measure.name} is not a percentage: write a number")
    try:
        number = float(value.removesuffix("%"))
    except ValueError:
        raise ValueError(f"{text!r}: {value!r} is not a number") from None
    if not 0 <= number < float("inf"):
        raise ValueError(f"{text!r}: {value!r} is not a limit: write a number of 0 or more")
    if share and number > 100 and measure.kind == "event":
        raise ValueError(f"{text!r}: a share of trials is at most 100%")
    found = number / 100 if share else number
    if measure.kind == "estimate" and found >= 1:
        raise ValueError(f"{text!r}: {measure.name} is a share below 1: write a percentage, as in 99.9%")
    return found


def _require_sense(measure: Measure, relation: str, percentile: float | None, value: str, text: str) -> None:
    if relation == "=" and measure.kind == "event" and value.removesuffix("%") != "0":
        raise ValueError(f"{text!r}: write <= for a share of trials")
    if relation == "=" and measure.kind != "event":
        raise ValueError(f"{text!r}: a measured value never equals a limit exactly: write <= or >=")
    if measure.kind == "estimate" and relation not in (">", ">="):
        raise ValueError(f"{text!r}: more {measure.name} is better: write >=")
    if measure.kind in ("event", "time") and relation in (">", ">="):
        raise ValueError(f"{text!r}: less of {measure.name} is better: write <=")
    if percentile is not None and (not measure.valued or percentile == 0):
        raise ValueError(f"{text!r}: {measure.name} has no percentiles over trials")


def _read(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return parse_requirement(value)
    except ValueError as error:
        raise invalid(str(error)) from None


# A condition, written as text in files.
Condition = Annotated[
    Requirement,
    BeforeValidator(_read),
    PlainSerializer(lambda requirement: requirement.text, return_type=str),
    WithJsonSchema({"type": "string", "allowed": f"a measure, a relation and a limit, as in {EXAMPLES}"}),
]
