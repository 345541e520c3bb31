"""The report: one HTML file, tables, and a summary for the terminal.

What is named here is imported when it is used first: parts of this package serve commands that draw nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fivenines.report.export.documents import tables
    from fivenines.report.html.page import write_html
    from fivenines.report.terminal.terminal import failover_rows, summary_rows

_MODULES = {
    "failover_rows": "fivenines.report.terminal.terminal",
    "summary_rows": "fivenines.report.terminal.terminal",
    "tables": "fivenines.report.export.documents",
    "write_html": "fivenines.report.html.page",
}

__all__ = ["failover_rows", "summary_rows", "tables", "write_html"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
