"""Links between machines of an inventory: each machine delays, thins and loses what it sends to the others.

On each machine, packets to those whose link is changed are led into a network device of ours, behind which
the emulator `fivenines-core remote links` sends them on when they are due. SSH itself is never led there. The
way in is a table of nftables, a rule and a route of our own; the emulator ends with the host, and without it
the rule leads nowhere, so that packets go as ever. The guard on the machine removes what is left.
"""

import socket
import subprocess
from collections.abc import Collection, Iterable, Mapping, Sequence
from ipaddress import IPv4Address
from pathlib import Path
from typing import Protocol

from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.lab.settings import LinkSettings
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.wan import SEED, EmulatorProcess, link_asked

DEVICE = "fivenines0"
TABLE = 4699
"""Of routing, and where its rule stands among the others: on one machine one run at a time is at work."""

_LARGEST = 65_521
"""Bytes of a packet for such a device; the kernel's drivers/net/tun.c."""

_LED, _SENT_ON = 0x4699_0001, 0x4699_0002
"""Marks of packets that go to the emulator, and of those that come from there."""


class Linked(Protocol):
    """A host as far as its links know it."""

    name: str
    address: str
    folder: Path
    connection: Connection

    def beside(self, command: Sequence[str]) -> list[str]:
        """The command line that runs a command beside the host, as root."""

    def undo(self, name: str, command: list[str], text: str = "") -> None:
        """What undoes a fault should we be gone; with an empty command the fault is over."""


class OutgoingLinks:
    """What the links from one host to others do.

    Args:
        host: the host.
        table: the name of the table of nftables, which nobody else uses.
        spared: TCP ports whose packets always go as ever; read when the table is made.
    """

    def __init__(self, host: Linked, table: str, spared: Collection[int]) -> None:
        self._host, self._table = host, f"inet {table}"
        self._spared = spared
        self._emulator: _Emulator | None = None
        self._now: dict[str, LinkSettings] = {}

    def use(self, links: Mapping[str, LinkSettings]) -> None:
        """The link to each of these addresses does this, and any other nothing; in force on return.

        Raises:
            FiveninesError: the machine cannot do so; says why.
        """
        wanted = {address: link for address, link in links.items() if link.changes}
        if wanted == self._now:
            return
        if self._emulator is None:
            self._emulator = self._begin(next(iter(wanted)))
        for address, link in wanted.items():
            self._emulator.set(address, link)
        self._lead("add", wanted.keys() - self._now.keys())
        self._lead("delete", self._now.keys() - wanted.keys())
        self._now = wanted

    def require(self) -> None:
        """Make sure that the emulator works; raises FiveninesError if it does not."""
        if self._emulator is not None:
            self._emulator.require()

    def are_gone(self) -> None:
        """The machine has lost its power, and all of this with it."""
        self.end()
        self._now = {}

    def end(self) -> None:
        """Stop the emulator: packets go as ever."""
        if self._emulator is not None:
            self._emulator.end()
            self._emulator = None

    def _begin(self, other: str) -> "_Emulator":
        self._host.undo("links", ["sh", "-c", f"nft delete table {self._table}; {rule('del')}"])
        emulator = _Emulator(self._host)
        try:
            self._lead_there(other)
        except FiveninesError:
            emulator.end()
            raise
        return emulator

    def _lead_there(self, other: str) -> None:
        self._do(
            # of a run whose guard was killed, too
            f"{rule('del')} 2>/dev/null; "
            # a packet that fits here must fit the way out, too
            f"dev=$(ip -o route get {other} | sed 's/.* dev \\([^ ]*\\).*/\\1/') && "
            "mtu=$(ip -o link show dev $dev | sed 's/.* mtu \\([0-9]*\\).*/\\1/') && "
            f": ${{mtu:?no way to {other}}} && "
            f"ip link set dev {DEVICE} mtu $((mtu > {_LARGEST} ? {_LARGEST} : mtu)) up && "
            f"ip route add default dev {DEVICE} src {self._host.address} table {TABLE} && {rule('add')}"
        )
        self._nft(self._set_up())

    def _set_up(self) -> str:
        spared = ", ".join(map(str, sorted(set(self._spared))))
        # a chain of this type asks for the way again where the mark was changed; a rule by address would
        # have the machine drop what comes in, where it filters by the way back
        return f"""
table {self._table} {{
  set far {{ type ipv4_addr; }}
  chain outgoing {{
    type route hook output priority mangle;
    meta mark {_SENT_ON} return
    tcp dport {{ {spared} }} return
    tcp sport {{ {spared} }} return
    ip daddr @far meta mark set {_LED}
  }}
}}
"""

    def _lead(self, verb: str, addresses: Iterable[str]) -> None:
        if elements := ", ".join(sorted(addresses)):
            self._nft(f"{verb} element {self._table} far {{ {elements} }}\n")

    def _nft(self, text: str) -> None:
        self._done(["nft", "--file", "-"], text)

    def _do(self, script: str) -> None:
        self._done(["sh", "-c", script], "")

    def _done(self, command: list[str], text: str) -> None:
        done = self._host.connection.run(command, stdin=text)
        if done.code != 0:
            raise FiveninesError(f"{self._host.name}: a link could not be changed: {done.last_words}")


class _Emulator(EmulatorProcess):
    """The emulator of one machine."""

    def __init__(self, host: Linked) -> None:
        command = host.beside(
            [
                str(core_binary()),
                "remote",
                "links",
                f"--device={DEVICE}",
                f"--mark={_SENT_ON}",
                f"--seed={SEED + int(IPv4Address(host.address))}",
            ]
        )
        log = host.folder / "links.log"

        def start(theirs: socket.socket) -> "subprocess.Popen[bytes]":
            with log.open("ab") as said:
                return subprocess.Popen(
                    command,
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=said,
                    start_new_session=True,
                )

        self._name = host.name
        super().__init__(log, start)

    def set(self, address: str, link: LinkSettings) -> None:
        """Change the link to an address; in force on return, for packets that come from now on."""
        self._ask({"do": "set", "to": address, "link": link_asked(link)})

    def _failure(self, reason: str) -> FiveninesError:
        return FiveninesError(f"{self._name}: {super()._failure(reason)}")


def rule(verb: str) -> str:
    """The command that adds or deletes our rule of routing."""
    return f"ip rule {verb} fwmark {_LED} lookup {TABLE} priority {TABLE}"


def joined(links: Iterable[LinkSettings]) -> LinkSettings:
    """Links one behind the other, as one: times add up, and the thinnest counts."""
    found = LinkSettings()
    for one in links:
        thin = [link for link in (found, one) if link.bandwidth is not None]
        thinnest = min(thin, key=lambda link: link.bandwidth or 0, default=found)
        found = LinkSettings(
            rtt=found.rtt + one.rtt,
            jitter=found.jitter + one.jitter,
            bandwidth=thinnest.bandwidth,
            queue=thinnest.queue,
            loss=1 - (1 - found.loss) * (1 - one.loss),
            reorder=1 - (1 - found.reorder) * (1 - one.reorder),
        )
    return found
