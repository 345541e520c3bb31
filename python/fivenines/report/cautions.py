"""What changes a verdict and so stands beside it: too few trials, a busy machine, a client at its limit."""

import re
from collections.abc import Iterator, Sequence

from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.statistics import Difference, Summary, compare
from fivenines.analysis.wording import count, mean_of_measure
from fivenines.report import sharing
from fivenines.report.chapters.data import Data
from fivenines.report.decision import Verdict, shown_measures
from fivenines.requirements.measures import Measure

_WORTH_SAYING = 1.1
"""Means that are nearer than this factor are no caution: who wants to tell them apart reads on."""

_SHOWN = 3
"""So many cautions stand beside the verdict."""

_LONG = 110
"""Longer ones lose what stands in brackets, too."""

_BRACKETS = re.compile(r" \(.*\)")
_REST = re.compile(r"(?:[:;]|\. ).*", re.DOTALL)


def cautions(found: Sequence[Verdict], data: Data) -> list[str]:
    """The cautions in short, those of the verdict itself first."""
    shared = sharing.cautions(data.done)
    said = [one.text for one in data.answers if one.topic == "Caution" and one.text not in shared]
    few = _too_few(found, {"tps"} if data.blocks else set())
    every = [*few, *sharing.caution_in_short(data.done), *dict.fromkeys(map(_brief, said))]
    more = len(every) - _SHOWN
    if more <= 0:
        return every
    return [*every[:_SHOWN], f"{count(more, 'more caution')} under How far to trust it."]


def _brief(text: str) -> str:
    """A caution without its figures, which stand in its chapter."""
    brief = _REST.sub("", text).rstrip(".")
    return f"{brief if len(brief) <= _LONG else _BRACKETS.sub('', brief)}."


def _too_few(found: Sequence[Verdict], told: set[str]) -> Iterator[str]:
    """ "3 trials are too few to tell 1.01 s from 1.34 s (outage of writes)": the widest of each measure."""
    widest: dict[str, tuple[float, Measure, Difference]] = {}
    for verdict in found:
        for measure in shown_measures(verdict.decision):
            if measure.name in told:  # by blocks
                continue
            for apart, difference in _untold(verdict, measure):
                if apart > widest.get(measure.name, (0.0,))[0]:
                    widest[measure.name] = apart, measure, difference
    for _, measure, difference in widest.values():
        sides = (difference.a, difference.b)
        a, b = (mean_of_measure(one, measure).partition(" (")[0] for one in sides)
        n = min(difference.a.n, difference.b.n)
        verb = "is" if n == 1 else "are"
        yield f"{count(n, 'trial')} {verb} too few to tell {a} from {b} ({measure.noun})."


def _untold(verdict: Verdict, measure: Measure) -> Iterator[tuple[float, Difference]]:
    """The best against each other one whose mean is apart without being shown to differ."""
    best, *_ = [*verdict.decision.best, ""]
    if not best:
        return
    mine = verdict.decision.candidate(best)
    for other in verdict.decision.candidates:
        pair = _values(mine, measure), _values(other, measure)
        if other.name == best or any(one is None or not one.mean for one in pair):
            continue
        left, right = (one for one in pair if one is not None)
        difference = compare(left, right)
        means = sorted((left.mean or 0.0, right.mean or 0.0))
        apart = means[1] / means[0]
        if not difference.differs and not (left.bounds or right.bounds) and apart >= _WORTH_SAYING:
            yield apart, difference


def _values(candidate: Candidate, measure: Measure) -> Summary | None:
    """The measure of a candidate, where it was taken under one condition only."""
    strata = list(candidate.values.get(measure.name, {}).values())
    return strata[0] if len(strata) == 1 else None
