"""Look up engines by name."""

from functools import cache

from fivenines.base import plugins
from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest
from fivenines.software.base import Engine, Family
from fivenines.software.custom import CustomEngine, Source, custom, is_custom
from fivenines.software.program_root import PREFIX, ProgramRoot, program_roots


def engines() -> list[Engine]:
    """Return every engine by name, then the custom engines in the cache."""
    return [*_own(), *custom(), *program_roots()]


def family_of(name: str) -> Family | None:
    """Return the family of an engine's servers; None: unknown engine."""
    if is_custom(name):
        return Source.named(name).family
    return next((engine.family for engine in _own() if engine.name == name), None)


def engine(name: str) -> Engine:
    """Return the engine of this name.

    Raises:
        UsageError: unknown engine; the message has the nearest name.
    """
    if name.startswith(PREFIX):
        return ProgramRoot(name)
    if is_custom(name):
        return CustomEngine(Source.named(name))
    known = {engine.name: engine for engine in _own()}
    if name in known:
        return known[name]
    raise UsageError(f"unknown engine {name!r}{nearest(name, known)}\n    allowed: {', '.join(known)}")


@cache
def _own() -> tuple[Engine, ...]:
    kinds = plugins.classes("fivenines.software", Engine)  # type: ignore[type-abstract]
    made = sorted((kind() for kind in kinds if hasattr(kind, "name")), key=lambda engine: engine.name)
    return tuple(made)
