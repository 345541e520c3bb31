"""Durations and sizes as people write them: `500ms`, `1m30s`, `64MiB`, `100Mbit/s`.

Durations are kept in seconds, sizes in bytes, rates in bits per second. The annotated types at the end
are what the settings models use: they accept text with a unit, and write it back in the same way.
"""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

_DURATION_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_SIZE_UNITS = {
    "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9,
    "kib": 2**10, "mib": 2**20, "gib": 2**30,
}  # fmt: skip
_RATE_UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*")


def parse_duration(text: str) -> float:
    """Seconds from text such as `250ms`, `10s` or `1m30s`.

    Raises:
        ValueError: the text is no duration, or has no unit.
    """
    if text.strip() == "0":
        return 0.0
    total, position = 0.0, 0
    stripped = text.strip()
    for part in _PART.finditer(stripped):
        if part.start() != position or part[2].lower() not in _DURATION_UNITS:
            break
        total += float(part[1]) * _DURATION_UNITS[part[2].lower()]
        position = part.end()
    if position == 0 or position != len(stripped):
        raise ValueError(f"{text!r} is no duration: write a number and a unit, as in 500ms, 10s, 1m30s")
    return total


def format_duration(seconds: float) -> str:
    """The shortest text that `parse_duration` reads back to the same number of seconds."""
    if seconds == 0:
        return "0s"
    if seconds >= 60 and seconds % 60 == 0:
        return f"{seconds / 60:g}m"
    if seconds >= 1:
        return f"{_plain(seconds)}s"
    if seconds >= 1e-3:
        return f"{_plain(seconds * 1e3)}ms"
    return f"{_plain(seconds * 1e6)}us"


def parse_size(text: str) -> int:
    """Bytes from text such as `64MiB` or `10GB` (powers of ten unless there is an `i`)."""
    return _scaled(text, _SIZE_UNITS, "size", "64MiB, 2GB")


def format_size(size: int) -> str:
    """Text with a binary unit where the number of bytes is a whole multiple of one."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= factor and size % factor == 0:
            return f"{size // factor}{unit}"
    return f"{size}B"


def parse_rate(text: str) -> int:
    """Bits per second from text such as `100Mbit/s`."""
    return _scaled(re.sub(r"(/s|ps)$", "", text.strip()), _RATE_UNITS, "rate", "57kbit/s, 100Mbit/s")


def format_rate(rate: int) -> str:
    """Text with the largest unit that divides the rate."""
    for unit, factor in (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 10**3)):
        if rate >= factor and rate % factor == 0:
            return f"{rate // factor}{unit}"
    return f"{rate}bit/s"


def _plain(number: float) -> str:
    return f"{number:.9f}".rstrip("0").rstrip(".")


def _scaled(text: str, units: dict[str, int], what: str, examples: str) -> int:
    match = _PART.fullmatch(text.strip())
    if match is None or match[2].lower() not in units:
        raise ValueError(f"{text!r} is no {what}: write a number and a unit, as in {examples}")
    return round(float(match[1]) * units[match[2].lower()])


def _reader(parse: Any) -> BeforeValidator:
    def read(value: object) -> object:
        if isinstance(value, str):
            return parse(value)
        if isinstance(value, bool) or (isinstance(value, int) and value != 0):
            raise ValueError(f"{value!r} has no unit")
        return value

    return BeforeValidator(read)


Duration = Annotated[
    float,
    _reader(parse_duration),
    PlainSerializer(format_duration),
    WithJsonSchema({"type": "string", "format": "duration", "examples": ["500ms", "10s"]}),
]
"""Seconds, written with a unit in files."""

Size = Annotated[
    int,
    _reader(parse_size),
    PlainSerializer(format_size),
    WithJsonSchema({"type": "string", "format": "size", "examples": ["64MiB"]}),
]
"""Bytes, written with a unit in files."""

Rate = Annotated[
    int,
    _reader(parse_rate),
    PlainSerializer(format_rate),
    WithJsonSchema({"type": "string", "format": "rate", "examples": ["100Mbit/s"]}),
]
"""Bits per second, written with a unit in files."""
