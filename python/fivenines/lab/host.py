"""A host of the lab: own network, root, PIDs and name; processes are started in it or beside it.

Inside it, /run/node is the host's own writable folder (data, log, conf, run), /run/engine the engine.
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

from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.lab import lifeline, network
from fivenines.lab.data_folder import DataFolder, Folder
from fivenines.lab.enter import enter
from fivenines.lab.limits import HostGroup
from fivenines.lab.orphans import pid_namespace
from fivenines.lab.process import Adopted, Process, start_logged

NODE = Path("/run/node")
"""Where a host sees its own folder."""

ENGINE = Path("/run/engine")
"""Where a host sees the engine's folder."""

_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
}
"""What a command inside a host gets, and nothing of the controller's own."""


@dataclass(frozen=True)
class Root:
    """The files that a host sees: an overlay over `lower`, or the machine's programs (/usr), read-only."""

    lower: Path | None = None
    engine: Path | None = None
    """Shown as `ENGINE`, read-only."""
    show: tuple[Path, ...] = ()
    """Folders of the machine that are shown beside its programs, at their own places."""


class Host:
    """One machine of the lab. Made by `Lab.add_host`."""

    shared: ClassVar[Path] = NODE
    """Where a command inside it sees the folder that we have in common, as it is at any moment."""

    process_inside: ClassVar[type[Process]] = Process
    """What a command that runs inside it is."""

    process_outside: ClassVar[type[Process]] = Process
    """What a command that runs beside it is."""

    def __init__(
        self, name: str, address: str, folder: Path, root: Root, group: HostGroup, *, all_ids: bool = False
    ) -> None:
        self.name = name
        self.address = address
        self.extra_addresses: list[str] = []
        """Further ones, which it has been given."""
        self.peers: tuple[str, ...] = (f"{network.PREFIX}.0/24",)
        """The networks from which others of the lab speak to it."""
        self.folder = folder
        self.node = folder / "node"
        self.data: DataFolder = Folder(self.node / "data")
        self.group = group
        self.all_ids = all_ids
        """Whether its processes may have any user id, as on a real machine."""
        self._root = root
        self._first: lifeline.FirstProcess | None = None
        # users of its own meet in such a host, as on a real machine; the lab's folder is closed around it
        self._umask = 0o022 if all_ids else -1
        for part in ("data", "log", "conf", "run"):
            (self.node / part).mkdir(parents=True, exist_ok=True)
        if all_ids:
            (folder / "upper").mkdir(exist_ok=True)
            for path in (folder / "upper", self.node, *self.node.iterdir()):
                path.chmod(0o755)

    @property
    def pid(self) -> int:
        """PID of the host's first process, as seen from outside."""
        if self._first is None:
            raise FiveninesError(f"host {self.name} is not running")
        return self._first.pid

    def start(self, lab: int) -> None:
        """Bring the host up in the lab with this first process."""
        command = enter(lab, "user", "mnt", "net", "pid")
        command += [str(core_binary()), "init", "host", "--name", self.name]
        command += ["--scratch", str(self.folder), "--bind", f"{self.node}:{NODE}"]
        if self._root.lower is not None:
            command += ["--lower", str(self._root.lower)]
        command += [f"--show={folder}" for folder in self._root.show]
        command += [f"--bind-ro={source}:{target}" for source, target in self._shown().items()]
        self._first = lifeline.start(command, self.folder / "host.log")

    def plug_in(self, lab: int, index: int, site: int, bandwidth: int | None) -> None:
        """Join it to its site's bridge, see `network.plug_in`."""
        network.plug_in(lab, self.pid, self.name, index, site, bandwidth)

    def ear(self, lab: int) -> tuple[int, str]:
        """Where frames that arrive at it are heard: in the network of which process, at which device."""
        return self.pid, network.DEVICE

    def knocking(self, frame: bytes, seconds: float) -> list[str]:
        """The command line that sends a frame from it again and again for a while."""
        knock = [str(core_binary()), "vm", "knock", "--device", network.DEVICE]
        return [*network.into(self.pid), *knock, "--frame", frame.hex(), "--seconds", f"{seconds:g}"]

    def give_address(self, extra: str) -> None:
        """Let it answer at one more address."""
        network.give_address(self.pid, extra)
        self.extra_addresses.append(extra)

    def way_to(self, address: str, timeout: float) -> socket.socket | None:
        """A connection from the host to host:port, with this time-out; None: run a tool beside it instead."""
        return None

    def lend(self, folder: Path) -> None:
        """Let tools beside it use a folder of ours, by its own name. What they write there is ours after
        `bring_back`."""

    def bring_back(self, folder: Path) -> None:
        """Have in a folder that was lent what tools beside it have written there."""

    def put(self, file: Path, text: str) -> None:
        """Write a file, whole or not at all, into a folder that was lent."""
        whole = file.with_suffix(".part")
        whole.write_text(text)
        whole.rename(file)

    def our_moment(self, its_ns: int) -> int:
        """Our CLOCK_MONOTONIC when the host's was that; nanoseconds."""
        return its_ns

    def its_moment(self, our_ns: int) -> int:
        """The host's CLOCK_MONOTONIC when ours is that; nanoseconds."""
        return our_ns

    def day_ahead_ns(self) -> int:
        """What the host's clock of the day, as its logs have it, is ahead of our CLOCK_MONOTONIC; ns."""
        return time.time_ns() - time.monotonic_ns()

    def keep_only_its_address(self) -> None:
        """Take from it every address but its own, as a loss of power does."""
        network.keep_only(self.pid, self.address)

    def power_off(self) -> list[psutil.Process]:
        """End all of its processes, and take from it what it was given at run time; returns who was hit."""
        hit = self.kill_all()
        self.keep_only_its_address()
        return hit

    @property
    def powered(self) -> bool:
        """Whether anything runs on it."""
        return bool(self.processes())

    def adopt(self, program: str, log: Path) -> Process:
        """The server of this program, which others start on the host, and may start again."""

        def find() -> list[psutil.Process]:
            return [one for one in self.processes() if _name(one) == program]

        return Adopted(find, log)

    def show_socket(self, name: str) -> None:
        """Let the unix socket of this name in its run folder be reached from outside."""

    def _shown(self) -> dict[Path, Path]:
        """What it sees read-only beside its root: where, by what is there outside."""
        return {} if self._root.engine is None else {self._root.engine: ENGINE}

    def end(self) -> None:
        """End the host and all of its processes."""
        if self._first is not None:
            self._first.end()
            self._first = None

    def processes(self) -> list[psutil.Process]:
        """All processes of the host, seen from outside, without its first one."""
        own = pid_namespace(self.pid)
        found = [one for one in psutil.process_iter() if one.pid != self.pid]
        return [one for one in found if own and pid_namespace(one.pid) == own]

    def told_processes(self) -> list[tuple[int, str, str, str]] | None:
        """Its processes as its own /proc tells them: PID, and the files stat, statm and io; None: it is ours.

        Raises:
            FiveninesError: it does not answer now.
        """
        return None

    def kill_all(self) -> list[psutil.Process]:
        """SIGKILL to all processes of the host but its first one; returns those that were hit."""
        hit: dict[psutil.Process, None] = {}
        while fresh := [process for process in self.processes() if process not in hit]:
            for process in fresh:
                hit[process] = None
                with contextlib.suppress(psutil.NoSuchProcess):  # it ended along with another
                    process.kill()
        return list(hit)

    def spawn(
        self,
        command: Sequence[str],
        *,
        uid: int | None = None,
        log: str = "",
        env: Mapping[str, str] | None = None,
    ) -> Process:
        """Start a command inside the host, as its root or as `uid` (for programs that refuse root).

        Output goes to the host's log folder, file `log`; the controller never reads it from a pipe.
        """
        target = self.node / "log" / (log or f"{Path(command[0]).name}.out")
        command = self.group.wrap(self.inside(command, uid))
        env = {**_ENVIRONMENT, **(env or {})}
        started = start_logged(command, target, env=env, umask=self._umask)
        return self.process_inside(started, target)

    def spawn_heard(self, command: Sequence[str]) -> "subprocess.Popen[str]":
        """As `spawn`, but the caller reads all that the command says from its standard output."""
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
        """Run a command inside the host to its end; its standard output.

        Raises:
            FiveninesError: it failed or took longer than `timeout` seconds; with what it said.
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
            words = "\n".join((result.stderr or result.stdout).strip().splitlines()[-8:])
            raise FiveninesError(f"{self.name}: {Path(command[0]).name} failed: {words}")
        return result.stdout

    def beside(self, command: Sequence[str]) -> list[str]:
        """The command line that runs a tool with the host's network but the machine's own files."""
        return [*enter(self.pid, "user", "net", "pid"), *command]

    def spawn_outside(
        self, command: Sequence[str], *, log: str, env: Mapping[str, str] | None = None
    ) -> Process:
        """Start a tool of ours with the host's network but the machine's own files."""
        target = self.node / "log" / log
        env = {**os.environ, **(env or {})}
        return self.process_outside(start_logged(self.beside(command), target, env=env), target)

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        """The command line that runs a command inside the host, as its root or as `uid`.

        Without privileges and below a filter of system calls; only root of a host with all ids has some.
        """
        way = [str(core_binary()), "init", "inside", f"--target={self.pid}"]
        if uid is not None:
            way.append(f"--uid={uid}")
        if self.all_ids:
            way.append("--all-ids")
        return [*way, "--", *command]

    def own(self, *parts: str, uid: int) -> None:
        """Let a user of the host own folders in its own folder, where users differ at all.

        Raises:
            OSError: they could not be given away.
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
