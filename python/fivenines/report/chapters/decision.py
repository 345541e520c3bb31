"""The chapter on the decision: the recommended solution, and how each solution meets the requirements."""

from collections.abc import Sequence

from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.decision.decide import Decision
from fivenines.analysis.decision.judging import Judgement, worst
from fivenines.analysis.measures.condition import Requirement
from fivenines.analysis.measures.measures import Measure
from fivenines.analysis.wording import NOTHING, number
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Drawer, Section
from fivenines.report.sentences.cautions import cautions
from fivenines.report.sentences.decision import (
    Verdict,
    requirements_of,
    settings_of,
    shown_measures,
    verdicts,
)
from fivenines.report.sentences.evidence import MARKS, WORDS, mark, value_text
from fivenines.report.sentences.node_failure import node_failure
from fivenines.report.sentences.overview import overview
from fivenines.report.sentences.requirement_words import how_judged, in_words
from fivenines.report.table import Table, right, without_empty


def chapter(data: Data) -> Section:
    """Return the verdict and the table of requirements; with several conditions, each one in a drawer."""
    decided = verdicts(data.run, data.swept, settings_of(data.run), data.blocks)
    table = requirements_table(decided, data)
    texts = overview(decided)
    more = [*texts[_SENTENCES:], *further(decided), *node_failure(decided, data.done)]
    folded = [Drawer("More reasons", texts=more)] if more else []
    shown = table
    if len(decided) > 1:
        shown = counts_table(decided)
        folded.append(Drawer("Requirements under each condition", [table]))
    folded.append(Drawer("Exact requirements, and how they are judged", [conditions_table(decided)]))
    return Section("decision", TITLE, texts[:_SENTENCES], [shown], [], folded, cautions(decided, data))


def further(decided: Sequence[Verdict]) -> list[str]:
    """Return the reasons of the only condition that its headline and lines leave out."""
    if len(decided) != 1:
        return []
    return [text for text in decided[0].reasons if text not in decided[0].lines]


TITLE = "Recommended solution"

# The number of sentences on the first screen, the verdict included.
_SENTENCES = 5

# The number of measures next to the requirements; the chapters below have all measures.
_MEASURES = 2


def requirements_table(decided: Sequence[Verdict], data: Data | None = None) -> Table:
    """Return a row for each solution under each condition: requirements, then preferences."""
    requirements = requirements_of(decided)
    measures = list(dict.fromkeys(m for one in decided for m in shown_measures(one.decision)))[:_MEASURES]
    titles = [
        f"{one.title}, interleaved" if one.name == "tps" and data and data.blocks else one.title
        for one in measures
    ]
    columns = ["Solution", "Conditions", "Verdict", *map(in_words, requirements), *titles]
    rows = [
        [
            candidate.called,
            one.where,
            verdict_word(one.decision, candidate),
            *(_cell(candidate, requirement) for requirement in requirements),
            *(_value(candidate, measure, data) for measure in measures),
        ]
        for one in decided
        for candidate in one.decision.candidates
    ]
    for one in decided:
        if one.decision.unmeasured:
            blank = [""] * (len(columns) - 3)
            rows.append([NOTHING, one.where, f"not measured: {one.decision.unmeasured}", *blank])
    caption = "Requirements, and the preferences that rank the solutions"
    table = Table(caption, columns, rows, 2, right(columns, "Solution", "Conditions", "Verdict"))
    return without_empty(table, "Conditions")


def _value(candidate: Candidate, measure: Measure, data: Data | None) -> str:
    """Return the value of a preference; for throughput, that of interleaved blocks if there are any."""
    if measure.name == "tps" and data is not None and data.blocks:
        rates = [
            data.interleaved_rate(cell.key)
            for cell in data.done
            if cell.key.solution == candidate.name
            and (cell.key.workload, cell.key.connections, cell.key.network)
            in {stratum[:3] for stratum in candidate.values.get("tps", {})}
        ]
        known = {rate for rate in rates if rate is not None}
        if len(known) == 1:
            return number(known.pop())
    return value_text(candidate, measure)


def counts_table(decided: Sequence[Verdict]) -> Table:
    """Return a row for each solution: conditions in which it is the best, and its worst verdicts."""
    requirements = requirements_of(decided)
    columns = ["Solution", _RECOMMENDED, *map(in_words, requirements)]
    names = dict.fromkeys(c.name for one in decided for c in one.decision.candidates)
    rows = []
    for name in names:
        own = [c for one in decided for c in one.decision.candidates if c.name == name]
        alone = sum(one.decision.best == [name] for one in decided)
        among = sum(name in one.decision.best for one in decided) - alone
        conditions = f"{alone} of {len(own)}" + (f", {among} among several" if among else "")
        cells = [_worst([_judgement(one, requirement) for one in own]) for requirement in requirements]
        rows.append([own[0].called, conditions, *cells])
    caption = "Requirements over all conditions: the worst verdict, and the number of conditions with it"
    return Table(caption, columns, rows, 1, right(columns, "Solution", _RECOMMENDED))


_RECOMMENDED = "Recommended in conditions"


def _worst(judgements: Sequence[Judgement | None]) -> str:
    known = [one for one in judgements if one is not None]
    if not known:
        return ""
    status = worst(known).status
    hit = sum(one.status == status for one in known)
    return f"{MARKS[status]} {WORDS[status]} ({hit} of {len(known)})"


def verdict_word(decision: Decision, candidate: Candidate) -> str:
    """Return the verdict on a solution: recommended, one of the best, excluded, or ranked lower."""
    if candidate.name in decision.best:
        return "recommended" if len(decision.best) == 1 else "one of the best"
    return "excluded" if candidate.status == "missed" else "ranked lower"


def conditions_table(decided: Sequence[Verdict]) -> Table:
    """Return each requirement in words, its exact condition, and the rule by which it is judged."""
    rows = [
        [in_words(requirement), requirement.text, how_judged(requirement)]
        for requirement in requirements_of(decided)
    ]
    caption = "Rules for requirements; one that is neither met nor violated is inconclusive"
    return Table(caption, ["Requirement", "Condition", "Rule"], rows)


def _cell(candidate: Candidate, requirement: Requirement) -> str:
    judgement = _judgement(candidate, requirement)
    return mark(judgement) if judgement else ""


def _judgement(candidate: Candidate, requirement: Requirement) -> Judgement | None:
    return next((one for one in candidate.judgements if one.requirement.text == requirement.text), None)
