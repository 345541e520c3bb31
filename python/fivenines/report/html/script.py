"""Assemble the scripts of the page: uPlot from its package, and our files, which need no build step.

The page contains each of them once, so that it loads nothing from elsewhere.
"""

import base64
import hashlib
from collections.abc import Iterable
from importlib.resources import files

from markupsafe import Markup

from fivenines.report.charts import live, theme
from fivenines.report.groups import Names
from fivenines.report.html.figures import Figure

# The order matters: a file may use what the files before it add to `window.fivenines`.
_OWN = (
    *("tip.js", "values.js", "link.js", "tables.js"),
    *("slots.js", "panel.js", "gestures.js", "timeline.js", "page.js"),
)


def own() -> str:
    """Return the script that defines `window.fivenines`, without comments; see docs/extend/add-a-chart.md."""
    folder = files("fivenines.report.html").joinpath("templates")
    lines = [line for name in _OWN for line in folder.joinpath(name).read_text(encoding="utf-8").splitlines()]
    return "\n".join(line for line in map(str.strip, lines) if not line.startswith("//"))


def about(names: Names) -> str:
    """Return the data for the script as JSON: the solutions with their colours."""
    solutions = [
        {"tag": style.tag, "name": name, "colour": f"var(--{_series(style.colour)})"}
        for name, style in names.styles.items()
    ]
    return live.safe({"solutions": solutions})


def tips(figures: Iterable[Figure]) -> str:
    """Return the texts of all marks of drawings as compressed JSON: {id of the drawing: texts}."""
    found = {drawn.id: list(drawn.tips) for figure in figures if (drawn := figure.valued)}
    return live.packed(found) if found else ""


def inline(text: str) -> Markup:
    """Return a script for use between script tags.

    Raises:
        ValueError: the text has `</script` or `<!--`, which cannot be escaped inside a script.
    """
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError("the script contains '</script' or '<!--' and cannot be embedded in a page")
    return Markup(text)


def policy(*scripts: str) -> str:
    """Return the page's Content-Security-Policy: only these scripts, nothing from elsewhere."""
    allowed = " ".join(f"'sha256-{_digest(text)}'" for text in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _series(colour: str) -> str:
    return theme.VARIABLES[colour].removeprefix("--")
