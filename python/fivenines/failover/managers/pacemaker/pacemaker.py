"""Pacemaker and Corosync with the agent ocf:heartbeat:mariadb: they start, watch and promote the servers.

Sources: "Pacemaker Explained" 2.1; corosync.conf(5); the agent itself (resource-agents 4.12). The agent
switches on semi-synchronous replication at every start. It promotes the node with the highest GTID once all
nodes but one have reported theirs, which they do in their next monitor operation.
"""

import contextlib
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from fivenines.base.drivers import pymysql
from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.failover.managers.base import Manager
from fivenines.failover.managers.pacemaker import crm_mon, moved_address
from fivenines.failover.managers.pacemaker.cib import CLONE, DATABASE, Resource, first_cib, with_resources
from fivenines.failover.managers.pacemaker.log import Follower
from fivenines.failover.managers.pacemaker.power_switch import AGENT, PowerSwitch
from fivenines.failover.managers.pacemaker.resources import (
    CLIENT,
    PASSWORD_FILE,
    address,
    client_script,
    database,
)
from fivenines.failover.managers.pacemaker.settings import PacemakerSettings
from fivenines.failover.managers.pacemaker.stack import ENVIRONMENT, PacemakerStack, idle, properties
from fivenines.failover.requests import Requests
from fivenines.lab.host import Host
from fivenines.lab.processes.look import Command
from fivenines.lab.processes.process import Process
from fivenines.servers import secrets
from fivenines.servers.base import Server
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.daemon import daemon
from fivenines.servers.mariadb.control import sequence
from fivenines.servers.mariadb.server import Mariadb

# Longest time in seconds that a started server may follow no primary.
_LEADERLESS = 20.0

# Longest time in seconds that the daemons may not answer: they start again, and elect a leader.
_SILENT = 60.0


