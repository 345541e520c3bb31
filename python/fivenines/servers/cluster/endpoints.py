"""The endpoints of clients."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True)
class Endpoints:
    """The endpoints at which a client writes and reads.

    Attributes:
        write: address:port of the candidates, in order of preference.
        read: the same for single reads; empty: reads go where writes go.
        find: `writable` if the client must look for the writable node, else `any`.
        spread: whether all clients start with the first candidate, or are spread over all.
        name_server: address of the name server that knows their names; empty: they are addresses.
    """

    write: Sequence[str]
    read: Sequence[str]
    find: Literal["writable", "any"]
    spread: Literal["first", "all"]
    name_server: str = ""

    @classmethod
    def of_one(cls, write: str, read: Sequence[str] = ()) -> "Endpoints":
        """Return endpoints with one address that always leads to the writable node."""
        return cls((write,), tuple(read), find="any", spread="first")

    def only(self, endpoint: str) -> "Endpoints":
        """Return the endpoints reduced to one, for a client that uses no other."""
        return replace(self, write=(endpoint,), read=(endpoint,) if self.read else ())

    def preferring(self, near: Container[str]) -> "Endpoints":
        """Return the endpoints with near addresses first; reads use near addresses only, if there are any."""
        write = sorted(self.write, key=lambda endpoint: endpoint not in near)
        read = [endpoint for endpoint in self.read if endpoint in near] or self.read
        return replace(self, write=tuple(write), read=tuple(read), spread="first")
