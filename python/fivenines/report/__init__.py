"""The report: one HTML file, tables, and a summary for the terminal."""

from pathlib import Path

from fivenines.report.cautions import caution_lines
from fivenines.report.chapters.duet import duet_lines
from fivenines.report.chapters.sweeps import sweep_lines
from fivenines.report.export import tables
from fivenines.report.failovers import FailoverRow, failover_rows
from fivenines.report.summary import SummaryRow, summary_rows
from fivenines.results.store import Run

__all__ = [
    "FailoverRow",
    "SummaryRow",
    "caution_lines",
    "duet_lines",
    "failover_rows",
    "summary_rows",
    "sweep_lines",
    "tables",
    "write_html",
]


def write_html(run: Run | Path, output: Path | None = None) -> Path:
    """Write the report, by default as `report.html` into the run's folder; returns its path.

    Raises:
        FiveninesError: the folder is no run, of another version, or cannot be written to.
    """
    from fivenines.report import page  # noqa: PLC0415  (Altair takes a second to import)

    return page.write_html(run, output)
