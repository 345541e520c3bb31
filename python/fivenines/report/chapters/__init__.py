"""The chapters of the report, a file for each, in the order of the page.

A chapter is a function `chapter(data) -> Section`; an empty section is left out.
"""

from importlib import import_module

from fivenines.analysis.sweeps import Compared
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names
from fivenines.report.section import Section
from fivenines.results.store import Run

ORDER = (
    "wrong",
    "summary",
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


def sections(run: Run, swept: Compared, names: Names) -> list[Section]:
    """All chapters in their order; some may be empty."""
    data = Data(run, swept, names)
    return [import_module(f"{__name__}.{name}").chapter(data) for name in ORDER]
