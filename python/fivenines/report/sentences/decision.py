"""Put a decision into words: the recommended solution, unmet requirements, and what is inconclusive."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fivenines.analysis.availability.nines import assumed_mtbf
from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.decision.crossover import Crossover, crossovers
from fivenines.analysis.decision.decide import Decision, decisions
from fivenines.analysis.decision.material import Material, kinds_of, together
from fivenines.analysis.measures.condition import Requirement
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.measures.measures import MEASURES, Measure
from fivenines.analysis.performance.interleaved import InterleavedResult, interleaved_results
from fivenines.analysis.performance.sweeps import Compared, compared
from fivenines.analysis.resources.cost import Prices, prices
from fivenines.analysis.wording import count
from fivenines.report.sentences.evidence import evidence, failures, reasons
from fivenines.report.sentences.headline import lines, sentence
from fivenines.results.store import Run, opened


@dataclass(frozen=True)
class Verdict:
    """The decision under one condition, with its sentences.

    Attributes:
        where: the condition in words; empty if the run has only one.
        decision: the decision.
        sentence: the headline, of 25 words without the names of solutions.
        lines: at most four lines: why, what it costs, what is open, and the command that closes it.
        reasons: all reasons.
    """

    where: str
    decision: Decision
    sentence: str
    lines: list[str]
    reasons: list[str]


def decide(run: Run | Path, settings: DecideSettings | None = None) -> list[Verdict]:
    """Return the decisions of a run, by the settings of its experiment unless others are given.

    Raises:
        FiveninesError: the folder is not a run, or has another version.
    """
    stored = opened(run)
    return decide_together({"": stored}, settings or settings_of(stored))


def decide_together(
    runs: Mapping[str, Run],
    settings: DecideSettings,
    costs: Prices | None = None,
    mtbf: Mapping[str, float] | None = None,
) -> list[Verdict]:
    """Return the decisions over several runs by name; `costs` and `mtbf` replace those of the runs."""
    material = together(
        {name: _material(run, compared(run), interleaved_results(run)) for name, run in runs.items()}
    )
    return _worded(replace(material, prices=costs or material.prices, mtbf=mtbf or material.mtbf), settings)


def verdicts(
    run: Run, cells: Compared, settings: DecideSettings, blocks: Sequence[InterleavedResult]
) -> list[Verdict]:
    """Return the decisions of a run whose cells are analysed already."""
    return _worded(_material(run, cells, blocks), settings)


def _material(run: Run, cells: Compared, blocks: Sequence[InterleavedResult]) -> Material:
    experiment = run.manifest.experiment
    costs, mtbf = prices(experiment), assumed_mtbf(run)
    return Material(cells.cells, blocks, cells.measured, costs, mtbf, kinds_of(experiment))


def _worded(material: Material, settings: DecideSettings) -> list[Verdict]:
    every = decisions(material, settings)
    return [Verdict(where(one.condition), one, sentence(one), lines(one), reasons(one)) for one in every]


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


BY_DESIGN = "may lose acknowledged rows by design"


def crossings(decided: Sequence[Verdict]) -> list[str]:
    """Return a sentence for each number of connections at which another solution becomes the best."""
    return [_crossing(one) for one in crossovers(each.decision for each in decided)]


def as_json(decided: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return each condition with its verdict, candidates and preferences, for programs."""
    return [
        {
            "condition": one.decision.condition,
            "verdict": one.sentence,
            "best": one.decision.best,
            "front": one.decision.front,
            "absent": one.decision.absent,
            "unmeasured": one.decision.unmeasured,
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
                "trials": one.trials,
                "n": one.n,
                "unit": one.unit,
                "more_trials": one.more,
            }
            for one in candidate.judgements
        },
        "means": {name: candidate.mean(name) for name in candidate.values},
    }


def unlisted_failures(decided: Sequence[Verdict], by_default: Sequence[Verdict]) -> list[str]:
    """Return which default requirements the best solutions fail that the given settings do not contain."""
    found: dict[str, None] = {}
    for one, other in zip(decided, by_default, strict=True):
        for name in one.decision.best:
            judged = {each.requirement.measure.name for each in one.decision.candidate(name).judgements}
            full = other.decision.candidate(name)
            left = [each for each in full.judgements if each.requirement.measure.name not in judged]
            rest = replace(full, judgements=left)
            if rest.status == "missed":
                found[f"Not among your requirements: {rest.called}: {failures(rest)}."] = None
    return list(found)


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


def requirements_of(decided: Iterable[Verdict]) -> list[Requirement]:
    """Return the requirements that were judged, in their order."""
    every = (j.requirement for v in decided for c in v.decision.candidates for j in c.judgements)
    return list({requirement.text: requirement for requirement in every}.values())
