"""Convert results to plain dictionaries for files."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# Summaries are written without the values of single trials, which the trials have.
_NOT_WRITTEN = "machines"


def plain(instance: "DataclassInstance") -> dict[str, Any]:
    """Convert a dataclass recursively, without the values of single trials."""
    return asdict(
        instance, dict_factory=lambda items: {key: value for key, value in items if key != _NOT_WRITTEN}
    )
