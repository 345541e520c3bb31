"""All engines that there are."""

from fivenines import plugins
from fivenines.errors import UsageError
from fivenines.software.base import Engine
from fivenines.spelling import nearest


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
    raise UsageError(
        f"unknown engine {name!r}{nearest(name, known)}\n    allowed: {', '.join(known)}"
    )
