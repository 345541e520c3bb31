"""Run commands on a host: inside it, or outside it in its network."""

import os
import socket
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from fivenines.base.errors import FiveninesError
from fivenines.lab.limits import HostGroup
from fivenines.lab.processes.process import Process, start_logged

# Environment of commands inside a host. They inherit nothing from the controller.
_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
}


class HostCommands(ABC):
    """The commands of a host.

    Args:
        name: the host's name, for messages.
        logs: folder of the commands' output.
        group: control groups of the commands inside; None: no limits.
        umask: mask of the files that commands inside create; -1: that of the controller.
    """

    # Type of a command that runs inside the host.
    process_inside: ClassVar[type[Process]] = Process

    # Type of a command that runs outside the host, in its network.
    process_outside: ClassVar[type[Process]] = Process

    def __init__(self, name: str, logs: Path, group: HostGroup | None = None, umask: int = -1) -> None:
        self._name, self._logs = name, logs
        self._group, self._umask = group, umask

    @abstractmethod
    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        """Return the command line that runs a command inside the host, as root or as `uid`.

        Raises:
            FiveninesError: no command can run inside the host.
        """

    @abstractmethod
    def outside(self, command: Sequence[str]) -> list[str]:
        """Return the command line that runs a tool in the host's network with the machine's own files."""

    def use_name_server(self, address: str) -> None:
        """Let tools with the machine's own files ask this name server from now on.

        Raises:
            FiveninesError: hosts of this kind cannot.
        """
        raise FiveninesError(f"{self._name}: its name server is that of its machine")

    def way_to(self, address: str, timeout: float) -> socket.socket | None:
        """Open a connection from the host to host:port; None: run a tool with `outside` instead."""
        return None

    def spawn(
        self,
        command: Sequence[str],
        *,
        uid: int | None = None,
        log: str = "",
        env: Mapping[str, str] | None = None,
    ) -> Process:
        """Start a command inside the host, as root or as `uid` (for programs that refuse root).

        Its output goes to the file `log` in the host's log folder; the controller never reads it from a pipe.
        """
        target = self._logs / (log or f"{Path(command[0]).name}.out")
        command = self.inside(command, uid)
        if self._group is not None:
            command = self._group.wrap(command)
        env = {**_ENVIRONMENT, **(env or {})}
        started = start_logged(command, target, env=env, umask=self._umask)
        return self.process_inside(started, target)

    def spawn_piped(self, command: Sequence[str]) -> "subprocess.Popen[str]":
        """Start a command as `spawn` does; the caller reads all output from the standard output pipe."""
        return subprocess.Popen(
            self.inside(command, None),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=_ENVIRONMENT,
            umask=self._umask,
            start_new_session=True,
        )

    def spawn_outside(
        self, command: Sequence[str], *, log: str, env: Mapping[str, str] | None = None
    ) -> Process:
        """Start a tool in the host's network with the machine's own files."""
        target = self._logs / log
        env = {**os.environ, **(env or {})}
        return self.process_outside(start_logged(self.outside(command), target, env=env), target)

    def run(
        self,
        command: Sequence[str],
        *,
        uid: int | None = None,
        stdin: str = "",
        timeout: float = 60.0,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command inside the host to its end and return its standard output.

        Raises:
            FiveninesError: it failed or took longer than `timeout` seconds; the message has its last lines.
        """
        try:
            result = subprocess.run(
                self.inside(command, uid),
                input=stdin,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
                check=False,
                env={**_ENVIRONMENT, **(env or {})},
                umask=self._umask,
            )
        except subprocess.TimeoutExpired as error:
            raise FiveninesError(f"{self._name}: {command[0]} did not end within {timeout:g} s") from error
        if result.returncode != 0:
            message = "\n".join((result.stderr or result.stdout).strip().splitlines()[-8:])
            raise FiveninesError(f"{self._name}: {Path(command[0]).name} failed: {message}")
        return result.stdout
