"""The disk that DRBD replicates between the two nodes: its devices, states, and their comparison.

Sources: DRBD 8.4 User's Guide; drbdadm(8), drbdmeta(8).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until, wait_while_moving
from fivenines.lab.vm.host import VirtualMachine
from fivenines.servers import secrets
from fivenines.servers.cluster.replicated_disk import DiskStatus, ReplicatedDisk
from fivenines.servers.daemon import daemon
from fivenines.servers.local import LocalServer
from fivenines.solutions.drbd.options import merged
from fivenines.solutions.drbd.resource import RESOURCE, parse_status, resource_file

if TYPE_CHECKING:
    from fivenines.solutions.drbd.solution import Drbd

_PATIENCE = 30.0

_RESOURCE_FILE = f"{RESOURCE}.res"

Condition = Callable[[DiskStatus], bool]

_PREPARE = """
set -e
mkdir -p /etc/drbd.d /var/lib/drbd /run/lock
cp /run/node/conf/r0.res /etc/drbd.d/r0.res
printf 'global { usage-count no; }\\ninclude "drbd.d/*.res";\\n' > /etc/drbd.conf
printf '127.0.0.1 localhost\\n%s' "$1" > /etc/hosts
# agents call su; Debian's package makes what this includes when it is installed
printf '%s required pam_permit.so\\n' account session | tee /etc/pam.d/su > /etc/pam.d/su-l
printf 'auth required pam_rootok.so\\n' | tee -a /etc/pam.d/su >> /etc/pam.d/su-l
"""


class DrbdDisk(ReplicatedDisk[LocalServer]):
    """One resource with one device on each node."""

    cluster: "Drbd"

    def write_configuration(self, node: LocalServer) -> None:
        """Write the resource file, which `prepare` copies to where DRBD looks for it."""
        settings = self.cluster.settings
        text = resource_file(
            settings.protocol,
            settings.net,
            merged(settings.drbd.disk),
            self._addresses,
            settings.manager.fence,
            self.cluster.hosts.device,
        )
        (node.host.node / "conf" / _RESOURCE_FILE).write_text(text)

    @property
    def _addresses(self) -> dict[str, str]:
        return {member.name: member.host.address for member in self.cluster.nodes}

    def prepare(self, node: LocalServer) -> None:
        """Make the files that DRBD reads, which a power loss of the node removes."""
        addresses = self._addresses
        hosts = "".join(f"{address} {name}\n" for name, address in addresses.items())
        node.host.commands.run(["sh", "-c", _PREPARE, "sh", hosts])
        # Pacemaker's agent may start the server there first, and does not change owners.
        node.host.files.own("log", "run", "conf", secrets.FOLDER, uid=daemon(node).uid)

    def asked(self, node: LocalServer) -> DiskStatus | None:
        """Return the state of a node's disk; None: it has no power, or no device.

        Raises:
            FiveninesError: the node does not answer.
        """
        if not virtual_machine(node).power.is_on:
            return None
        return parse_status(node.host.commands.run(["cat", "/proc/drbd"], timeout=5.0))

    def differences(self) -> int:
        """Return the bytes that differ between both disks, compared block by block (`drbdadm verify`).

        Raises:
            FiveninesError: they could not be compared.
        """
        node = self.cluster.roles.primary_of_record
        # The default is 250 kB a second, so as not to disturb (drbd.conf(5), resync-rate).
        node.host.commands.run(
            ["drbdadm", "disk-options", "--resync-rate=400M", "--c-plan-ahead=0", RESOURCE]
        )
        node.host.commands.run(["drbdadm", "verify", RESOURCE])

        def running() -> str:
            now = self.status(node)
            if now is None:
                return f"{node.name} does not show its state"
            if not now.connection.startswith("Ver"):
                return ""
            return f"{node.name} has compared {now.done or 0:.1f} %"

        # A busy machine compares at a tenth of the usual rate. Polling a virtual machine costs it CPU time
        # that the comparison needs.
        wait_while_moving(running, _PATIENCE, "the disks were not compared", interval=1.0)
        node.host.commands.run(["drbdadm", "adjust", RESOURCE])
        now = self.asked(node)
        return now.out_of_sync if now is not None else 0

    def make(self, node: LocalServer) -> None:
        """Write DRBD's meta data on a node's disk, and start its device."""
        node.host.commands.run(
            ["sh", "-c", f"yes yes | drbdadm create-md --force {RESOURCE} && drbdadm up {RESOURCE}"]
        )

    def until(self, condition: Condition) -> None:
        """Wait until the state of each node's disk meets a condition.

        Raises:
            FiveninesError: it does not; with the states.
        """

        def missing() -> str:
            states = {node.name: self.asked(node) for node in self.cluster.nodes}
            if all(now is not None and condition(now) for now in states.values()):
                return ""
            return "; ".join(f"{name}: {now}" for name, now in states.items())

        wait_until(missing, _PATIENCE, "DRBD did not connect its nodes", interval=0.1)

    def status(self, node: LocalServer) -> DiskStatus | None:
        try:
            return self.asked(node)
        except FiveninesError:
            return None


def virtual_machine(node: LocalServer) -> VirtualMachine:
    """Return the virtual machine of a node."""
    assert isinstance(node.host, VirtualMachine)
    return node.host
