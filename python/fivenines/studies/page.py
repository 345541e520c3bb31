"""`study.html`: verdicts on a study's claims, with measured and published figures."""

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from fivenines import __version__
from fivenines.report.charts.claims import LEGEND
from fivenines.report.charts.svg import to_svg
from fivenines.report.html.page import styled, templates
from fivenines.report.table import Table
from fivenines.results import layout
from fivenines.results.store import write_text
from fivenines.studies.figures_shown import drawing, figures_table
from fivenines.studies.judged import Judged, StudyResult
from fivenines.studies.tally import WHOSE, whose
from fivenines.studies.written import ORIGIN, TITLES, printed_words

# Signs before the words of a verdict, as colour alone is not accessible.
SIGNS = {"holds": "✓", "does not hold": "✗", "inconclusive": "?", "cannot be run here": "○", "not run": "○"}

FIDELITY = {
    "same": "as published",
    "scaled": "smaller or shorter than published",
    "stand-in": "by a substitute for the published set-up",
}


@dataclass(frozen=True)
class ShownClaim:
    """A claim as the page shows it."""

    judged: Judged
    sign: str
    origin: str
    fidelity: str
    printed: str
    table: Table
    chart: Markup | None


def write_html(result: StudyResult) -> Path:
    """Write the page into the study's folder; it appears whole or not at all."""
    path = result.folder / layout.STUDY
    write_text(path, render(result))
    return path


def render(result: StudyResult) -> str:
    """Return the page."""
    study = result.study
    claims = [_shown(claim) for claim in result.claims]
    return (
        templates()
        .get_template("study.html.j2")
        .render(
            version=__version__,
            style=styled(),
            study=study,
            form=result.form,
            result=result,
            claims=claims,
            groups=[
                (TITLES[group], shown)
                for group in WHOSE
                if (shown := [item for item in claims if whose(item.judged.claim) == group])
            ],
            legend=LEGEND,
            report=layout.REPORT,
            signs=SIGNS,
            begun={part.name for part in result.parts if part.complete},
        )
    )


def _shown(judged: Judged) -> ShownClaim:
    chart = drawing(judged)
    return ShownClaim(
        judged,
        SIGNS[judged.result],
        ORIGIN[judged.claim.basis],
        FIDELITY[judged.claim.fidelity],
        printed_words(judged),
        figures_table(judged),
        to_svg(chart) if chart is not None else None,
    )
