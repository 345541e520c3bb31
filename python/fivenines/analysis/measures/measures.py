"""List the measures that requirements, thresholds, sweeps, comparisons and claims refer to by name.

`MEASURES` has most of them, from the files in `entries`. `FAMILIES` parses the text behind the colon of the
others, of which there are hundreds: any counter of the servers, any kind of host, any type of transaction.
"""

from fivenines.analysis.measures.entries import events, numbers, outages, replication, resources, speed, types
from fivenines.analysis.measures.measure import Kind, Measure
from fivenines.base.spelling import nearest, nearest_word

FAMILIES = {**resources.FAMILIES, **types.FAMILIES}

_ALL = (
    *speed.ENTRIES,
    *replication.ENTRIES,
    *resources.ENTRIES,
    *outages.ENTRIES,
    *events.ENTRIES,
    *numbers.ENTRIES,
)


class _Measures(dict[str, Measure]):
    """The listed measures; members of families are created on access."""

    def __missing__(self, name: str) -> Measure:
        try:
            return measure_named(name)
        except ValueError:
            raise KeyError(name) from None


# All measures by name, in display order; `MEASURES[name]` also returns members of families.
MEASURES: dict[str, Measure] = _Measures((measure.name, measure) for measure in _ALL)


# Measures by which runs are compared by default.
USUAL = tuple(name for name, measure in MEASURES.items() if measure.usual)


def measure_named(name: str) -> Measure:
    """Return the measure of this name.

    Raises:
        ValueError: there is no such measure; the message suggests the nearest name, or lists all names.
    """
    if (measure := MEASURES.get(name)) is not None:
        return measure
    head, colon, rest = name.partition(":")
    if colon and head in FAMILIES:
        return FAMILIES[head].read(rest)
    raise ValueError(f"there is no measure {name!r}{_meant(name)}")


def title(name: str) -> str:
    """Return the head of a measure's column.

    Raises:
        KeyError: there is no such measure.
    """
    return MEASURES[name].title


def noun(name: str) -> str:
    """Return the words of a measure in a sentence.

    Raises:
        KeyError: there is no such measure.
    """
    return MEASURES[name].noun


def _meant(name: str) -> str:
    head, colon, rest = name.partition(":")
    family = nearest_word(head, FAMILIES) if colon else None
    if family:
        return f"; did you mean '{family}:{rest}'?"
    known = [*MEASURES, *(form for each in FAMILIES.values() for form in each.forms)]
    return nearest(name, known) or f": there are {', '.join(known)}"


def listing() -> list[dict[str, str]]:
    """Return a row of texts for each listed measure, then for each form of a family."""
    rows = [_row(measure.name, measure.noun, measure) for measure in MEASURES.values()]
    for family in FAMILIES.values():
        for form, about in family.forms.items():
            rows.append(_row(form, about, family.read(form.partition(":")[2])))
    return rows


def _row(name: str, about: str, measure: Measure) -> dict[str, str]:
    return {
        "name": name,
        "about": about,
        "unit": _unit(measure),
        "better": _BETTER[measure.more],
        "of": _OF.get(measure.kind, measure.when),
        "requires": measure.source,
    }


_BETTER = {True: "more", False: "less", None: ""}
# The kinds that have no period of the load.
_OF: dict[Kind, str] = {"event": "trial", "number": "solution", "estimate": "solution"}


def _unit(measure: Measure) -> str:
    """Return the unit of the values; for an event, the share of trials in which it occurred."""
    named = {"event": "trials", "share": "share", "number": "number", "estimate": "share"}
    return named.get(measure.kind, measure.unit or "number")
