"""Endpoints, and what every access layer does."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

from fivenines.access.settings import AccessSettings

if TYPE_CHECKING:
    from fivenines.solutions.base import Solution
    from fivenines.solutions.settings import SolutionSettings

A = TypeVar("A", bound=AccessSettings)


@dataclass(frozen=True)
class Endpoints:
    """Where a client writes and reads.

    Attributes:
        write: address:port of the candidates, in order of preference.
        read: the same for single reads; empty: they go where writes go.
        find: `writable` when the client must look for the node that takes writes, else `any`.
        spread: whether all clients start with the first candidate, or spread over all.
    """

    write: Sequence[str]
    read: Sequence[str]
    find: Literal["writable", "any"]
    spread: Literal["first", "all"]


class Access(ABC, Generic[A]):
    """One access layer at work in front of a solution."""

    settings_type: ClassVar[type[AccessSettings]]
    software: ClassVar[str | None] = None
    """The engine whose root file system carries its programs, if it has any."""

    def __init__(self, settings: A, solution: "Solution[SolutionSettings]") -> None:
        self.settings = settings
        self.solution = solution

    @abstractmethod
    def start(self) -> None:
        """Start what it needs; returns when clients can use it."""

    @abstractmethod
    def endpoints(self) -> Endpoints:
        """Where clients write and read."""
