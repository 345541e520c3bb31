"""This machine itself in the place of a lab, for a cluster that others run: load and hooks run here.

Nothing is private here and nothing can be cut: programs run on the machine's own network and among its own
processes, and see its own files. Each host has a folder for its logs, and that is all that it has.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from fivenines.errors import FiveninesError
from fivenines.lab.bound import ends_with_us
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab, remove_tree
from fivenines.lab.limits import Groups, HostGroup
from fivenines.lab.process import OwnProcess
from fivenines.lab.settings import ONE_SITE, LinkSettings, NetworkSettings
from fivenines.lab.vm import Machine
from fivenines.lab.wan import Traffic

_NO_LIMITS = "the servers are not fivenines' own"


class ExternalHost(Host):
    """A folder and an address; what is started here is a process of this machine like any other."""

    process_outside = OwnProcess

    def __init__(self, name: str, address: str, folder: Path) -> None:
        group = HostGroup(Groups({}, 1, _NO_LIMITS), name, None, None)
        super().__init__(name, address, folder, Root(), group)

    @property
    def pid(self) -> int:
        """There is no first process: the processes of the servers are elsewhere, and not known.

        Raises:
            FiveninesError: always.
        """
        raise FiveninesError(f"{self.name} is not a host of the lab")

    def end(self) -> None:
        """Nothing to end: who starts a process here ends it."""

    def beside(self, command: Sequence[str]) -> list[str]:
        return [*ends_with_us("TERM"), *command]

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        raise FiveninesError(f"{self.name} is not fivenines' own: nothing can be run inside it")


class ThisMachine(Lab):
    """The machine as a lab; `folder` is its scratch folder, removed by `close`."""

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
        """A name for a server at an address, with a folder for what is noted about it."""
        self.hosts[name] = ExternalHost(name, address, self.folder / name)
        return self.hosts[name]

    def begin_network(self) -> None:
        """The network is what it is."""

    def end_network(self) -> None:
        """The network is what it is."""

    def add_addresses(self, host: Host, count: int) -> None:
        """It has the addresses that it has."""

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
        """There are no links and no virtual machines of ours."""

    def close(self) -> None:
        """Remove the scratch folder; the logs in it have been collected."""
        remove_tree(self.folder)


def _not_ours() -> NoReturn:
    raise FiveninesError("the network between these servers is not fivenines' own: it cannot be changed")
