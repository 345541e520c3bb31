"""The chapters of the report, a file for each, in the order of the page.

A chapter answers one question. It is a function `chapter(data) -> Section`; an empty section is left out. It
begins with what the run says in sentences (`answers`), or with a sentence of its own. A chart that needs
nothing from its chapter is a file in `charts/` that names it, `CHAPTER`, and has
`figures(data) -> list[Figure]`.
"""

from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from fivenines.report import charts
from fivenines.report.chapters.data import Data
from fivenines.report.section import Drawer, Section

ORDER = (
    "decision",
    "wrong",
    "split",
    "trust",
    "summary",
    "needed",
    "interleaved",
    "speed",
    "agreement",
    "sweeps",
    "distance",
    "transactions",
    "clients",
    "outage",
    "phases",
    "failover",
    "rejoin",
    "nines",
    "loss",
    "truth",
    "isolation",
    "invariants",
    "delay",
    "counters",
    "solutions",
    "differences",
    "power",
    "errors",
    "broken",
    "settings",
)


_SAID = 4
"""So many sentences begin a chapter; the others are folded away."""


def sections(data: Data) -> list[Section]:
    """All chapters in their order; some may be empty."""
    found = (import_module(f"{__name__}.{name}").chapter(data) for name in ORDER)
    return [_with_charts(_begun(section, data), data) for section in found]


def _begun(section: Section, data: Data) -> Section:
    """The section with what the run says of its question before all else."""
    own = [answer for answer in data.answers if answer.chapter == section.id]
    if not own:
        return section
    major = [answer.text for answer in own if not answer.minor]
    more = [*major[_SAID:], *(answer.text for answer in own if answer.minor)]
    drawers = [Drawer("More in words", texts=more)] if more else []
    texts = [*major[:_SAID], *section.texts]
    return replace(section, texts=texts, drawers=[*drawers, *section.drawers])


def _with_charts(section: Section, data: Data) -> Section:
    """The section with the charts of files that name its chapter."""
    files = [import_module(f"{charts.__name__}.{one.name}") for one in iter_modules(charts.__path__)]
    own = [file for file in files if getattr(file, "CHAPTER", "") == section.id]
    more = [figure for file in own for figure in file.figures(data)]
    return replace(section, figures=[*section.figures, *more]) if more else section
