"""Pacemaker moves a replicated disk and its server: promote, mount, start, take the address.

Sources: DRBD 8.4 User's Guide, "Integrating DRBD with Pacemaker clusters"; the agents ocf:linbit:drbd,
ocf:heartbeat:Filesystem, mysql and IPaddr2 themselves.
"""

import contextlib
import time
from collections.abc import Sequence

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.failover.managers.base import Manager
from fivenines.failover.managers.pacemaker import crm_mon
from fivenines.failover.managers.pacemaker.cib import (
    ADDRESS,
    Operation,
    Resource,
    first_cib,
    milliseconds,
    with_resources,
)
from fivenines.failover.managers.pacemaker.drbd_log import Resync, resyncs
from fivenines.failover.managers.pacemaker.drbd_servers import (
    ServerAgent,
    prepare,
    server_agent,
    write_client,
)
from fivenines.failover.managers.pacemaker.drbd_settings import PacemakerDrbdSettings
from fivenines.failover.managers.pacemaker.log import Follower
from fivenines.failover.managers.pacemaker.power_switch import AGENT, PowerSwitch
from fivenines.failover.managers.pacemaker.resources import address
from fivenines.failover.managers.pacemaker.stack import PacemakerStack, idle, properties
from fivenines.failover.requests import Requests
from fivenines.lab.host import Host
from fivenines.lab.network.network import VIRTUAL
from fivenines.lab.processes.look import Command
from fivenines.lab.vm.host import VirtualMachine
from fivenines.servers.base import Server, inside
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent

DISK, CLONE = "p_drbd", "ms_drbd"
FILES, SERVER = "p_files", "p_server"

# Event kinds for the starts of the resources that follow the disk.
_STEPS = {FILES: "mounted", SERVER: "started", ADDRESS: "address"}


def followers(settings: PacemakerDrbdSettings, device: str, server: ServerAgent) -> list[Resource]:
    """Return the resources that follow the disk, in order: file system, server, address."""
    watched = [Operation("monitor", 60.0, settings.monitor)]
    limit = settings.operation_timeout
    once = [Operation("start", limit), Operation("stop", limit)]
    files = {"device": device, "directory": inside("data"), "fstype": "ext4", "options": "noatime"}
    meta = {
        "migration-threshold": str(settings.migration_threshold),
        "failure-timeout": milliseconds(settings.failure_timeout),
    }
    return [
        Resource(FILES, "Filesystem", files, [*once, *watched], meta),
        Resource(SERVER, server.name, server.parameters, [*once, *watched], meta),
        address(VIRTUAL),
    ]


def disk(settings: PacemakerDrbdSettings, resource: str) -> Resource:
    """Return the replicated disk, primary on one node."""
    limit = settings.operation_timeout
    operations = [
        *(Operation(name, limit) for name in ("start", "stop", "promote", "demote", "notify")),
        Operation("monitor", 60.0, settings.monitor_disk, "Promoted"),
        Operation("monitor", 60.0, settings.monitor_other_disk, "Unpromoted"),
    ]
    parameters = {"drbd_resource": resource, "adjust_master_score": "5 10 1000 10000"}
    return Resource(DISK, "drbd", parameters, operations, {}, "linbit")


