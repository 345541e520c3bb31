"""Provide Vega for browsers from vl-convert, for the report and the live page."""

from contextlib import suppress
from importlib.metadata import version

import vl_convert

from fivenines.base.errors import FiveninesError
from fivenines.base.paths import cache
from fivenines.results.store import write_text


def vega() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as a script, about 0.9 MB; it defines `window.vegaEmbed`.

    Bundling takes two seconds, so the result is stored in the user's cache.
    """
    stored = cache() / "vega" / f"vl-convert-{version('vl-convert-python')}.js"
    with suppress(OSError):
        return stored.read_text(encoding="utf-8")
    text = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed")
    with suppress(OSError, FiveninesError):
        stored.parent.mkdir(parents=True, exist_ok=True)
        write_text(stored, text)
    return text
