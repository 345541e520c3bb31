"""A world: the namespaces in which all hosts of one trial live."""

import shutil
import subprocess
from pathlib import Path

from fivenines.core import core_binary
from fivenines.lab import lifeline, limits, network
from fivenines.lab.closing import Closing
from fivenines.lab.host import Host, Root


class World(Closing):
    """A private world; a context manager. At its end, nothing of it is left but the logs.

    Args:
        folder: scratch folder of this world; hosts get folders below it. Removed by `close`.
        bandwidth: what each host may send and receive, in bits per second.
    """

    def __init__(self, folder: Path, bandwidth: int | None = None) -> None:
        self.folder = folder = folder.absolute()
        self.hosts: dict[str, Host] = {}
        self._bandwidth = bandwidth
        self._groups = limits.detect()
        # what a killed controller left must not be taken for fresh data
        remove_tree(folder)
        folder.mkdir(parents=True)
        self._first = lifeline.start([str(core_binary()), "init", "world"], folder / "world.log")
        network.create_bridge(self._first.pid)

    @property
    def pid(self) -> int:
        """PID of the world's first process, as seen from outside."""
        return self._first.pid

    @property
    def limits_reason(self) -> str:
        """Why host limits do not apply here; empty when they do."""
        return self._groups.reason

    def add_host(
        self, name: str, root: Root, *, memory: int | None = None, cpus: float | None = None
    ) -> Host:
        """Add a host with the next address; see `Host`."""
        group = limits.HostGroup(self._groups, name, memory, cpus)
        index = len(self.hosts) + 1
        host = Host(name, network.address(index), self.folder / name, root, group)
        host.start(self.pid)
        network.plug_in(self.pid, host.pid, name, host.address, self._bandwidth)
        self.hosts[name] = host
        return host

    def close(self) -> None:
        """End all processes of the world and remove its scratch folder."""
        for host in self.hosts.values():
            host.end()
        self._first.end()
        for host in self.hosts.values():
            host.group.remove()
        remove_tree(self.folder)


def remove_tree(folder: Path) -> None:
    """Remove a scratch folder; overlayfs leaves folders without permissions, which are opened first."""
    if not folder.exists():
        return
    for path in folder.rglob("work/work"):
        path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=False, capture_output=True)
        shutil.rmtree(folder)
