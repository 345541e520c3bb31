"""Use this machine in place of a lab, for an external cluster: the load and the hooks run here.

Nothing is isolated and no network can be cut: programs use the machine's own network, processes and files.
Each host only has a folder for its logs.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab, remove_tree
from fivenines.lab.limits import Groups, HostGroup
from fivenines.lab.network.wan import Traffic
from fivenines.lab.processes.bound import ends_with_us
from fivenines.lab.processes.process import OwnProcess
from fivenines.lab.settings import ONE_SITE, LinkSettings, NetworkSettings
from fivenines.lab.vm.host import Machine

_NO_LIMITS = "fivenines does not control the servers"


class ExternalHost(Host):
    """A folder and an address; commands of this host are ordinary processes of this machine."""

    process_outside = OwnProcess

    def __init__(self, name: str, address: str, folder: Path) -> None:
        group = HostGroup(Groups({}, 1, _NO_LIMITS), name, None, None)
        super().__init__(name, address, folder, Root(), group)

    @property
    def pid(self) -> int:
        """Raise: an external server has no first process here.

        Raises:
            FiveninesError: always.
        """
        raise FiveninesError(f"{self.name} is not a host of the lab")

    def end(self) -> None:
        """Do nothing: the caller that starts a process here ends it."""

    def outside(self, command: Sequence[str]) -> list[str]:
        return [*ends_with_us("TERM"), *command]

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        raise FiveninesError(f"fivenines does not control {self.name} and cannot run commands on it")


class ThisMachine(Lab):
    """This machine in place of a lab; `folder` is its scratch folder, removed by `close`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder = folder.absolute()
        self.hosts: dict[str, Host] = {}
        self.network = NetworkSettings()
        remove_tree(folder)
        folder.mkdir(parents=True)

    @property
    def pid(self) -> int:
        return os.getpid()

    @property
    def limits_reason(self) -> str:
        return _NO_LIMITS

    @property
    def sites(self) -> dict[str, list[str]]:
        return {ONE_SITE: list(self.hosts)}

    def site_of(self, host: str) -> str:
        return ONE_SITE

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
        return self.add_external(name, "127.0.0.1")

    def add_external(self, name: str, address: str) -> Host:
        """Add a name for a server at an address, with a folder for its logs."""
        self.hosts[name] = ExternalHost(name, address, self.folder / name)
        return self.hosts[name]

    def begin_network(self) -> None:
        """Do nothing: fivenines does not control the network."""

    def end_network(self) -> None:
        """Do nothing: fivenines does not control the network."""

    def add_addresses(self, host: Host, count: int) -> None:
        """Do nothing: fivenines does not control the addresses."""

    def cut(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        _not_ours()

    def heal(self, pairs: Iterable[tuple[str, str]], ports: Iterable[int] = ()) -> None:
        _not_ours()

    def frames_cut(self) -> int:
        return 0

    def reaches(self, source: str, target: str, timeout: float = 0.3) -> bool:
        _not_ours()

    def impair(self, where: str | tuple[str, str], link: LinkSettings) -> None:
        _not_ours()

    def restore(self, where: str | tuple[str, str]) -> None:
        _not_ours()

    def traffic(self) -> dict[tuple[str, str], Traffic]:
        return {}

    def require_sound(self) -> None:
        """Do nothing: there are no emulated links and no virtual machines."""

    def close(self) -> None:
        """Remove the scratch folder; the logs in it have been collected."""
        remove_tree(self.folder)


def _not_ours() -> NoReturn:
    raise FiveninesError("fivenines does not control the network between these servers and cannot change it")
