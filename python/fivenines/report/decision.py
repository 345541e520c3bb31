"""The decision of a run in words: which solution to take, which miss a need, what is undecided yet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fivenines.analysis.cost import prices
from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.decision.crossover import Crossover, crossovers
from fivenines.analysis.decision.decide import Decision, decisions
from fivenines.analysis.decision.judging import Judgement, Status
from fivenines.analysis.interleaved import InterleavedResult, interleaved_results
from fivenines.analysis.statistics import Difference
from fivenines.analysis.sweeps import Compared, compared
from fivenines.analysis.wording import (
    NOTHING,
    at_least,
    count,
    listed,
    mean_of_measure,
    milliseconds,
    number,
    percent,
)
from fivenines.report.requirement_words import quoted
from fivenines.requirements.condition import Requirement
from fivenines.requirements.decide import DecideSettings
from fivenines.requirements.measures import MEASURES, Measure
from fivenines.results.store import Run, opened

MARKS: dict[Status, str] = {"met": "✓", "missed": "✗", "inconclusive": "?"}
WORDS: dict[Status, str] = {"met": "met", "missed": "missed", "inconclusive": "undecided"}
"""Verdicts are told by shape and by word, never by colour alone."""


@dataclass(frozen=True)
class Verdict:
    """One condition: what it is, the sentences, and a row for each solution."""

    where: str
    decision: Decision
    sentence: str
    reasons: list[str]


def decide(run: Run | Path, settings: DecideSettings | None = None) -> list[Verdict]:
    """The decisions of a run, by its own settings unless others are given.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    there = opened(run)
    return verdicts(there, compared(there), settings or settings_of(there), interleaved_results(there))


def verdicts(
    run: Run, cells: Compared, settings: DecideSettings, blocks: Sequence[InterleavedResult]
) -> list[Verdict]:
    """The same, of cells that are analysed already."""
    found = decisions(cells.cells, settings, prices(run.manifest.experiment), blocks, cells.measured)
    return [Verdict(where(one.condition), one, sentence(one), reasons(one)) for one in found]


def settings_of(run: Run) -> DecideSettings:
    """What the experiment of a run says; the defaults where it says nothing, or is older."""
    section = run.manifest.experiment.get("decide")
    return DecideSettings.model_validate(section) if section else DecideSettings()


def where(condition: dict[str, str]) -> str:
    """A condition in words: "oltp_read_write, 8 connections"; empty where the run has only one."""
    words = {
        "connections": lambda value: count(int(value), "connection"),
        "network": lambda value: f"network {value}",
    }
    return ", ".join(words.get(axis, str)(value) for axis, value in condition.items())


def sentence(decision: Decision) -> str:
    """Which solution to take, and what that rests on, in one sentence."""
    best = [decision.candidate(name).called for name in decision.best]
    if not best:
        return "No solution is left: each one misses a need."
    if len(best) == 1:
        # a need that is undecided may turn out to be missed
        taken = decision.candidate(decision.best[0])
        so_far = "" if taken.status == "met" else ", so far"
        return f"Take {best[0]}{so_far}: {_why(decision)}{_rests_on(taken)}."
    if not decision.steps:
        return f"{listed(best)} cannot be told apart: no preference could be compared."
    told = f"{listed(best)} cannot be told apart by {_asked(decision)}"
    have = min(decision.candidate(name).trials for name in decision.best)
    if have < 2:
        return f"{told}: one trial has no interval, two or more of each have."
    if decision.more is None:
        return f"{told}."
    return f"{told}: about {decision.more} trials of each would tell them apart ({continued(decision.more)})."


def continued(trials: int) -> str:
    """The command that adds trials to a run until each cell has so many."""
    return f"fivenines run FILE --resume --trials {trials}"


def _rests_on(taken: Candidate) -> str:
    """ "; 3 trials are too few to prove “no acknowledged row lost” and 2 more needs"."""
    open_ = [one for one in taken.judgements if one.status == "inconclusive"]
    if not open_:
        return ""
    known = [one for one in open_ if one.n]
    if not known:
        return f"; {quoted([open_[0].requirement])} was not measured"
    # that rows may be lost weighs most
    first = next((one for one in known if one.requirement.measure.name == "lost"), known[0])
    n, rest = min(one.n for one in known), len(open_) - 1
    more = f" and {count(rest, 'more requirement')}" if rest else ""
    return f"; {count(n, 'trial')} {'is' if n == 1 else 'are'} too few to prove {quoted([first.requirement])}{more}"


def reasons(decision: Decision) -> list[str]:
    """What else to know: who is out and why, what the others would cost, what cannot be told."""
    found = [_missed(one) for one in decision.candidates if one.status == "missed"]
    found += [f"{name} has no complete trial." for name in decision.absent]
    blocks = {step.measure.name for step in decision.steps if step.interleaved}
    for name, (measure, difference) in decision.price.items():
        best = decision.candidate(decision.best[0]).called
        found.append(
            f"{decision.candidate(name).called} instead of {best}: {_compared(measure, difference)}"
            f"{', side by side' if measure.name in blocks else ''}."
        )
    return found + _untold(decision)


