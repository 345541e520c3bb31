"""The links between hosts on machines of an inventory: between sites, and of hosts that a fault impairs."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from fivenines.lab.settings import LinkSettings, NetworkSettings
from fivenines.lab.ssh.network.links import OutgoingLinks, joined


class LinksBetween:
    """The settings of the link from each host to each other host.

    Args:
        network: settings of links between sites, from the start or from the load on.
        site_of: returns the site of a host.
    """

    def __init__(self, network: NetworkSettings, site_of: Callable[[str], str]) -> None:
        self._network = network
        self._now = network.plain() if network.begins_late else network
        self._site_of = site_of
        self._outgoing: dict[str, OutgoingLinks] = {}
        self._addresses: dict[str, str] = {}
        self._sites: dict[frozenset[str], LinkSettings] = {}
        self._hosts: dict[str, LinkSettings] = {}
        self._off: set[str] = set()

    def add(self, host: str, address: str, outgoing: OutgoingLinks) -> None:
        """Add a host."""
        self._outgoing[host], self._addresses[host] = outgoing, address
        self._use_all()

    def begin(self) -> None:
        """Apply the network settings if they begin with the load."""
        if self._now != self._network:
            self._now = self._network
            self._use_all()

    def end(self) -> None:
        """Remove the network settings again if they began with the load."""
        if self._network.begins_late and self._now == self._network:
            self._now = self._network.plain()
            self._use_all()

    def impair(self, where: str | tuple[str, str], link: LinkSettings) -> None:
        """Change the link of a host, or those between two sites."""
        if isinstance(where, str):
            self._hosts[where] = link
        else:
            self._sites[frozenset(where)] = link
        self._use_all()

    def restore(self, where: str | tuple[str, str]) -> None:
        """Undo `impair`."""
        if isinstance(where, str):
            self._hosts.pop(where, None)
        else:
            self._sites.pop(frozenset(where), None)
        self._use_all()

    def delay(self, source: str, target: str) -> float:
        """Return the seconds that the emulated link can add to a packet's time between two hosts."""
        link = self._link(source, target)
        return link.rtt / 2 + link.jitter

    def switched_off(self, host: str) -> None:
        """Note that a host was switched off."""
        self._off.add(host)
        self._outgoing[host].switched_off()

    def switched_on(self, host: str) -> None:
        """Restore the links of a host that was switched on."""
        self._off.discard(host)
        self._outgoing[host].use(self._links_from(host))

    def require(self) -> None:
        """Check that all emulators work; raise FiveninesError if one does not."""
        for outgoing in self._outgoing.values():
            outgoing.require()

    def close(self) -> None:
        """Stop all emulators."""
        for outgoing in self._outgoing.values():
            outgoing.end()

    def _use_all(self) -> None:
        running = [host for host in self._outgoing if host not in self._off]
        with ThreadPoolExecutor(max(1, len(running))) as pool:
            list(pool.map(lambda host: self._outgoing[host].use(self._links_from(host)), running))

    def _links_from(self, source: str) -> Mapping[str, LinkSettings]:
        return {
            address: self._link(source, target)
            for target, address in self._addresses.items()
            if target != source
        }

    def _link(self, source: str, target: str) -> LinkSettings:
        ends = self._site_of(source), self._site_of(target)
        between = self._sites.get(frozenset(ends)) or self._now.direction(*ends)
        own = [self._hosts[host] for host in (source, target) if host in self._hosts]
        return joined([between, *own])
