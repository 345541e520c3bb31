"""All engines that there are."""

import difflib

from fivenines import plugins
from fivenines.errors import UsageError
from fivenines.software.base import Engine


def engines() -> list[Engine]:
    """Every engine, by name."""
    kinds = plugins.classes("fivenines.software", Engine)  # type: ignore[type-abstract]
    found = [kind() for kind in kinds if hasattr(kind, "name")]
    return sorted(found, key=lambda engine: engine.name)


def engine(name: str) -> Engine:
    """The engine of this name.

    Raises:
        UsageError: there is none; with the nearest name.
    """
    known = {engine.name: engine for engine in engines()}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError(f"unknown engine {name!r}: {hint}the engines are {', '.join(known)}")
