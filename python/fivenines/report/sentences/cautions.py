"""List the cautions that limit a verdict: too few trials, a busy machine, a saturated load generator."""

import re
from collections.abc import Iterator, Sequence

from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.measures.measures import Measure
from fivenines.analysis.statistics.means import Difference, Summary, compare
from fivenines.analysis.wording import count, mean_of_measure
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.trust import TITLE as TRUST
from fivenines.report.sentences import sharing
from fivenines.report.sentences.decision import Verdict, shown_measures

# Means that differ by less than this factor get no caution.
_NOTABLE = 1.1

# The number of cautions next to the verdict of a report.
SHOWN = 3

# Longer cautions, in characters, lose their brackets as well.
_LONG = 110

_BRACKETS = re.compile(r" \(.*\)")
_REST = re.compile(r"(?:[:;]|\. ).*", re.DOTALL)


def cautions(decided: Sequence[Verdict], data: Data, shown: int = SHOWN) -> list[str]:
    """Return up to `shown` cautions in short, those on the verdict first, and how many more there are."""
    shared = sharing.cautions(data.done)
    texts = [one.text for one in data.answers if one.topic == "Caution" and one.text not in shared]
    few = _too_few(decided, {"tps"} if data.blocks else set())
    every = [*few, *sharing.caution_in_short(data.done), *dict.fromkeys(map(_brief, texts))]
    more = len(every) - shown
    if more <= 0:
        return every
    return [*every[:shown], f"{count(more, 'more caution')}: see {TRUST}."]


def _brief(text: str) -> str:
    """Return a caution without its figures, which its chapter has."""
    brief = _REST.sub("", text).rstrip(".")
    return f"{brief if len(brief) <= _LONG else _BRACKETS.sub('', brief)}."


def _too_few(decided: Sequence[Verdict], in_blocks: set[str]) -> Iterator[str]:
    """Yield "3 trials are too few to distinguish 1.01 s from 1.34 s (outage of writes)", once per measure."""
    widest: dict[str, tuple[float, Measure, Difference]] = {}
    for verdict in decided:
        for measure in shown_measures(verdict.decision):
            if measure.name in in_blocks:
                continue
            for apart, difference in _inconclusive(verdict, measure):
                if apart > widest.get(measure.name, (0.0,))[0]:
                    widest[measure.name] = apart, measure, difference
    for _, measure, difference in widest.values():
        sides = (difference.a, difference.b)
        a, b = (mean_of_measure(one, measure).partition(" (")[0] for one in sides)
        n = min(difference.a.n, difference.b.n)
        verb = "is" if n == 1 else "are"
        yield f"{count(n, 'trial')} {verb} too few to distinguish {a} from {b} ({measure.noun})."


def _inconclusive(verdict: Verdict, measure: Measure) -> Iterator[tuple[float, Difference]]:
    """Yield ratio and difference of the best and each other solution that is not shown to differ."""
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
        if not difference.differs and not (left.bounds or right.bounds) and apart >= _NOTABLE:
            yield apart, difference


def _values(candidate: Candidate, measure: Measure) -> Summary | None:
    """Return the measure of a candidate if it was measured under one condition only."""
    strata = list(candidate.values.get(measure.name, {}).values())
    return strata[0] if len(strata) == 1 else None
