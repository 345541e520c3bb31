"""The report: one HTML file, tables, and a summary for the terminal."""

from pathlib import Path

from fivenines.report.export.documents import tables
from fivenines.report.terminal.terminal import failover_rows, summary_rows
from fivenines.results.store import Run

__all__ = ["failover_rows", "summary_rows", "tables", "write_html"]


def write_html(run: Run | Path, output: Path | None = None) -> Path:
    """Write the report, by default as `report.html` into the run's folder, and return its path.

    Raises:
        FiveninesError: the folder is not a run, has another version, or is not writable.
    """
    from fivenines.report.html import page  # noqa: PLC0415  (Altair takes a second to import)

    return page.write_html(run, output)
