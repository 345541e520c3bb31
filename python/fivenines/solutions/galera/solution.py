"""MariaDB Galera cluster: virtually synchronous, certification-based, failover built in.

Source: Galera Cluster documentation, "Galera Parameters" and "Quorum Components".
"""

from functools import partial

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.servers.mariadb.server import Mariadb
from fivenines.software.store import engine
from fivenines.solutions.draining import Draining
from fivenines.solutions.galera import transfer as galera_transfer
from fivenines.solutions.galera.arbiter import Arbiter
from fivenines.solutions.galera.configuration import GROUP, GaleraConfiguration, GaleraPreparation
from fivenines.solutions.galera.membership import GaleraMembership, allow_bootstrap
from fivenines.solutions.galera.options import as_text
from fivenines.solutions.galera.roles import GaleraRoles
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.hosts import Hosts
from fivenines.solutions.quorum import Quorum
from fivenines.solutions.read_locks import ReadLocks


class GaleraSwitchover(Draining[Mariadb]):
    """A drained node rejects all queries."""

    refusal = (("SET GLOBAL wsrep_reject_queries = ALL",), "rejects queries (wsrep_reject_queries)")
    acceptance = ("SET GLOBAL wsrep_reject_queries = NONE",)


class GaleraStalling(ReadLocks[Mariadb]):
    """The provider is paused and desynchronised: a node applies nothing, and slows down no other node."""

    def stall(self, node: Mariadb) -> str:
        done = super().stall(node)
        state = node.galera()
        if state is None or state[2] == "Synced":
            raise FiveninesError(f"{node.name}: it is still {state}")
        return f"{done}; it is {state[2]}"


class GaleraHosts(Hosts[GaleraSettings, Mariadb]):
    """The nodes, and the arbiter if there is one."""

    solution: "Galera"

    def add(self) -> None:
        super().add()
        if self.settings.arbiter:
            host = self.solution.lab.add_host(Arbiter.name, engine(Arbiter.software).root())
            members = [node.host.address for node in self.solution.nodes]
            options = as_text(self.solution.configuration.group_options(host.name))
            self.solution.arbiter = Arbiter(host, members, GROUP, options)


class Galera(Quorum[GaleraSettings, Mariadb]):
    """All nodes are equal; the first healthy one gets the writes, and is called the primary."""

    settings_type = GaleraSettings
    roles_type = GaleraRoles
    membership_type = GaleraMembership
    switchover_type = GaleraSwitchover
    stalling_type = GaleraStalling
    configuration_type = GaleraConfiguration
    hosts_type = GaleraHosts
    preparation = GaleraPreparation

    health = "synced"

    roles: GaleraRoles
    arbiter: Arbiter | None
    switchover: GaleraSwitchover
    configuration: GaleraConfiguration

    def start_alone(self, node: Mariadb) -> None:
        allow_bootstrap(node)
        node.start("--wsrep-new-cluster")

    def start(self) -> None:
        self.start_alone(self.nodes[0])
        self.nodes[0].wait_ready()
        # One after another: joiners that meet each other first form a group without quorum, and merging it
        # takes four seconds.
        for size, node in enumerate(self.nodes[1:], start=2):
            # A donor that has just joined may send one write set too few (seen in Galera 26.4).
            node.start(f"--wsrep-sst-donor={self.nodes[0].name},")
            self._await_member(node, size)
        if self.arbiter is not None:
            self.arbiter.start()
            wait_until(self._without_arbiter, 30.0, "the arbiter did not join")
        self.each(lambda node: node.wait_ready())
        wait_until(
            lambda: next(filter(None, (self._incomplete(node) for node in self.nodes)), ""),
            30.0,
            f"{self.settings.name}: not all nodes are Synced",
        )
        self.nodes[0].sql.execute(
            *galera_transfer.transfer_account(self.settings.sst, self.passwords.transfer)
        )

    def _without_arbiter(self) -> str:
        assert self.arbiter is not None
        if not self.arbiter.alive:
            raise FiveninesError(f"the arbiter ended:\n{self.arbiter.last_words()}")
        return self._smaller_than(self.settings.traits.votes)

    def _await_member(self, node: Mariadb, size: int) -> None:
        try:
            wait_until(partial(self._unjoined, node, size), 30.0, f"{node.name} did not join")
        except FiveninesError as error:
            raise FiveninesError(f"{error}\n{node.last_words()}") from error

    def _unjoined(self, node: Mariadb, size: int) -> str:
        if not node.alive:
            raise FiveninesError(f"{node.name} ended instead of joining")
        return self._smaller_than(size)

    def _smaller_than(self, size: int) -> str:
        state = self.nodes[0].galera()
        return "" if state is not None and state[0] == str(size) else f"the cluster is {state}"

    def _incomplete(self, node: Mariadb) -> str:
        state = node.galera()
        if state == (str(self.settings.traits.votes), "Primary", "Synced"):
            return ""
        return f"{node.name} is {state}"