def crossings(found: Sequence[Verdict]) -> list[str]:
    """Where another solution takes over as there are more connections."""
    return [_crossing(one) for one in crossovers(each.decision for each in found)]


def mark(judgement: Judgement) -> str:
    """A verdict on a need for a cell of a table: "✗ missed (3 of 3 failed)".

    Of an event it says what is counted: heads name what shall be, trials those that missed it.
    """
    word, text = f"{MARKS[judgement.status]} {WORDS[judgement.status]}", evidence(judgement)
    if judgement.n and judgement.summary is None and judgement.number is None:
        failed = "" if judgement.requirement.percentile is not None else " failed"
        text = _events(judgement, f"{judgement.n}{failed}")
    # one pair of brackets is enough
    return f"{word}: {text}" if "(" in text else f"{word} ({text})"


def short(judgement: Judgement) -> str:
    """The same for a narrow table: "✗ 3 of 3"."""
    if judgement.summary is None and judgement.n:
        return f"{MARKS[judgement.status]} {judgement.events} of {judgement.n}"
    return f"{MARKS[judgement.status]} {evidence(judgement)}"


def evidence(judgement: Judgement) -> str:
    """What was seen, short."""
    requirement = judgement.requirement
    if judgement.number is not None:
        return number(judgement.number)
    if not judgement.n:
        return "not measured"
    if judgement.summary is not None:
        text = mean_of_measure(judgement.summary, requirement.measure)
        single = " in 1 trial" if judgement.n == 1 else ""
        return f"{text}{single}{_where(judgement)}"
    return _events(judgement, count(judgement.n, "trial"))


def _events(judgement: Judgement, trials: str) -> str:
    beyond = " beyond" if judgement.requirement.percentile is not None else ""
    return f"{judgement.events} of {trials}{beyond}{_where(judgement)}"


def _where(judgement: Judgement) -> str:
    return f", {judgement.where}" if judgement.where else ""


def as_json(found: Sequence[Verdict]) -> list[dict[str, Any]]:
    """For programs: each condition with its verdict, its candidates and its steps."""
    return [
        {
            "condition": one.decision.condition,
            "verdict": one.sentence,
            "best": one.decision.best,
            "front": one.decision.front,
            "absent": one.decision.absent,
            "more_trials": one.decision.more,
            "candidates": [_candidate_json(each) for each in one.decision.candidates],
            "preferences": [
                {"measure": step.measure.name, "kept": step.kept, "out": sorted(step.out)}
                for step in one.decision.steps
            ],
            "reasons": one.reasons,
        }
        for one in found
    ]


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "solution": candidate.name,
        "status": candidate.status,
        "requirements": {
            one.requirement.text: {
                "status": one.status,
                "evidence": evidence(one),
                "trials": one.n,
                "more_trials": one.more,
            }
            for one in candidate.judgements
        },
        "means": {name: candidate.mean(name) for name in candidate.values},
    }


def _why(decision: Decision) -> str:
    name = decision.best[0]
    others = [one for one in decision.candidates if one.name != name]
    if not others:
        return "nothing else was measured" if not decision.absent else "nothing else has a complete trial"
    eligible = [one for one in others if one.status != "missed"]
    if not eligible:
        if decision.candidate(name).status == "met":
            return "it is the only one that misses no need"
        return "it is the only one that was not seen to miss a need"
    told = [step for step in decision.steps if step.out]
    rest = "of those that miss no need, " if len(eligible) < len(others) else ""
    by = [f"{step.measure.noun}{' (side by side)' if step.interleaved else ''}" for step in told]
    return f"{rest}it is ahead by {', and of those left by '.join(by)}"


def _asked(decision: Decision) -> str:
    nouns = [step.measure.noun for step in decision.steps]
    return listed(nouns, "or") or "what was measured"


def unasked(found: Sequence[Verdict], usual: Sequence[Verdict]) -> list[str]:
    """Of those to be taken: which of the usual needs they miss that nobody asked for now."""
    said: dict[str, None] = {}
    for one, other in zip(found, usual, strict=True):
        for name in one.decision.best:
            asked = {each.requirement.measure.name for each in one.decision.candidate(name).judgements}
            full = other.decision.candidate(name)
            left = [each for each in full.judgements if each.requirement.measure.name not in asked]
            rest = replace(full, judgements=left)
            if rest.status == "missed":
                said[f"Not asked for: {rest.called}: {_failings(rest)}."] = None
    return list(said)


def _missed(candidate: Candidate) -> str:
    """ "b misses a need: acknowledged rows lost in 3 of 3 trials (lost = 0)." """
    number_ = sum(one.status == "missed" for one in candidate.judgements)
    requirements = "a need" if number_ == 1 else f"{number_} needs"
    return f"{candidate.called} misses {requirements}: {_failings(candidate)}."


