"""The links of a lab: those between its sites, and those of hosts that are impaired for a while."""

from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab import network
from fivenines.lab.settings import LinkSettings, NetworkSettings
from fivenines.lab.wan import Emulator, Traffic, takes_large_frames

Direction = tuple[str, str]
"""From one site to another."""


class Links:
    """Joins the sites' bridges by an emulator, where there is more than one.

    Args:
        lab: PID of the lab's first process.
        sites: names in the order of their bridges.
        settings: what each link does.
        folder: where emulators write what they have to say.
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
        """Links between sites do what these settings say, of the same sites; now, and when restored."""
        self._settings = settings
        if self._between is not None:
            self._change({pair: settings.direction(*pair) for pair in self._directions()})

    def direction(self, source: str, target: str) -> LinkSettings:
        """What the link from one site to another does now."""
        return self._now.get((source, target), LinkSettings())

    def impair_sites(self, a: str, b: str, link: LinkSettings) -> None:
        """Change the links between two sites, in both directions."""
        self._change(dict.fromkeys(self._both(a, b), link))

    def restore_sites(self, a: str, b: str) -> None:
        """The links between two sites do again what the settings say."""
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
        """Plug a host into its bridge again."""
        if host not in self._hosts:
            return
        emulator, _ = self._hosts.pop(host)
        emulator.end()
        network.reattach(self._lab, host, site)
        network.allow_large_frames(pid, "eth0", True)

    def host_latency(self, host: str) -> float:
        """Seconds that a frame may need between a host and its bridge."""
        if host not in self._hosts:
            return 0.0
        _, link = self._hosts[host]
        return link.rtt / 2 + link.jitter

    def traffic(self) -> dict[Direction, Traffic]:
        """What has gone from each site to each other; empty with one site."""
        if self._between is None:
            return {}
        told = self._between.traffic()
        return {pair: told[self._devices(pair)] for pair in self._directions()}

    def require(self) -> None:
        """Make sure that all emulators work; raises FiveninesError if one does not."""
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
                raise FiveninesError(f"no site is called {site!r}; there are: {known}")
        if a == b:
            raise FiveninesError(f"a link joins two sites, not {a!r} with itself")
        return [(a, b), (b, a)]

    def _ends(self, host: str) -> list[tuple[str, str]]:
        inner, outer = network.port(host), f"x-{host}"
        return [(inner, outer), (outer, inner)]
