"""A host on another machine: namespaces of its own there, on the machine's network; reached over SSH.

Commands there are seen from here as one process each (`fivenines-core agent run`), which ends as they end.
Configuration and secrets go there before a command that may read them starts; logs come from there within a
tenth of a second; data stays there.
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

from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.lab.descent import children
from fivenines.lab.host import ENGINE, NODE, Host, Root
from fivenines.lab.limits import Groups, HostGroup
from fivenines.lab.process import OwnProcess, Process, start_logged
from fivenines.lab.ssh import agent, power, python_sent, sent
from fivenines.lab.ssh.clock import Clock
from fivenines.lab.ssh.connection import Connection, Remote
from fivenines.lab.ssh.data_folder import RemoteFolder
from fivenines.lab.vm_process import AttachedProcess, VmProcess

COMMANDS = "ssh.log"
"""The log of all commands that a machine was given over SSH."""

NO_LIMITS = "hosts are machines of an inventory"

_READY, _END, _CLEARED = 30.0, 15.0, 60
"""Seconds until a host is there, until it has ended, and until nothing of it is left."""

_NOT_TAKEN = {"data", "log", "run", "disk"}
"""Of a host's own folder, what does not go there; as in `crates/lab/src/agent/files.rs`."""

_OURS = "FIVENINES_"
"""Beginning of the names that a tool beside a host needs of our environment."""

_PACKAGE = Path(__file__).parents[2]


class RemoteProcess(OwnProcess, VmProcess):
    """A command there, as its end here, which nothing stands above."""


class AdoptedThere(AttachedProcess, RemoteProcess):
    """A server that others start there."""