def _failings(candidate: Candidate) -> str:
    """What speaks against it, each with the exact condition that it fails."""
    return listed(
        [
            f"{one.requirement.measure.noun} {_at(one)} ({one.requirement.text})"
            for one in candidate.judgements
            if one.status == "missed"
        ]
    )


def _at(judgement: Judgement) -> str:
    """The evidence behind the noun of its measure."""
    if judgement.requirement.percentile is not None:
        return f"beyond the limit in {evidence(judgement).replace(' beyond', '')}"
    events = judgement.summary is None and judgement.number is None
    return f"in {evidence(judgement)}" if events else evidence(judgement)


def _compared(measure: Measure, difference: Difference) -> str:
    """ "41 % fewer transactions per second (35 to 47 %)"."""
    if measure.kind == "number":
        a, b = difference.a.mean or 0.0, difference.b.mean or 0.0
        return f"{measure.noun} {number(a)} instead of {number(b)}"
    ratio, low, high = difference.ratio, difference.ratio_low, difference.ratio_high
    if ratio is None or low is None or high is None:
        if low is not None and low > 1:
            much = "long" if measure.milli else "much"
            return f"{measure.noun} at least {number(low)} times as {much}"
        sign = "more" if (difference.absolute or 0.0) > 0 else "less"
        return f"{sign} {measure.noun}"
    if ratio >= 2:
        return f"{number(ratio)} times the {measure.noun} ({number(low)} to {number(high)})"
    more = ratio > 1
    words = measure.words
    ends = sorted(abs(100 * (end - 1)) for end in (low, high))
    size = f"{percent(abs(100 * (ratio - 1)))} %"
    span = f"({percent(ends[0])} to {percent(ends[1])} %)"
    if measure.kind == "rate":
        return f"{size} {words[more]} {measure.noun} {span}"
    return f"{measure.noun} {size} {words[more]} {span}"


def _untold(decision: Decision) -> list[str]:
    """What is undecided of those that miss nothing, and what would decide it; alike ones together."""
    open_requirements: dict[str, list[Judgement]] = {}
    for one in decision.candidates:
        for judgement in one.judgements if one.status != "missed" else []:
            if judgement.status == "inconclusive":
                open_requirements.setdefault(judgement.requirement.text, []).append(judgement)
    alike: dict[str, list[Requirement]] = {}
    for judgements in open_requirements.values():
        alike.setdefault(_open(judgements), []).append(judgements[0].requirement)
    return [
        f"{quoted(requirements)} {'is' if len(requirements) == 1 else 'are'} undecided{why}."
        for why, requirements in alike.items()
    ]


def _open(judgements: Sequence[Judgement]) -> str:
    """Why a need is undecided, and how many more trials would decide it."""
    known = [one for one in judgements if one.n]
    if not known:
        return ": not measured"
    n = min(one.n for one in known)
    bound = max((one.bound for one in judgements if one.bound is not None), default=None)
    if bound is None or any(one.events for one in judgements):
        return f" after {count(n, 'trial')} of each{more_trials(judgements)}"
    return (
        f": not seen to fail in {count(n, 'trial')} of each, but up to "
        f"{percent(100 * bound)} % of trials may{more_trials(judgements)}"
    )


def more_trials(judgements: Sequence[Judgement]) -> str:
    """How many more trials would decide a need, and the command; "" where nobody knows."""
    wanted = [(one.more, one.n + one.more) for one in judgements if one.more is not None]
    if not wanted:
        return ""
    more, whole = max(wanted)[0], max(total for _, total in wanted)
    return f"; about {count(more, 'more trial')} of each would decide ({continued(whole)})"


def _crossing(one: Crossover) -> str:
    at = f" ({where(one.condition)})" if one.condition else ""
    return (
        f"{one.before} is the best up to {count(one.low, 'connection')}, {one.after} from {one.high} on"
        f"{at}: the change lies between."
    )


def shown_measures(decision: Decision) -> list[Measure]:
    """The measures of which any candidate has a value, those of the preferences first."""
    asked = [step.measure.name for step in decision.steps]
    names = [*asked, *(name for name in ("tps", "outage_writes") if name not in asked)]
    return [
        MEASURES[name] for name in names if any(one.mean(name) is not None for one in decision.candidates)
    ]


def value_text(candidate: Candidate, measure: Measure) -> str:
    """A candidate's value: the mean with its interval; over several strata the geometric mean alone."""
    strata = list(candidate.values.get(measure.name, {}).values())
    if len(strata) == 1:
        return mean_of_measure(strata[0], measure)
    mean = candidate.mean(measure.name)
    if mean is None:
        return NOTHING
    text = milliseconds(mean) if measure.milli else number(mean)
    return at_least(text, sum(one.bounds for one in strata), sum(one.n for one in strata))


def requirements_of(found: Iterable[Verdict]) -> list[Requirement]:
    """The needs that were judged, in their order."""
    every = (j.requirement for v in found for c in v.decision.candidates for j in c.judgements)
    return list({requirement.text: requirement for requirement in every}.values())
