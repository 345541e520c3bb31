"""Verdicts on a study's claims as JSON and Markdown."""

import json
from typing import Any

from fivenines import __version__
from fivenines.report.table import Table
from fivenines.results import layout
from fivenines.results.store import write_text
from fivenines.studies.claims.verdicts import Atom, Verdict
from fivenines.studies.figures_shown import figures_table
from fivenines.studies.judged import Judged, StudyResult
from fivenines.studies.tally import WHOSE, Whose

# Version of `claims.json`.
FORMAT = 1

# Title and heading of a table of claims, by whose they are.
TITLES: dict[Whose, str] = {"authors": "The authors' claims", "ours": "Questions of ours"}
HEADS: dict[Whose, str] = {"authors": "Claim", "ours": "Question of ours"}

# Origin of a claim in a sentence.
ORIGIN = {
    "measured": "The study measured this.",
    "stated": "The study states this without figures.",
    "ours": "The authors did not claim this; the question is ours.",
}


def write_json(result: StudyResult) -> None:
    """Write `claims.json` into the study's folder; it appears whole or not at all."""
    result.folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(as_json(result), indent=2, ensure_ascii=False) + "\n"
    write_text(result.folder / layout.CLAIMS, text)


def as_json(result: StudyResult) -> dict[str, Any]:
    """Return the result for JSON; times in ms, rates per second."""
    study = result.study
    return {
        "format": FORMAT,
        "fivenines": __version__,
        "study": study.study,
        "form": result.form,
        "sentence": result.sentence,
        "counts": result.counts,
        "differs": study.differs,
        "unavailable": {name: item.model_dump() for name, item in study.unavailable.items()},
        "parts": [
            {"part": part.name, "complete": part.complete, "planned": part.planned, "cannot": part.cannot}
            for part in result.parts
        ],
        "claims": [_claim(claim) for claim in result.claims],
    }


def markdown(result: StudyResult) -> str:
    """Return the result in Markdown: differences from the study, verdicts, and evidence for each claim."""
    study = result.study
    cite = f"{', '.join(study.cite.authors)}: {study.cite.title}, {study.cite.year}"
    differs = "\n".join(f"- {text}" for text in study.differs)
    return "\n".join(
        [
            f"## {study.study}, {result.form} form\n\n{cite}.\n",
            f"{result.sentence}.\n",
            *(table.markdown() for table in verdict_tables(result)),
            f"What differs from the study:\n\n{differs}\n",
            *(_evidence(claim) for claim in result.claims),
        ]
    )


def verdict_tables(result: StudyResult) -> list[Table]:
    """Return a table of the verdicts on the authors' claims, and one on the questions of ours, if any."""
    return [
        Table(TITLES[group], ["Verdict", HEADS[group], "As printed"], rows, 2)
        for group in WHOSE
        if (rows := [[item.result, item.claim.says, printed_word(item)] for item in result.of(group)])
    ]


def _evidence(judged: Judged) -> str:
    """Return the measured and published figures of a claim, with the verdict's sentences."""
    claim = judged.claim
    texts = [f"### {claim.id}: {judged.result}\n", f"{claim.says.rstrip('.')}.\n"]
    origin = f"{ORIGIN[claim.basis]} " if claim.basis == "ours" else ""
    texts += [f"{origin}*Fidelity: {claim.fidelity}.* {claim.note}".rstrip() + "\n"]
    texts += ["".join(f"- {sentence}\n" for sentence in judged.sentences)]
    if (table := figures_table(judged)).rows:
        texts.append(table.markdown())
    return "\n".join(texts)


def printed_word(judged: Judged) -> str:
    """Return the verdict of the test on the published figures."""
    if judged.printed is None:
        return "no figures"
    return judged.printed.outcome


def printed_words(judged: Judged) -> str:
    """Return the verdict of the test on the published figures, in a sentence."""
    if judged.printed is None:
        return "The publication has no figures for this test."
    words = {
        "holds": "The same test on the published figures: the claim holds.",
        "does not hold": "The same test on the published figures: the claim does not hold.",
    }
    if judged.printed.outcome in words:
        return words[judged.printed.outcome]
    message = "The same test on the published figures: inconclusive"
    reasons = list(dict.fromkeys(atom.reason for atom in judged.printed.atoms if atom.reason))
    return f"{message}: {'; '.join(reasons)}." if reasons else f"{message}."


def _claim(judged: Judged) -> dict[str, Any]:
    claim = judged.claim
    return {
        "id": claim.id,
        "says": claim.says,
        "basis": claim.basis,
        "fidelity": claim.fidelity,
        "note": claim.note,
        "result": judged.result,
        "tally": judged.verdict.tally,
        "sentences": judged.sentences,
        "parts": list(judged.parts),
        "comparisons": _comparisons(judged.verdict),
        "printed": None
        if judged.printed is None
        else {"result": judged.printed.outcome, "comparisons": _comparisons(judged.printed)},
    }


def _comparisons(verdict: Verdict) -> list[dict[str, Any]]:
    return [_atom(atom) for atom in verdict.atoms]


def _atom(atom: Atom) -> dict[str, Any]:
    span = atom.span
    return {
        "about": atom.about,
        "status": atom.status,
        "why": atom.why,
        "sentence": atom.sentence,
        "span": None
        if span is None
        else {
            "kind": span.kind,
            "estimate": span.estimate,
            "low": span.low,
            "high": span.high,
            "at_least": span.at_least,
            "at_most": span.at_most,
        },
        "best": list(atom.members),
        "figures": [
            {
                "name": figure.name,
                "measure": figure.measure,
                # Without a published spread the number of trials may be unknown.
                "n": figure.sample.summary.n
                if figure.sample.values or figure.sample.summary.sd is not None
                else None,
                "mean": figure.sample.summary.mean,
                "sd": figure.sample.summary.sd,
                "low": figure.sample.summary.ci_low,
                "high": figure.sample.summary.ci_high,
                "lower_bounds": figure.sample.summary.bounds,
                "source": figure.sample.source,
                "missing": figure.sample.missing,
                "cannot_be_run_here": figure.sample.unavailable,
                "limited": figure.sample.limited,
                "failing": figure.sample.failing,
            }
            for figure in atom.figures
        ],
    }
