"""The text of Galera's wsrep_provider_options: options, and values that mean the same.

Source: Galera Cluster documentation, "Galera Parameters".
"""

import contextlib
import re

_PERIOD = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?|\.\d+)S)?)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([KMGT]?)", re.IGNORECASE)
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
    """The seconds of a period of ISO 8601, as PT2S or P1DT0.5S.

    Raises:
        ValueError: it is none.
    """
    match = _PERIOD.fullmatch(text)
    if match is None or not any(match.groups()):
        raise ValueError(f"{text!r} is no period of ISO 8601")
    return sum(
        float(part or 0) * unit for part, unit in zip(match.groups(), (86400, 3600, 60, 1), strict=True)
    )


def number(text: str) -> float:
    """A number with a suffix as Galera takes it: 256M, 0.8.

    Raises:
        ValueError: it is none.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no number")
    return float(match[1]) * _UNITS[match[2].upper()]


def same_option(asked: str, found: str) -> bool:
    """Whether two values of an option mean the same: periods, numbers with suffixes, words."""
    if asked == found:
        return True
    for read in (seconds, number, lambda text: float(WORDS[text.lower()])):
        with contextlib.suppress(ValueError, KeyError):
            return read(asked) == read(found)
    return asked.lower() == found.lower()


def parsed(text: str) -> dict[str, str]:
    """The options of a wsrep_provider_options, by name; of one that stands twice the last."""
    return dict(pairs(text))


def pairs(text: str) -> list[tuple[str, str]]:
    """The options in their order, by names in lower case."""
    plain = text.strip().strip("'\"")
    parts = (part.partition("=") for part in plain.split(";") if part.strip())
    return [(name.strip().lower(), value.strip()) for name, _, value in parts]
