"""The links of a lab: between its sites, and of hosts that a fault impairs."""

from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.network import network
from fivenines.lab.network.wan import Emulator, Traffic, takes_large_frames
from fivenines.lab.settings import LinkSettings, NetworkSettings

# Source site, destination site.
Direction = tuple[str, str]


class Links:
    """Connect the sites' bridges with an emulator, if there is more than one site.

    Args:
        lab: PID of the lab's first process.
        sites: names in the order of their bridges.
        settings: settings of each link.
        folder: folder for the emulators' logs.
    """

    def __init__(self, lab: int, sites: list[str], settings: NetworkSettings, folder: Path) -> None:
        self._lab = lab
        self._sites = sites
        self._log = folder / "wan.log"
        self._now: dict[Direction, LinkSettings] = {}
        self._hosts: dict[str, tuple[Emulator, LinkSettings]] = {}
        self._between: Emulator | None = None
        if len(sites) > 1:
            ports = [network.add_trunk(lab, site) for site in range(len(sites))]
            self._between = Emulator(lab, ports, self._log)
            self.use(settings)

    def use(self, settings: NetworkSettings) -> None:
        """Apply these settings to the links between sites, now and after a fault."""
        self._settings = settings
        if self._between is not None:
            self._change({pair: settings.direction(*pair) for pair in self._directions()})

    def direction(self, source: str, target: str) -> LinkSettings:
        """Return the current settings of the link from one site to another."""
        return self._now.get((source, target), LinkSettings())

    def impair_sites(self, a: str, b: str, link: LinkSettings) -> None:
        """Change the links between two sites, in both directions."""
        self._change(dict.fromkeys(self._both(a, b), link))

    def restore_sites(self, a: str, b: str) -> None:
        """Restore the settings of the links between two sites."""
        self._change({pair: self._settings.direction(*pair) for pair in self._both(a, b)})

    def impair_host(self, host: str, pid: int, site: int, link: LinkSettings) -> None:
        """Put a link between a host (PID of its first process) and its bridge, or change that link."""
        if host in self._hosts:
            emulator, _ = self._hosts[host]
        else:
            emulator = self._plug_between(host, site)
        self._hosts[host] = emulator, link
        for source, target in self._ends(host):
            emulator.set(source, target, link)
        large = takes_large_frames([link])
        network.allow_large_frames(pid, "eth0", large)
        network.allow_large_frames(self._lab, f"i-{host}", large)

    def restore_host(self, host: str, pid: int, site: int) -> None:
        """Reconnect a host to its bridge."""
        if host not in self._hosts:
            return
        emulator, _ = self._hosts.pop(host)
        emulator.end()
        network.reattach(self._lab, host, site)
        network.allow_large_frames(pid, "eth0", True)

    def host_latency(self, host: str) -> float:
        """Return the longest time of a frame between a host and its bridge, in seconds."""
        if host not in self._hosts:
            return 0.0
        _, link = self._hosts[host]
        return link.rtt / 2 + link.jitter

    def traffic(self) -> dict[Direction, Traffic]:
        """Return the traffic from each site to each other site; empty with one site."""
        if self._between is None:
            return {}
        traffic = self._between.traffic()
        return {pair: traffic[self._devices(pair)] for pair in self._directions()}

    def require(self) -> None:
        """Check that all emulators work; raise FiveninesError if one does not."""
        for emulator in (self._between, *(emulator for emulator, _ in self._hosts.values())):
            if emulator is not None:
                emulator.require()

    def end(self) -> None:
        """Stop all emulators."""
        for emulator, _ in self._hosts.values():
            emulator.end()
        self._hosts.clear()
        if self._between is not None:
            self._between.end()
            self._between = None

    def _plug_between(self, host: str, site: int) -> Emulator:
        outer = network.detach(self._lab, host, site)
        try:
            return Emulator(self._lab, [network.port(host), outer], self._log)
        except FiveninesError:
            network.reattach(self._lab, host, site)
            raise

    def _change(self, links: dict[Direction, LinkSettings]) -> None:
        assert self._between is not None
        before = self._large()
        self._now |= links
        for pair, link in links.items():
            self._between.set(*self._devices(pair), link)
        if (large := self._large()) != before:
            for site in range(len(self._sites)):
                inner, _ = network.trunk(site)
                network.allow_large_frames(self._lab, inner, large)

    def _large(self) -> bool:
        return takes_large_frames(list(self._now.values()))

    def _directions(self) -> list[Direction]:
        return [(a, b) for a in self._sites for b in self._sites if a != b]

    def _devices(self, pair: Direction) -> tuple[str, str]:
        source, target = (network.trunk(self._sites.index(site))[1] for site in pair)
        return source, target

    def _both(self, a: str, b: str) -> list[Direction]:
        for site in (a, b):
            if site not in self._sites:
                known = ", ".join(self._sites)
                raise FiveninesError(f"unknown site {site!r}; the sites are: {known}")
        if a == b:
            raise FiveninesError(f"a link connects two sites, not {a!r} with itself")
        return [(a, b), (b, a)]

    def _ends(self, host: str) -> list[tuple[str, str]]:
        inner, outer = network.port(host), f"x-{host}"
        return [(inner, outer), (outer, inner)]
