"""Measures as claims name them: those of experiments, and phases of an outage by their word alone."""

from typing import Literal

from fivenines.analysis.measured import EVENTS, VALUES
from fivenines.needs.measures import MEASURES

_PHASE = "phase:"


def full_name(measure: str) -> str:
    """The name that a measure has elsewhere: `phase:route` for `route`."""
    return measure if is_known(measure, "values") else f"{_PHASE}{measure}"


def is_known(measure: str, kind: str) -> bool:
    """Whether trials have `values` or `events` of this name."""
    try:
        # by asking: those of a family are made when they are asked for
        (VALUES if kind == "values" else EVENTS)[measure]
    except KeyError:
        return False
    return True


Taken = Literal["steady", "load", "fault"]
"""When: before any fault, over the whole load with whatever happens in it, or after a fault."""


def taken(measure: str) -> Taken:
    """When a measure is taken. Events are of the whole load, but for those that only a fault can cause."""
    known = full_name(measure) if is_known(full_name(measure), "values") else measure
    try:
        # by asking: those of a family are made when they are asked for
        found = MEASURES[known]
    except KeyError:
        found = None
    if found is not None and found.fault:
        return "fault"
    if is_known(measure, "events") or (found is not None and found.when == "load"):
        return "load"
    return "steady"
