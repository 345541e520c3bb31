"""A lab: the namespaces of all hosts of one trial."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab import limits
from fivenines.lab.closing import Closing
from fivenines.lab.host import Host, Root
from fivenines.lab.network import reachability
from fivenines.lab.network.links import Links
from fivenines.lab.network.network import address, create_bridges, extra_address, into, mac, shape
from fivenines.lab.network.partition import Cuts
from fivenines.lab.network.sites import Sites
from fivenines.lab.network.wan import Traffic
from fivenines.lab.processes import ids, lifeline
from fivenines.lab.settings import LinkSettings, NetworkSettings
from fivenines.lab.vm import requirements as vm_requirements
from fivenines.lab.vm.host import Machine, VirtualMachine
from fivenines.results.basics import ClockRecord


def _ignore(message: str) -> None:
    """Discard progress messages."""


class Lab(Closing):
    """A private lab; a context manager that removes everything except the logs at its end.

    Args:
        folder: scratch folder of this lab; hosts get folders below it. Removed by `close`.
        network: sites, links and bandwidth of the hosts; None: one plain site.
        all_ids: map all user ids one to one, for programs that change their user; needs root.

    Raises:
        FiveninesError: the lab cannot be set up here; the message gives the reason.
    """

    def __init__(
        self, folder: Path, network: NetworkSettings | None = None, *, all_ids: bool = False
    ) -> None:
        if all_ids and (lacking := ids.problem()):
            raise FiveninesError(f"the lab cannot map all user ids: {lacking}")
        self.all_ids = all_ids
        self.folder = folder = folder.absolute()
        self.hosts: dict[str, Host] = {}
        self.network = network or NetworkSettings()
        self._sites = Sites(self.network)
        self._macs: dict[str, str] = {}
        self._groups = limits.detect()
        # Files that a killed controller has left must not be mistaken for new data.
        remove_tree(folder)
        folder.mkdir(parents=True, mode=0o700)
        command = [str(core_binary()), "init", "lab", *(["--all-ids"] if all_ids else [])]
        self._first = lifeline.start(command, folder / "lab.log")
        self._cuts = Cuts(self.pid)
        create_bridges(self.pid, len(self._sites.names))
        # Current settings of links and hosts, without faults.
        self._now = self.network if self.network.begins == "deployment" else self.network.plain()
        self._extra_addresses = 0
        self._links = Links(self.pid, self._sites.names, self._now, folder)

    @property
    def pid(self) -> int:
        """Return the PID of the lab's first process, as seen from outside."""
        return self._first.pid

    @property
    def limits_reason(self) -> str:
        """Return why host limits do not apply here; empty if they do."""
        return self._groups.reason

    @property
    def sites(self) -> dict[str, list[str]]:
        """Return the names of the hosts in each site."""
        return self._sites.members()

    def site_of(self, host: str) -> str:
        """Return the site of a host."""
        self._mac(host)
        return self._sites.place(host)

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
        """Add a host with the next address, in its site; see `Host` and `Sites.place`.

        With a `machine`, the host is a virtual machine, see `VirtualMachine`.

        Raises:
            FiveninesError: virtual machines are not possible here; the message gives the reason.
        """
        if machine is not None and (lacking := vm_requirements.problem()):
            raise FiveninesError(f"{name} cannot be a virtual machine: {lacking}")
        # A virtual machine has this much memory, and its kernel needs more in addition.
        group = limits.HostGroup(self._groups, name, None if machine else memory, cpus)
        index = len(self.hosts) + 1
        site = self._sites.names.index(self._sites.place(name, turn))
        place = (name, address(index), self.folder / name, root, group)
        host = VirtualMachine(*place, machine) if machine else Host(*place, all_ids=self.all_ids)
        host.start(self.pid)
        host.plug_in(self.pid, index, site, self._now.bandwidth)
        self.hosts[name] = host
        self._macs[name] = mac(index)
        return host

    def add_addresses(self, host: Host, count: int) -> None:
        """Add `count` addresses to a host."""
        for _ in range(count):
            extra = extra_address(self._extra_addresses)
            self._extra_addresses += 1
            host.give_address(extra)

    def begin_network(self) -> None:
        """Apply the network settings if they begin with the load."""
        if self._now != self.network:
            self._use(self.network)

    def end_network(self) -> None:
        """Remove the network settings again if they began with the load."""
        if self.network.begins_late and self._now == self.network:
            self._use(self.network.plain())

    def cut(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        """Drop all frames from one host to another, for each pair (source, destination); in force on return.

        With `ports`, drop only TCP and UDP from and to these ports. A pair that two faults cut must be healed
        twice.

        Raises:
            FiveninesError: a host is unknown, or nft is missing or fails.
        """
        ways = [(self._mac(source), self._mac(target)) for source, target in pairs]
        for port in ports or (0,):
            self._cuts.add(ways, port)

    def heal(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        """Undo `cut`; pairs that are not cut are ignored."""
        ways = [(self._mac(source), self._mac(target)) for source, target in pairs]
        for port in ports or (0,):
            self._cuts.remove(ways, port)

    def frames_cut(self) -> int:
        """Return the number of frames that cuts have dropped."""
        return self._cuts.dropped()

    def reaches(self, source: str, target: str, timeout: float = 0.3) -> bool:
        """Return whether frames pass from one host to another now; no reply is needed.

        Waits at most `timeout` seconds, plus the latency of the link between their sites.
        """
        link = self._directed(source, target)
        impaired = self._links.host_latency(source) + self._links.host_latency(target)
        patience = timeout + link.rtt / 2 + link.jitter + impaired
        frame = reachability.frame(self._macs[source], self._macs[target])
        network, device = self.hosts[target].ear(self.pid)
        listens = [sys.executable, "-I", "-S", str(Path(reachability.__file__)), device, frame.hex()]
        # The sender repeats the frame until it is ended, as the receiver can take a while to start.
        with knocking(self.hosts[source].knocking(frame, _KNOCKING)):
            done = subprocess.run(
                [*into(network), *listens, str(patience)], capture_output=True, text=True, check=False
            )
        if done.returncode not in (0, 1) or done.stderr:
            error = "".join(done.stderr.strip().splitlines()[-1:])
            raise FiveninesError(f"cannot test whether {source} reaches {target}: {error}")
        return done.returncode == 0

    def impair(self, where: str | tuple[str, str], link: LinkSettings) -> None:
        """Change a host's link to its site, or the links between two sites in both directions.

        The first change of a host's link loses the frames of a few milliseconds. On return the change applies
        to all new frames.

        Raises:
            FiveninesError: the host or a site is unknown, or the link could not be changed.
        """
        if isinstance(where, str):
            self._links.impair_host(where, self._host(where).pid, self._site_index(where), link)
        else:
            self._links.impair_sites(*where, link)

    def restore(self, where: str | tuple[str, str]) -> None:
        """Undo `impair`; links that are not impaired stay unchanged."""
        if isinstance(where, str):
            self._links.restore_host(where, self._host(where).pid, self._site_index(where))
        else:
            self._links.restore_sites(*where)

    def traffic(self) -> dict[tuple[str, str], Traffic]:
        """Return the traffic from each site to each other site; empty with one site."""
        return self._links.traffic()

    # Callback for progress messages while hosts are added.
    tell: Callable[[str], None] = staticmethod(_ignore)

    # Whether hosts are machines that `power_off` and `power_on` can switch off and on.
    has_power: ClassVar[bool] = False

    def power_off(self, names: Iterable[str]) -> bool:
        """Switch hosts off at once; return whether all are off."""
        raise FiveninesError("these hosts are not machines that can be switched off")

    def power_on(self, names: Iterable[str]) -> None:
        """Switch hosts on; return when they can start programs."""
        raise FiveninesError("these hosts are not machines that can be switched off")

    # Whether hosts have separate clocks.
    clocks_differ: ClassVar[bool] = False

    def clocks(self) -> dict[str, ClockRecord]:
        """Return the offsets of the hosts' clocks from ours, if they have separate clocks."""
        return {}

    def require_sound(self) -> None:
        """Check that links and virtual machines have worked until now.

        A dead emulator would look like a partition, and a virtual machine's hanging disk like a slow server.

        Raises:
            FiveninesError: a link or virtual machine failed, so the measurement is invalid.
        """
        self._links.require()
        for host in self.hosts.values():
            if isinstance(host, VirtualMachine) and host.powered and (seconds := host.disk_delay()) > _HUNG:
                raise FiveninesError(
                    f"{host.name}: the disk of the virtual machine did not answer for {seconds:.1f} s. The "
                    "measurement is invalid, as no server caused this delay"
                )

    def close(self) -> None:
        """End all processes of the lab and remove its scratch folder."""
        for host in self.hosts.values():
            host.end()
        self._links.end()
        self._first.end()
        for host in self.hosts.values():
            host.group.remove()
        remove_tree(self.folder)

    def _use(self, settings: NetworkSettings) -> None:
        before, self._now = self._now, settings
        self._links.use(settings)
        if settings.bandwidth != before.bandwidth:
            for name, host in self.hosts.items():
                shape(self.pid, host.pid, name, settings.bandwidth)

    def _directed(self, source: str, target: str) -> LinkSettings:
        return self._links.direction(self.site_of(source), self.site_of(target))

    def _site_index(self, host: str) -> int:
        return self._sites.names.index(self.site_of(host))

    def _host(self, name: str) -> Host:
        self._mac(name)
        return self.hosts[name]

    def _mac(self, host: str) -> str:
        if host not in self._macs:
            raise FiveninesError(f"unknown host {host!r}; the hosts are: {', '.join(self.hosts)}")
        return self._macs[host]


@contextmanager
def knocking(command: list[str]) -> Iterator[None]:
    """Send frames until the end of the block."""
    sender = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        sender.kill()
        sender.wait()


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def remove_tree(folder: Path) -> None:
    """Remove a scratch folder; overlayfs leaves folders without permissions, which are opened first."""
    if not folder.exists():
        return
    for path in folder.rglob("work/work"):
        path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=False, capture_output=True)
        _remove_at_last(folder)


def _remove_at_last(folder: Path) -> None:
    """Retry the removal: an interrupted copy can still write into the folder for a moment."""
    deadline = time.monotonic() + _WRITERS
    while True:
        try:
            shutil.rmtree(folder)
            return
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


# A virtual machine's disk that does not answer for this many seconds hangs.
_HUNG = 5.0

# Seconds after which a sender of frames ends by itself.
_KNOCKING = 60.0

# Seconds until all writers into a scratch folder must have ended.
_WRITERS = 5.0
