"""Results as plain dictionaries, as they are written to files."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_NOT_WRITTEN = "machines"
"""Of a summary: the values of single trials stand with the trials."""


def plain(one: "DataclassInstance") -> dict[str, Any]:
    """A dataclass and all in it, without the values of single trials."""
    return asdict(one, dict_factory=lambda items: {key: value for key, value in items if key != _NOT_WRITTEN})
