"""Convert the cells of tables to numbers for sorting."""

import re

from markupsafe import Markup

from fivenines.analysis.wording import MINUS

# Factors to seconds or bytes.
_UNITS = {
    "ns": 1e-9,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "days": 86400.0,
    "day": 86400.0,
    "hours": 3600.0,
    "years": 365.25 * 86400,
    "year": 365.25 * 86400,
    "B": 1.0,
    "kB": 1e3,
    "KiB": 2**10,
    "MB": 1e6,
    "MiB": 2**20,
    "GB": 1e9,
    "GiB": 2**30,
}

_NUMBER = re.compile(
    r"^(?:at least |at most |about |[<>≥≤~] ?)?"
    rf"(?P<sign>[-+{MINUS}]?)"
    r"(?P<digits>(?:\d{1,3}(?:[ ,\u202f\u00a0]\d{3})+(?!\d)|\d+)(?:\.\d+)?)"
    r"(?: to [\d.]+)?(?:[\s\u00a0]?(?P<unit>[A-Za-zµ]+))?"
)
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")


def value_of(text: str) -> float | None:
    """Return the number at the beginning of a cell, times in seconds; None if there is none.

    "1 254 (1 180 to 1 320)" is 1254, "<0.1 s" 0.1, "at least 7.99 s (not recovered)" 7.99, "3 of 10" 3. For a
    range or several values, return the first one.
    """
    match = _NUMBER.match(text.strip())
    if not match:
        return None
    digits = re.sub(r"[\s\u202f\u00a0,]", "", match["digits"])
    value = float(digits) * _UNITS.get(match["unit"] or "", 1.0)
    return -value if match["sign"] in ("-", MINUS) else value


def data_value(text: str) -> Markup:
    """Return the attribute `data-value` for a cell whose text a script cannot sort by; otherwise nothing."""
    value = None if _PLAIN.fullmatch(text) else value_of(text)
    return Markup("") if value is None else Markup(f' data-value="{value:.12g}"')
