"""Where clients write and read."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Literal


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

    @classmethod
    def of_one(cls, write: str, read: Sequence[str] = ()) -> "Endpoints":
        """One address that always leads to who takes writes: no client has to look for it."""
        return cls((write,), tuple(read), find="any", spread="first")

    def only(self, endpoint: str) -> "Endpoints":
        """Of these the one, for a client that goes nowhere else."""
        return replace(self, write=(endpoint,), read=(endpoint,) if self.read else ())

    def preferring(self, near: Container[str]) -> "Endpoints":
        """Those that are near first, and begun with; reads go to near ones alone, if there are any."""
        write = sorted(self.write, key=lambda one: one not in near)
        read = [one for one in self.read if one in near] or self.read
        return replace(self, write=tuple(write), read=tuple(read), spread="first")
