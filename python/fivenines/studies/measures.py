"""Measures as claims name them: those of experiments, and phases of an outage by their word alone."""

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


def after_fault(measure: str) -> bool:
    """Whether only a trial with a fault has it."""
    try:
        return MEASURES[
            full_name(measure) if is_known(full_name(measure), "values") else measure
        ].fault
    except KeyError:
        return False
