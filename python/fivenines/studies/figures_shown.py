"""Figures behind the verdict on a claim: a table of measured and published figures, and their drawing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.wording import (
    NOT_ENDED,
    NOT_RECOVERED,
    NOTHING,
    count,
    mean_with_interval,
    milliseconds,
    number,
)
from fivenines.report.charts.claims import ClaimRow, claim_chart
from fivenines.report.charts.drawing import Drawing
from fivenines.report.table import Table
from fivenines.studies.claims.figures import AXES, Sample
from fivenines.studies.claims.judging import is_away
from fivenines.studies.claims.places import called
from fivenines.studies.claims.verdicts import Atom, Figure, Span
from fivenines.studies.judged import Judged
from fivenines.studies.measures import full_name, noun

_TITLES = {"ratio": "times", "share": "share", "slope": "slope"}

# An axis and its level.
_Level = tuple[str, str]

# Key of a figure: comparison, name, measure and place.
_Key = tuple[str, str, str, tuple[_Level, ...]]


@dataclass(frozen=True)
class _Pair:
    """A figure as measured and as published; `where` distinguishes it from others."""

    key: _Key
    where: str
    ours: Sample | None
    theirs: Sample | None


def figures_table(judged: Judged) -> Table:
    """Return a table of measured and published figures, with a row for each figure."""
    pairs = list(_pairs(judged))
    rows = [
        [pair.where or NOTHING, pair.key[1], _ours(pair.key[2], pair.ours), _theirs(pair.key[2], pair.theirs)]
        for pair in pairs
    ]
    columns = ["Where", "What", "Measured here", "Printed"]
    keep = [n for n in range(4) if n in (1, 2) or any(row[n] != NOTHING for row in rows)]
    shown = [[row[n] for n in keep] for row in rows]
    names = [columns[n] for n in keep]
    measures = ", ".join(dict.fromkeys(noun(pair.key[2]) for pair in pairs))
    heads = sum(n < 2 for n in keep)
    return Table(measures[:1].upper() + measures[1:], names, shown, heads)


def drawing(judged: Judged) -> Drawing | None:
    """Return the comparisons with their limits, or else the figures; None where there is nothing to draw."""
    spans = [*_spans(judged.verdict.atoms, False)]
    spans += _spans(judged.printed.atoms, True) if judged.printed else []
    kinds = {span.kind for _, span, _ in spans}
    if len(kinds) == 1 and spans:
        kind = kinds.pop()
        rows = [
            ClaimRow(about, printed, span.estimate or 0.0, span.low, span.high, _limits(span))
            for about, span, printed in _in_pairs(spans)
        ]
        if kind != "value":
            return claim_chart(rows, _TITLES[kind], kind == "ratio")
    return _of_figures(judged)


def _of_figures(judged: Judged) -> Drawing | None:
    rows = []
    measures = set()
    for pair in _pairs(judged):
        for sample, printed in ((pair.ours, False), (pair.theirs, True)):
            # A figure published in another scale cannot share the axis.
            if sample is None or sample.summary.mean is None or sample.scaled:
                continue
            summary = sample.summary
            name = " ".join(filter(None, (pair.key[1], pair.where)))
            rows.append(ClaimRow(name, printed, summary.mean or 0.0, summary.ci_low, summary.ci_high))
            measures.add(pair.key[2])
    if not rows or len(measures) > 1:
        return None
    measure = measures.pop()
    return claim_chart(rows, f"{noun(measure)}{', ms' if _milli(measure) else ''}", ratio=False)


def _spans(atoms: Sequence[Atom], printed: bool) -> Iterator[tuple[str, Span, bool]]:
    for atom in atoms:
        if atom.span is not None and atom.span.estimate is not None:
            names = " to ".join(dict.fromkeys(figure.name for figure in atom.figures))
            yield " ".join(filter(None, (names, atom.about))), atom.span, printed


def _in_pairs(spans: Sequence[tuple[str, Span, bool]]) -> list[tuple[str, Span, bool]]:
    """Sort the spans so that a published comparison follows the measured one."""
    order = {about: n for n, about in reversed(list(enumerate(about for about, _, _ in spans)))}
    return sorted(spans, key=lambda item: (order[item[0]], item[2]))


def _limits(span: Span) -> tuple[float, ...]:
    return tuple(item for item in (span.at_least, span.at_most) if item is not None)


def _pairs(judged: Judged) -> Iterator[_Pair]:
    ours = _figures(judged.verdict.atoms)
    theirs = _figures(judged.printed.atoms) if judged.printed else {}
    keys = list(dict.fromkeys([*ours, *theirs]))
    for key in keys:
        yield _Pair(key, _where(key, keys), ours.get(key), theirs.get(key))


def _where(key: _Key, keys: Sequence[_Key]) -> str:
    """Return the comparison of a figure, with the place where names are ambiguous."""
    alike = [item for item in keys if item[:3] == key[:3]]
    own = [
        called(axis, level)
        for axis, level in key[3]
        if level and any((axis, level) not in item[3] for item in alike)
    ]
    return ", ".join(filter(None, (key[0], *own)))


def _figures(atoms: Sequence[Atom]) -> dict[_Key, Sample]:
    return {_key(atom, figure): figure.sample for atom in atoms for figure in atom.figures}


def _key(atom: Atom, figure: Figure) -> _Key:
    place = figure.place
    levels = ((axis, place.level(axis)) for axis in [*AXES, *sorted(place.axes)])
    where = tuple((axis, level) for axis, level in levels if level is not None)
    return atom.about, figure.name, figure.measure, where


def _ours(measure: str, sample: Sample | None) -> str:
    if sample is None:
        return NOTHING
    if sample.summary.mean is None:
        # The verdict gives the reason, once for all figures.
        return "cannot be run here" if sample.unavailable else sample.missing or NOTHING
    if sample.exact:
        return number(sample.summary.mean)
    why = NOT_RECOVERED if is_away(measure) else NOT_ENDED
    mean = mean_with_interval(sample.summary, _milli(measure), why)
    return f"{mean}, {count(sample.summary.n, sample.unit)}"


def _theirs(measure: str, sample: Sample | None) -> str:
    if sample is None or (summary := sample.summary).mean is None:
        return NOTHING
    if summary.bounds:
        # Publications rarely give the number of trials of a bound.
        show = milliseconds if _milli(measure) and not sample.scaled else number
        return f"at least {show(summary.mean)}; {sample.source}"
    trials = f", {count(summary.n, 'trial')}" if summary.sd is not None else ""
    mean = mean_with_interval(summary, milli=_milli(measure) and not sample.scaled)
    return f"{mean}{trials}; {sample.source}"


def _milli(measure: str) -> bool:
    try:
        return MEASURES[full_name(measure)].kind == "time"
    except KeyError:
        return False
