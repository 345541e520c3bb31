"""The chapters of the report, a file for each, in the order of the page.

A chapter answers one question. It is a function `chapter(data) -> Section`; an empty section is left out. It
begins with the run's answers for this chapter, or with a sentence that the chapter writes. A chart that needs
no data from its chapter is a file in `charts/` with the chapter's id in `CHAPTER` and a function
`figures(data) -> list[Figure]`.
"""

from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from fivenines.report import charts
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Drawer, Section

ORDER = (
    "decision",
    "problems",
    "consistency.split",
    "trust",
    "summary",
    "performance.stopping",
    "performance.interleaved",
    "performance.speed",
    "performance.agreement",
    "performance.sweeps",
    "performance.distance",
    "performance.transactions",
    "performance.clients",
    "availability.outage",
    "availability.applications",
    "availability.deaths_in_turn",
    "availability.needless",
    "availability.severity",
    "availability.tolerance",
    "availability.phases",
    "availability.failover",
    "availability.rejoin",
    "availability.nines",
    "consistency.loss",
    "consistency.truth",
    "consistency.isolation",
    "consistency.invariants",
    "consistency.lag",
    "performance.counters",
    "solutions",
    "differences",
    "performance.power",
    "performance.errors",
    "broken",
    "configuration",
    "settings",
)


# The number of sentences at the beginning of a chapter; the others are folded away.
_SENTENCES = 4


def sections(data: Data) -> list[Section]:
    """Return all chapters in order; some may be empty."""
    every = (import_module(f"{__name__}.{name}").chapter(data) for name in ORDER)
    return [_with_charts(_with_answers(section, data), data) for section in every]


def _with_answers(section: Section, data: Data) -> Section:
    """Put the run's answers for a section at its beginning."""
    own = [answer for answer in data.answers if answer.chapter == section.id]
    if not own:
        return section
    major = [answer.text for answer in own if not answer.minor]
    more = [*major[_SENTENCES:], *(answer.text for answer in own if answer.minor)]
    drawers = [Drawer("More sentences", texts=more)] if more else []
    texts = [*major[:_SENTENCES], *section.texts]
    return replace(section, texts=texts, drawers=[*drawers, *section.drawers])


def _with_charts(section: Section, data: Data) -> Section:
    """Add the charts of files that name the section's chapter."""
    files = [import_module(f"{charts.__name__}.{one.name}") for one in iter_modules(charts.__path__)]
    own = [file for file in files if getattr(file, "CHAPTER", "") == section.id]
    more = [figure for file in own for figure in file.figures(data)]
    return replace(section, figures=[*section.figures, *more]) if more else section
