"""Run commands in the namespaces of a host."""

from collections.abc import Sequence
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.hosts.place import HostNamespaces
from fivenines.lab.limits import HostGroup
from fivenines.lab.processes.enter import enter


class NamespaceCommands(HostCommands):
    """The commands of a host that is namespaces.

    Args:
        namespaces: the namespaces of the host; for the other arguments see `HostCommands`.
        all_ids: whether commands can have any user id, as on a real machine.
    """

    def __init__(
        self,
        name: str,
        logs: Path,
        namespaces: HostNamespaces,
        group: HostGroup | None = None,
        *,
        all_ids: bool = False,
    ) -> None:
        # Several users share a host with all ids, as on a real machine. Only the lab's folder is closed.
        super().__init__(name, logs, group, 0o022 if all_ids else -1)
        self._namespaces, self._all_ids = namespaces, all_ids

    def outside(self, command: Sequence[str]) -> list[str]:
        return [*enter(self._namespaces.pid, "user", "net", "pid"), *command]

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        """Return the command line that runs a command inside the host, as root or as `uid`.

        The command has no privileges and runs below a filter of system calls. Only root of a host with all
        user ids has some privileges.
        """
        prefix = [str(core_binary()), "init", "inside", f"--target={self._namespaces.pid}"]
        if uid is not None:
            prefix.append(f"--uid={uid}")
        if self._all_ids:
            prefix.append("--all-ids")
        return [*prefix, "--", *command]
