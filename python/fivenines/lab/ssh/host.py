"""A host on another machine, over SSH: separate namespaces there, on the machine's network.

A local process represents each command there (`fivenines-core agent run`) and ends with it. Configuration and
secrets are sent before a command starts that can read them; logs arrive here within 0.1 s; data stays there.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import ENGINE, NODE, Host, Root
from fivenines.lab.limits import Groups, HostGroup
from fivenines.lab.processes.process import OwnProcess, Process, start_logged
from fivenines.lab.processes.tree import children
from fivenines.lab.ssh import agent, power, python_bundle, transfer
from fivenines.lab.ssh.clock import Clock
from fivenines.lab.ssh.connection import Connection, Remote
from fivenines.lab.ssh.data_folder import RemoteFolder
from fivenines.lab.vm.process import AttachedProcess, VmProcess

# Log file of all commands that a machine received over SSH.
COMMANDS = "ssh.log"

NO_LIMITS = "hosts are machines of an inventory"

# Time limits in seconds: for the start of a host, for its end, and for the clean-up.
_READY, _END, _CLEARED = 30.0, 15.0, 60

# Subfolders of a host's folder that are not sent; as in `crates/lab/src/agent/files.rs`.
_NOT_TAKEN = {"data", "log", "run", "disk"}

# Prefix of the environment variables that are passed to tools outside a host.
_OURS = "FIVENINES_"

_PACKAGE = Path(__file__).parents[2]


class RemoteProcess(OwnProcess, VmProcess):
    """A remote command, represented by a local process without a parent starter."""


class RemoteAdopted(AttachedProcess, RemoteProcess):
    """A remote server that a supervisor starts."""


class SshHost(Host):
    """A machine that is a host.

    Args:
        name: name of the host.
        folder: the host's folder here.
        root: files of the host.
        connection: connection to the machine.
        place: folder there, created at the start and removed at the end.
        silence: seconds without a sign of the controller after which the host ends.
        peers: addresses of all machines that can connect to the host.
        tell: called with progress messages.
    """

    process_inside = RemoteProcess
    process_outside = RemoteProcess

    def __init__(
        self,
        name: str,
        folder: Path,
        root: Root,
        connection: Connection,
        place: str,
        silence: float,
        peers: Sequence[str],
        tell: transfer.Tell = lambda _: None,
    ) -> None:
        group = HostGroup(Groups({}, 1, NO_LIMITS), name, None, None)
        address = str(connection.machine.address)
        super().__init__(name, address, folder, root, group, all_ids=True)
        self.connection = connection
        self.place = place
        self._tell = tell
        self.peers = tuple(f"{peer}/32" for peer in peers)
        self.data: RemoteFolder = RemoteFolder(self.run, connection, f"{place}/node/data", self._data_set)
        self.at = folder / "agent.sock"
        self._silence = silence
        self._base = connection.machine.folder
        self._core = ""
        self._server: Remote | None = None
        self._follower: subprocess.Popen[bytes] | None = None
        self._relays: list[Process] = []
        self._sent: dict[Path, str] = {}
        self._lent: dict[Path, str] = {self.node: f"{place}/node"}
        self._taken: frozenset[tuple[str, int, int]] = frozenset()
        self._taking = threading.Lock()
        self._beating = threading.Event()

    @property
    def pid(self) -> int:
        """Raise: a host on another machine has no first process here.

        Raises:
            FiveninesError: always.
        """
        raise FiveninesError(f"{self.name} is on another machine")

    # start and end

    def begin(self) -> None:
        """Send missing files to the machine and start the host.

        Raises:
            FiveninesError: the host cannot start; the message gives the reason.
        """
        self.connection.log_to(self.node / "log" / COMMANDS)
        self._core = transfer.program(self.connection, self._base)
        self._serve([])
        threading.Thread(target=self._beat, daemon=True).start()

    def _serve(self, more: Sequence[str]) -> None:
        """Start the host there, and the connections to it here."""
        self._server = self.connection.start([*self._command(), *more], self.folder / "host.log")
        if self._server.line(_READY) != "ready":
            reason = self._server.last_words() or "it printed no reason"
            raise FiveninesError(f"{self.name} could not start on {self.connection.name}: {reason}")
        self.at.unlink(missing_ok=True)
        self.connection.lead(self.at, f"{self.place}.sock")
        self.clock = Clock(lambda times: agent.clocks(self.at, times))
        follow = [str(core_binary()), "agent", "follow", f"--at={self.at}"]
        log = self.folder / "follow.log"
        self._follower = start_logged([*follow, f"--folder={self.node / 'log'}"], log)

    def _command(self) -> list[str]:
        machine = self.connection.machine
        uid = self.connection.number(["id", "-u"], root=False)
        pinned = ["taskset", "--cpu-list", machine.processors] if machine.processors else []
        made = [
            *pinned,
            self._core,
            "remote",
            "serve",
            f"--name={self.name}",
            f"--folder={self.place}",
            f"--lock={self._base}/lock",
            f"--user={uid}",
            f"--silence={self._silence:g}",
        ]
        root = self._root
        if root.lower is not None:
            made.append(f"--lower={self._engine(root.lower)}")
        if root.engine is not None:
            made.append(f"--show={self._engine(root.engine)}:{ENGINE}")
        return made + [f"--show={self._engine(shown)}:{shown}" for shown in root.show]

    def _engine(self, folder: Path) -> str:
        # Each tool outside the host asks for the path again.
        if folder not in self._sent:
            remote = transfer.tree(self.connection, self._core, self._base, "engines", folder, self._tell)
            self._sent[folder] = remote
        return self._sent[folder]

    def _data_set(self, folder: Path) -> str:
        return transfer.tree(self.connection, self._core, self._base, "data", folder)

    def _beat(self) -> None:
        while not self._beating.wait(self._silence / 5):
            if self._server is not None:
                self._server.write(b".")

    def require(self) -> None:
        """Check that the connection to the host works.

        Raises:
            FiveninesError: the connection was lost, so the measurement is invalid.
        """
        if not self.powered:
            return
        if not self.connection.alive or (self._server is not None and self._server.ended):
            reason = self._server.last_words() if self._server is not None else ""
            raise FiveninesError(
                f"{self.name}: the connection to {self.connection.name} was lost"
                + (f": {reason}" if reason else "")
            )

    def end(self) -> None:
        self._beating.set()
        if hasattr(self, "clock"):
            self.clock.stop()
        if self._server is not None:
            self._server.end(_END)
            self._server = None
            # The guard there holds the lock until its clean-up is complete.
            with suppress(FiveninesError):
                lock = f"{self._base}/lock"
                self.connection.run(["flock", f"--timeout={_CLEARED}", lock, "true"])
        for process in (self._follower, *(relay.popen for relay in self._relays)):
            if process is not None:
                process.kill()
                process.wait()
        self._follower, self._relays = None, []
        self.connection.close()

    # commands

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        self.take_over()
        user = [] if uid is None else [f"--uid={uid}"]
        return [*self._way("inside"), *user, "--", *command]

    def outside(self, command: Sequence[str]) -> list[str]:
        self.take_over()
        words = [translated for word in command for translated in self._there(word)]
        return [*self._way("outside"), f"--environment={_OURS}", "--", *words]

    def _way(self, place: str) -> list[str]:
        return [str(core_binary()), "agent", "run", f"--at={self.at}", f"--place={place}"]

    def _there(self, word: str) -> list[str]:
        """Translate a word of a command line for the other machine."""
        if word == str(core_binary()):
            return [self._core]
        if word == sys.executable:
            python = self._python()
            libraries = f"LD_LIBRARY_PATH={python}/{python_bundle.LIBRARIES}"
            return ["env", libraries, "PYTHONDONTWRITEBYTECODE=1", f"{python}/{python_bundle.PROGRAM}"]
        if word.endswith(".py") and Path(word).is_relative_to(_PACKAGE):
            return [f"{self._python()}/{python_bundle.PACKAGES}/{Path(word).relative_to(_PACKAGE.parent)}"]
        for here, there in self._lent.items():
            word = word.replace(str(here), there)
        return [word]

    def _python(self) -> str:
        return self._engine(python_bundle.folder())

    def take_over(self) -> None:
        """Send the current configuration and secrets to the host."""
        with self._taking:
            now = frozenset(_state(self.node))
            if now == self._taken:
                return
            ask = [str(core_binary()), "agent", "ask", f"--at={self.at}", "take-over", str(self.node)]
            done = subprocess.run(ask, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise FiveninesError(f"{self.name}: {done.stderr.strip()}")
            self._taken = now

    def own(self, *parts: str, uid: int) -> None:
        self.take_over()
        self._ask({"own": {"folders": list(parts), "uid": uid}})

    def undo(self, name: str, command: Sequence[str], text: str = "") -> None:
        """Register the command that undoes a fault if we end; an empty command removes it."""
        self._ask({"undo": {"name": name, "command": list(command), "input": text}})

    def _ask(self, question: object) -> str:
        try:
            return agent.ask(self.at, question)
        except FiveninesError as error:
            raise FiveninesError(f"{self.name}: {error}") from error

    # processes

    def processes(self) -> list[psutil.Process]:
        """Return the local processes that represent the commands there."""
        processes = []
        for process in children(os.getpid()):
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if words[1:4] == ["agent", "run", f"--at={self.at}"] and process.is_running():
                processes.append(process)
        return processes

    def reported_processes(self) -> list[tuple[int, str, str, str]] | None:
        processes: list[tuple[int, str, str, str]] = json.loads(self._ask("processes"))
        return processes

    def kill_all(self) -> list[psutil.Process]:
        clients = self.processes()
        self._ask("kill_all")
        return clients

    def adopt(self, program: str, log: Path) -> Process:
        def attach(seen: Path) -> "subprocess.Popen[bytes]":
            return start_logged([*self._way("inside"), f"--attach={program}"], seen)

        seen = self.node / "log" / f"{program}.pid"
        return RemoteAdopted(attach, lambda: self.connection.alive, seen, log)

    # power

    @property
    def powered(self) -> bool:
        return self._server is not None

    def power_off(self) -> list[psutil.Process]:
        """Switch the machine off; return the local processes that represented its commands.

        Raises:
            FiveninesError: the inventory has no such command, or it failed.
        """
        clients = self.processes()
        power.run(self.connection, self.connection.machine.power_off, "power_off")
        self._disconnect()
        return clients

    def power_on(self) -> None:
        """Switch the machine on and start the host on it again, with its former files.

        Raises:
            FiveninesError: the inventory has no such command, or the machine did not boot.
        """
        power.run(self.connection, self.connection.machine.power_on, "power_on")
        self.connection = power.again(self.connection)
        self.connection.log_to(self.node / "log" / COMMANDS)
        self.data.moved_to(self.connection)
        self._serve(["--again"])

    def _disconnect(self) -> None:
        """Close all connections to a machine that was switched off."""
        self._server = None
        self.clock.stop()
        if self._follower is not None:
            self._follower.kill()
            self._follower.wait()
        self.connection.close()

    # files

    def show_socket(self, name: str) -> None:
        folder = self.node / "run"
        relay = [str(core_binary()), "agent", "relay", f"--at={self.at}", f"--folder={folder}"]
        log = self.folder / "relay.log"
        started = start_logged([*relay, f"--name={name}", f"--inside={NODE / 'run'}"], log)
        self._relays.append(RemoteProcess(started, log))

    def way_to(self, address: str, timeout: float) -> socket.socket | None:
        return agent.way_to(self.at, address, timeout)

    def lend(self, folder: Path) -> None:
        there = f"{self.place}/lent{len(self._lent)}"
        self.connection.need(["mkdir", "-p", there])
        self._lent[folder] = there

    def put(self, file: Path, text: str) -> None:
        (there,) = self._there(str(file))
        script = 'cat > "$1.part" && mv "$1.part" "$1"'
        self.connection.need(["sh", "-c", script, "sh", there], stdin=text)

    def bring_back(self, folder: Path) -> None:
        there = self._lent[folder]
        reads = ["tar", "--create", f"--directory={there}", "--file=-", "."]
        writes = ["tar", "--extract", "--no-same-owner", f"--directory={folder}", "--file=-"]
        self.connection.fetch(reads, writes, 3600.0)

    # clocks

    def our_moment(self, its_ns: int) -> int:
        return self.clock.ours(its_ns)

    def its_moment(self, our_ns: int) -> int:
        return self.clock.theirs(our_ns)

    def day_ahead_ns(self) -> int:
        return self.clock.near(time.monotonic_ns()).day

    # The network is the machine's own.

    def give_address(self, extra: str) -> None:
        raise FiveninesError(f"{self.name}: hosts over SSH cannot have further addresses")

    def keep_only_its_address(self) -> None:
        """Do nothing: a machine of an inventory has no further addresses."""


def _state(node: Path) -> list[tuple[str, int, int]]:
    """Return names, sizes and modification times of the files that are sent."""
    files = []
    for top in (path for path in node.iterdir() if path.is_dir() and path.name not in _NOT_TAKEN):
        for path in (top, *top.rglob("*")):
            status = path.lstat()
            files.append((str(path), status.st_size, status.st_mtime_ns))
    return files
