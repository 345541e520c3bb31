"""Names of measures in claims: those of experiments, and phases of an outage without a prefix."""

from fivenines.analysis.measured import EVENTS, VALUES
from fivenines.analysis.measures.measure import When
from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.performance.clients import OF_A_CLIENT
from fivenines.analysis.performance.interleaved_changes import INTERLEAVED_MEASURES

# Names of the measures of an interleaved comparison's windows, by the names of claims.
BLOCK_MEASURES = {measure.name: name for name, measure in INTERLEAVED_MEASURES.items()}

# Numbers of the solution, which do not vary by chance.
EXACT = ("hosts",)

_PHASE = "phase:"


def full_name(measure: str) -> str:
    """Return the full name of a measure: `phase:route` for `route`."""
    return measure if is_known(measure, "values") else f"{_PHASE}{measure}"


def is_known(measure: str, kind: str) -> bool:
    """Return whether trials have `values` or `events` of this name."""
    if measure in EXACT:
        return kind == "values"
    try:
        # Use a look-up: measures of a family are created on demand.
        (VALUES if kind == "values" else EVENTS)[measure]
    except KeyError:
        return False
    return True


def noun(measure: str) -> str:
    """Return a measure in words: "outage of writes"; without words its name."""
    try:
        return MEASURES[measure if is_known(measure, "events") else full_name(measure)].noun
    except KeyError:
        return measure


def subject(measure: str, about: str) -> str:
    """Return a measure in words before a colon, capitalised if it begins the sentence."""
    words = noun(measure)
    return words if about else f"{words[:1].upper()}{words[1:]}"


def of_all(measure: str) -> str:
    """Return why this measure is not available for a single client; empty: it is."""
    return "" if measure in OF_A_CLIENT else f"{measure} is of all clients together"


def taken(measure: str) -> When:
    """Return the time of a measure. Events are of the whole load, except those that only a fault causes."""
    known = full_name(measure) if is_known(full_name(measure), "values") else measure
    try:
        # Use a look-up: measures of a family are created on demand.
        result = MEASURES[known]
    except KeyError:
        result = None
    when: When = "steady" if result is None else result.when
    return "load" if when == "steady" and is_known(measure, "events") else when
