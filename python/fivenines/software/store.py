"""All engines that there are."""

from fivenines import plugins
from fivenines.errors import UsageError
from fivenines.software.base import Engine, Family
from fivenines.software.custom import CustomEngine, Source, custom, is_custom
from fivenines.software.program_root import PREFIX, ProgramRoot, program_roots
from fivenines.spelling import nearest


def engines() -> list[Engine]:
    """Every engine, by name; then those that somebody has brought, as far as they are in the cache."""
    return [*_own(), *custom(), *program_roots()]


def family_of(name: str) -> Family | None:
    """Whose servers the engine of this name has; None: there is no such engine."""
    if is_custom(name):
        return Source.named(name).family
    return next((one.family for one in _own() if one.name == name), None)


def engine(name: str) -> Engine:
    """The engine of this name.

    Raises:
        UsageError: there is none; with the nearest name.
    """
    if name.startswith(PREFIX):
        return ProgramRoot(name)
    if is_custom(name):
        return CustomEngine(Source.named(name))
    known = {engine.name: engine for engine in _own()}
    if name in known:
        return known[name]
    raise UsageError(f"unknown engine {name!r}{nearest(name, known)}\n    allowed: {', '.join(known)}")


def _own() -> list[Engine]:
    kinds = plugins.classes("fivenines.software", Engine)  # type: ignore[type-abstract]
    found = [kind() for kind in kinds if hasattr(kind, "name")]
    return sorted(found, key=lambda engine: engine.name)
