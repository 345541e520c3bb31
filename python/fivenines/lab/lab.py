"""A lab: all hosts of one trial, with their network, power and clocks."""

import shutil
import subprocess
import time
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path

from fivenines.lab.closing import Closing
from fivenines.lab.host import Host, Root
from fivenines.lab.lab_clocks import LabClocks
from fivenines.lab.lab_power import LabPower
from fivenines.lab.network.lab_network import LabNetwork
from fivenines.lab.network.network import VIRTUAL
from fivenines.lab.network.sites import LabSites
from fivenines.lab.vm.machine import Machine


def _ignore(message: str) -> None:
    """Discard progress messages."""


class Lab(Closing):
    """The hosts of one trial; a context manager that removes everything except the logs at its end.

    A subclass sets `sites` and `network`, and `power` and `clocks` if its hosts have their own.

    Args:
        folder: scratch folder of this lab; hosts get folders below it. Removed by `close`.
        mode: permissions of the folder.
    """

    sites: LabSites
    network: LabNetwork
    power: LabPower
    clocks: LabClocks

    # Callback for progress messages while hosts are added.
    tell: Callable[[str], None] = staticmethod(_ignore)

    # The address that a failover manager moves.
    virtual_address: str = VIRTUAL

    # Why host limits do not apply here; empty if they do.
    limits_reason: str

    def __init__(self, folder: Path, mode: int = 0o700) -> None:
        self.folder = folder.absolute()
        self.hosts: dict[str, Host] = {}
        self.power = LabPower()
        self.clocks = LabClocks()
        # Files that a killed controller has left must not be mistaken for new data.
        remove_tree(self.folder)
        self.folder.mkdir(parents=True, mode=mode)

    @property
    @abstractmethod
    def pid(self) -> int:
        """Return the PID of the lab's first process, as seen from outside.

        Raises:
            FiveninesError: the lab has no first process on this machine.
        """

    @abstractmethod
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
        """Add a host in its site.

        Args:
            name: name of the host.
            root: files of the host.
            memory: limit in bytes.
            cpus: limit in cores.
            turn: number of its site, unless the network settings name the host.
            machine: size of the virtual machine that the host is; None: it is none.

        Raises:
            FiveninesError: the host cannot be added; the message gives the reason.
        """

    def require_sound(self) -> None:
        """Check that hosts and links have worked until now.

        A dead emulator would look like a partition, and a virtual machine's hanging disk like a slow server.

        Raises:
            FiveninesError: a host or link failed, so the measurement is invalid.
        """
        for host in self.hosts.values():
            host.require_sound()
        self.network.require_sound()


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


# Seconds until all writers into a scratch folder must have ended.
_WRITERS = 5.0
