"""The decision: which solution to take, by needs and preferences, and how each solution meets them."""

from collections.abc import Sequence

from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.decision.decide import Decision
from fivenines.analysis.decision.judging import Judgement, worst
from fivenines.analysis.wording import number
from fivenines.report.cautions import cautions
from fivenines.report.chapters.data import Data
from fivenines.report.decision import (
    MARKS,
    WORDS,
    Verdict,
    mark,
    requirements_of,
    settings_of,
    shown_measures,
    value_text,
    verdicts,
)
from fivenines.report.one_down import one_down
from fivenines.report.overview import overview
from fivenines.report.requirement_words import how_judged, in_words
from fivenines.report.section import Drawer, Section
from fivenines.report.table import Table, right, without_empty
from fivenines.requirements.condition import Requirement
from fivenines.requirements.measures import Measure


def chapter(data: Data) -> Section:
    """The verdict and the table of needs; of several conditions each in a drawer."""
    found = verdicts(data.run, data.swept, settings_of(data.run), data.blocks)
    table = requirements_table(found, data)
    texts = [*overview(found), *one_down(found, data.done)]
    folded = [Drawer("More reasons", texts=texts[_SAID:])] if texts[_SAID:] else []
    shown = table
    if len(found) > 1:
        shown = counts_table(found)
        folded.append(Drawer("Needs in each condition", [table]))
    folded.append(Drawer("The needs exactly, and how they are judged", [conditions_table(found)]))
    said = cautions(found, data)
    return Section("decision", TITLE, texts[:_SAID], [shown], [], folded, said)


TITLE = "Which one to take"

_SAID = 5
"""So many sentences stand on the first screen, the verdict included."""

_ROOM = 2
"""So many measures have room beside the needs; the chapters below have all."""


def requirements_table(found: Sequence[Verdict], data: Data | None = None) -> Table:
    """One row for each solution in each condition: its needs, then what it is preferred by."""
    requirements = requirements_of(found)
    measures = list(dict.fromkeys(m for one in found for m in shown_measures(one.decision)))[:_ROOM]
    titles = [
        f"{one.title}, side by side" if one.name == "tps" and data and data.blocks else one.title
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
        for one in found
        for candidate in one.decision.candidates
    ]
    caption = "Needs, and what decides among those that miss none"
    table = Table(caption, columns, rows, 2, right(columns, "Solution", "Conditions", "Verdict"))
    return without_empty(table, "Conditions")


def _value(candidate: Candidate, measure: Measure, data: Data | None) -> str:
    """What is preferred by; the throughput of blocks where these compare it, as trials are short and alone."""
    if measure.name == "tps" and data is not None and data.blocks:
        rates = [
            data.side_by_side(cell.key)
            for cell in data.done
            if cell.key.solution == candidate.name
            and (cell.key.workload, cell.key.connections, cell.key.network)
            in {stratum[:3] for stratum in candidate.values.get("tps", {})}
        ]
        known = {rate for rate in rates if rate is not None}
        if len(known) == 1:
            return number(known.pop())
    return value_text(candidate, measure)


def counts_table(found: Sequence[Verdict]) -> Table:
    """One row for each solution: in how many conditions it is taken, and does worst about each need."""
    requirements = requirements_of(found)
    columns = ["Solution", "Taken in conditions", *map(in_words, requirements)]
    names = dict.fromkeys(c.name for one in found for c in one.decision.candidates)
    rows = []
    for name in names:
        own = [c for one in found for c in one.decision.candidates if c.name == name]
        alone = sum(one.decision.best == [name] for one in found)
        among = sum(name in one.decision.best for one in found) - alone
        taken = f"{alone} of {len(own)}" + (f", {among} among several" if among else "")
        cells = [_worst([_judgement(one, requirement) for one in own]) for requirement in requirements]
        rows.append([own[0].called, taken, *cells])
    caption = "Needs over all conditions: the worst verdict, and in how many of them"
    return Table(caption, columns, rows, 1, right(columns, "Solution", "Taken in conditions"))


def _worst(judgements: Sequence[Judgement | None]) -> str:
    known = [one for one in judgements if one is not None]
    if not known:
        return ""
    status = worst(known).status
    hit = sum(one.status == status for one in known)
    return f"{MARKS[status]} {WORDS[status]} ({hit} of {len(known)})"


def verdict_word(decision: Decision, candidate: Candidate) -> str:
    """What becomes of a solution: take it, one of several, or out."""
    if candidate.name in decision.best:
        so_far = "" if candidate.status == "met" else ", so far"
        return f"take{so_far}" if len(decision.best) == 1 else "one of the best"
    return "misses a need" if candidate.status == "missed" else "behind"


def conditions_table(found: Sequence[Verdict]) -> Table:
    """Each need in words, as it is written exactly, and when it counts as met."""
    rows = [
        [in_words(requirement), requirement.text, how_judged(requirement)]
        for requirement in requirements_of(found)
    ]
    caption = "What is neither met nor missed is undecided until more trials narrow its interval"
    return Table(caption, ["Need", "Condition", "How it is judged"], rows)


def _cell(candidate: Candidate, requirement: Requirement) -> str:
    found = _judgement(candidate, requirement)
    return mark(found) if found else ""


def _judgement(candidate: Candidate, requirement: Requirement) -> Judgement | None:
    return next((one for one in candidate.judgements if one.requirement.text == requirement.text), None)
