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

# Version of `claims.json`.
FORMAT = 1


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
    rows = [[claim.result, claim.claim.says, printed_word(claim)] for claim in result.claims]
    verdicts = Table(result.sentence, ["Verdict", "Claim", "As printed"], rows, 2)
    return "\n".join(
        [
            f"## {study.study}, {result.form} form\n\n{cite}.\n",
            verdicts.markdown(),
            f"What differs from the study:\n\n{differs}\n",
            *(_evidence(claim) for claim in result.claims),
        ]
    )


def _evidence(judged: Judged) -> str:
    """Return the measured and published figures of a claim, with the verdict's sentences."""
    claim = judged.claim
    texts = [f"### {claim.id}: {judged.result}\n", f"{claim.says.rstrip('.')}.\n"]
    texts += [f"*Fidelity: {claim.fidelity}.* {claim.note}".rstrip() + "\n"]
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
