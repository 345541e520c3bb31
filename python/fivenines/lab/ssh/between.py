"""The links between all hosts on machines of an inventory: between sites, and those of hosts for a while."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from fivenines.lab.settings import LinkSettings, NetworkSettings
from fivenines.lab.ssh.links import OutgoingLinks, joined


class LinksBetween:
    """What the way from each host to each other does.

    Args:
        network: what it does between sites, from the start or from the load on.
        site_of: the site of each host.
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
        """There is a further host."""
        self._outgoing[host], self._addresses[host] = outgoing, address
        self._use_all()

    def begin(self) -> None:
        """From now on links do what the settings say, where they say that they begin with the load."""
        if self._now != self._network:
            self._now = self._network
            self._use_all()

    def end(self) -> None:
        """From now on they do nothing, where they began with the load."""
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
        """Seconds that a packet may need from one host to another beside what the network itself needs."""
        way = self._way(source, target)
        return way.rtt / 2 + way.jitter

    def are_gone(self, host: str) -> None:
        """A host has lost its power."""
        self._off.add(host)
        self._outgoing[host].are_gone()

    def are_back(self, host: str) -> None:
        """It has it again."""
        self._off.discard(host)
        self._outgoing[host].use(self._ways_from(host))

    def require(self) -> None:
        """Make sure that all emulators work; raises FiveninesError if one does not."""
        for outgoing in self._outgoing.values():
            outgoing.require()

    def close(self) -> None:
        """Stop all emulators."""
        for outgoing in self._outgoing.values():
            outgoing.end()

    def _use_all(self) -> None:
        there = [host for host in self._outgoing if host not in self._off]
        with ThreadPoolExecutor(max(1, len(there))) as pool:
            list(pool.map(lambda host: self._outgoing[host].use(self._ways_from(host)), there))

    def _ways_from(self, source: str) -> Mapping[str, LinkSettings]:
        return {
            address: self._way(source, target)
            for target, address in self._addresses.items()
            if target != source
        }

    def _way(self, source: str, target: str) -> LinkSettings:
        ends = self._site_of(source), self._site_of(target)
        between = self._sites.get(frozenset(ends)) or self._now.direction(*ends)
        own = [self._hosts[host] for host in (source, target) if host in self._hosts]
        return joined([between, *own])
