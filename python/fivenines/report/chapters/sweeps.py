"""Chapter `sweeps` of the report."""

from fivenines.report.chapters.data import Data
from fivenines.report.section import Section
from fivenines.report.sweep_figures import sweep_figures
from fivenines.report.sweeps import LEGEND, best_tables


def chapter(data: Data) -> Section:
    """What was tried of swept solutions, and which variant the other chapters show."""
    title = "Sweeps, and the best case of each"
    if not data.swept.sweeps:
        return Section("sweeps", title)
    tables = best_tables(data.swept)
    return Section("sweeps", title, [LEGEND], tables, sweep_figures(data.swept))
