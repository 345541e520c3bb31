"""Parse and format durations, sizes and rates: `500ms`, `1m30s`, `90d`, `64MiB`, `100Mbit/s`.

Durations are in seconds, sizes in bytes, rates in bits per second. The settings models use the annotated
types at the end, which accept and write text with a unit.
"""

import math
import re
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationInfo, WithJsonSchema

from fivenines.base.settings import invalid

# Key of the validation context that forbids numbers without a unit, for values from a file.
FROM_FILE = "from-file"

# Seconds of a year of 365.25 days.
YEAR = 365.25 * 86_400.0

_DURATION_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_SIZE_UNITS = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_RATE_UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
# `Mbps`, `MB/s`: the case of `b` tells bits from bytes. `mbps` means bytes to tc and bits to others: refused.
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMG])(b|B)(?:ps|/s)", re.ASCII)
_PERCENTAGE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%", re.ASCII)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", re.ASCII)
_ZERO = re.compile(r"0+(\.0+)?", re.ASCII)


def parse_duration(text: str) -> float:
    """Return the seconds of a text such as `250ms`, `10s` or `1m30s`; only `0` needs no unit.

    Raises:
        ValueError: the text is not a duration, or has no unit.
    """
    stripped = text.strip()
    if _ZERO.fullmatch(stripped):
        return 0.0
    total, position = Decimal(0), 0
    for part in _PART.finditer(stripped):
        if part.start() != position or part[2].lower() not in _DURATION_UNITS:
            break
        # In decimals: 141 * 1e-3 is not the number nearest to 0.141, nor is 32.6 / 1000 that to 0.0326.
        total += Decimal(part[1]) * Decimal(str(_DURATION_UNITS[part[2].lower()]))
        position = part.end()
    if position == 0 or position != len(stripped) or math.isinf(float(total)):
        raise ValueError(f"{text!r} is not a duration: write a number and a unit, as 500ms, 10s, 1m30s")
    return float(total)


def format_duration(seconds: float) -> str:
    """Return a short text that `parse_duration` converts back to exactly the same number."""
    if seconds == 0:
        return "0s"
    for unit in ("d", "h", "m", "s", "ms", "us"):
        number = round(seconds / _DURATION_UNITS[unit], 6)
        text = f"{_plain(number)}{unit}"
        whole = unit not in ("d", "h", "m") or number == int(number)
        if number >= 1 and whole and parse_duration(text) == seconds:
            return text
    return f"{_plain(seconds)}s"


def parse_size(text: str) -> int:
    """Return the bytes of a text such as `64MiB` or `10GB` (powers of ten unless there is an `i`)."""
    return _scaled(text, _SIZE_UNITS, "size", "64MiB, 2GB")


def format_size(size: int) -> str:
    """Return text with the largest binary unit that divides the number of bytes."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= factor and size % factor == 0:
            return f"{size // factor}{unit}"
    return f"{size}B"


def parse_rate(text: str) -> int:
    """Return the bits per second of a text such as `100Mbit/s`, `1 Gbps` or `10MB/s`."""
    if match := _RATE.fullmatch(text.strip()):
        factor = _RATE_UNITS[f"{match[2].lower()}bit"] * (8 if match[3] == "B" else 1)
        return round(Decimal(match[1]) * factor)
    without_second = re.sub(r"(/s|ps)$", "", text.strip())
    return _scaled(without_second, _RATE_UNITS, "rate", "57kbit/s, 100Mbit/s", found=text)


def parse_fraction(text: str) -> float:
    """Return the fraction of a percentage such as `0.5%`.

    Raises:
        ValueError: the text is not a percentage.
    """
    match = _PERCENTAGE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a fraction: write a number from 0 to 1, or a percentage, as 0.5%")
    return float(Decimal(match[1]) / 100)


def format_rate(rate: int) -> str:
    """Return text with the largest unit that divides the rate."""
    for unit, factor in (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 10**3)):
        if rate >= factor and rate % factor == 0:
            return f"{rate // factor}{unit}"
    return f"{rate}bit/s"


def about(seconds: float) -> str:
    """Format a duration for people, rounded: `45 s`, `3 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    # Minutes are within the error of an estimate of many hours.
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 600 else f"{round(minutes / 60)} h"


def _plain(number: float) -> str:
    """Format a number with all significant digits, without an exponent."""
    text = format(Decimal(repr(number)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scaled(text: str, units: dict[str, int], what: str, examples: str, found: str | None = None) -> int:
    match = _PART.fullmatch(text.strip())
    if match is None or match[2].lower() not in units:
        shown = text if found is None else found
        raise ValueError(f"{shown!r} is not a {what}: write a number and a unit, as {examples}")
    return round(Decimal(match[1]) * units[match[2].lower()])


def _reader(parse: Any) -> BeforeValidator:
    def read(value: object, info: ValidationInfo) -> object:
        if isinstance(value, str):
            return parse(value)
        written = bool(info.context and info.context.get(FROM_FILE))
        if isinstance(value, bool) or (written and isinstance(value, int | float) and value != 0):
            raise ValueError(f"{value!r} has no unit")
        return value

    return BeforeValidator(read)


# Seconds, written with a unit in files.
Duration = Annotated[
    float,
    Field(ge=0, allow_inf_nan=False),
    _reader(parse_duration),
    PlainSerializer(format_duration),
    WithJsonSchema({"type": "string", "format": "duration", "examples": ["500ms", "10s"]}),
]

# Bytes, written with a unit in files.
Size = Annotated[
    int,
    Field(ge=0),
    _reader(parse_size),
    PlainSerializer(format_size),
    WithJsonSchema({"type": "string", "format": "size", "examples": ["64MiB"]}),
]

# Bits per second, written with a unit in files.
Rate = Annotated[
    int,
    Field(ge=1),
    _reader(parse_rate),
    PlainSerializer(format_rate),
    WithJsonSchema({"type": "string", "format": "rate", "examples": ["100Mbit/s"]}),
]


def _fraction(value: object, info: ValidationInfo) -> object:
    """Convert a percentage; in a file, a bare 1 is either 100 % or a slip for 1 %."""
    if isinstance(value, str):
        return parse_fraction(value)
    if value == 1 and not isinstance(value, bool) and info.context and FROM_FILE in info.context:
        raise invalid("1 would be all of it: write 100%, or 1% for one in a hundred")
    return value


# A number from 0 to 1, or a percentage.
Fraction = Annotated[
    float,
    Field(ge=0, le=1, allow_inf_nan=False),
    BeforeValidator(_fraction),
    WithJsonSchema(
        {
            "format": "fraction",
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": _PERCENTAGE.pattern},
            ],
        }
    ),
]
