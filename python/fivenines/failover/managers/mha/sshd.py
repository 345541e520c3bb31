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
        archive = self._client.commands.run(["sh", "-c", mha_files.make_keys()])
        for node in self._nodes:
            take = ["sh", "-c", mha_files.take_keys()]
            node.host.commands.run(take, uid=daemon(node).uid, stdin=archive)

    def _refusal(self, output: str) -> str:
        taken = f"; set `ssh_port` of the manager to a free port instead of {self._port}"
        return f"sshd did not start{taken if 'Address already in use' in output else ''}:\n{output}"

    def _missing(self, node: Server) -> str:
        sshd = self.processes[node.name]
        if not sshd.alive:
            raise FiveninesError(f"{node.name}: {self._refusal(sshd.log_tail())}")
        return "" if "listening on" in sshd.log_tail() else "it does not listen yet"
