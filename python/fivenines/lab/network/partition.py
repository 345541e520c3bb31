"""Cut hosts off from each other: a kernel hook of the bridges drops frames between pairs of MAC addresses.

A bridge forwards every frame between two hosts, so the hook `forward` of the nftables family bridge sees it,
within a site and between sites. Only frames to a single host are dropped: a broadcast, such as an ARP
request, still arrives, but the reply does not.
"""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable

from fivenines.base.errors import FiveninesError
from fivenines.lab.network.network import into

Pair = tuple[str, str]

# Source, destination, and the port that is cut; 0: all frames.
_Way = tuple[str, str, int]

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
    """The cuts in the lab with this first process. Pairs are MAC addresses, (source, destination)."""

    def __init__(self, lab: int) -> None:
        self._lab = lab
        self._ready = False
        self._times: Counter[_Way] = Counter()

    def add(self, pairs: Iterable[Pair], port: int = 0) -> None:
        """Drop all frames of these pairs from now on. A pair that is cut twice must be healed twice.

        With a `port`, drop only TCP and UDP from and to this port.
        """
        requested = {(*pair, port) for pair in pairs}
        if new := sorted(way for way in requested if not self._times[way]):
            self._change("" if self._ready else _SET_UP, "add", new)
            self._ready = True
        self._times.update(requested)

    def remove(self, pairs: Iterable[Pair], port: int = 0) -> None:
        """Let frames pass again; pairs that are not cut are ignored."""
        requested = {way for pair in pairs if self._times[way := (*pair, port)]}
        if last := sorted(way for way in requested if self._times[way] == 1):
            self._change("", "delete", last)
        self._times.subtract(requested)

    def dropped(self) -> int:
        """Return the number of dropped frames."""
        if not self._ready:
            return 0
        listed = json.loads(self._nft("", "--json", "list", "counter", *_TABLE.split(), "dropped"))
        return sum(int(item["counter"]["packets"]) for item in listed["nftables"] if "counter" in item)

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
                "a network partition needs the program nft: run `sudo apt-get install nftables`"
            )
        command = [*into(self._lab), "nft", *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise FiveninesError(f"nft could not cut or heal the network: {done.stderr.strip()}")
        return done.stdout
