"""Default names: the kind, and the settings that distinguish it from others."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fivenines.base.settings import Settings

LONGEST = 60
_MOST_DIFFERENCES = 3


def distinct(bases: Sequence[str], settings: Sequence[Settings]) -> list[str]:
    """Return the base names; equal names are followed by the settings in which they differ.

    Names stay equal if the settings are the same, or differ in too many values for a name.
    """
    counts = Counter(bases)
    names = list(bases)
    for base in (base for base, count in counts.items() if count > 1):
        alike = [i for i, one in enumerate(bases) if one == base]
        leaves = [_leaves(settings[i].model_dump(mode="json")) for i in alike]
        keys = dict.fromkeys(key for leaf in leaves for key in leaf)
        differing = [key for key in keys if len({leaf.get(key, "-") for leaf in leaves}) > 1]
        if not 0 < len(differing) <= _MOST_DIFFERENCES:
            continue
        for i, one in zip(alike, leaves, strict=True):
            parts = [f"{key[-1]} {one[key]}" for key in differing if key in one]
            name = f"{base} ({', '.join(parts)})"
            names[i] = name if len(name) <= LONGEST else base
    return names


def problem_of(name: str) -> str | None:
    """Return why a name is not suitable for tables, or None."""
    if not name.isprintable():
        return "a name must be one line of printable characters"
    if len(name) > LONGEST:
        return f"a name must have at most {LONGEST} characters, this name has {len(name)}"
    return None


def _leaves(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    if not isinstance(value, dict):
        return {} if path[-1:] == ("name",) else {path: _text(value)}
    return {leaf: text for key, inner in value.items() for leaf, text in _leaves(inner, (*path, key)).items()}


def _text(value: object) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
