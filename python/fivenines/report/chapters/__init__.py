"""The chapters of the report, a file for each, in the order of the page.

A chapter is a function `chapter(data) -> Section`; an empty section is left out. A chart that needs nothing
from its chapter is a file in `charts/` that names it, `CHAPTER`, and has `figures(data) -> list[Figure]`.
"""

from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from fivenines.report import charts
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section

ORDER = (
    "decision",
    "wrong",
    "summary",
    "needed",
    "trust",
    "duet",
    "solutions",
    "speed",
    "sweeps",
    "distance",
    "transactions",
    "failover",
    "phases",
    "outage",
    "nines",
    "split",
    "loss",
    "truth",
    "isolation",
    "invariants",
    "delay",
    "counters",
    "differences",
    "power",
    "errors",
    "rejoin",
    "broken",
    "settings",
)


def sections(data: Data) -> list[Section]:
    """All chapters in their order; some may be empty."""
    return [_with_charts(import_module(f"{__name__}.{name}").chapter(data), data) for name in ORDER]


def _with_charts(section: Section, data: Data) -> Section:
    """The section with the charts of files that name its chapter."""
    files = [
        import_module(f"{charts.__name__}.{one.name}") for one in iter_modules(charts.__path__)
    ]
    own = [file for file in files if getattr(file, "CHAPTER", "") == section.id]
    more = [figure for file in own for figure in file.figures(data)]
    return replace(section, figures=[*section.figures, *more]) if more else section
