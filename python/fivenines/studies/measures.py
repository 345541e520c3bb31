"""Measures as claims name them: those of experiments, and phases of an outage by their word alone."""

from fivenines.analysis.clients import OF_A_CLIENT
from fivenines.analysis.measured import EVENTS, VALUES
from fivenines.requirements.measures import MEASURES, When

# Numbers of the solution, which no chance changes.
EXACT = ("hosts",)

_PHASE = "phase:"


def full_name(measure: str) -> str:
    """Return the name that a measure has elsewhere: `phase:route` for `route`."""
    return measure if is_known(measure, "values") else f"{_PHASE}{measure}"


def is_known(measure: str, kind: str) -> bool:
    """Return whether trials have `values` or `events` of this name."""
    if measure in EXACT:
        return kind == "values"
    try:
        # by asking: those of a family are made when they are asked for
        (VALUES if kind == "values" else EVENTS)[measure]
    except KeyError:
        return False
    return True


def noun(measure: str) -> str:
    """Return a measure in words: "outage of writes"; as it is written where it has none."""
    try:
        return MEASURES[measure if is_known(measure, "events") else full_name(measure)].noun
    except KeyError:
        return measure


def subject(measure: str, about: str) -> str:
    """The same before a colon; it begins the sentence where that is not about one of several."""
    words = noun(measure)
    return words if about else f"{words[:1].upper()}{words[1:]}"


def of_all(measure: str) -> str:
    """Return why a client has no figure of its own of this measure; empty: it has."""
    return "" if measure in OF_A_CLIENT else f"{measure} is of all clients together"


def taken(measure: str) -> When:
    """Return when a measure is taken. Events are of the whole load, but for those that only a fault can
    cause.
    """
    known = full_name(measure) if is_known(full_name(measure), "values") else measure
    try:
        # by asking: those of a family are made when they are asked for
        result = MEASURES[known]
    except KeyError:
        result = None
    when: When = "steady" if result is None else result.when
    return "load" if when == "steady" and is_known(measure, "events") else when
