"""A host of the lab, with its own network, root file system, PIDs and name.

Processes run inside the host, or outside it with only its network. Inside, /run/node is the host's writable
folder (data, log, conf, run) and /run/engine the engine.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import DataFolder, Folder
from fivenines.lab.hosts.addresses import HostAddresses
from fivenines.lab.hosts.clock import HostClock
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.hosts.files import HostFiles
from fivenines.lab.hosts.place import HostNamespaces, HostPort
from fivenines.lab.hosts.power import HostPower
from fivenines.lab.hosts.processes import HostProcesses
from fivenines.lab.network import network

# Path of the host's folder inside the host.
NODE = Path("/run/node")

# Path of the engine's folder inside the host.
ENGINE = Path("/run/engine")


@dataclass(frozen=True)
class Root:
    """The files of a host: an overlay over `lower`, or the machine's programs (/usr), read-only."""

    lower: Path | None = None
    # Mounted at `ENGINE`, read-only.
    engine: Path | None = None
    # Further folders of the machine, mounted at the same paths.
    show: tuple[Path, ...] = ()


class Host:
    """One machine of the lab, created by `Lab.add_host`: its name, its folder, and its parts.

    A subclass sets the parts. Callers take the part that they need: a fault kills `processes`, a proxy runs
    `commands`, an observer reads the `clock`. See `fivenines.lab.hosts`.
    """

    # Path inside the host of the folder that it shares with the controller.
    shared: ClassVar[Path] = NODE

    commands: HostCommands
    processes: HostProcesses
    power: HostPower
    files: HostFiles
    clock: HostClock
    addresses: HostAddresses
    namespaces: HostNamespaces
    port: HostPort

    def __init__(self, name: str, address: str, folder: Path, *, all_ids: bool = False) -> None:
        self.name = name
        self.address = address
        # Networks from which other hosts of the lab connect.
        self.peers: tuple[str, ...] = (f"{network.PREFIX}.0/24",)
        self.folder = folder
        self.node = folder / "node"
        self.data: DataFolder = Folder(self.node / "data")
        # Whether processes can have any user id, as on a real machine.
        self.all_ids = all_ids
        for part in ("data", "log", "conf", "run"):
            (self.node / part).mkdir(parents=True, exist_ok=True)
        if all_ids:
            (folder / "upper").mkdir(exist_ok=True)
            for path in (folder / "upper", self.node, *self.node.iterdir()):
                path.chmod(0o755)

    @property
    def pid(self) -> int:
        """Return the PID of the host's first process, as seen from outside.

        Raises:
            FiveninesError: the host has no first process on this machine.
        """
        return self.namespaces.pid

    def take_cpu(self, cpus: float) -> None:
        """Let all of its processes share this many cores, until `give_cpu_back`.

        Raises:
            FiveninesError: it cannot be limited; with the reason.
        """
        raise FiveninesError(f"the CPU of {self.name} cannot be limited")

    def give_cpu_back(self) -> None:
        """End `take_cpu`."""

    def cpu_periods(self) -> tuple[int, int]:
        """Return in how many periods of 0.1 s its processes wanted limited CPU time, and had to wait."""
        return 0, 0

    def require_sound(self) -> None:
        """Check that the host has worked until now.

        Raises:
            FiveninesError: the host failed, so the measurement is invalid.
        """
        return

    def end(self) -> None:
        """End the host and all of its processes."""
        self.namespaces.end()
