"""The network of a lab of namespaces: bridges, cuts and emulated links that only the lab has."""

import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host
from fivenines.lab.namespaces.host import NamespaceHost
from fivenines.lab.network import reachability
from fivenines.lab.network.knock import knocking
from fivenines.lab.network.lab_network import LabNetwork
from fivenines.lab.network.links import Links
from fivenines.lab.network.network import create_bridges, extra_address, into, mac, shape
from fivenines.lab.network.partition import Cuts
from fivenines.lab.network.sites import Sites, require_known
from fivenines.lab.network.wan import Traffic
from fivenines.lab.settings import LinkSettings, NetworkSettings

# Seconds after which a sender of frames ends by itself.
_KNOCKING = 60.0


class NamespaceNetwork(LabNetwork):
    """The private network of a lab.

    Args:
        settings: links and bandwidth of the hosts.
        sites: the sites of the hosts.
        lab: PID of the lab's first process.
        folder: folder for the emulators' logs.
        hosts: the hosts by name, with those that are added later.
    """

    def __init__(
        self, settings: NetworkSettings, sites: Sites, lab: int, folder: Path, hosts: Mapping[str, Host]
    ) -> None:
        super().__init__(settings)
        self._lab, self._hosts = lab, hosts
        self._sites = sites
        self._macs: dict[str, str] = {}
        self._cuts = Cuts(lab)
        create_bridges(lab, len(self._sites.names))
        # Current settings of links and hosts, without faults.
        self._now = self.settings if self.settings.begins == "deployment" else self.settings.plain()
        self._extra_addresses = 0
        self._links = Links(lab, self._sites.names, self._now, folder)

    def join(self, host: NamespaceHost, index: int) -> None:
        """Connect a host with this index to its site.

        Raises:
            FiveninesError: the host cannot have the bandwidth of the network's settings.
        """
        site = self._sites.names.index(self._sites.of(host.name))
        host.port.plug_in(self._lab, index, site, self._now.bandwidth)
        self._macs[host.name] = mac(index)

    def add_addresses(self, host: Host, count: int) -> None:
        for _ in range(count):
            extra = extra_address(self._extra_addresses)
            self._extra_addresses += 1
            host.addresses.give(extra)

    def begin(self) -> None:
        if self._now != self.settings:
            self._use(self.settings)

    def end(self) -> None:
        if self.settings.begins_late and self._now == self.settings:
            self._use(self.settings.plain())

    def cut(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        """Drop all frames from one host to another, see `LabNetwork.cut`.

        Raises:
            FiveninesError: a host is unknown, or nft is missing or fails.
        """
        ways = [(self._mac(source), self._mac(target)) for source, target in pairs]
        for port in ports or (0,):
            self._cuts.add(ways, port)

    def heal(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        ways = [(self._mac(source), self._mac(target)) for source, target in pairs]
        for port in ports or (0,):
            self._cuts.remove(ways, port)

    def frames_cut(self) -> int:
        return self._cuts.dropped()

    def reaches(self, source: str, target: str, timeout: float = 0.3) -> bool:
        link = self._links.direction(self._sites.of(source), self._sites.of(target))
        impaired = self._links.host_latency(source) + self._links.host_latency(target)
        patience = timeout + link.rtt / 2 + link.jitter + impaired
        frame = reachability.frame(self._macs[source], self._macs[target])
        network, device = self._hosts[target].port.ear(self._lab)
        listens = [sys.executable, "-I", "-S", str(Path(reachability.__file__)), device, frame.hex()]
        # The sender repeats the frame until it is ended, as the receiver can take a while to start.
        with knocking(self._hosts[source].port.knocking(frame, _KNOCKING)):
            done = subprocess.run(
                [*into(network), *listens, str(patience)], capture_output=True, text=True, check=False
            )
        if done.returncode not in (0, 1) or done.stderr:
            error = "".join(done.stderr.strip().splitlines()[-1:])
            raise FiveninesError(f"cannot test whether {source} reaches {target}: {error}")
        return done.returncode == 0

    def impair(self, where: str | tuple[str, str], link: LinkSettings) -> None:
        if isinstance(where, str):
            self._links.impair_host(where, self._host(where).pid, self._site_index(where), link)
        else:
            self._links.impair_sites(*where, link)

    def restore(self, where: str | tuple[str, str]) -> None:
        if isinstance(where, str):
            self._links.restore_host(where, self._host(where).pid, self._site_index(where))
        else:
            self._links.restore_sites(*where)

    def traffic(self) -> dict[tuple[str, str], Traffic]:
        return self._links.traffic()

    def require_sound(self) -> None:
        self._links.require()

    def close(self) -> None:
        """Stop all emulators."""
        self._links.end()

    def _use(self, settings: NetworkSettings) -> None:
        before, self._now = self._now, settings
        self._links.use(settings)
        if settings.bandwidth != before.bandwidth:
            for name, host in self._hosts.items():
                shape(self._lab, host.pid, name, settings.bandwidth)

    def _site_index(self, host: str) -> int:
        return self._sites.names.index(self._sites.of(host))

    def _host(self, name: str) -> Host:
        self._mac(name)
        return self._hosts[name]

    def _mac(self, host: str) -> str:
        require_known(host, self._macs)
        return self._macs[host]
