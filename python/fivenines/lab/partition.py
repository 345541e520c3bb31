"""Cuts between hosts: a set of pairs of MAC addresses, whose frames the bridges' kernel hook drops.

Every frame between two hosts is forwarded by a bridge, so the hook `forward` of nftables' family bridge
sees it, in one site as between two. Only frames addressed to a host are dropped: a broadcast, such as the
question of ARP, still arrives, but its answer does not.
"""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable

from fivenines.errors import FiveninesError
from fivenines.lab.network import into

Pair = tuple[str, str]

_Way = tuple[str, str, int]
"""From, to, and the port that is cut; 0: all frames are."""

_TABLE = "bridge fivenines"
_OF_PORT = "meta l4proto { tcp, udp } ether saddr . ether daddr . th"
_SET_UP = f"""
table {_TABLE} {{
  counter dropped {{ }}
  set cut {{ type ether_addr . ether_addr; }}
  set cut_ports {{ type ether_addr . ether_addr . inet_service; }}
  chain forward {{
    type filter hook forward priority 0;
    ether saddr . ether daddr @cut counter name dropped drop
    {_OF_PORT} dport @cut_ports counter name dropped drop
    {_OF_PORT} sport @cut_ports counter name dropped drop
  }}
}}
"""


class Cuts:
    """The cuts in a lab, by its first process. Pairs are MAC addresses, (from, to)."""

    def __init__(self, lab: int) -> None:
        self._lab = lab
        self._ready = False
        self._times: Counter[_Way] = Counter()

    def add(self, pairs: Iterable[Pair], port: int = 0) -> None:
        """Drop all frames of these pairs from now on. A pair cut twice has to be healed twice.

        With a `port` only TCP and UDP from it and to it are dropped.
        """
        asked = {(*pair, port) for pair in pairs}
        if new := sorted(way for way in asked if not self._times[way]):
            self._change("" if self._ready else _SET_UP, "add", new)
            self._ready = True
        self._times.update(asked)

    def remove(self, pairs: Iterable[Pair], port: int = 0) -> None:
        """Let frames pass again; pairs that are not cut are passed over."""
        asked = {way for pair in pairs if self._times[way := (*pair, port)]}
        if whole := sorted(way for way in asked if self._times[way] == 1):
            self._change("", "delete", whole)
        self._times.subtract(asked)

    def dropped(self) -> int:
        """Frames that cuts have dropped so far."""
        if not self._ready:
            return 0
        told = json.loads(self._nft("", "--json", "list", "counter", *_TABLE.split(), "dropped"))
        return sum(int(one["counter"]["packets"]) for one in told["nftables"] if "counter" in one)

    def _change(self, before: str, verb: str, ways: list[_Way]) -> None:
        elements = ", ".join(
            f"{source} . {target} . {port}" if port else f"{source} . {target}"
            for source, target, port in ways
        )
        name = "cut_ports" if ways[0][2] else "cut"
        self._nft(f"{before}{verb} element {_TABLE} {name} {{ {elements} }}\n", "--file", "-")

    def _nft(self, text: str, *arguments: str) -> str:
        if shutil.which("nft") is None:
            raise FiveninesError(
                "the network cannot be cut without the program nft; install it: sudo apt-get install nftables"
            )
        command = [*into(self._lab), "nft", *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise FiveninesError(f"the network could not be cut or healed: {done.stderr.strip()}")
        return done.stdout
