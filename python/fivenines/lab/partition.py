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

_TABLE = "bridge fivenines"
_SET_UP = f"""
table {_TABLE} {{
  counter dropped {{ }}
  set cut {{ type ether_addr . ether_addr; }}
  chain forward {{
    type filter hook forward priority 0;
    ether saddr . ether daddr @cut counter name dropped drop
  }}
}}
"""


class Cuts:
    """The cuts in a world, by its first process. Pairs are MAC addresses, (from, to)."""

    def __init__(self, world: int) -> None:
        self._world = world
        self._ready = False
        self._times: Counter[Pair] = Counter()

    def add(self, pairs: Iterable[Pair]) -> None:
        """Drop all frames of these pairs from now on. A pair cut twice has to be healed twice."""
        asked = set(pairs)
        if new := sorted(pair for pair in asked if not self._times[pair]):
            text = "" if self._ready else _SET_UP
            self._change(f"{text}add element {_TABLE} cut", new)
            self._ready = True
        self._times.update(asked)

    def remove(self, pairs: Iterable[Pair]) -> None:
        """Let frames pass again; pairs that are not cut are passed over."""
        asked = {pair for pair in pairs if self._times[pair]}
        if whole := sorted(pair for pair in asked if self._times[pair] == 1):
            self._change(f"delete element {_TABLE} cut", whole)
        self._times.subtract(asked)

    def dropped(self) -> int:
        """Frames that cuts have dropped so far."""
        if not self._ready:
            return 0
        told = json.loads(self._nft("", "--json", "list", "counter", *_TABLE.split(), "dropped"))
        return sum(int(one["counter"]["packets"]) for one in told["nftables"] if "counter" in one)

    def _change(self, command: str, pairs: list[Pair]) -> None:
        elements = ", ".join(f"{source} . {target}" for source, target in pairs)
        self._nft(f"{command} {{ {elements} }}\n", "--file", "-")

    def _nft(self, text: str, *arguments: str) -> str:
        if shutil.which("nft") is None:
            raise FiveninesError(
                "the network cannot be cut without the program nft; install it: "
                "sudo apt-get install nftables"
            )
        command = [*into(self._world), "nft", *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise FiveninesError(f"the network could not be cut or healed: {done.stderr.strip()}")
        return done.stdout
