"""Problems of settings, and of the settings within them."""

from collections.abc import Callable, Iterable

from fivenines.base.settings import Settings


def problems_within(settings: Settings, own: Callable[[Settings], Iterable[str]]) -> list[str]:
    """Return the problems of settings and of nested settings; `own` returns those of one of them."""
    found = [*own(settings)]
    for name in type(settings).model_fields:
        inner = getattr(settings, name)
        if isinstance(inner, Settings):
            found += problems_within(inner, own)
        elif isinstance(inner, list):
            parts = [(i, one) for i, one in enumerate(inner) if isinstance(one, Settings)]
            found += [f"{name}[{i}]: {text}" for i, one in parts for text in problems_within(one, own)]
    return found
