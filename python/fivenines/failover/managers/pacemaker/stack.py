"""Corosync and Pacemaker on the nodes of a cluster: start, stop and status.

The resources are in the configuration (the CIB) that each manager writes. Sources: "Pacemaker Explained" 2.1;
corosync.conf(5).
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree as Xml

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.failover.managers.pacemaker import crm_mon
from fivenines.failover.managers.pacemaker.corosync import corosync_conf
from fivenines.failover.managers.pacemaker.log import LOG
from fivenines.lab.host import Host
from fivenines.lab.processes.process import Process, tail
from fivenines.servers.base import inside

# Log times are read as UTC; by default the daemons use their machine's time zone.
ENVIRONMENT = {"TZ": "UTC"}


class PacemakerStack:
    """The daemons of all nodes, by host name."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self.hosts = {host.name: host for host in hosts}
        # Those that were started, by host.
        self.daemons: dict[str, list[Process]] = {}

    @property
    def addresses(self) -> dict[str, str]:
        """Return the address of each node."""
        return {name: host.address for name, host in self.hosts.items()}

    def configure(self, transport: str, token: float, cib: str) -> None:
        """Write the configuration with which the daemons of all nodes start; `token` in seconds."""
        text = corosync_conf(self.addresses, transport, token, inside("log", "corosync.log"))
        for host in self.hosts.values():
            (host.node / "conf" / "corosync.conf").write_text(text)
            (host.node / "conf" / "cib.xml").write_text(cib)

    def boot(self, host: Host) -> None:
        """Start the daemons of a node."""
        host.commands.run(["sh", "-c", _PREPARE])
        corosync = host.commands.spawn(
            ["corosync", "-f", "-c", inside("conf", "corosync.conf")], log="corosync.out"
        )
        self.daemons[host.name] = [corosync]
        wait_until(lambda: _not_up(host, corosync), 30.0, f"{host.name}: Corosync did not start")
        environment = {**ENVIRONMENT, "PCMK_logfile": inside("log", LOG), "PCMK_logfacility": "none"}
        pacemaker = host.commands.spawn(["pacemakerd"], log="pacemaker.out", env=environment)
        self.daemons[host.name].append(pacemaker)

    def runs(self, host: Host) -> bool:
        """Return whether all daemons of a node run."""
        daemons = self.daemons.get(host.name, [])
        return bool(daemons) and all(daemon.alive for daemon in daemons)

    def end(self, host: Host) -> None:
        """Kill the daemons of a node."""
        for daemon in self.daemons.get(host.name, []):
            daemon.gone(daemon.kill())

    @property
    def alive(self) -> bool:
        """Return whether any daemon runs."""
        return any(daemon.alive for daemons in self.daemons.values() for daemon in daemons)

    def majority(self) -> bool:
        """Return whether the daemons of a majority of nodes run; two nodes have a special rule."""
        running = [all(daemon.alive for daemon in daemons) for daemons in self.daemons.values()]
        return 2 * sum(running) > len(running) or len(running) == 2

    def status(self, host: Host) -> Xml.Element:
        """Return the status of the cluster as a node sees it (crm_mon)."""
        command = ["crm_mon", "--one-shot", "--output-as=xml"]
        return Xml.fromstring(host.commands.run(command, timeout=10.0, env=ENVIRONMENT))

    def online(self, host: Host) -> set[str]:
        """Return the nodes that are online as a node sees it; none if it cannot tell."""
        with contextlib.suppress(FiveninesError):
            return crm_mon.online(self.status(host))
        return set()

    def failures(self, host: Host) -> str:
        """Return the failed operations on a node that were not cleared, in words."""
        with contextlib.suppress(FiveninesError):
            return crm_mon.failures(self.status(host), host.name)
        return ""

    def not_formed_reason(self) -> str:
        """Return which nodes are not online, as the first node sees it.

        Raises:
            FiveninesError: a daemon has ended; with its output.
        """
        for name, daemons in self.daemons.items():
            for daemon in daemons:
                if not daemon.alive:
                    log = tail(self.hosts[name].node / "log" / LOG, 4)
                    raise FiveninesError(
                        f"{name}: a daemon of the cluster ended:\n{daemon.log_tail(4)}\n{log}".rstrip()
                    )
        first = next(iter(self.hosts.values()))
        missing = self.hosts.keys() - self.online(first)
        return f"{', '.join(sorted(missing))} not online" if missing else ""

    def write_resources(self, host: Host, configuration: str) -> None:
        """Write what `load` adds to the cluster's configuration through this node."""
        (host.node / "conf" / "resources.xml").write_text(configuration)

    def load(self, host: Host) -> None:
        """Add the resources to the cluster's configuration, through the node that has their file."""
        self.tell(
            host,
            "cibadmin",
            "--modify",
            "--allow-create",
            "--scope",
            "configuration",
            "--xml-file",
            inside("conf", "resources.xml"),
        )

    def tell(self, host: Host, *command: str) -> None:
        """Run one of Pacemaker's tools on a node."""
        host.commands.run(command, env=ENVIRONMENT)

    def refusal(self, host: Host, command: Sequence[str]) -> str:
        """Return why a tool failed; empty if it did not.

        A newly started controller may not answer at once.
        """
        try:
            self.tell(host, *command)
        except FiveninesError as error:
            return str(error)
        return ""


def idle(hosts: Iterable[Host]) -> bool:
    """Return whether the cluster of these hosts carries out no transition now, by its leading controller.

    An agent's start of a server takes longer than the server does until it answers.
    """
    for host in hosts:
        with contextlib.suppress(FiveninesError):
            state = host.commands.run(["crmadmin", "-S", host.name], timeout=5.0, env=ENVIRONMENT)
            if "S_NOT_DC" not in state:
                return "S_IDLE" in state
    return False


def _not_up(host: Host, corosync: Process) -> str:
    if not corosync.alive:
        log = tail(host.node / "log" / "corosync.log", 6)
        raise FiveninesError(f"{host.name}: Corosync ended:\n{corosync.log_tail(4)}\n{log}")
    with contextlib.suppress(FiveninesError):
        host.commands.run(["corosync-cfgtool", "-s"], timeout=5.0)
        return ""
    return "it does not answer"


def properties(*, no_quorum_policy: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the cluster properties with which all managers here begin."""
    return {
        "stonith-enabled": "false",
        "no-quorum-policy": no_quorum_policy,
        # How long a starting node waits for others that may already have a leader.
        "dc-deadtime": "2s",
        "cluster-recheck-interval": "60s",
        **(more or {}),
    }


_PREPARE = """
set -e
mkdir -p /var/lib/pacemaker/cib /var/lib/pacemaker/pengine /var/lib/pacemaker/blackbox \
  /var/lib/pacemaker/cores /var/log/pacemaker /var/lib/corosync /run/resource-agents
# what processes that were killed have left
rm -rf /dev/shm/qb-*
[ -e /var/lib/pacemaker/cib/cib.xml ] || cp /run/node/conf/cib.xml /var/lib/pacemaker/cib/cib.xml
chown -R hacluster:haclient /var/lib/pacemaker /var/log/pacemaker
"""
