"""Vega for a browser, as vl-convert brings it: for the report, and for the live page."""

from contextlib import suppress
from importlib.metadata import version

import vl_convert

from fivenines.errors import FiveninesError
from fivenines.paths import cache
from fivenines.results.store import write_text


def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed for a browser, about 0.9 MB; gives `window.vegaEmbed`.

    Making it takes two seconds, so it is kept in the user's cache.
    """
    kept = cache() / "vega" / f"vl-convert-{version('vl-convert-python')}.js"
    with suppress(OSError):
        return kept.read_text(encoding="utf-8")
    text = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed")
    with suppress(OSError, FiveninesError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_text(kept, text)
    return text