class PacemakerDrbd(Manager[PacemakerDrbdSettings]):
    """The solution starts everything on the first node; then Pacemaker adopts and supervises it."""

    settings_type = PacemakerDrbdSettings
    solution: Cluster[Server]

    def configure(self) -> None:
        nodes = self.solution.nodes
        witness = self.solution.manager_facts()["witness"]
        assert witness is None or isinstance(witness, Host)
        self._witness = witness
        self._voters = [node.host for node in nodes] + ([witness] if witness is not None else [])
        self._stack = PacemakerStack(self._voters)
        settings = self.settings
        policy = settings.no_quorum_policy or ("ignore" if witness is None else "stop")
        begun = properties(no_quorum_policy=policy, more={"start-failure-is-fatal": "false"})
        self._stack.configure(settings.transport, settings.token, first_cib(begun, self._stack.addresses))
        self._stack.write_resources(nodes[0].host, self._resources())
        for node in nodes:
            write_client(node)

    def start(self) -> None:
        voters = self._voters
        self._resyncs: dict[tuple[str, Resync], ManagerEvent] = {}
        self._log = Follower(voters, DISK, self.solution.roles.appoint, _STEPS)
        self._switch = PowerSwitch(voters)
        self._requests = Requests(voters, self._switch.serves)
        try:
            self._form()
            self._hand_over()
            wait_until(self._not_adopted, 90.0, "Pacemaker did not find the running resources", interval=0.3)
        except BaseException:
            self._requests.stop()
            raise
        self._log.begin()

    def _form(self) -> None:
        self._boot_witness()
        self.solution.each(self._boot)
        wait_until(self._stack.not_formed_reason, 60.0, "the Pacemaker cluster did not form", interval=0.2)

    def _boot(self, node: Server) -> None:
        self._switch.connect(node.host)
        prepare(node.host, node)
        self._stack.boot(node.host)

    def _boot_witness(self) -> None:
        """Start the daemons of the witness, unless they run."""
        if self._witness is None or self._stack.runs(self._witness):
            return
        if isinstance(self._witness, VirtualMachine):
            self._witness.power.on()
        self._switch.connect(self._witness)
        self._stack.boot(self._witness)

    def _resources(self) -> str:
        """Return the resources that Pacemaker adopts, as XML."""
        nodes, facts = self.solution.nodes, self.solution.manager_facts()
        return with_resources(
            disk(self.settings, str(facts["resource"])),
            followers(self.settings, str(facts["device"]), server_agent(self.settings, nodes[0])),
            [node.name for node in nodes],
            AGENT if self.settings.fence else "",
            clone=CLONE,
            prefer=nodes[0].name,
            never=self._witness.name if self._witness is not None else "",
            # A returning node does not get the disk back.
            stickiness=100,
        )

    def _hand_over(self) -> None:
        nodes = self.solution.nodes
        agent = server_agent(self.settings, nodes[0])
        self._stack.load(nodes[0].host)
        for node in nodes:
            node.process = node.host.processes.adopt(agent.program, node.log)

    def _not_adopted(self) -> str:
        first, other = self.solution.nodes
        try:
            status = self._stack.status(first.host)
        except FiveninesError as error:
            return str(error)
        disks = {(first.name, "Promoted"), (other.name, "Unpromoted")}
        missing = [f"{role} on {name}" for name, role in disks - crm_mon.places(status)]
        here = crm_mon.running(status)
        missing += [name for name in (FILES, SERVER, ADDRESS) if here.get(name) != first.name]
        if missing:
            failed = self._stack.failures(first.host) or self._stack.failures(other.host)
            return f"missing: {', '.join(missing)}" + (f": {failed}" if failed else "")
        return "" if first.answers() else f"{first.name} does not answer"

    def start_on(self, node: Server) -> None:
        host = node.host
        # The witness may have lost its power along with the node.
        self._boot_witness()
        if isinstance(host, VirtualMachine):
            host.power.on()
        if not self._stack.runs(host):
            self._stack.end(host)
            # A power loss has removed what is not on the disk.
            prepare_node = self.solution.manager_facts()["prepare"]
            assert callable(prepare_node)
            prepare_node(node)
            self._boot(node)
        wait_until(
            lambda: "" if node.name in self._stack.online(host) else "it is not online",
            60.0,
            f"{node.name} did not join the Pacemaker cluster",
            interval=0.2,
        )
        self._stack.refusal(host, ["crm_resource", "--cleanup", "--node", node.name])
        member = self.solution.node(node.name)
        wait_until(
            lambda: self.solution.membership.not_joined_reason(member),
            self.settings.operation_timeout,
            f"{node.name}: its disk did not connect again",
            interval=0.3,
        )
        self._note_resyncs(node)

    def _note_resyncs(self, node: Server) -> None:
        with contextlib.suppress(FiveninesError):
            for resync in resyncs(node.host.commands.run(["dmesg"], timeout=5.0)):
                if (node.name, resync) not in self._resyncs:
                    self._resyncs[node.name, resync] = ManagerEvent(
                        time.monotonic_ns(), "resynced", node.name, resync.detail
                    )

    def events(self) -> list[ManagerEvent]:
        return [*self._log.events(), *self._resyncs.values()]

    def stop(self) -> None:
        self._log.stop()
        self._requests.stop()

    def programs(self, host: str) -> Sequence[Command]:
        return self._stack.daemons.get(host, [])

    @property
    def alive(self) -> bool:
        return self._stack.alive

    @property
    def settled(self) -> bool:
        return idle(self._stack.hosts.values())

    def switch_over(self) -> str:
        former = self.solution.roles.primary_of_record
        (best,) = [node for node in self.solution.nodes if node is not former]
        if reason := self.solution.membership.not_joined_reason(best):
            raise FiveninesError(f"no switchover: {reason}")
        standby = ["crm_attribute", "--node", former.name, "--name", "standby", "--update"]
        self._stack.tell(best.host, *standby, "on")
        try:
            wait_until(
                lambda: "" if best.answers() else f"{best.name} does not answer",
                self.settings.operation_timeout,
                "no switchover",
                interval=0.1,
            )
        finally:
            self._stack.tell(best.host, *standby, "off")
        self.solution.roles.appoint(best.name)
        return best.name
