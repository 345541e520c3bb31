"""A host of the lab, with its own network, root file system, PIDs and name.

Processes run inside the host, or outside it with only its network. Inside, /run/node is the host's writable
folder (data, log, conf, run) and /run/engine the engine.
"""

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import psutil

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import DataFolder, Folder
from fivenines.lab.limits import HostGroup
from fivenines.lab.network import network
from fivenines.lab.processes import lifeline
from fivenines.lab.processes.enter import enter
from fivenines.lab.processes.orphans import pid_namespace
from fivenines.lab.processes.process import Adopted, Process, start_logged

# Path of the host's folder inside the host.
NODE = Path("/run/node")

# Path of the engine's folder inside the host.
ENGINE = Path("/run/engine")

# Environment of commands inside a host. They inherit nothing from the controller.
_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True)
class Root:
    """The files of a host: an overlay over `lower`, or the machine's programs (/usr), read-only."""

    lower: Path | None = None
    # Mounted at `ENGINE`, read-only.
    engine: Path | None = None
    # Further folders of the machine, mounted at the same paths.
    show: tuple[Path, ...] = ()


class Host:
    """One machine of the lab, created by `Lab.add_host`."""

    # Path inside the host of the folder that it shares with the controller.
    shared: ClassVar[Path] = NODE

    # Type of a command that runs inside the host.
    process_inside: ClassVar[type[Process]] = Process

    # Type of a command that runs outside the host, in its network.
    process_outside: ClassVar[type[Process]] = Process

    def __init__(
        self, name: str, address: str, folder: Path, root: Root, group: HostGroup, *, all_ids: bool = False
    ) -> None:
        self.name = name
        self.address = address
        # Addresses that were added later.
        self.extra_addresses: list[str] = []
        # Networks from which other hosts of the lab connect.
        self.peers: tuple[str, ...] = (f"{network.PREFIX}.0/24",)
        self.folder = folder
        self.node = folder / "node"
        self.data: DataFolder = Folder(self.node / "data")
        self.group = group
        # Whether processes can have any user id, as on a real machine.
        self.all_ids = all_ids
        self._root = root
        self._first: lifeline.FirstProcess | None = None
        # Several users share such a host, as on a real machine. Only the lab's folder is closed to others.
        self._umask = 0o022 if all_ids else -1
        for part in ("data", "log", "conf", "run"):
            (self.node / part).mkdir(parents=True, exist_ok=True)
        if all_ids:
            (folder / "upper").mkdir(exist_ok=True)
            for path in (folder / "upper", self.node, *self.node.iterdir()):
                path.chmod(0o755)

    @property
    def pid(self) -> int:
        """Return the PID of the host's first process, as seen from outside."""
        if self._first is None:
            raise FiveninesError(f"host {self.name} is not running")
        return self._first.pid

    def start(self, lab: int) -> None:
        """Start the host in the lab with this first process."""
        command = enter(lab, "user", "mnt", "net", "pid")
        command += [str(core_binary()), "init", "host", "--name", self.name]
        command += ["--scratch", str(self.folder), "--bind", f"{self.node}:{NODE}"]
        if self._root.lower is not None:
            command += ["--lower", str(self._root.lower)]
        command += [f"--show={folder}" for folder in self._root.show]
        command += [f"--bind-ro={source}:{target}" for source, target in self._shown().items()]
        self._first = lifeline.start(command, self.folder / "host.log")

    def plug_in(self, lab: int, index: int, site: int, bandwidth: int | None) -> None:
        """Connect the host to its site's bridge, see `network.plug_in`."""
        network.plug_in(lab, self.pid, self.name, index, site, bandwidth)

    def ear(self, lab: int) -> tuple[int, str]:
        """Return where to capture frames that reach the host: PID of the network namespace, and device."""
        return self.pid, network.DEVICE

    def knocking(self, frame: bytes, seconds: float) -> list[str]:
        """Return the command line that sends a frame from the host repeatedly, for `seconds`."""
        knock = [str(core_binary()), "vm", "knock", "--device", network.DEVICE]
        return [*network.into(self.pid), *knock, "--frame", frame.hex(), "--seconds", f"{seconds:g}"]

    def give_address(self, extra: str) -> None:
        """Add an address to the host."""
        network.give_address(self.pid, extra)
        self.extra_addresses.append(extra)

    def way_to(self, address: str, timeout: float) -> socket.socket | None:
        """Open a connection from the host to host:port; None: run a tool with `outside` instead."""
        return None

    def lend(self, folder: Path) -> None:
        """Let tools outside the host use one of our folders under its own name; see `bring_back`."""

    def bring_back(self, folder: Path) -> None:
        """Copy back what tools have written into a folder that was lent."""

    def put(self, file: Path, text: str) -> None:
        """Write a file atomically into a folder that was lent."""
        whole = file.with_suffix(".part")
        whole.write_text(text)
        whole.rename(file)

    def our_moment(self, its_ns: int) -> int:
        """Convert the host's CLOCK_MONOTONIC to ours, in nanoseconds."""
        return its_ns

    def its_moment(self, our_ns: int) -> int:
        """Convert our CLOCK_MONOTONIC to the host's, in nanoseconds."""
        return our_ns

    def day_ahead_ns(self) -> int:
        """Return the host's wall clock, as in its logs, minus our CLOCK_MONOTONIC, in nanoseconds."""
        return time.time_ns() - time.monotonic_ns()

    def keep_only_its_address(self) -> None:
        """Remove all addresses that were added later, as a reboot does."""
        network.keep_only(self.pid, self.address)

    def power_off(self) -> list[psutil.Process]:
        """Kill all processes and remove added addresses; return the killed processes."""
        killed = self.kill_all()
        self.keep_only_its_address()
        return killed

    @property
    def powered(self) -> bool:
        """Whether a process runs on the host."""
        return bool(self.processes())

    def adopt(self, program: str, log: Path) -> Process:
        """Return the server of this program, which a supervisor on the host starts and can restart."""

        def find() -> list[psutil.Process]:
            return [process for process in self.processes() if _name(process) == program]

        return Adopted(find, log)

    def show_socket(self, name: str) -> None:
        """Make the unix socket of this name in the host's run folder reachable from outside."""

    def _shown(self) -> dict[Path, Path]:
        """Return the further read-only mounts of the host: path inside, by path outside."""
        return {} if self._root.engine is None else {self._root.engine: ENGINE}

    def end(self) -> None:
        """End the host and all of its processes."""
        if self._first is not None:
            self._first.end()
            self._first = None

    def processes(self) -> list[psutil.Process]:
        """Return all processes of the host except its first one, as seen from outside."""
        own = pid_namespace(self.pid)
        others = [process for process in psutil.process_iter() if process.pid != self.pid]
        return [process for process in others if own and pid_namespace(process.pid) == own]

    def reported_processes(self) -> list[tuple[int, str, str, str]] | None:
        """Return its processes from its own /proc: PID, stat, statm and io; None if it is on this machine.

        Raises:
            FiveninesError: the host does not answer.
        """
        return None

    def kill_all(self) -> list[psutil.Process]:
        """Kill all processes of the host except its first one; return the killed processes."""
        killed: dict[psutil.Process, None] = {}
        while fresh := [process for process in self.processes() if process not in killed]:
            for process in fresh:
                killed[process] = None
                with contextlib.suppress(psutil.NoSuchProcess):  # It ended together with another process.
                    process.kill()
        return list(killed)

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
        target = self.node / "log" / (log or f"{Path(command[0]).name}.out")
        command = self.group.wrap(self.inside(command, uid))
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
            raise FiveninesError(f"{self.name}: {command[0]} did not end within {timeout:g} s") from error
        if result.returncode != 0:
            message = "\n".join((result.stderr or result.stdout).strip().splitlines()[-8:])
            raise FiveninesError(f"{self.name}: {Path(command[0]).name} failed: {message}")
        return result.stdout

    def outside(self, command: Sequence[str]) -> list[str]:
        """Return the command line that runs a tool in the host's network with the machine's own files."""
        return [*enter(self.pid, "user", "net", "pid"), *command]

    def spawn_outside(
        self, command: Sequence[str], *, log: str, env: Mapping[str, str] | None = None
    ) -> Process:
        """Start a tool in the host's network with the machine's own files."""
        target = self.node / "log" / log
        env = {**os.environ, **(env or {})}
        return self.process_outside(start_logged(self.outside(command), target, env=env), target)

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        """Return the command line that runs a command inside the host, as root or as `uid`.

        The command has no privileges and runs below a filter of system calls. Only root of a host with all
        user ids has some privileges.
        """
        prefix = [str(core_binary()), "init", "inside", f"--target={self.pid}"]
        if uid is not None:
            prefix.append(f"--uid={uid}")
        if self.all_ids:
            prefix.append("--all-ids")
        return [*prefix, "--", *command]

    def own(self, *parts: str, uid: int) -> None:
        """Make a user of the host the owner of folders in its folder, on hosts with all user ids.

        Raises:
            OSError: the owner could not be changed.
        """
        if not self.all_ids:
            return
        for top in (self.node / part for part in parts):
            for path in (top, *top.rglob("*")):
                os.chown(path, uid, uid, follow_symlinks=False)


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""
