"""Chapter `invariants` of the report."""

from fivenines.report import invariants
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, drawer, full


def chapter(data: Data) -> Section:
    """What must be true of the workload's data."""
    every = invariants.invariants_table(data.done, data.names)
    violated = invariants.violated_table(data.done, data.names)
    unknown = invariants.unknown_table(data.done, data.names)
    texts = []
    if every.rows and not violated.rows:
        texts = ["No invariant is violated in any trial in which it could be asked."]
    drawers = drawer("All invariants of all cells", every)
    return Section(
        "invariants", "Invariants of the data", texts, full(violated, unknown), [], drawers
    )
