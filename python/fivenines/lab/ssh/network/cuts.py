"""Cut a machine of an inventory off: a separate nftables table drops incoming packets.

Other machines still send their packets; the receiver drops them. SSH is never cut. The guard on the machine
removes the table if the controller ends.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Protocol

from fivenines.base.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection

# Source address, and the port that is cut; 0: all packets.
_Way = tuple[str, int]


class Cuttable(Protocol):
    """A host, as far as cuts use it."""

    name: str

    @property
    def connection(self) -> Connection:
        """Return the current connection to the machine."""

    def undo(self, name: str, command: list[str], text: str = "") -> None:
        """Register the command that undoes a fault if we end; an empty command removes it."""


class IncomingCuts:
    """The incoming packets that one host drops.

    Args:
        host: the host.
        table: name of the nftables table, unique on the machine.
        spared: TCP ports that are never cut; read when the table is created.
    """

    def __init__(self, host: Cuttable, table: str, spared: Collection[int]) -> None:
        self._host, self._table = host, f"inet {table}"
        self._spared = spared
        self._times: Counter[_Way] = Counter()
        self._ready = False

    def add(self, sources: Iterable[str], port: int = 0) -> None:
        """Drop packets from these addresses; in force on return. Addresses cut twice must be healed twice."""
        requested = {(source, port) for source in sources}
        if new := sorted(way for way in requested if not self._times[way]):
            if not self._ready:
                self._host.undo("cut", ["nft", "--file", "-"], f"delete table {self._table}\n")
                self._nft(self._set_up())
                self._ready = True
            self._nft(self._elements("add", new))
        self._times.update(requested)

    def remove(self, sources: Iterable[str], port: int = 0) -> None:
        """Accept packets from these addresses again; addresses that are not cut are ignored."""
        requested = {way for source in sources if self._times[way := (source, port)]}
        if last := sorted(way for way in requested if self._times[way] == 1):
            self._nft(self._elements("delete", last))
        self._times.subtract(requested)

    def switched_off(self) -> None:
        """Note that the machine was switched off, so that its tables no longer exist."""
        self._ready = False
        self._times.clear()

    def dropped(self) -> int:
        """Return the number of dropped packets."""
        if not self._ready:
            return 0
        listed = json.loads(
            self._host.connection.need(["nft", "--json", "list", "counter", *self._table.split(), "dropped"])
        )
        return sum(int(item["counter"]["packets"]) for item in listed["nftables"] if "counter" in item)

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
                f"{self._host.name}: nft could not cut or heal the network: {done.last_words}"
            )
