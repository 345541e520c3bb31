"""Cuts on a machine of an inventory: a table of nftables of our own, which drops packets as they come in.

What leaves another machine still leaves it, and is dropped where it arrives. SSH itself is never cut. The
guard on the machine removes the table if we are gone.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Protocol

from fivenines.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection

_Way = tuple[str, int]
"""From which address, and the port that is cut; 0: all packets are."""


class Cuttable(Protocol):
    """A host as far as cuts know it."""

    name: str
    connection: Connection

    def undo(self, name: str, command: list[str], text: str = "") -> None:
        """What undoes a fault should we be gone; with an empty command the fault is over."""


class IncomingCuts:
    """What does not come in on one host.

    Args:
        host: the host.
        table: the name of the table, which nobody else uses.
        spared: TCP ports whose packets always come in; read when the table is made.
    """

    def __init__(self, host: Cuttable, table: str, spared: Collection[int]) -> None:
        self._host, self._table = host, f"inet {table}"
        self._spared = spared
        self._times: Counter[_Way] = Counter()
        self._ready = False

    def add(self, sources: Iterable[str], port: int = 0) -> None:
        """Drop what comes from these addresses, in force on return. Cut twice, heal twice."""
        asked = {(source, port) for source in sources}
        if new := sorted(way for way in asked if not self._times[way]):
            if not self._ready:
                self._host.undo("cut", ["nft", "--file", "-"], f"delete table {self._table}\n")
                self._nft(self._set_up())
                self._ready = True
            self._nft(self._elements("add", new))
        self._times.update(asked)

    def remove(self, sources: Iterable[str], port: int = 0) -> None:
        """Let packets come in again; what is not cut is passed over."""
        asked = {way for source in sources if self._times[way := (source, port)]}
        if whole := sorted(way for way in asked if self._times[way] == 1):
            self._nft(self._elements("delete", whole))
        self._times.subtract(asked)

    def are_gone(self) -> None:
        """The machine has lost its power, and all tables with it."""
        self._ready = False
        self._times.clear()

    def dropped(self) -> int:
        """Packets that were dropped so far."""
        if not self._ready:
            return 0
        told = json.loads(
            self._host.connection.need(["nft", "--json", "list", "counter", *self._table.split(), "dropped"])
        )
        return sum(int(one["counter"]["packets"]) for one in told["nftables"] if "counter" in one)

    def _set_up(self) -> str:
        spared = ", ".join(map(str, sorted(set(self._spared))))
        return f"""
table {self._table} {{
  counter dropped {{ }}
  set cut {{ type ipv4_addr; }}
  set cut_ports {{ type ipv4_addr . inet_service; }}
  chain incoming {{
    type filter hook input priority -200;
    tcp dport {{ {spared} }} return
    tcp sport {{ {spared} }} return
    ip saddr @cut counter name dropped drop
    meta l4proto {{ tcp, udp }} ip saddr . th dport @cut_ports counter name dropped drop
    meta l4proto {{ tcp, udp }} ip saddr . th sport @cut_ports counter name dropped drop
  }}
}}
"""

    def _elements(self, verb: str, ways: list[_Way]) -> str:
        name = "cut_ports" if ways[0][1] else "cut"
        elements = ", ".join(f"{source} . {port}" if port else source for source, port in ways)
        return f"{verb} element {self._table} {name} {{ {elements} }}\n"

    def _nft(self, text: str) -> None:
        done = self._host.connection.run(["nft", "--file", "-"], stdin=text)
        if done.code != 0:
            raise FiveninesError(
                f"{self._host.name}: the network could not be cut or healed: {done.last_words}"
            )
