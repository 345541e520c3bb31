"""List again until nothing is new."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def until_none_is_new(listed: Callable[[], Iterable[T]]) -> Iterator[T]:
    """Yield each listed item once, and list again until there are no new ones: processes start others."""
    known: set[T] = set()
    while fresh := [item for item in listed() if item not in known]:
        known.update(fresh)
        yield from fresh