class SshHost(Host):
    """One machine as a host.

    Args:
        name: the host's.
        folder: what we keep of it here.
        root: what it sees.
        connection: to the machine.
        place: a folder there that is made, and removed at the end.
        silence: seconds after which it takes us for dead.
        peers: the addresses of all machines that it may be spoken to from.
        tell: told what takes its time.
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
        tell: sent.Tell = lambda _: None,
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
        """There is no first process here.

        Raises:
            FiveninesError: always.
        """
        raise FiveninesError(f"{self.name} is on another machine")

    # its life

    def begin(self) -> None:
        """Send what it needs, where that is not there yet, and start it.

        Raises:
            FiveninesError: that is not possible; says why.
        """
        self.connection.log_to(self.node / "log" / COMMANDS)
        self._core = sent.program(self.connection, self._base)
        self._serve([])
        threading.Thread(target=self._beat, daemon=True).start()

    def _serve(self, more: Sequence[str]) -> None:
        """Start it there, and all that leads to it here."""
        self._server = self.connection.start([*self._command(), *more], self.folder / "host.log")
        if self._server.line(_READY) != "ready":
            said = self._server.last_words() or "it does not say why"
            raise FiveninesError(f"{self.name} could not be made on {self.connection.name}: {said}")
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
        # asked for again and again, as by each tool beside it
        if folder not in self._sent:
            kept = sent.tree(self.connection, self._core, self._base, "engines", folder, self._tell)
            self._sent[folder] = kept
        return self._sent[folder]

    def _data_set(self, folder: Path) -> str:
        return sent.tree(self.connection, self._core, self._base, "data", folder)

    def _beat(self) -> None:
        while not self._beating.wait(self._silence / 5):
            if self._server is not None:
                self._server.write(b".")

    def require(self) -> None:
        """Make sure that it is still there.

        Raises:
            FiveninesError: it is not: nothing that was measured since is worth anything.
        """
        if not self.powered:
            return
        if not self.connection.alive or (self._server is not None and self._server.ended):
            said = self._server.last_words() if self._server is not None else ""
            raise FiveninesError(
                f"{self.name}: the connection to {self.connection.name} was lost"
                + (f": {said}" if said else "")
            )

    def end(self) -> None:
        self._beating.set()
        if hasattr(self, "clock"):
            self.clock.stop()
        if self._server is not None:
            self._server.end(_END)
            self._server = None
            # the guard there has it until it has cleared away
            with suppress(FiveninesError):
                lock = f"{self._base}/lock"
                self.connection.run(["flock", f"--timeout={_CLEARED}", lock, "true"])
        for one in (self._follower, *(relay.popen for relay in self._relays)):
            if one is not None:
                one.kill()
                one.wait()
        self._follower, self._relays = None, []
        self.connection.close()

    # commands

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        self.take_over()
        who = [] if uid is None else [f"--uid={uid}"]
        return [*self._way("inside"), *who, "--", *command]

    def beside(self, command: Sequence[str]) -> list[str]:
        self.take_over()
        words = [there for word in command for there in self._there(word)]
        return [*self._way("beside"), f"--environment={_OURS}", "--", *words]

    def _way(self, place: str) -> list[str]:
        return [str(core_binary()), "agent", "run", f"--at={self.at}", f"--place={place}"]

    def _there(self, word: str) -> list[str]:
        """A word of a command line as it must be on the other machine."""
        if word == str(core_binary()):
            return [self._core]
        if word == sys.executable:
            python = self._python()
            libraries = f"LD_LIBRARY_PATH={python}/{python_sent.LIBRARIES}"
            return ["env", libraries, "PYTHONDONTWRITEBYTECODE=1", f"{python}/{python_sent.PROGRAM}"]
        if word.endswith(".py") and Path(word).is_relative_to(_PACKAGE):
            return [f"{self._python()}/{python_sent.PACKAGES}/{Path(word).relative_to(_PACKAGE.parent)}"]
        for here, there in self._lent.items():
            word = word.replace(str(here), there)
        return [word]

    def _python(self) -> str:
        return self._engine(python_sent.folder())

    def take_over(self) -> None:
        """Let it have configuration and secrets as they are here now."""
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
        """What undoes a fault should we be gone; with an empty command the fault is over."""
        self._ask({"undo": {"name": name, "command": list(command), "input": text}})

    def _ask(self, question: object) -> str:
        try:
            return agent.ask(self.at, question)
        except FiveninesError as error:
            raise FiveninesError(f"{self.name}: {error}") from error

    # processes

    def processes(self) -> list[psutil.Process]:
        """The ends here of what runs there."""
        found = []
        for one in children(os.getpid()):
            try:
                words = one.cmdline()
            except psutil.Error:
                continue
            if words[1:4] == ["agent", "run", f"--at={self.at}"] and one.is_running():
                found.append(one)
        return found

    def told_processes(self) -> list[tuple[int, str, str, str]] | None:
        found: list[tuple[int, str, str, str]] = json.loads(self._ask("processes"))
        return found

    def kill_all(self) -> list[psutil.Process]:
        ends = self.processes()
        self._ask("kill_all")
        return ends

    def adopt(self, program: str, log: Path) -> Process:
        def attach(said: Path) -> "subprocess.Popen[bytes]":
            return start_logged([*self._way("inside"), f"--attach={program}"], said)

        said = self.node / "log" / f"{program}.pid"
        return AdoptedThere(attach, lambda: self.connection.alive, said, log)

    # power

    @property
    def powered(self) -> bool:
        return self._server is not None

    def power_off(self) -> list[psutil.Process]:
        """Take the machine's power by the command of the inventory; the ends here of what ran there.

        Raises:
            FiveninesError: there is no such command, or it failed.
        """
        ends = self.processes()
        power.run(self.connection, self.connection.machine.power_off, "power_off")
        self._let_go()
        return ends

    def power_on(self) -> None:
        """Give the machine its power back, and be a host on it again, with the files that it had.

        Raises:
            FiveninesError: there is no such command, or the machine did not come back.
        """
        power.run(self.connection, self.connection.machine.power_on, "power_on")
        self.connection = power.again(self.connection)
        self.connection.log_to(self.node / "log" / COMMANDS)
        self.data.moved_to(self.connection)
        self._serve(["--again"])

    def _let_go(self) -> None:
        """Of all that leads there: nobody is there any more."""
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

    # its network is the machine's own

    def give_address(self, extra: str) -> None:
        raise FiveninesError(f"{self.name}: a machine of an inventory is given no further addresses")

    def keep_only_its_address(self) -> None:
        """It was given none."""


def _state(node: Path) -> list[tuple[str, int, int]]:
    """What is in the folders that go there: names, sizes, and when they were written."""
    found = []
    for top in (one for one in node.iterdir() if one.is_dir() and one.name not in _NOT_TAKEN):
        for path in (top, *top.rglob("*")):
            about = path.lstat()
            found.append((str(path), about.st_size, about.st_mtime_ns))
    return found
