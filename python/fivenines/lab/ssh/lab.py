"""The machines of an inventory as a lab: each host has one of its own, on their own network.

Who may listen, what is cut and what is left afterwards: `taken`, `cuts`, and the guard in `crates/lab`.
"""

import secrets
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab, knocking, remove_tree
from fivenines.lab.settings import ONE_SITE, LinkSettings, NetworkSettings
from fivenines.lab.ssh import enrolled, taken
from fivenines.lab.ssh.between import LinksBetween
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.ssh.cuts import IncomingCuts
from fivenines.lab.ssh.host import NO_LIMITS, SshHost
from fivenines.lab.ssh.inventory import Inventory
from fivenines.lab.ssh.links import OutgoingLinks
from fivenines.lab.ssh.login import require_library
from fivenines.lab.ssh.places import Places
from fivenines.lab.vm import Machine
from fivenines.lab.wan import Traffic
from fivenines.results.basics import ClockRecord

_IN_USE: set[str] = set()
"""Addresses of machines that labs of this process have, as several do in an interleaved comparison."""

_SSH = 22
_KNOCKING = 60
"""Seconds after which who sends packets stops by himself."""


class SshLab(Lab):
    """Hosts on machines of an inventory. At its end nothing of it is left there but what is kept for the next
    trial: our program, engines, data sets.

    Args:
        folder: scratch folder here, removed by `close`.
        inventory: the machines.
        network: the sites in which named hosts are, and what links between them do.

    Raises:
        FiveninesError: a machine cannot be used; says why.
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
        # Of SSH servers, whose packets no fault touches; those that only ssh's configuration knows are added.
        self._ports = {one.port or _SSH for one in inventory.hosts.values()}
        self._ways = LinksBetween(self.network, self.site_of)
        remove_tree(folder)
        folder.mkdir(parents=True, mode=0o700)

    @property
    def pid(self) -> int:
        """There is no first process here.

        Raises:
            FiveninesError: always.
        """
        raise FiveninesError("the hosts are on other machines")

    @property
    def limits_reason(self) -> str:
        return NO_LIMITS

    @property
    def sites(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {site: [] for site in self._inventory.sites or [ONE_SITE]}
        for host in self.hosts:
            found[self.site_of(host)].append(host)
        return found

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
        """Make a machine of the inventory a host.

        Raises:
            FiveninesError: it cannot be reached or used, or there is none left; says why.
        """
        if machine is not None or memory is not None or cpus is not None:
            raise FiveninesError(f"{name}: limits and virtual machines are not possible over SSH")
        of = self._places.take(name, self._wanted_site(name, turn))
        connection = Connection(of, self._inventory.machine(of))
        try:
            enrolled.require(connection)
            taken.require_free(connection)
            place = f"{connection.machine.folder}/hosts/{self._id}-{name}"
            peers = [str(one.address) for one in self._inventory.hosts.values()]
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
        """The addresses that packets come from, by the host that they come to."""
        found: dict[str, list[str]] = defaultdict(list)
        for source, target in pairs:
            found[self._known(target).name].append(self._known(source).address)
        return found

    def frames_cut(self) -> int:
        return sum(cuts.dropped() for cuts in self._incoming.values())

    def reaches(self, source: str, target: str, timeout: float = 0.3) -> bool:
        """Whether packets get from one host to another now, at the inventory's `probe_port`: one way.

        Waits for `timeout` seconds at most, besides the time that it takes to ask and what links add.
        """
        at, to = self._known(source), self._known(target)
        word = secrets.token_hex(8)
        where = f"{to.address}:{self._inventory.probe_port}"
        core = str(core_binary())
        knock = [core, "remote", "knock", f"--from={at.address}", f"--to={where}", f"--word={word}"]
        patience = timeout + self._ways.delay(source, target)
        hear = [core, "remote", "hear", f"--at={where}", f"--word={word}", f"--seconds={patience:g}"]
        with knocking(at.beside([*knock, f"--seconds={_KNOCKING}"])):
            done = subprocess.run(
                to.beside(hear), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
        if done.returncode != 0:
            words = "".join(done.stderr.strip().splitlines()[-1:])
            raise FiveninesError(f"cannot try whether {source} reaches {target}: {words}")
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
            self._incoming[host.name].are_gone()
            self._ways.are_gone(host.name)
        return not any(host.powered for host in hosts)

    def power_on(self, names: Iterable[str]) -> None:
        hosts = [self._known(name) for name in names]
        with ThreadPoolExecutor(len(hosts)) as pool:
            list(pool.map(lambda host: host.power_on(), hosts))
        for host in hosts:
            self._ways.are_back(host.name)

    clocks_differ = True

    def clocks(self) -> dict[str, ClockRecord]:
        found = {}
        for name, host in self._there.items():
            if not host.powered:
                continue
            host.clock.look()
            found[name] = ClockRecord(
                machine=host.connection.name,
                ahead_ms=round(host.clock.day_ahead() / 1e6, 3),
                error_ms=round(host.clock.worst() / 1e6, 3),
                drift_ms=round(host.clock.drift() / 1e6, 3),
                asked=len(host.clock.readings),
            )
        return found

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
            raise FiveninesError(f"no host is called {host!r}; there are: {', '.join(self.hosts)}")
        return self._there[host]

    def _known_place(self, where: str | tuple[str, str]) -> str | tuple[str, str]:
        """A host, or two sites, that there are."""
        if isinstance(where, str):
            return self._known(where).name
        if unknown := sorted({*where} - {*self.sites}):
            raise FiveninesError(f"no site is called {unknown[0]!r}; there are: {', '.join(self.sites)}")
        return where
