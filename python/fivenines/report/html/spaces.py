"""Keep numbers and their units on one line."""

import re
from typing import Any

from markupsafe import Markup

_UNIT = re.compile(r"(\d) (%|ms|s|µs)(?!\w)")


def unbroken(value: Any) -> Any:
    """Put a no-break space between numbers and units of a text; other values stay."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return _UNIT.sub("\\1\N{NO-BREAK SPACE}\\2", value)