class Pacemaker(Manager[PacemakerSettings]):
    """The solution starts and joins the servers; then Pacemaker adopts and supervises them."""

    settings_type = PacemakerSettings
    solution: Cluster[Mariadb]

    def configure(self) -> None:
        self._stack = PacemakerStack([node.host for node in self.solution.nodes])
        self._write_files(self.solution.roles.primary_of_record)

    def start(self) -> None:
        self._first: list[Process | None] = []
        self._log = Follower(
            [node.host for node in self.solution.nodes], DATABASE, self.solution.roles.appoint
        )
        primary = self.solution.roles.primary_of_record
        hosts = [node.host for node in self.solution.nodes]
        self._switch = PowerSwitch(hosts)
        self._requests = Requests(hosts, {**self._switch.serves, **moved_address.SERVES})
        try:
            self.solution.each(self._boot)
            wait_until(
                self._stack.not_formed_reason, 60.0, "the Pacemaker cluster did not form", interval=0.2
            )
            self._hand_over(primary)
            wait_until(self._not_adopted, 60.0, "Pacemaker did not find the servers", interval=0.2)
        except BaseException:
            self._requests.stop()
            raise
        self._log.begin()

    def start_on(self, node: Server) -> None:
        if not self._stack.runs(node.host):
            self._stack.end(node.host)
            self._boot(node)
        if not self._stack.majority():
            # Nothing starts without a quorum; with the next node it will.
            return
        if node.name not in self._stack.online(node.host):
            wait_until(
                lambda: "" if node.name in self._stack.online(node.host) else "it is not online",
                60.0,
                f"{node.name} did not join the Pacemaker cluster",
                interval=0.2,
            )
        if _DIVERGED in self._stack.failures(node.host):
            self._restore(self.solution.node(node.name))
        # Files of a manual start or of a backup may belong to another user.
        node.host.files.own("data", "run", uid=daemon(node).uid)
        self._let_start(node)
        if not self._led(self.solution.node(node.name)) and node.process is not None:
            # The agent looks for a primary when it starts a server and at promotions, never in between.
            node.process.gone(node.process.kill())
            self._let_start(node)

    def _let_start(self, node: Server) -> None:
        for other in self._forgiven(node):
            # For dead nodes clear failures that are unknown, too; for a primary that would move its address.
            how = "--cleanup" if other.alive else "--refresh"
            command = ["crm_resource", how, "--resource", CLONE, "--node", other.name]
            wait_until(
                partial(self._stack.refusal, node.host, command),
                _SILENT,
                f"{other.name}: its failures could not be cleared",
                interval=0.5,
            )
        wait_until(
            lambda: self._not_started(node),
            self.settings.operation_timeout,
            f"{node.name}: Pacemaker did not start the server",
            interval=0.2,
        )

    def _forgiven(self, node: Server) -> list[Mariadb]:
        """Return nodes whose failures are cleared before a start: all dead ones, if there is no leader."""
        nodes = self.solution.nodes
        if not any(_leads(other) for other in nodes):
            # Without a leader the agent waits for the reports of all other nodes.
            return nodes
        # Failed monitor operations of live nodes at a dead primary would add up from fault to fault.
        return [other for other in nodes if other is node or other.alive]

    def _led(self, node: Mariadb) -> bool:
        """Return whether a started server becomes primary or replica within `_LEADERLESS` seconds."""
        deadline = time.monotonic() + _LEADERLESS
        while time.monotonic() < deadline:
            with contextlib.suppress(pymysql.Error):
                if node.writable() or node.sql.replica_status():
                    return True
            time.sleep(0.2)
        return False

    def events(self) -> list[ManagerEvent]:
        return self._log.events()

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
        heirs = [
            node
            for node in self.solution.nodes
            if node is not former and not self.solution.membership.not_joined_reason(node)
        ]
        if not heirs:
            raise FiveninesError("no switchover: no replica follows the primary")
        best = max(heirs, key=_position)
        # A ban of the old primary would leave no node with a score, and the agent promotes by score.
        self._prefer(best, _FIRST_CHOICE)
        try:
            wait_until(
                lambda: "" if best.writable() else f"{best.name} is not promoted",
                self.settings.operation_timeout,
                "no switchover",
                interval=0.1,
            )
        except FiveninesError as error:
            raise FiveninesError(f"{error}\n{self._stack.failures(best.host)}".rstrip()) from error
        self._prefer(best, _CHOICE)
        self.solution.roles.appoint(best.name)
        return best.name

    def _write_files(self, primary: Server) -> None:
        settings = self.settings
        begun = properties(no_quorum_policy=settings.no_quorum_policy)
        cib = first_cib(begun, self._stack.addresses, primary.name)
        self._stack.configure(settings.transport, settings.token, cib)
        for node in self.solution.nodes:
            client = node.host.node / "conf" / Path(CLIENT).name
            client.write_text(client_script())
            client.chmod(0o755)
            secrets.write(node.host, PASSWORD_FILE, self.solution.passwords.replication)
        names = list(self._stack.hosts)
        moves = self.solution.topology.access == "virtual-address"
        self._stack.write_resources(
            primary.host,
            with_resources(
                database(settings, names),
                [self._address(primary.host)] if moves else [],
                names,
                AGENT if settings.fence else "",
            ),
        )

    def _address(self, host: Host) -> Resource:
        virtual = self.solution.lab.virtual_address
        return moved_address.resource(virtual) if host.addresses.by_request else address(virtual)

    def _boot(self, node: Server) -> None:
        """Start the daemons of a node, as its init system does."""
        self._switch.connect(node.host)
        if node.host.addresses.by_request:
            moved_address.connect(node.host)
        self._stack.boot(node.host)

    def _restore(self, node: Mariadb) -> None:
        """Replace the data of a diverged node by the data set, while Pacemaker does not start it."""
        standby = ["crm_attribute", "--node", node.name, "--name", "standby", "--update"]
        node.host.commands.run([*standby, "on"], env=ENVIRONMENT)
        wait_until(
            lambda: f"{node.name} still runs" if node.alive else "",
            self.settings.operation_timeout,
            f"{node.name} did not stop",
            interval=0.2,
        )
        self.solution.membership.restore_data(node)
        node.setup.let_others_start()
        node.host.files.own("data", secrets.FOLDER, uid=node.uid)
        node.host.commands.run([*standby, "off"], env=ENVIRONMENT)

    def _hand_over(self, primary: Server) -> None:
        """Let Pacemaker adopt the servers in the state in which the agent would have left them."""
        # The agent does this at a promotion. Then run a statement that changes nothing: a node without a GTID
        # could never be promoted, and a new data set has none.
        primary.sql.execute(
            "SET GLOBAL rpl_semi_sync_master_wait_no_slave = 1", f"DROP DATABASE IF EXISTS {_NOTHING}"
        )
        # With a score the primary keeps its role; without it the others would elect one of themselves.
        self._prefer(primary, _CHOICE)
        self._stack.load(primary.host)
        for node in self.solution.nodes:
            self._first.append(node.process)
            node.process = node.host.processes.adopt("mariadbd", node.log)

    def _prefer(self, node: Server, score: int) -> None:
        node.host.commands.run(
            [
                "crm_attribute",
                f"--promotion={DATABASE}",
                "--node",
                node.name,
                "--lifetime",
                "reboot",
                "--update",
                str(score),
            ],
            env=ENVIRONMENT,
        )

    def _not_adopted(self) -> str:
        primary = self.solution.roles.primary_of_record.name
        try:
            status = self._stack.status(self.solution.nodes[0].host)
        except FiveninesError as error:
            return str(error)
        seen = crm_mon.places(status)
        for node in self.solution.nodes:
            role = "Promoted" if node.name == primary else "Unpromoted"
            if (node.name, role) not in seen:
                failed = self._stack.failures(node.host)
                return f"{node.name} is not {role.lower()}" + (f": {failed}" if failed else "")
        return ""

    def _not_started(self, node: Server) -> str:
        if node.answers():
            return ""
        return self._stack.failures(node.host) or "it does not answer yet"


def _leads(node: Server) -> bool:
    with contextlib.suppress(pymysql.Error):
        return node.alive and node.writable()
    return False


def _position(node: Server) -> int:
    ((position,),) = node.sql.query("SELECT @@global.gtid_current_pos")
    return sequence(position)


# Message of the agent: the primary does not know the replica's position.
_DIVERGED = "(1236)"

_NOTHING = "fivenines_nothing"
_CHOICE, _FIRST_CHOICE = 100, 1000
