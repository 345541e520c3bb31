"""A lab on the machines of an inventory: each host has a separate machine, on the machines' own network.

For ports in use see `ports_in_use`, for partitions `cuts`, and for the clean-up the guard in `crates/lab`.
"""

import secrets
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab, knocking, remove_tree
from fivenines.lab.network.wan import Traffic
from fivenines.lab.settings import ONE_SITE, LinkSettings, NetworkSettings
from fivenines.lab.ssh import enrolled, ports_in_use
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.ssh.cuts import IncomingCuts
from fivenines.lab.ssh.host import NO_LIMITS, SshHost
from fivenines.lab.ssh.host_links import LinksBetween
from fivenines.lab.ssh.inventory import Inventory
from fivenines.lab.ssh.links import OutgoingLinks
from fivenines.lab.ssh.login import require_library
from fivenines.lab.ssh.placement import Places
from fivenines.lab.vm.host import Machine
from fivenines.results.basics import ClockRecord

# Addresses of machines in use by labs of this process; an interleaved comparison has several labs.
_IN_USE: set[str] = set()

_SSH = 22
# Seconds after which a sender of packets stops by itself.
_KNOCKING = 60


class SshLab(Lab):
    """Hosts on machines of an inventory. At its end only our program, engines and data sets remain there.

    Args:
        folder: scratch folder here, removed by `close`.
        inventory: the machines.
        network: sites of named hosts, and settings of the links between sites.

    Raises:
        FiveninesError: a machine cannot be used; the message gives the reason.
    """

    def __init__(self, folder: Path, inventory: Inventory, network: NetworkSettings | None = None) -> None:
        require_library()
        self.folder = folder = folder.absolute()
        self.hosts: dict[str, Host] = {}
        self.network = network or NetworkSettings()
        self._inventory = inventory
        self._places = Places(inventory.hosts, _IN_USE)
        self._id = secrets.token_hex(4)
        self._there: dict[str, SshHost] = {}
        self._incoming: dict[str, IncomingCuts] = {}
        # Ports of SSH servers, which no fault affects; ports from ssh's configuration are added later.
        self._ports = {machine.port or _SSH for machine in inventory.hosts.values()}
        self._ways = LinksBetween(self.network, self.site_of)
        remove_tree(folder)
        folder.mkdir(parents=True, mode=0o700)

    @property
    def pid(self) -> int:
        """Raise: hosts on other machines have no first process here.

        Raises:
            FiveninesError: always.
        """
        raise FiveninesError("the hosts are on other machines")

    @property
    def limits_reason(self) -> str:
        return NO_LIMITS

    @property
    def sites(self) -> dict[str, list[str]]:
        hosts: dict[str, list[str]] = {site: [] for site in self._inventory.sites or [ONE_SITE]}
        for host in self.hosts:
            hosts[self.site_of(host)].append(host)
        return hosts

    def site_of(self, host: str) -> str:
        machine = self._inventory.hosts[self._known(host).connection.name]
        return machine.site or (self._inventory.sites or [ONE_SITE])[0]

    def add_host(
        self,
        name: str,
        root: Root,
        *,
        memory: int | None = None,
        cpus: float | None = None,
        turn: int | None = None,
        machine: Machine | None = None,
    ) -> Host:
        """Set up a machine of the inventory as a host.

        Raises:
            FiveninesError: no machine is left, or it cannot be used; the message gives the reason.
        """
        if machine is not None or memory is not None or cpus is not None:
            raise FiveninesError(f"{name}: hosts over SSH do not support `limits` and virtual machines")
        of = self._places.take(name, self._wanted_site(name, turn))
        connection = Connection(of, self._inventory.machine(of))
        try:
            enrolled.require(connection)
            ports_in_use.require_free(connection)
            place = f"{connection.machine.folder}/hosts/{self._id}-{name}"
            peers = [str(machine.address) for machine in self._inventory.hosts.values()]
            host = SshHost(
                name, self.folder / name, root, connection, place, self._inventory.silence, peers, self.tell
            )
            self.hosts[name] = self._there[name] = host
            host.begin()
        except BaseException:
            connection.close()
            raise
        self._ports.update(connection.ports)
        self._incoming[name] = IncomingCuts(host, f"fivenines_{self._id}", self._ports)
        outgoing = OutgoingLinks(host, f"fivenines_links_{self._id}", self._ports)
        self._ways.add(name, host.address, outgoing)
        return host

    def _wanted_site(self, name: str, turn: int | None) -> str | None:
        named = self.network.named_hosts.get(name)
        if named is None and turn is not None and (sites := self._inventory.sites):
            return sites[turn % len(sites)]
        return named

    def add_addresses(self, host: Host, count: int) -> None:
        if count:
            host.give_address("")

    def begin_network(self) -> None:
        self._ways.begin()

    def end_network(self) -> None:
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
            sources[self._known(target).name].append(self._known(source).address)
        return sources

    def frames_cut(self) -> int:
        return sum(cuts.dropped() for cuts in self._incoming.values())

    def reaches(self, source: str, target: str, timeout: float = 0.3) -> bool:
        """Return whether packets pass from one host to another now, at the inventory's `probe_port`.

        Waits at most `timeout` seconds, plus the time of the requests and of emulated links.
        """
        at, to = self._known(source), self._known(target)
        word = secrets.token_hex(8)
        where = f"{to.address}:{self._inventory.probe_port}"
        core = str(core_binary())
        knock = [core, "remote", "knock", f"--from={at.address}", f"--to={where}", f"--word={word}"]
        patience = timeout + self._ways.delay(source, target)
        hear = [core, "remote", "hear", f"--at={where}", f"--word={word}", f"--seconds={patience:g}"]
        with knocking(at.outside([*knock, f"--seconds={_KNOCKING}"])):
            done = subprocess.run(
                to.outside(hear), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
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

    has_power = True

    def power_off(self, names: Iterable[str]) -> bool:
        hosts = [self._known(name) for name in names]
        with ThreadPoolExecutor(len(hosts)) as pool:
            list(pool.map(lambda host: host.power_off(), hosts))
        for host in hosts:
            self._incoming[host.name].switched_off()
            self._ways.switched_off(host.name)
        return not any(host.powered for host in hosts)

    def power_on(self, names: Iterable[str]) -> None:
        hosts = [self._known(name) for name in names]
        with ThreadPoolExecutor(len(hosts)) as pool:
            list(pool.map(lambda host: host.power_on(), hosts))
        for host in hosts:
            self._ways.switched_on(host.name)

    clocks_differ = True

    def clocks(self) -> dict[str, ClockRecord]:
        records = {}
        for name, host in self._there.items():
            if not host.powered:
                continue
            host.clock.look()
            records[name] = ClockRecord(
                machine=host.connection.name,
                ahead_ms=round(host.clock.day_ahead() / 1e6, 3),
                error_ms=round(host.clock.worst() / 1e6, 3),
                drift_ms=round(host.clock.drift() / 1e6, 3),
                asked=len(host.clock.readings),
            )
        return records

    def require_sound(self) -> None:
        for host in self._there.values():
            host.require()
        self._ways.require()

    def close(self) -> None:
        self._ways.close()
        with ThreadPoolExecutor(max(1, len(self._there))) as pool:
            list(pool.map(lambda host: host.end(), self._there.values()))
        self._places.leave()
        remove_tree(self.folder)

    def _known(self, host: str) -> SshHost:
        if host not in self._there:
            raise FiveninesError(f"unknown host {host!r}; the hosts are: {', '.join(self.hosts)}")
        return self._there[host]

    def _known_place(self, where: str | tuple[str, str]) -> str | tuple[str, str]:
        """Return the existing host or pair of sites; raise if it is unknown."""
        if isinstance(where, str):
            return self._known(where).name
        if unknown := sorted({*where} - {*self.sites}):
            raise FiveninesError(f"unknown site {unknown[0]!r}; the sites are: {', '.join(self.sites)}")
        return where
