"""Put a decision into words: the recommended solution, unmet requirements, and what is inconclusive."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.decision.crossover import Crossover, crossovers
from fivenines.analysis.decision.decide import Decision, decisions
from fivenines.analysis.decision.judging import Judgement, Status
from fivenines.analysis.measures.condition import Requirement
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.measures.measures import MEASURES, Measure
from fivenines.analysis.performance.interleaved import InterleavedResult, interleaved_results
from fivenines.analysis.performance.sweeps import Compared, compared
from fivenines.analysis.resources.cost import prices
from fivenines.analysis.statistics.means import Difference
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
from fivenines.report.sentences.requirement_words import quoted
from fivenines.results.store import Run, opened

# Verdicts are shown by a shape and a word, never by colour alone.
MARKS: dict[Status, str] = {"met": "✓", "missed": "✗", "inconclusive": "?"}
WORDS: dict[Status, str] = {"met": "met", "missed": "not met", "inconclusive": "inconclusive"}


# A decision for one solution begins with this.
RECOMMENDED = "Recommended: "


@dataclass(frozen=True)
class Verdict:
    """The decision under one condition, with its sentences."""

    where: str
    decision: Decision
    sentence: str
    reasons: list[str]


def decide(run: Run | Path, settings: DecideSettings | None = None) -> list[Verdict]:
    """Return the decisions of a run, by the settings of its experiment unless others are given.

    Raises:
        FiveninesError: the folder is not a run, or has another version.
    """
    stored = opened(run)
    return verdicts(stored, compared(stored), settings or settings_of(stored), interleaved_results(stored))


def verdicts(
    run: Run, cells: Compared, settings: DecideSettings, blocks: Sequence[InterleavedResult]
) -> list[Verdict]:
    """Return the decisions of a run whose cells are analysed already."""
    every = decisions(cells.cells, settings, prices(run.manifest.experiment), blocks, cells.measured)
    return [Verdict(where(one.condition), one, sentence(one), reasons(one)) for one in every]


def settings_of(run: Run) -> DecideSettings:
    """Return the decision settings of a run's experiment, or the defaults."""
    section = run.manifest.experiment.get("decide")
    return DecideSettings.model_validate(section) if section else DecideSettings()


def where(condition: dict[str, str]) -> str:
    """Return a condition in words: "oltp_read_write, 8 connections"; empty if the run has only one."""
    words = {
        "connections": lambda value: count(int(value), "connection"),
        "network": lambda value: f"network {value}",
    }
    return ", ".join(words.get(axis, str)(value) for axis, value in condition.items())


def sentence(decision: Decision) -> str:
    """Return the recommended solution with the reason for it and its limits, as a text of short sentences."""
    best = [decision.candidate(name).called for name in decision.best]
    if not best:
        return "No solution meets the requirements: each one violates at least one."
    if len(best) == 1:
        # An inconclusive requirement may turn out to be unmet.
        chosen = decision.candidate(decision.best[0])
        limit = "" if chosen.status == "met" else ", as measured"
        return f"{RECOMMENDED}{best[0]}{limit}. {_why(decision)}{_limits(chosen)}"
    start = f"No measurable difference between {listed(best)}"
    if not decision.steps:
        return f"{start}: no preference could be compared."
    start = f"{start} in {_preferences(decision)}"
    have = min(decision.candidate(name).trials for name in decision.best)
    if have < 2:
        return f"{start}: one trial has no interval, run two or more of each."
    if decision.more is None:
        return f"{start}."
    return f"{start}. About {decision.more} trials of each would show one ({continued(decision.more)})."


def continued(trials: int) -> str:
    """Return the command that adds trials to a run until each cell has this number."""
    return f"fivenines run FILE --resume --trials {trials}"


