"""Run commands in the namespaces of a host."""

import shlex
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
        self._resolving: list[str] = []

    def outside(self, command: Sequence[str]) -> list[str]:
        return [*enter(self._namespaces.pid, "user", "net", "pid"), *self._resolving, *command]

    def use_name_server(self, address: str) -> None:
        """Mount files of resolver(5) over those of the machine, in a mount namespace of each tool."""
        self._logs.mkdir(parents=True, exist_ok=True)
        steps = []
        for path, text in (
            (Path("/etc/resolv.conf"), f"nameserver {address}\n"),
            # Other sources, as systemd-resolved, would ask a server of the machine.
            (Path("/etc/nsswitch.conf"), "hosts: files dns\n"),
        ):
            own = self._logs / path.name
            own.write_text(text)
            if path.exists():
                steps.append(f"mount --bind {shlex.quote(str(own))} {path.resolve()}")
        steps.append('exec "$@"')
        self._resolving = ["unshare", "--mount", "sh", "-ec", "; ".join(steps), "sh"]

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
