"""A replicated disk (DRBD) under Pacemaker: one server, on the node with the primary disk.

Sources: DRBD 8.4 User's Guide; drbdadm(8), drbdmeta(8). Its chapter on skipping the initial resynchronisation
explains how both disks start identical (`new-current-uuid --clear-bitmap`).
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fivenines.base.errors import FiveninesError, brief
from fivenines.lab.host import NODE, Host, Root
from fivenines.lab.lab import Lab
from fivenines.lab.vm.machine import Machine
from fivenines.load import dataset
from fivenines.results.records import Divergence, TableDifference
from fivenines.servers.base import Value, inside
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.silence import Observed
from fivenines.servers.local import LocalServer
from fivenines.software.base import Engine
from fivenines.software.combined_root import CombinedRoot
from fivenines.software.engines.mysql_root import MysqlRoot
from fivenines.solutions.base import Solution
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.drbd.disk import DrbdDisk, virtual_machine
from fivenines.solutions.drbd.resource import DEVICE, RESOURCE
from fivenines.solutions.drbd.settings import WITNESS, DrbdSettings
from fivenines.solutions.hosts import Hosts
from fivenines.solutions.vms import vm_machine

# Bytes at the end of a disk for DRBD's meta data: 32 kB, and a bit for each 4 kB, rounded up.
_FOR_DRBD = 4 * 2**20

# Bytes of memory of a host with Corosync and Pacemaker only.
_OF_WITNESS = 384 * 2**20

# Bytes that DRBD compares at once.
_BLOCK = 4096

_DATA = NODE / "data"


class DrbdRoles(Roles[LocalServer]):
    """The node with a running server is the primary; the other one has a secondary disk."""

    cluster: "Drbd"

    def observed(self, node: LocalServer) -> Observed:
        if node.alive and node.answers():
            return "primary"
        now = self.cluster.replicated_disk.status(node)
        if now is not None and now.role == "Secondary":
            return "replica"
        return "silent" if node.alive and not node.frozen else "down"

    def stands_by(self, node: LocalServer) -> bool:
        return self.observed(node) == "replica"


class DrbdMembership(Membership[LocalServer]):
    """A node is a member if its disk is connected and up to date."""

    cluster: "Drbd"

    def rejoin(self, node: LocalServer) -> None:
        raise FiveninesError(f"{node.name} can only be started by Pacemaker")

    def not_joined_reason(self, node: LocalServer) -> str:
        now = self.cluster.replicated_disk.status(node)
        if now is None:
            return f"{node.name} has no disk"
        if now.role == "Primary" and not node.answers():
            return f"{node.name} has the primary disk, but its server does not answer"
        if now.whole:
            return ""
        return f"{node.name}: {now.connection}, {now.disk}, the other {now.peer_disk}"

    def lag_reason(self, node: LocalServer) -> str:
        now = self.cluster.replicated_disk.status(node)
        if now is not None and (now.connection, now.disk) == ("WFConnection", "UpToDate"):
            # The node has everything, and no other node could lack something.
            return ""
        return self.not_joined_reason(node)


class DrbdHosts(Hosts[DrbdSettings, LocalServer]):
    """Virtual machines with a disk for DRBD that they do not mount themselves."""

    solution: "Drbd"

    def root(self) -> Root:
        own = self.solution.engine.root()
        # A server without its own root file system appears next to Pacemaker's.
        return replace(super().root(), engine=own.engine) if own.engine else super().root()

    def machine(self) -> Machine:
        data = self.settings.disk or 2 * dataset.size(self.solution.data_set) + 512 * 2**20
        made = vm_machine(self.settings.limits.memory, self.solution.engine, 0, mounted=False)
        modules = ("lru_cache", "drbd")
        return Machine(made.memory, data + _FOR_DRBD, made.kernel, modules, mounted=False)

    @property
    def device(self) -> str:
        """Return the device of a node's disk in its virtual machine."""
        machine = self.made_of()
        assert machine is not None
        return machine.device

    def add(self) -> None:
        super().add()
        if self.settings.witness:
            machine = replace(self.machine(), memory=_OF_WITNESS, disk=_FOR_DRBD, modules=())
            self.solution.witness = self.solution.lab.add_host(
                WITNESS, self.root(), turn=self.turn, machine=machine
            )