def _limits(chosen: Candidate) -> str:
    """ " 3 trials are too few to confirm “no acknowledged row lost” and 2 more requirements." """
    open_ = [one for one in chosen.judgements if one.status == "inconclusive"]
    if not open_:
        return ""
    known = [one for one in open_ if one.n]
    if not known:
        return f" {quoted([open_[0].requirement])} was not measured."
    # Lost rows weigh most, so they are named first.
    first = next((one for one in known if one.requirement.measure.name == "lost"), known[0])
    n, rest = min(one.n for one in known), len(open_) - 1
    more = f" and {count(rest, 'more requirement')}" if rest else ""
    verb = "is" if n == 1 else "are"
    return f" {count(n, 'trial')} {verb} too few to confirm {quoted([first.requirement])}{more}."


def reasons(decision: Decision) -> list[str]:
    """Return sentences on unmet and inconclusive requirements and on the cost of the alternatives."""
    lines = [_missed(one) for one in decision.candidates if one.status == "missed"]
    lines += [f"{name} has no complete trial." for name in decision.absent]
    blocks = {step.measure.name for step in decision.steps if step.interleaved}
    for name, (measure, difference) in decision.price.items():
        best = decision.candidate(decision.best[0]).called
        lines.append(
            f"{decision.candidate(name).called} instead of {best}: {_compared(measure, difference)}"
            f"{', interleaved' if measure.name in blocks else ''}."
        )
    return lines + _inconclusive(decision)


def crossings(decided: Sequence[Verdict]) -> list[str]:
    """Return a sentence for each number of connections at which another solution becomes the best."""
    return [_crossing(one) for one in crossovers(each.decision for each in decided)]


def mark(judgement: Judgement) -> str:
    """Return the verdict on a requirement for a cell of a table: "✗ not met (3 of 3 failed)".

    For an event it says "failed": the head names what must be true, the number counts the trials that failed.
    """
    word, text = f"{MARKS[judgement.status]} {WORDS[judgement.status]}", evidence(judgement)
    if judgement.n and judgement.summary is None and judgement.number is None:
        failed = "" if judgement.requirement.percentile is not None else " failed"
        text = _events(judgement, f"{judgement.n}{failed}")
    # The evidence may have brackets already.
    return f"{word}: {text}" if "(" in text else f"{word} ({text})"


def short(judgement: Judgement) -> str:
    """Return the verdict for a narrow table: "✗ 3 of 3"."""
    if judgement.summary is None and judgement.n:
        return f"{MARKS[judgement.status]} {judgement.events} of {judgement.n}"
    return f"{MARKS[judgement.status]} {evidence(judgement)}"


def evidence(judgement: Judgement) -> str:
    """Return the evidence, short."""
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


