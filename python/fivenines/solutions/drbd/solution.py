"""A replicated disk (DRBD) under Pacemaker: one server, on the node with the primary disk.

Sources: DRBD 8.4 User's Guide; drbdadm(8), drbdmeta(8). Its chapter on skipping the initial resynchronisation
explains how both disks start identical (`new-current-uuid --clear-bitmap`).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from fivenines.base.errors import FiveninesError, brief
from fivenines.base.waiting import wait_until, wait_while_moving
from fivenines.lab.host import NODE, Host, Root
from fivenines.lab.lab import Lab
from fivenines.lab.vm.host import Machine, VirtualMachine
from fivenines.load import dataset
from fivenines.results.records import Divergence, TableDifference
from fivenines.servers import secrets
from fivenines.servers.base import Value, inside
from fivenines.servers.cluster.replicated_disk import DiskStatus
from fivenines.servers.local import LocalServer
from fivenines.software.base import Engine
from fivenines.software.combined_root import CombinedRoot
from fivenines.software.engines.mysql_root import MysqlRoot
from fivenines.solutions.base import Solution
from fivenines.solutions.drbd.resource import DEVICE, RESOURCE, parse_status, resource_file
from fivenines.solutions.drbd.settings import WITNESS, DrbdSettings
from fivenines.solutions.vms import vm_machine

# Bytes at the end of a disk for DRBD's meta data: 32 kB, and a bit for each 4 kB, rounded up.
_FOR_DRBD = 4 * 2**20

# Bytes of memory of a host with Corosync and Pacemaker only.
_OF_WITNESS = 384 * 2**20

# Bytes that DRBD compares at once.
_BLOCK = 4096

_PATIENCE = 30.0

_DATA = NODE / "data"

Condition = Callable[[DiskStatus], bool]

_PREPARE = """
set -e
mkdir -p /etc/drbd.d /var/lib/drbd /run/lock
cat > /etc/drbd.d/r0.res
printf 'global { usage-count no; }\\ninclude "drbd.d/*.res";\\n' > /etc/drbd.conf
printf '127.0.0.1 localhost\\n%s' "$1" > /etc/hosts
# agents call su; Debian's package makes what this includes when it is installed
printf '%s required pam_permit.so\\n' account session | tee /etc/pam.d/su > /etc/pam.d/su-l
printf 'auth required pam_rootok.so\\n' | tee -a /etc/pam.d/su >> /etc/pam.d/su-l
"""


class Drbd(Solution[DrbdSettings, LocalServer]):
    """Nodes have the names of their machines; only the node with the primary disk has a running server."""

    settings_type = DrbdSettings

    replicates_disk = True

    _witness: Host | None = None

    def __init__(self, settings: DrbdSettings, lab: Lab, engine: Engine, data: Path) -> None:
        # A server with its own root file system shares it with Pacemaker's programs.
        if isinstance(engine, MysqlRoot):
            engine = CombinedRoot(engine, Path(inside("conf")))
        super().__init__(settings, lab, engine, data)

    @property
    def serving(self) -> list[LocalServer]:
        return [node for node in self.nodes if node.alive]

    def root(self) -> Root:
        own = self.engine.root()
        # A server without its own root file system appears next to Pacemaker's.
        return replace(super().root(), engine=own.engine) if own.engine else super().root()

    def machine(self) -> Machine:
        data = self.settings.disk or 2 * dataset.size(self._data) + 512 * 2**20
        made = vm_machine(self.settings.limits.memory, self.engine, 0, mounted=False)
        modules = ("lru_cache", "drbd")
        return Machine(made.memory, data + _FOR_DRBD, made.kernel, modules, mounted=False)

    def configuration(self, node: LocalServer) -> dict[str, Value]:
        return {**self.engine.next_to_server(), **node.durability(self.settings.durability.at_start)}

    def configure(self, node: LocalServer) -> None:
        super().configure(node)
        if isinstance(self.engine, CombinedRoot):
            for name, text in self.engine.scripts("mysqld", "mysql").items():
                program = node.host.node / "conf" / name
                program.write_text(text)
                program.chmod(0o755)

    def prepare(self) -> None:
        if self.settings.witness:
            machine = replace(self.machine(), memory=_OF_WITNESS, disk=_FOR_DRBD, modules=())
            self._witness = self.lab.add_host(WITNESS, self.root(), turn=self.turn, machine=machine)

    def hand_out(self) -> None:
        first, other = (self._vm(node) for node in self.nodes)
        first.disk.make(self._data / dataset.ONE, _FOR_DRBD)
        other.disk.take(first.disk)

    def start(self) -> None:
        first = self.nodes[0]
        self.each(self.prepare_node)
        self.each(self._make)
        self._until(lambda now: (now.disk, now.peer_disk) == ("Inconsistent", "Inconsistent"))
        first.host.run(["drbdadm", "new-current-uuid", "--clear-bitmap", RESOURCE])
        self._until(lambda now: now.whole)
        first.host.run(["drbdadm", "primary", RESOURCE])
        first.host.run(["mount", "-o", "noatime", DEVICE, str(_DATA)])
        first.host.run(["sh", "-c", f"rmdir {_DATA}/lost+found 2>/dev/null || true"])
        first.setup.take_over()
        self.configure(first)
        first.start()
        first.wait_ready()
        # Pacemaker starts the server next, on either node, so the accounts must exist.
        for node in self.nodes:
            self.configure(node)

    def prepare_node(self, node: LocalServer) -> None:
        """Write the files that DRBD reads, which a power loss of the node removes."""
        addresses = {member.name: member.host.address for member in self.nodes}
        text = resource_file(
            self.settings.protocol,
            self.settings.net,
            self.settings.drbd.disk,
            addresses,
            self.settings.manager.fence,
            self._vm(node).machine.device,
        )
        hosts = "".join(f"{address} {name}\n" for name, address in addresses.items())
        node.host.run(["sh", "-c", _PREPARE, "sh", hosts], stdin=text)
        # Pacemaker's agent may start the server there first, and does not change owners.
        node.host.own("log", "run", "conf", secrets.FOLDER, uid=node.uid)

    def manager_facts(self) -> dict[str, object]:
        return {
            "resource": RESOURCE,
            "device": DEVICE,
            "prepare": self.prepare_node,
            "witness": self._witness,
        }

    def compare_copies(self, left_out: Mapping[str, str]) -> Divergence:
        # There is one set of rows, on two disks.
        if not self.settings.verify:
            return Divergence(compared=[], tables=0, incomplete="`verify: false` in the solution")
        skipped = dict(left_out) | {
            node.name: reason
            for node in self.nodes
            if node.name not in left_out and (reason := self.not_joined_reason(node))
        }
        if skipped:
            return Divergence(compared=[], left_out=skipped, tables=0)
        began = time.monotonic()
        reference = self.primary_of_record.name
        names = [reference, *(node.name for node in self.nodes if node.name != reference)]
        try:
            differing = self.differences()
        except FiveninesError as error:
            return Divergence(compared=names, tables=0, incomplete=brief(error))
        return Divergence(
            compared=names,
            tables=1,
            reference=reference,
            differences=[_difference(names[1], differing // _BLOCK)] if differing else [],
            seconds=round(time.monotonic() - began, 3),
        )

    def disk_status(self, node: LocalServer) -> DiskStatus | None:
        return self._status_now(node)

    def status(self, node: LocalServer) -> DiskStatus | None:
        """Return the state of a node's disk; None: it has no power, or no device."""
        if not self._vm(node).powered:
            return None
        return parse_status(node.host.run(["cat", "/proc/drbd"], timeout=5.0))

    def observed_role(self, node: LocalServer) -> Literal["primary", "replica", "down"]:
        if node.alive and node.answers():
            return "primary"
        now = self._status_now(node)
        return "replica" if now is not None and now.role == "Secondary" else "down"

    def stands_by(self, node: LocalServer) -> bool:
        return self.observed_role(node) == "replica"

    def rejoin(self, node: LocalServer) -> None:
        raise FiveninesError(f"{node.name} can only be started by Pacemaker")

    def not_joined_reason(self, node: LocalServer) -> str:
        now = self._status_now(node)
        if now is None:
            return f"{node.name} has no disk"
        if now.role == "Primary" and not node.answers():
            return f"{node.name} has the primary disk, but its server does not answer"
        if now.whole:
            return ""
        return f"{node.name}: {now.connection}, {now.disk}, the other {now.peer_disk}"

    def lag_reason(self, node: LocalServer) -> str:
        now = self._status_now(node)
        if now is not None and (now.connection, now.disk) == ("WFConnection", "UpToDate"):
            # The node has everything, and no other node could lack something.
            return ""
        return self.not_joined_reason(node)

    def differences(self) -> int:
        """Return the bytes that differ between both disks, compared block by block (`drbdadm verify`).

        Raises:
            FiveninesError: they could not be compared.
        """
        node = self.primary_of_record
        # The default is 250 kB a second, so as not to disturb (drbd.conf(5), resync-rate).
        node.host.run(["drbdadm", "disk-options", "--resync-rate=400M", "--c-plan-ahead=0", RESOURCE])
        node.host.run(["drbdadm", "verify", RESOURCE])

        def running() -> str:
            now = self._status_now(node)
            if now is None:
                return f"{node.name} does not show its state"
            if not now.connection.startswith("Ver"):
                return ""
            return f"{node.name} has compared {now.done or 0:.1f} %"

        # A busy machine compares at a tenth of the usual rate. Polling a virtual machine costs it CPU time
        # that the comparison needs.
        wait_while_moving(running, _PATIENCE, "the disks were not compared", interval=1.0)
        node.host.run(["drbdadm", "adjust", RESOURCE])
        now = self.status(node)
        return now.out_of_sync if now is not None else 0

    def _make(self, node: LocalServer) -> None:
        node.host.run(
            ["sh", "-c", f"yes yes | drbdadm create-md --force {RESOURCE} && drbdadm up {RESOURCE}"]
        )

    def _until(self, condition: Condition) -> None:
        def missing() -> str:
            states = {node.name: self.status(node) for node in self.nodes}
            if all(now is not None and condition(now) for now in states.values()):
                return ""
            return "; ".join(f"{name}: {now}" for name, now in states.items())

        wait_until(missing, _PATIENCE, "DRBD did not connect its nodes", interval=0.1)

    def _status_now(self, node: LocalServer) -> DiskStatus | None:
        try:
            return self.status(node)
        except FiveninesError:
            return None

    def _vm(self, node: LocalServer) -> VirtualMachine:
        assert isinstance(node.host, VirtualMachine)
        return node.host


def _difference(node: str, blocks: int) -> TableDifference:
    checksums = {node: f"blocks of {_BLOCK} bytes that differ on the other node: {blocks}"}
    return TableDifference(table="the disk", rows={}, checksums=checksums, differing=blocks)
