"""Start a host on another machine (`fivenines-core remote serve`) and keep the connections to it."""

import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.lab.host import ENGINE, Root
from fivenines.lab.processes.process import start_logged
from fivenines.lab.ssh import agent, transfer
from fivenines.lab.ssh.clock import Clock
from fivenines.lab.ssh.connection import Connection, Remote

# Log file of all commands that a machine received over SSH.
COMMANDS = "ssh.log"

# Time limits in seconds: for the start of a host, for its end, and for the clean-up.
_READY, _END, _CLEARED = 30.0, 15.0, 60


class HostService:
    """The host's first process there, which ends the host when it ends.

    Args:
        name: name of the host.
        folder: the host's folder here.
        root: files of the host.
        connection: connection to the machine.
        place: folder there, created at the start and removed at the end.
        silence: seconds without a sign of the controller after which the host ends.
        tell: called with progress messages.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        root: Root,
        connection: Connection,
        place: str,
        silence: float,
        tell: transfer.Tell,
    ) -> None:
        self.name = name
        self.connection = connection
        self.place = place
        # Socket here that leads to the host's agent.
        self.at = folder / "agent.sock"
        # Path of our program there.
        self.core = ""
        # The host's clocks, read since its last start.
        self.clock: Clock | None = None
        self._folder, self._logs = folder, folder / "node" / "log"
        self._root = root
        self._silence = silence
        self._tell = tell
        self._base = connection.machine.folder
        self._server: Remote | None = None
        self._follower: subprocess.Popen[bytes] | None = None
        self._sent: dict[Path, str] = {}
        self._beating = threading.Event()

    @property
    def runs(self) -> bool:
        """Whether the host runs, as far as we know."""
        return self._server is not None

    def begin(self) -> None:
        """Send missing files to the machine and start the host.

        Raises:
            FiveninesError: the host cannot start; the message gives the reason.
        """
        self.connection.log_to(self._logs / COMMANDS)
        self.core = transfer.program(self.connection, self._base)
        self._serve([])
        Background(target=self._beat).start()

    def begin_again(self, connection: Connection) -> None:
        """Start the host again, with its former files, after the machine was switched off.

        Raises:
            FiveninesError: the host cannot start; the message gives the reason.
        """
        self.connection = connection
        self.connection.log_to(self._logs / COMMANDS)
        self._serve(["--again"])

    def _serve(self, more: Sequence[str]) -> None:
        """Start the host there, and the connections to it here."""
        self._server = self.connection.start([*self._command(), *more], self._folder / "host.log")
        if self._server.line(_READY) != "ready":
            reason = self._server.last_words() or "it printed no reason"
            raise FiveninesError(f"{self.name} could not start on {self.connection.name}: {reason}")
        self.at.unlink(missing_ok=True)
        self.connection.lead(self.at, f"{self.place}.sock")
        self.clock = Clock(lambda times: agent.clocks(self.at, times))
        follow = [str(core_binary()), "agent", "follow", f"--at={self.at}"]
        log = self._folder / "follow.log"
        self._follower = start_logged([*follow, f"--folder={self._logs}"], log)

    def _command(self) -> list[str]:
        machine = self.connection.machine
        uid = self.connection.number(["id", "-u"], root=False)
        pinned = ["taskset", "--cpu-list", machine.processors] if machine.processors else []
        made = [
            *pinned,
            self.core,
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
            made.append(f"--lower={self.engine(root.lower)}")
        if root.engine is not None:
            made.append(f"--show={self.engine(root.engine)}:{ENGINE}")
        return made + [f"--show={self.engine(shown)}:{shown}" for shown in root.show]

    def engine(self, folder: Path) -> str:
        """Return the path there of a folder with programs, which is sent unless it exists there."""
        # Each tool outside the host asks for the path again.
        if folder not in self._sent:
            remote = transfer.tree(self.connection, self.core, self._base, "engines", folder, self._tell)
            self._sent[folder] = remote
        return self._sent[folder]

    def data_set(self, folder: Path) -> str:
        """Return the path there of a data set, which is sent unless it exists there."""
        return transfer.tree(self.connection, self.core, self._base, "data", folder)

    def ask(self, question: object) -> str:
        """Send a request to the host's agent and return the answer.

        Raises:
            FiveninesError: the host does not answer, or the request failed.
        """
        try:
            return agent.ask(self.at, question)
        except FiveninesError as error:
            raise FiveninesError(f"{self.name}: {error}") from error

    def undo(self, name: str, command: Sequence[str], text: str = "") -> None:
        """Register the command that the machine runs when the host ends; an empty command removes it."""
        self.ask({"undo": {"name": name, "command": list(command), "input": text}})

    def _beat(self) -> None:
        while not self._beating.wait(self._silence / 5):
            if self._server is not None:
                self._server.write(b".")

    def require(self) -> None:
        """Check that the connection to the host works.

        Raises:
            FiveninesError: the connection was lost, so the measurement is invalid.
        """
        server = self._server
        if server is not None and (not self.connection.alive or server.ended):
            reason = server.last_words()
            raise FiveninesError(
                f"{self.name}: the connection to {self.connection.name} was lost"
                + (f": {reason}" if reason else "")
            )

    def disconnect(self) -> None:
        """Close all connections to a machine that was switched off."""
        self._server = None
        if self.clock is not None:
            self.clock.stop()
        if self._follower is not None:
            self._follower.kill()
            self._follower.wait()
        self.connection.close()

    def end(self) -> None:
        """End the host and wait until its files there are removed; the connection stays open."""
        self._beating.set()
        if self.clock is not None:
            self.clock.stop()
        if self._server is not None:
            self._server.end(_END)
            self._server = None
            # The guard there holds the lock until its clean-up is complete.
            with suppress(FiveninesError):
                lock = f"{self._base}/lock"
                self.connection.run(["flock", f"--timeout={_CLEARED}", lock, "true"])
        if self._follower is not None:
            self._follower.kill()
            self._follower.wait()
            self._follower = None
