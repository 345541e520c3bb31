"""Check of the names in a study's claims and published figures."""

from collections.abc import Iterator, Mapping, Sequence

from fivenines.analysis.measured import EVENTS, VALUES
from fivenines.base.spelling import nearest
from fivenines.experiment.source import Part
from fivenines.experiment.validation.mistakes import KeyPath, Mistake, dotted, shown
from fivenines.studies.claims.figures import AXES, Place
from fivenines.studies.claims.places import Named
from fivenines.studies.measures import full_name, is_known
from fivenines.studies.models import Form, Published, Study
from fivenines.studies.planned import PlannedFigures, planned_spots
from fivenines.studies.printed import VARIANT
from fivenines.studies.spots import Spot, levels


def mistakes(study: Study, experiments: Mapping[Form, Sequence[Part]]) -> list[Mistake]:
    """Return unknown names in claims and published figures, and ambiguous places."""
    full = planned_spots(experiments["full"])
    every = [*full, *planned_spots(experiments["quick"])]
    known = _Known(every, study)
    result = [
        item
        for index, published in enumerate(study.published)
        for item in _of_published(published, ("published", index), known)
    ]
    for index, claim in enumerate(study.claims):
        here: KeyPath = ("claims", index, "test")
        own = [
            *(item for named in claim.test.named() if (item := known.mistake(named, here))),
            *_measures(claim.test.measures(), here),
        ]
        result += own or _unplanned(study, index, full)
    return result


def _unplanned(study: Study, index: int, spots: Sequence[Spot]) -> list[Mistake]:
    """Return the mistakes of a test that uses figures which no run of the study can have."""
    plan = PlannedFigures(spots, study.unavailable)
    study.claims[index].test.judge(plan)
    path: KeyPath = ("claims", index, "test")
    return [Mistake(None, path, f"{dotted(path)}: {text}") for text in dict.fromkeys(plan.problems)]


class _Known:
    """Names that claims and figures can use."""

    def __init__(self, spots: Sequence[Spot], study: Study) -> None:
        self._spots = spots
        self._study = study

    def mistake(self, named: Named, here: KeyPath) -> Mistake | None:
        """Return the mistake in a name of a test; None: it is known."""
        path = (*here, *named.path)
        if named.axis == "axis":
            return self._no_axis(named.name, path)
        if named.name in self._study.unavailable:
            return None
        known = self.levels(named.axis, named.part)
        if named.name in known:
            return None
        where = f" in the part {named.part}" if named.part and named.axis != "part" else ""
        text = f"{dotted(path)}: no {named.axis} {shown(named.name)}{where}{nearest(named.name, known)}"
        return Mistake(None, path, text, ", ".join(known))

    def levels(self, axis: str, part: str | None) -> list[str]:
        """Return the names of all levels of an axis."""
        if axis == "part":
            return list(self._study.parts)
        return [level.name for level in levels(self._spots, axis, Place(part=part))]

    def _no_axis(self, axis: str, path: KeyPath) -> Mistake | None:
        if axis in AXES or self.levels(axis, None):
            return None
        text = f"{dotted(path)}: no cell has the axis {shown(axis)}{nearest(axis, AXES)}"
        return Mistake(None, path, text, f"{', '.join(AXES)}, or a setting that cells have")


def _of_published(published: Published, here: KeyPath, known: _Known) -> Iterator[Mistake]:
    names = {
        "part": published.part,
        "solution": published.solution,
        "workload": published.workload,
        "network": published.network,
        "fault": published.fault,
        "client": published.client,
    }
    for axis, name in names.items():
        if name is not None:
            named = Named((axis,), axis, name, None if axis == "part" else published.part)
            if (mistake := known.mistake(named, here)) is not None:
                yield mistake
    if published.by not in (None, VARIANT) and (no := known._no_axis(published.by or "", (*here, "by"))):
        yield no
    if not any(
        is_known(name, kind) for name in _names_of(published.measure) for kind in ("values", "events")
    ):
        yield _unknown((*here, "measure"), published.measure, [*VALUES, *EVENTS])
    if published.mean is None and published.seen is None and published.chosen is None:
        yield Mistake(None, here, f"{dotted(here)}: write mean, seen or chosen")
    for key in ("mean", "sd"):
        if isinstance(getattr(published, key), Mapping) and published.by is None:
            path = (*here, key)
            yield Mistake(None, path, f"{dotted(path)}: the axis is missing: write `by`")
    if isinstance(published.sd, Mapping) and isinstance(published.mean, Mapping):
        for level in (level for level in published.sd if level not in published.mean):
            path = (*here, "sd", level)
            yield Mistake(None, path, f"{dotted(path)}: there is no mean at {shown(level)}")
    if published.seen is not None and (published.n is None or published.seen > published.n):
        path = (*here, "seen")
        yield Mistake(
            None, path, f"{dotted(path)}: found {published.seen} of {published.n} trials: write `n`, no less"
        )


def _measures(
    requested: Iterator[tuple[tuple[str | int, ...], str, str]], here: KeyPath
) -> Iterator[Mistake]:
    for path, name, kind in requested:
        if not any(is_known(item, kind) for item in _names_of(name)):
            yield _unknown((*here, *path), name, list(VALUES if kind == "values" else EVENTS))


def _names_of(measure: str) -> tuple[str, str]:
    return measure, full_name(measure)


def _unknown(path: KeyPath, name: str, known: Sequence[str]) -> Mistake:
    text = f"{dotted(path)}: unknown measure {shown(name)}{nearest(name, known)}"
    return Mistake(None, path, text, ", ".join(known))