class DrbdConfiguration(Configuration[DrbdSettings, LocalServer]):
    """Both nodes have the same settings, as either of them runs the server."""

    def own(self, node: LocalServer) -> dict[str, Value]:
        return {**self.solution.engine.next_to_server(), **node.durability(self.settings.durability.at_start)}

    solution: "Drbd"

    def write(self, node: LocalServer) -> None:
        super().write(node)
        self.solution.replicated_disk.write_configuration(node)
        if isinstance(self.solution.engine, CombinedRoot):
            for name, text in self.solution.engine.scripts("mysqld", "mysql").items():
                program = node.host.node / "conf" / name
                program.write_text(text)
                program.chmod(0o755)


class Drbd(Solution[DrbdSettings, LocalServer]):
    """Nodes have the names of their machines; only the node with the primary disk has a running server."""

    settings_type = DrbdSettings
    roles_type = DrbdRoles
    membership_type = DrbdMembership
    configuration_type = DrbdConfiguration
    hosts_type = DrbdHosts
    replicated_disk_type = DrbdDisk

    replicated_disk: DrbdDisk
    hosts: DrbdHosts

    # The host of a third vote, if there is one.
    witness: Host | None = None

    def __init__(self, settings: DrbdSettings, lab: Lab, engine: Engine, data: Path) -> None:
        # A server with its own root file system shares it with Pacemaker's programs.
        if isinstance(engine, MysqlRoot):
            engine = CombinedRoot(engine, Path(inside("conf")))
        super().__init__(settings, lab, engine, data)

    @property
    def serving(self) -> list[LocalServer]:
        return [node for node in self.nodes if node.alive]

    def hand_out(self) -> None:
        first, other = (virtual_machine(node) for node in self.nodes)
        first.disk.image.make(self.data_set / dataset.ONE, _FOR_DRBD)
        other.disk.image.take(first.disk.image)

    def start(self) -> None:
        first = self.nodes[0]
        self.each(self.replicated_disk.prepare)
        self.each(self.replicated_disk.make)
        self.replicated_disk.until(lambda now: (now.disk, now.peer_disk) == ("Inconsistent", "Inconsistent"))
        first.host.commands.run(["drbdadm", "new-current-uuid", "--clear-bitmap", RESOURCE])
        self.replicated_disk.until(lambda now: now.whole)
        first.host.commands.run(["drbdadm", "primary", RESOURCE])
        first.host.commands.run(["mount", "-o", "noatime", DEVICE, str(_DATA)])
        first.host.commands.run(["sh", "-c", f"rmdir {_DATA}/lost+found 2>/dev/null || true"])
        first.setup.take_over()
        self.configuration.write(first)
        first.start()
        first.wait_ready()
        # Pacemaker starts the server next, on either node, so the accounts must exist.
        for node in self.nodes:
            self.configuration.write(node)

    def manager_facts(self) -> dict[str, object]:
        return {
            "resource": RESOURCE,
            "device": DEVICE,
            "prepare": self.replicated_disk.prepare,
            "witness": self.witness,
        }

    def compare_copies(self, left_out: Mapping[str, str]) -> Divergence:
        # There is one set of rows, on two disks.
        if not self.settings.verify:
            return Divergence(compared=[], tables=0, incomplete="`verify: false` in the solution")
        skipped = dict(left_out) | {
            node.name: reason
            for node in self.nodes
            if node.name not in left_out and (reason := self.membership.not_joined_reason(node))
        }
        if skipped:
            return Divergence(compared=[], left_out=skipped, tables=0)
        began = time.monotonic()
        reference = self.roles.primary_of_record.name
        names = [reference, *(node.name for node in self.nodes if node.name != reference)]
        try:
            differing = self.replicated_disk.differences()
        except FiveninesError as error:
            return Divergence(compared=names, tables=0, incomplete=brief(error))
        return Divergence(
            compared=names,
            tables=1,
            reference=reference,
            differences=[_difference(names[1], differing // _BLOCK)] if differing else [],
            seconds=round(time.monotonic() - began, 3),
        )


def _difference(node: str, blocks: int) -> TableDifference:
    checksums = {node: f"blocks of {_BLOCK} bytes that differ on the other node: {blocks}"}
    return TableDifference(table="the disk", rows={}, checksums=checksums, differing=blocks)
