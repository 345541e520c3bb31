"""The namespaces of a host, which exist as long as its first process."""

from collections.abc import Mapping
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import ENGINE, NODE, Root
from fivenines.lab.processes import lifeline
from fivenines.lab.processes.enter import enter


class Namespaces:
    """The namespaces of a host.

    Args:
        name: name of the host.
        folder: the host's folder.
        root: files of the host.
        more: further read-only mounts: path inside, by path outside.
    """

    def __init__(self, name: str, folder: Path, root: Root, more: Mapping[Path, Path] | None = None) -> None:
        self._name, self._folder, self._root = name, folder, root
        # Read-only mounts of the host besides its root: path inside, by path outside.
        self.shown: dict[Path, Path] = {} if root.engine is None else {root.engine: ENGINE}
        self.shown |= more or {}
        self._first: lifeline.FirstProcess | None = None

    @property
    def pid(self) -> int:
        """Return the PID of the host's first process, as seen from outside.

        Raises:
            FiveninesError: the host is not running.
        """
        if self._first is None:
            raise FiveninesError(f"host {self._name} is not running")
        return self._first.pid

    def start(self, lab: int) -> None:
        """Start the host in the lab with this first process."""
        command = enter(lab, "user", "mnt", "net", "pid")
        command += [str(core_binary()), "init", "host", "--name", self._name]
        command += ["--scratch", str(self._folder), "--bind", f"{self._folder / 'node'}:{NODE}"]
        if self._root.lower is not None:
            command += ["--lower", str(self._root.lower)]
        command += [f"--show={folder}" for folder in self._root.show]
        command += [f"--bind-ro={source}:{target}" for source, target in self.shown.items()]
        self._first = lifeline.start(command, self._folder / "host.log")

    def end(self) -> None:
        """End the host and all of its processes."""
        if self._first is not None:
            self._first.end()
            self._first = None
