"""Problems of settings, and of the settings within them."""

import re
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


# The key or the index with which a problem begins, and what separates it from the rest.
_STEP = re.compile(r"(?:(\w+)|\[(\d+)\])(?:: |\.)?")


def path_of(settings: object, problem: str) -> tuple[str | int, ...]:
    """Return the keys and indices with which a problem begins, as far as the settings have them.

    `steps[0]: inject: …` leads to `("steps", 0, "fault", "inject")`.
    """
    match = _STEP.match(problem)
    if match is None:
        return ()
    rest = problem[match.end() :]
    if isinstance(settings, list) and match[2] and int(match[2]) < len(settings):
        return (int(match[2]), *path_of(settings[int(match[2])], rest))
    if not isinstance(settings, Settings) or not match[1]:
        return ()
    if match[1] in type(settings).model_fields:
        return (match[1], *path_of(getattr(settings, match[1]), rest))
    # The problems of nested settings do not begin with their key.
    for name in type(settings).model_fields:
        inner = getattr(settings, name)
        if isinstance(inner, Settings) and (path := path_of(inner, problem)):
            return (name, *path)
    return ()
