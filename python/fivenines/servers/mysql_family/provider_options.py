"""Parse Galera's wsrep_provider_options, and compare values with the same meaning.

Source: Galera Cluster documentation, "Galera Parameters".
"""

import contextlib
import re

_PERIOD = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?|\.\d+)S)?)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([KMGT]?)", re.IGNORECASE)
WORDS = {
    "yes": True,
    "true": True,
    "on": True,
    "1": True,
    "no": False,
    "false": False,
    "off": False,
    "0": False,
}


def seconds(text: str) -> float:
    """Parse a period of ISO 8601, as PT2S or P1DT0.5S, into seconds.

    Raises:
        ValueError: it is not a period.
    """
    match = _PERIOD.fullmatch(text)
    if match is None or not any(match.groups()):
        raise ValueError(f"{text!r} is not a period of ISO 8601")
    return sum(
        float(part or 0) * unit for part, unit in zip(match.groups(), (86400, 3600, 60, 1), strict=True)
    )


def number(text: str) -> float:
    """Parse a number with a suffix as Galera accepts it: 256M, 0.8.

    Raises:
        ValueError: it is not a number.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a number")
    return float(match[1]) * _UNITS[match[2].upper()]


def same_option(asked: str, found: str) -> bool:
    """Return whether two values of an option mean the same: periods, numbers with suffixes, words."""
    if asked == found:
        return True
    for read in (seconds, number, lambda text: float(WORDS[text.lower()])):
        with contextlib.suppress(ValueError, KeyError):
            return read(asked) == read(found)
    return asked.lower() == found.lower()


def parsed(text: str) -> dict[str, str]:
    """Return the options of a wsrep_provider_options, by name; of a repeated option the last value."""
    return dict(pairs(text))


def pairs(text: str) -> list[tuple[str, str]]:
    """Return the options in their order, by names in lower case."""
    plain = text.strip().strip("'\"")
    parts = (part.partition("=") for part in plain.split(";") if part.strip())
    return [(name.strip().lower(), value.strip()) for name, _, value in parts]