def as_json(decided: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return each condition with its verdict, candidates and preferences, for programs."""
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
        for one in decided
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
        if decision.absent:
            return "No other solution has a complete trial."
        return "No other solution was measured."
    eligible = [one for one in others if one.status != "missed"]
    if not eligible:
        if decision.candidate(name).status == "met":
            return "It is the only solution that meets every requirement."
        return "It is the only solution with no observed violation."
    decisive = [step for step in decision.steps if step.out]
    by = [f"{step.measure.noun}{' (interleaved)' if step.interleaved else ''}" for step in decisive]
    rest = " among the solutions with no observed violation" if len(eligible) < len(others) else ""
    return f"It ranks first by {', then by '.join(by)}{rest}."


def _preferences(decision: Decision) -> str:
    nouns = [step.measure.noun for step in decision.steps]
    return listed(nouns, "or") or "what was measured"


def unlisted_failures(decided: Sequence[Verdict], by_default: Sequence[Verdict]) -> list[str]:
    """Return which default requirements the best solutions fail that the given settings do not contain."""
    lines: dict[str, None] = {}
    for one, other in zip(decided, by_default, strict=True):
        for name in one.decision.best:
            judged = {each.requirement.measure.name for each in one.decision.candidate(name).judgements}
            full = other.decision.candidate(name)
            left = [each for each in full.judgements if each.requirement.measure.name not in judged]
            rest = replace(full, judgements=left)
            if rest.status == "missed":
                lines[f"Not among your requirements: {rest.called}: {_failures(rest)}."] = None
    return list(lines)


def _missed(candidate: Candidate) -> str:
    """ "b does not meet 1 requirement: acknowledged rows lost in 3 of 3 trials (lost = 0)." """
    n = sum(one.status == "missed" for one in candidate.judgements)
    return f"{candidate.called} does not meet {count(n, 'requirement')}: {_failures(candidate)}."


def _failures(candidate: Candidate) -> str:
    """Return each failed requirement with its evidence and exact condition."""
    return listed(
        [
            f"{one.requirement.measure.noun} {_at(one)} ({one.requirement.text})"
            for one in candidate.judgements
            if one.status == "missed"
        ]
    )


def _at(judgement: Judgement) -> str:
    """Return the evidence as it follows the noun of its measure."""
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


def _inconclusive(decision: Decision) -> list[str]:
    """Return the inconclusive requirements of candidates without a failure, grouped by reason."""
    open_requirements: dict[str, list[Judgement]] = {}
    for one in decision.candidates:
        for judgement in one.judgements if one.status != "missed" else []:
            if judgement.status == "inconclusive":
                open_requirements.setdefault(judgement.requirement.text, []).append(judgement)
    alike: dict[str, list[Requirement]] = {}
    for judgements in open_requirements.values():
        alike.setdefault(_open(judgements), []).append(judgements[0].requirement)
    return [
        f"{quoted(requirements)} {'is' if len(requirements) == 1 else 'are'} inconclusive{why}."
        for why, requirements in alike.items()
    ]


def _open(judgements: Sequence[Judgement]) -> str:
    """Return why a requirement is inconclusive, and how many more trials would decide it."""
    known = [one for one in judgements if one.n]
    if not known:
        return ": not measured"
    n = min(one.n for one in known)
    bound = max((one.bound for one in judgements if one.bound is not None), default=None)
    if bound is None or any(one.events for one in judgements):
        return f" after {count(n, 'trial')} of each{more_trials(judgements)}"
    return (
        f": no failure in {count(n, 'trial')} of each, but up to {percent(100 * bound)} % of trials "
        f"may fail (95 % upper bound){more_trials(judgements)}"
    )


def more_trials(judgements: Sequence[Judgement]) -> str:
    """Return how many more trials would decide a requirement, and the command; "" if that is not known."""
    estimates = [(one.more, one.n + one.more) for one in judgements if one.more is not None]
    if not estimates:
        return ""
    more, whole = max(estimates)[0], max(total for _, total in estimates)
    return f"; about {count(more, 'more trial')} of each would decide ({continued(whole)})"


def _crossing(one: Crossover) -> str:
    at = f" ({where(one.condition)})" if one.condition else ""
    return (
        f"{one.before} is best up to {count(one.low, 'connection')}, {one.after} from "
        f"{one.high} connections on{at}: the crossover lies between."
    )


def shown_measures(decision: Decision) -> list[Measure]:
    """Return the measures of which any candidate has a value, those of the preferences first."""
    preferred = [step.measure.name for step in decision.steps]
    names = [*preferred, *(name for name in ("tps", "outage_writes") if name not in preferred)]
    return [
        MEASURES[name] for name in names if any(one.mean(name) is not None for one in decision.candidates)
    ]


def value_text(candidate: Candidate, measure: Measure) -> str:
    """Return a candidate's mean with its interval; over several strata, the geometric mean alone."""
    strata = list(candidate.values.get(measure.name, {}).values())
    if len(strata) == 1:
        return mean_of_measure(strata[0], measure)
    mean = candidate.mean(measure.name)
    if mean is None:
        return NOTHING
    text = milliseconds(mean) if measure.milli else number(mean)
    return at_least(text, sum(one.bounds for one in strata), sum(one.n for one in strata))


def requirements_of(decided: Iterable[Verdict]) -> list[Requirement]:
    """Return the requirements that were judged, in their order."""
    every = (j.requirement for v in decided for c in v.decision.candidates for j in c.judgements)
    return list({requirement.text: requirement for requirement in every}.values())
