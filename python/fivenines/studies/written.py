"""What becomes of a study's claims, for programs and for pull requests."""

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
    """All of it; times in ms, rates per second."""
    study = result.study
    return {
        "format": FORMAT,
        "fivenines": __version__,
        "study": study.study,
        "form": result.form,
        "sentence": result.sentence,
        "differs": study.differs,
        "unavailable": {name: one.model_dump() for name, one in study.unavailable.items()},
        "parts": [
            {"part": one.name, "complete": one.complete, "planned": one.planned, "cannot": one.cannot}
            for one in result.parts
        ],
        "claims": [_claim(one) for one in result.claims],
    }


def markdown(result: StudyResult) -> str:
    """All in Markdown: what differs from the study, the verdicts, and for each claim what they rest on."""
    study = result.study
    cite = f"{', '.join(study.cite.authors)}: {study.cite.title}, {study.cite.year}"
    differs = "\n".join(f"- {text}" for text in study.differs)
    rows = [[one.result, one.claim.says, printed_word(one)] for one in result.claims]
    verdicts = Table(result.sentence, ["Verdict", "Claim", "As printed"], rows, 2)
    return "\n".join(
        [
            f"## {study.study}, {result.form} form\n\n{cite}.\n",
            verdicts.markdown(),
            f"What differs from the study:\n\n{differs}\n",
            *(_evidence(one) for one in result.claims),
        ]
    )


def _evidence(one: Judged) -> str:
    """The figures of a claim beside the printed ones, and what was made of them."""
    claim = one.claim
    texts = [f"### {claim.id}: {one.result}\n", f"{claim.says.rstrip('.')}.\n"]
    texts += [f"*Fidelity: {claim.fidelity}.* {claim.note}".rstrip() + "\n"]
    texts += ["".join(f"- {sentence}\n" for sentence in one.sentences)]
    if (table := figures_table(one)).rows:
        texts.append(table.markdown())
    return "\n".join(texts)


def printed_word(one: Judged) -> str:
    """The verdict of the same test on the printed figures."""
    if one.printed is None:
        return "no figures"
    return one.printed.outcome


def printed_words(one: Judged) -> str:
    """What the same test makes of the printed figures, in a sentence."""
    if one.printed is None:
        return "No figures are printed that the test could judge."
    words = {
        "holds": "By the printed figures the claim holds under the same test.",
        "does not hold": "By the printed figures the claim does not hold under the same test.",
    }
    if one.printed.outcome in words:
        return words[one.printed.outcome]
    told = "By the printed figures the claim cannot be told under the same test"
    reasons = list(dict.fromkeys(atom.reason for atom in one.printed.atoms if atom.reason))
    return f"{told}: {'; '.join(reasons)}." if reasons else f"{told}."


def _claim(one: Judged) -> dict[str, Any]:
    claim = one.claim
    return {
        "id": claim.id,
        "says": claim.says,
        "basis": claim.basis,
        "fidelity": claim.fidelity,
        "note": claim.note,
        "result": one.result,
        "tally": one.verdict.tally,
        "sentences": one.sentences,
        "parts": list(one.parts),
        "comparisons": _comparisons(one.verdict),
        "printed": None
        if one.printed is None
        else {"result": one.printed.outcome, "comparisons": _comparisons(one.printed)},
    }


def _comparisons(verdict: Verdict) -> list[dict[str, Any]]:
    return [_atom(one) for one in verdict.atoms]


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
                "name": one.name,
                "measure": one.measure,
                # of printed figures without a spread the number of trials may not be known
                "n": one.sample.summary.n if one.sample.values or one.sample.summary.sd is not None else None,
                "mean": one.sample.summary.mean,
                "sd": one.sample.summary.sd,
                "low": one.sample.summary.ci_low,
                "high": one.sample.summary.ci_high,
                "lower_bounds": one.sample.summary.bounds,
                "source": one.sample.source,
                "missing": one.sample.missing,
                "cannot_be_run_here": one.sample.unavailable,
                "limited": one.sample.limited,
                "failing": one.sample.failing,
            }
            for one in atom.figures
        ],
    }
