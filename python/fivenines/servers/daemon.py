"""A server process that fivenines starts and stops."""

from abc import abstractmethod
from typing import ClassVar

from fivenines.lab.processes.process import tail
from fivenines.servers import secrets
from fivenines.servers.member import Member, unsupported

# The file for standard output and standard error, in the host's folder for logs.
_OUTPUT = "server.out"


class Daemon(Member):
    """A member with a life cycle."""

    # User id of the process in its host: database servers refuse to run as root.
    uid: ClassVar[int]

    @abstractmethod
    def command(self, *arguments: str) -> list[str]:
        """Return the command line of its process inside its host."""

    def start(self, *arguments: str) -> None:
        """Start the process without waiting for it."""
        command = self.command(*arguments)
        command = self.disk.wrap(command) if self.disk is not None else command
        self.host.files.own("data", "log", "run", "conf", secrets.FOLDER, uid=self.uid)
        self.process = self.host.commands.spawn(command, uid=self.uid, log=_OUTPUT)

    def last_words(self, lines: int = 8) -> str:
        """Return the last lines of its log, or of its output if it ended before it had a log."""
        if tail(self.log, lines).strip():
            return super().last_words(lines)
        output = tail(self.host.node / "log" / _OUTPUT, lines).splitlines()
        return "\n".join(f"  {line}" for line in output) or "  (no log)"

    def stop(self, timeout: float = 60.0) -> None:
        """Shut it down cleanly; kill what has not ended after `timeout` seconds."""
        if self.process is not None:
            self.process.terminate(timeout)

    def put_down(self) -> None:
        """End it, cleanly unless it is frozen."""
        if self.frozen and self.process is not None:
            self.process.gone(self.process.kill())
        else:
            self.stop()


def daemon(member: Member) -> Daemon:
    """Return a member as one that can be started and stopped.

    Raises:
        FiveninesError: it is an external server.
    """
    return member if isinstance(member, Daemon) else unsupported(member)
