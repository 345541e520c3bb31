"""Read preferences, and requirements that are written as keys."""

from typing import Annotated

from pydantic import AfterValidator

from fivenines.analysis.measures.measures import measure_named
from fivenines.base.settings import invalid


def _known(name: str) -> str:
    try:
        measure = measure_named(name)
    except ValueError as error:
        raise invalid(str(error)) from None
    if measure.kind in ("event", "estimate"):
        raise invalid(f"{name} is a requirement, not a preference: write it under `requirements`")
    if measure.more is None:
        raise invalid(
            f"{name} cannot be a preference, as neither more nor less of it is better: write a "
            f"condition on it under `requirements`, such as {name} <= 2"
        )
    return name


# A measure by which solutions are ranked.
Preference = Annotated[str, AfterValidator(_known)]


def as_conditions(value: object) -> object:
    """Convert `{outage_writes: "< 10s", lost: {at_most: 10%}}` to a list of conditions."""
    if not isinstance(value, dict):
        return value
    words = {"at_most": "<=", "at_least": ">=", "below": "<", "above": ">"}
    conditions = []
    for name, limits in value.items():
        for word, limit in (limits if isinstance(limits, dict) else {"": limits}).items():
            if word and word not in words:
                raise invalid(f"{name}: {word!r} is not one of {', '.join(words)}")
            relation = words.get(word, "" if str(limit).lstrip()[:1] in "<>=" else "=")
            conditions.append(f"{name} {relation} {limit}")
    return conditions
