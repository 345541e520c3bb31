"""SSH servers on the nodes, for a manager that logs in to them: one key for the lab, one account."""

import functools
from collections.abc import Sequence
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.failover.managers.mha import files as mha_files
from fivenines.lab.host import Host
from fivenines.lab.processes.process import Process
from fivenines.servers.base import Server
from fivenines.servers.daemon import daemon
from fivenines.software.engines.mha_root import SSH_KEY

# Longest time in seconds until an SSH server listens.
_START = 15.0


class SshServers:
    """One SSH server on every node, which runs as the server's user and needs no root.

    Args:
        nodes: their nodes.
        client: the host that logs in to them; nodes log in to each other, too.
        port: the port of the SSH servers.
    """

    def __init__(self, nodes: Sequence[Server], client: Host, port: int) -> None:
        self._nodes = nodes
        self._client = client
        self._port = port
        # Processes by node name.
        self.processes: dict[str, Process] = {}

    def configure(self) -> None:
        """Write the configuration of each."""
        for node in self._nodes:
            file = node.host.node / "conf" / Path(mha_files.SSHD_CONFIGURATION).name
            file.write_text(mha_files.sshd_configuration(self._port))

    def start(self) -> None:
        """Generate the keys and start all; return when all listen.

        Raises:
            FiveninesError: a server does not start; with its output.
        """
        self._make_keys()
        for node in self._nodes:
            self.start_on(node)
        for node in self._nodes:
            missing = functools.partial(self._missing, node)
            wait_until(missing, _START, f"{node.name}: no SSH server", 0.05)

    def start_on(self, node: Server) -> None:
        """Start a node's SSH server again, if it has ended."""
        if node.name in self.processes and self.processes[node.name].alive:
            return
        command = ["/usr/sbin/sshd", "-D", "-e", "-f", mha_files.SSHD_CONFIGURATION]
        self.processes[node.name] = node.host.commands.spawn(command, uid=daemon(node).uid, log="sshd.out")

    def _make_keys(self) -> None:
        self._client.commands.run(["sh", "-c", mha_files.make_keys()])
        made = [Path(name).name for name in (SSH_KEY, mha_files.HOST_KEY, mha_files.AUTHORIZED)]
        for node in self._nodes:
            for name in made:
                target = node.host.node / "run" / name
                target.write_bytes((self._client.node / "run" / name).read_bytes())
                target.chmod(0o600)

    def _missing(self, node: Server) -> str:
        sshd = self.processes[node.name]
        if not sshd.alive:
            raise FiveninesError(f"{node.name}: sshd did not start:\n{sshd.log_tail()}")
        return "" if "listening on" in sshd.log_tail() else "it does not listen yet"
