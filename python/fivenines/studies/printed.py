"""Published figures of a study, for the tests of claims."""

from collections.abc import Mapping, Sequence

from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.statistics.means import of_moments
from fivenines.studies.claims.figures import AXES, Events, Level, Place, Sample, Variants
from fivenines.studies.measures import EXACT
from fivenines.studies.models import Published

_MISSING = "not published"

# Number of trials if it is not published: the missing spread is then the obstacle.
_SOME = 2

# The axis of the variants of a sweep, which figures may be printed by.
VARIANT = "variant"


class PrintedFigures:
    """Figures of a publication; implements `claims.figures.Figures`.

    A figure without a level of an axis applies to every level. Of several figures for a place the most
    specific one counts.
    """

    def __init__(self, entries: Sequence[Published]) -> None:
        self._entries = entries

    def sample(self, measure: str, place: Place) -> Sample:
        """Return the mean and its spread at a place."""
        entry = self._best([item for item in self._entries if item.mean is not None], measure, place)
        if entry is None:
            return Sample(missing=_MISSING)
        mean, sd = _of(entry.mean, entry, place), _of(entry.sd, entry, place)
        if mean is None:
            return Sample(missing=_MISSING)
        # Without the number of trials a spread gives no interval of the mean.
        n = entry.n or _SOME
        spread = sd if entry.n and entry.n > 1 else None
        summary = of_moments(n, mean, spread, bounds=n if entry.bound else 0)
        scale = f" ({entry.scale})" if entry.scale else ""
        exact = measure in EXACT
        return Sample(summary, source=f"{entry.source}{scale}", scaled=bool(scale), exact=exact)

    def events(self, measure: str, place: Place) -> Events:
        """Return the number of trials with an event."""
        entry = self._best([item for item in self._entries if item.seen is not None], measure, place)
        if entry is None or entry.seen is None or entry.n is None:
            return Events(missing=_MISSING)
        return Events(entry.seen, entry.n, source=entry.source)

    def variants(self, place: Place) -> Variants:
        """Return the published variants of a sweep, with the best one."""
        swept = [item for item in self._entries if item.by == VARIANT or item.chosen is not None]
        entry = self._best(swept, None, place)
        if entry is None:
            return Variants(missing=_MISSING)
        names = list(entry.mean) if isinstance(entry.mean, Mapping) else []
        samples = {name: self.sample(entry.measure, place.at(VARIANT, name)) for name in names}
        return Variants(samples, bool(MEASURES[entry.measure].more), entry.chosen, entry.measure)

    def levels(self, axis: str, place: Place) -> Sequence[Level]:
        """Return the levels of an axis with published figures."""
        result: dict[str, Level] = {}
        for entry in self._entries:
            if _matches(entry, place, asked=axis) is None:
                continue
            for name in _levels(entry, axis):
                result.setdefault(name, Level(name, _number(name)))
        every = list(result.values())
        if all(item.number is not None for item in every):
            every.sort(key=lambda item: item.number or 0.0)
        return every

    def _best(self, entries: Sequence[Published], measure: str | None, place: Place) -> Published | None:
        named = [entry for entry in entries if measure is None or entry.measure == measure]
        ranked = [(score, item) for item in named if (score := _matches(item, place)) is not None]
        return max(ranked, key=lambda each: each[0])[1] if ranked else None


def level_of(entry: Published, axis: str) -> str | None:
    """Return the level at which a printed figure is on an axis; None where it is open."""
    if axis in AXES:
        result = getattr(entry, axis, None)
        return None if result is None else str(result)
    return entry.at.get(axis)


def _matches(entry: Published, place: Place, asked: str = "") -> int | None:
    """Return the number of matching levels of a place; None for another place.

    The requested axis may have any level.
    """
    score = 0
    for axis in dict.fromkeys([*AXES, *place.axes, *entry.at]):
        expected = place.level(axis)
        levels = _levels(entry, axis)
        if axis == "client" != asked and expected is None and levels:
            return None  # a single client; without a level it is of all clients together
        if expected is None or not levels:
            continue
        if expected not in levels:
            return None
        score += 1
    return score


def _levels(entry: Published, axis: str) -> list[str]:
    if entry.by == axis:
        return list(entry.mean) if isinstance(entry.mean, Mapping) else []
    level = level_of(entry, axis)
    return [] if level is None else [level]


def _of(figures: float | Mapping[str, float] | None, entry: Published, place: Place) -> float | None:
    if not isinstance(figures, Mapping):
        return figures
    level = place.level(entry.by or "")
    if level is None and len(figures) == 1:
        return next(iter(figures.values()))
    return figures.get(level or "")


def _number(name: str) -> float | None:
    try:
        return float(name)
    except ValueError:
        return None
