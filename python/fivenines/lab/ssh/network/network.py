"""The network between machines of an inventory, which is their own, with cuts and links at each machine."""

import secrets
import subprocess
from collections import defaultdict
from collections.abc import Iterable

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host
from fivenines.lab.network.knock import knocking
from fivenines.lab.network.lab_network import LabNetwork
from fivenines.lab.network.wan import Traffic
from fivenines.lab.settings import LinkSettings, NetworkSettings
from fivenines.lab.ssh.host import SshHost
from fivenines.lab.ssh.inventory import Inventory
from fivenines.lab.ssh.network.cuts import IncomingCuts
from fivenines.lab.ssh.network.host_links import LinksBetween
from fivenines.lab.ssh.network.links import OutgoingLinks
from fivenines.lab.ssh.network.sites import InventorySites

_SSH = 22
# Seconds after which a sender of packets stops by itself.
_KNOCKING = 60


class SshNetwork(LabNetwork):
    """The network between the hosts of an inventory.

    Args:
        settings: settings of the links between sites; None: plain links.
        sites: the sites of the hosts.
        inventory: the machines.
        name: part of the names of nftables tables, unique on the machines.
    """

    def __init__(
        self, settings: NetworkSettings | None, sites: InventorySites, inventory: Inventory, name: str
    ) -> None:
        super().__init__(settings)
        self._sites, self._inventory, self._name = sites, inventory, name
        self._incoming: dict[str, IncomingCuts] = {}
        # Ports of SSH servers, which no fault affects; ports from ssh's configuration are added later.
        self._ports = {machine.port or _SSH for machine in inventory.hosts.values()}
        self._ways = LinksBetween(self.settings, sites.of)

    def join(self, host: SshHost) -> None:
        """Prepare cuts and links of a host that has started."""
        self._ports.update(host.connection.ports)
        self._incoming[host.name] = IncomingCuts(host, f"fivenines_{self._name}", self._ports)
        outgoing = OutgoingLinks(host, f"fivenines_links_{self._name}", self._ports)
        self._ways.add(host.name, host.address, outgoing)

    def add_addresses(self, host: Host, count: int) -> None:
        if count:
            host.addresses.give("")

    def begin(self) -> None:
        self._ways.begin()

    def end(self) -> None:
        self._ways.end()

    def cut(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        for target, sources in self._by_target(pairs).items():
            for port in ports or (0,):
                self._incoming[target].add(sources, port)

    def heal(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        for target, sources in self._by_target(pairs).items():
            for port in ports or (0,):
                self._incoming[target].remove(sources, port)

    def _by_target(self, pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
        """Return the source addresses of packets, by destination host."""
        sources: dict[str, list[str]] = defaultdict(list)
        for source, target in pairs:
            sources[self._sites.known(target).name].append(self._sites.known(source).address)
        return sources

    def frames_cut(self) -> int:
        return sum(cuts.dropped() for cuts in self._incoming.values())

    def reaches(self, source: str, target: str, timeout: float = 0.3) -> bool:
        """Return whether packets pass from one host to another now, at the inventory's `probe_port`.

        Waits at most `timeout` seconds, plus the time of the requests and of emulated links.
        """
        at, to = self._sites.known(source), self._sites.known(target)
        word = secrets.token_hex(8)
        where = f"{to.address}:{self._inventory.probe_port}"
        core = str(core_binary())
        knock = [core, "remote", "knock", f"--from={at.address}", f"--to={where}", f"--word={word}"]
        patience = timeout + self._ways.delay(source, target)
        hear = [core, "remote", "hear", f"--at={where}", f"--word={word}", f"--seconds={patience:g}"]
        with knocking(at.commands.outside([*knock, f"--seconds={_KNOCKING}"])):
            done = subprocess.run(
                to.commands.outside(hear),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode != 0:
            error = "".join(done.stderr.strip().splitlines()[-1:])
            raise FiveninesError(f"cannot test whether {source} reaches {target}: {error}")
        return done.stdout.split()[-1:] == ["yes"]

    def impair(self, where: str | tuple[str, str], link: LinkSettings) -> None:
        self._ways.impair(self._known_place(where), link)

    def restore(self, where: str | tuple[str, str]) -> None:
        self._ways.restore(self._known_place(where))

    def traffic(self) -> dict[tuple[str, str], Traffic]:
        return {}

    def require_sound(self) -> None:
        self._ways.require()

    def switched_off(self, host: str) -> None:
        """Note that a host was switched off, which ends its cuts and emulated links."""
        self._incoming[host].switched_off()
        self._ways.switched_off(host)

    def switched_on(self, host: str) -> None:
        """Restore the links of a host that was switched on."""
        self._ways.switched_on(host)

    def close(self) -> None:
        """Stop all emulators."""
        self._ways.close()

    def _known_place(self, where: str | tuple[str, str]) -> str | tuple[str, str]:
        """Return the existing host or pair of sites; raise if it is unknown."""
        if isinstance(where, str):
            return self._sites.known(where).name
        if unknown := sorted({*where} - {*(sites := self._sites.members())}):
            raise FiveninesError(f"unknown site {unknown[0]!r}; the sites are: {', '.join(sites)}")
        return where
