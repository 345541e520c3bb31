"""The script of the page: Vega as vl-convert brings it, and our own files, which need no build step.

Both stand in the page once, so that nothing is loaded from elsewhere.
"""

import base64
import hashlib
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from fivenines.report.charts import live, timeline
from fivenines.report.groups import Names

_OWN = ("draw.js", "keys.js", "link.js", "tables.js", "slots.js", "gestures.js", "timeline.js", "page.js")
"""In this order: a file may use what those before it gave to `window.fivenines`."""


def own() -> str:
    """What makes charts and tables answer; gives `window.fivenines`, see docs/how-to/add-a-chart.md."""
    folder = files("fivenines.report").joinpath("templates")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in _OWN)


def about(names: Names) -> str:
    """What the script must know of the page, as JSON: colours of charts, solutions, the time line's frame."""
    solutions = [
        {"tag": style.tag, "name": name, "colour": f"var(--{_series(style.colour)})"}
        for name, style in names.styles.items()
    ]
    found: dict[str, Any] = {
        "config": live.configuration(),
        "solutions": solutions,
        "timeline": timeline.frame(),
    }
    return live.coloured(live.safe(found))


def inline(text: str) -> Markup:
    """A script as it may stand between its tags; refuses what would end it there.

    Raises:
        ValueError: the text has `</script` or `<!--`, which no escape inside a script can mend.
    """
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError("a script that would end its own element cannot stand in a page")
    return Markup(text)


def policy(*scripts: str) -> str:
    """The page's Content-Security-Policy: these scripts and no others, nothing from anywhere."""
    allowed = " ".join(f"'sha256-{_digest(text)}'" for text in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _series(colour: str) -> str:
    return live.theme.VARIABLES[colour].removeprefix("--")
