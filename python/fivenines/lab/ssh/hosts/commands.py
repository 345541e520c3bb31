"""Run commands on another machine: in the host there, or outside it."""

import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.ssh import agent, python_bundle
from fivenines.lab.ssh.hosts.process import RemoteProcess
from fivenines.lab.ssh.hosts.service import HostService

# Subfolders of a host's folder that are not sent; as in `crates/lab/src/agent/files.rs`.
_NOT_TAKEN = {"data", "log", "run", "disk"}

# Prefix of the environment variables that are passed to tools outside a host.
_OURS = "FIVENINES_"

_PACKAGE = Path(__file__).parents[3]


class SshCommands(HostCommands):
    """The commands of a host on another machine.

    Args:
        service: the host there.
        node: the host's folder here.
    """

    process_inside = RemoteProcess
    process_outside = RemoteProcess

    def __init__(self, service: HostService, node: Path) -> None:
        super().__init__(service.name, node / "log", umask=0o022)
        self._service, self._node = service, node
        # Path there of each folder that tools on the machine can use under its name here.
        self._lent: dict[Path, str] = {node: f"{service.place}/node"}
        self._taken: frozenset[tuple[str, int, int]] = frozenset()
        self._taking = threading.Lock()

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        self.take_over()
        user = [] if uid is None else [f"--uid={uid}"]
        return [*self.way("inside"), *user, "--", *command]

    def outside(self, command: Sequence[str]) -> list[str]:
        self.take_over()
        words = [translated for word in command for translated in self.there(word)]
        return [*self.way("outside"), f"--environment={_OURS}", "--", *words]

    def way_to(self, address: str, timeout: float) -> socket.socket | None:
        return agent.way_to(self._service.at, address, timeout)

    def way(self, place: str) -> list[str]:
        """Return the command prefix that runs a command there: `inside` the host or `outside` it."""
        return [str(core_binary()), "agent", "run", f"--at={self._service.at}", f"--place={place}"]

    def there(self, word: str) -> list[str]:
        """Translate a word of a command line for the other machine."""
        if word == str(core_binary()):
            return [self._service.core]
        if word == sys.executable:
            python = self._python()
            libraries = f"LD_LIBRARY_PATH={python}/{python_bundle.LIBRARIES}"
            return ["env", libraries, "PYTHONDONTWRITEBYTECODE=1", f"{python}/{python_bundle.PROGRAM}"]
        if word.endswith(".py") and Path(word).is_relative_to(_PACKAGE):
            return [f"{self._python()}/{python_bundle.PACKAGES}/{Path(word).relative_to(_PACKAGE.parent)}"]
        for here, there in self._lent.items():
            word = word.replace(str(here), there)
        return [word]

    def lend(self, folder: Path) -> str:
        """Choose the path there of a folder that tools outside the host will use."""
        self._lent[folder] = f"{self._service.place}/lent{len(self._lent)}"
        return self._lent[folder]

    def _python(self) -> str:
        return self._service.engine(python_bundle.folder())

    def take_over(self) -> None:
        """Send the current configuration and secrets to the host.

        Raises:
            FiveninesError: the files could not be sent.
        """
        with self._taking:
            now = frozenset(_state(self._node))
            if now == self._taken:
                return
            ask = [str(core_binary()), "agent", "ask", f"--at={self._service.at}", "take-over"]
            done = subprocess.run([*ask, str(self._node)], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise FiveninesError(f"{self._name}: {done.stderr.strip()}")
            self._taken = now


def _state(node: Path) -> list[tuple[str, int, int]]:
    """Return names, sizes and modification times of the files that are sent."""
    files = []
    for top in (path for path in node.iterdir() if path.is_dir() and path.name not in _NOT_TAKEN):
        for path in (top, *top.rglob("*")):
            status = path.lstat()
            files.append((str(path), status.st_size, status.st_mtime_ns))
    return files
