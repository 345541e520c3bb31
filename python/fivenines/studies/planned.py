"""Figures of a plan: contains no figures, but records which cells a test uses."""

from collections.abc import Iterable, Mapping, Sequence

from fivenines.experiment.defaults import as_dict
from fivenines.experiment.interleaved_plan import blocks as planned_blocks
from fivenines.experiment.plan import tried
from fivenines.experiment.source import Part
from fivenines.studies.claims.figures import Events, Level, Place, Sample, Variants
from fivenines.studies.measured import cannot
from fivenines.studies.measures import of_all
from fivenines.studies.models import Unavailable
from fivenines.studies.spots import Spot, levels, one_cell, spots_of

_NOT_RUN = "not run"


def planned_spots(parts: Iterable[Part]) -> list[Spot]:
    """Return the cells of all parts."""
    return [spot for part in parts for spot in spots_of_part(part)]


def spots_of_part(part: Part) -> list[Spot]:
    """Return the cells of a part as they are planned."""
    experiment = part.experiment
    blocks = [cell.key for block in planned_blocks(experiment) for cell in block.cells]
    trials = [cell.key for cell in tried(experiment)]
    return spots_of(part.name, as_dict(experiment), [*trials, *blocks], blocks)


class PlannedFigures:
    """Implements `claims.figures.Figures` without any figure.

    Attributes:
        parts: parts that the test uses.
        problems: why a place that the test uses is not planned.
    """

    def __init__(self, spots: Sequence[Spot], unavailable: Mapping[str, Unavailable]) -> None:
        self.parts: set[str] = set()
        self.problems: list[str] = []
        self._spots = spots
        self._unavailable = unavailable

    def sample(self, measure: str, place: Place) -> Sample:
        """Return a sample without values."""
        reason = self._recorded(measure, place)
        return Sample(missing="" if reason else _NOT_RUN, unavailable=reason)

    def events(self, measure: str, place: Place) -> Events:
        """Return events without trials."""
        reason = self._recorded(measure, place)
        return Events(missing="" if reason else _NOT_RUN, unavailable=reason)

    def variants(self, place: Place) -> Variants:
        """Return no variants."""
        if reason := cannot(self._unavailable, place):
            return Variants(unavailable=reason)
        result = one_cell(self._spots, place, "tps")
        if isinstance(result, str):
            self.problems.append(result)
            return Variants(missing=_NOT_RUN)
        if not any(item.is_variant for item in result):
            self.problems.append(f"no sweep has the name {place.solution}")
        self.parts |= {item.part for item in result}
        return Variants(missing=_NOT_RUN)

    def levels(self, axis: str, place: Place) -> Sequence[Level]:
        """Return the levels as they are planned."""
        return levels(self._spots, axis, place)

    def _recorded(self, measure: str, place: Place) -> str:
        """Return why a place cannot be run here, and record the cells that are planned there."""
        if reason := cannot(self._unavailable, place):
            return reason
        result = one_cell(self._spots, place, measure)
        if place.client is not None and (reason := of_all(measure)):
            self.problems.append(reason)
        elif isinstance(result, str):
            self.problems.append(result)
        else:
            self.parts |= {item.part for item in result}
        return ""
