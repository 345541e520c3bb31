"""Emulate links between machines of an inventory: each machine delays, limits or drops its outgoing packets.

Packets to a machine with a changed link are routed into a separate network device. Behind it, the emulator
`fivenines-core remote links` sends them on when they are due. SSH is never routed there. A separate nftables
table, a rule and a route select the packets. The emulator ends with the host; without it the rule has no
effect, so packets take their normal route. The guard on the machine removes the remains.
"""

import socket
import subprocess
from collections.abc import Collection, Iterable, Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import Protocol

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.network.wan import SEED, EmulatorProcess, link_asked
from fivenines.lab.settings import LinkSettings
from fivenines.lab.ssh.connection import Connection

DEVICE = "fivenines0"
# Number of the routing table and priority of its rule. Only one run at a time uses a machine.
TABLE = 4699

# Largest packet of such a device, in bytes; the kernel's drivers/net/tun.c.
_LARGEST = 65_521

# Marks of packets to the emulator, and of packets from the emulator.
_LED, _SENT_ON = 0x4699_0001, 0x4699_0002


class Linked(Protocol):
    """A host, as far as its links use it."""

    name: str
    address: str
    folder: Path

    @property
    def connection(self) -> Connection:
        """Return the current connection to the machine."""

    @property
    def commands(self) -> HostCommands:
        """Return its commands; those outside its namespaces run as root."""

    def undo(self, name: str, command: list[str], text: str = "") -> None:
        """Register the command that undoes a fault if we end; an empty command removes it."""


class OutgoingLinks:
    """The emulated links from one host to others.

    Args:
        host: the host.
        table: name of the nftables table, unique on the machine.
        spared: TCP ports that are never emulated; read when the table is created.
    """

    def __init__(self, host: Linked, table: str, spared: Collection[int]) -> None:
        self._host, self._table = host, f"inet {table}"
        self._spared = spared
        self._emulator: _Emulator | None = None
        self._now: dict[str, LinkSettings] = {}

    def use(self, links: Mapping[str, LinkSettings]) -> None:
        """Emulate the links to these addresses and no others; in force on return.

        Raises:
            FiveninesError: the machine cannot emulate links; the message gives the reason.
        """
        changed = {address: link for address, link in links.items() if link.changes}
        if changed == self._now:
            return
        if self._emulator is None:
            self._emulator = self._begin(next(iter(changed)))
        for address, link in changed.items():
            self._emulator.set(address, link)
        self._lead("add", changed.keys() - self._now.keys())
        self._lead("delete", self._now.keys() - changed.keys())
        self._now = changed

    def require(self) -> None:
        """Check that the emulator works; raise FiveninesError if it does not."""
        if self._emulator is not None:
            self._emulator.require()

    def switched_off(self) -> None:
        """Note that the machine was switched off, so that its emulated links no longer exist."""
        self.end()
        self._now = {}

    def end(self) -> None:
        """Stop the emulator, so that packets take their normal route."""
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
            # Also remove the rule of a run whose guard was killed.
            f"{rule('del')} 2>/dev/null; "
            # The MTU must not exceed that of the outgoing device.
            f"dev=$(ip -o route get {other} | sed 's/.* dev \\([^ ]*\\).*/\\1/') && "
            "mtu=$(ip -o link show dev $dev | sed 's/.* mtu \\([0-9]*\\).*/\\1/') && "
            f": ${{mtu:?no way to {other}}} && "
            f"ip link set dev {DEVICE} mtu $((mtu > {_LARGEST} ? {_LARGEST} : mtu)) up && "
            f"ip route add default dev {DEVICE} src {self._host.address} table {TABLE} && {rule('add')}"
        )
        self._nft(self._set_up())

    def _set_up(self) -> str:
        spared = ", ".join(map(str, sorted(set(self._spared))))
        # A chain of type route repeats the routing decision after a change of the mark. A rule by address
        # would make machines with reverse path filtering drop incoming packets.
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
            raise FiveninesError(f"{self._host.name}: cannot change a link: {done.last_words}")


class _Emulator(EmulatorProcess):
    """The emulator of one machine."""

    def __init__(self, host: Linked) -> None:
        command = host.commands.outside(
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
            with log.open("ab") as errors:
                return subprocess.Popen(
                    command,
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=errors,
                    start_new_session=True,
                )

        self._name = host.name
        super().__init__(log, start)

    def set(self, address: str, link: LinkSettings) -> None:
        """Change the link to an address; on return it applies to all new packets."""
        self._ask({"do": "set", "to": address, "link": link_asked(link)})

    def _failure(self, reason: str) -> FiveninesError:
        return FiveninesError(f"{self._name}: {super()._failure(reason)}")


def rule(verb: str) -> str:
    """Return the command that adds or deletes our routing rule."""
    return f"ip rule {verb} fwmark {_LED} lookup {TABLE} priority {TABLE}"


def joined(links: Iterable[LinkSettings]) -> LinkSettings:
    """Combine links in series into one: times add up, and the lowest bandwidth applies."""
    total = LinkSettings()
    for link in links:
        limited = [part for part in (total, link) if part.bandwidth is not None]
        slowest = min(limited, key=lambda part: part.bandwidth or 0, default=total)
        total = LinkSettings(
            rtt=total.rtt + link.rtt,
            jitter=total.jitter + link.jitter,
            bandwidth=slowest.bandwidth,
            queue=slowest.queue,
            loss=1 - (1 - total.loss) * (1 - link.loss),
            reorder=1 - (1 - total.reorder) * (1 - link.reorder),
        )
    return total
