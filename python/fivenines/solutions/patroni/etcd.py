"""etcd: the consensus store with Patroni's leader lock. Three members, two of which must agree.

Source: the manual of etcd 3.4, "Configuration flags" and "Tuning".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ruamel.yaml import YAML

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.lab.host import Host
from fivenines.lab.network.http import ask
from fivenines.lab.processes.process import Process
from fivenines.servers.base import inside

# Its ports.
CLIENTS, PEERS = 2379, 2380

_FILE = "etcd.yml"


@dataclass(frozen=True)
class Pace:
    """Heartbeat interval and election timeout of a member, in seconds."""

    heartbeat: float
    election: float


class Etcd:
    """A group of etcd members, one on each of these hosts; each keeps its data in the host's folder."""

    def __init__(self, hosts: Sequence[Host], pace: Pace) -> None:
        self.hosts = list(hosts)
        self.pace = pace
        self._processes: dict[str, Process] = {}

    @property
    def endpoints(self) -> list[str]:
        """Return address:port of each member, for clients."""
        return [f"{host.address}:{CLIENTS}" for host in self.hosts]

    def configure(self) -> None:
        """Write the configuration file of each member."""
        peers = {host.name: host.address for host in self.hosts}
        yaml = YAML()
        # The list of members stays on one line.
        yaml.width = 1000
        for host in self.hosts:
            with (host.node / "conf" / _FILE).open("w") as stream:
                yaml.dump(configuration(host.name, peers, self.pace), stream)

    def start(self) -> None:
        """Start all members without waiting; see `await_leader`."""
        for host in self.hosts:
            self.start_on(host)

    def await_leader(self) -> None:
        """Wait until they have elected a leader.

        Raises:
            FiveninesError: they have not.
        """
        wait_until(self.trouble, 60.0, "etcd did not become ready", 0.1)

    def start_on(self, host: Host) -> bool:
        """Start the member of this host, if it has one that does not run; return whether it has one."""
        if host not in self.hosts:
            return False
        running = self._processes.get(host.name)
        if running is None or not running.alive:
            (host.node / "etcd").mkdir(exist_ok=True)
            command = ["etcd", "--config-file", inside("conf", _FILE)]
            self._processes[host.name] = host.commands.spawn(command, log="etcd.out")
        return True

    def trouble(self) -> str:
        """Return why it accepts no writes now; empty if it does."""
        refusals = {host.name: self._refusal(host) for host in self.hosts}
        well = [name for name, reason in refusals.items() if not reason]
        if 2 * len(well) > len(refusals):
            return ""
        ill = ", ".join(f"{name}: {reason}" for name, reason in refusals.items() if reason)
        return f"etcd has no quorum ({len(well)} of {len(refusals)} members have a leader; {ill})"

    def _refusal(self, host: Host) -> str:
        process = self._processes.get(host.name)
        if process is None or not process.alive:
            return "it does not run"
        # Query it from its own host: a partition must show in its answer, not in a missing answer.
        answer = ask(host, "GET", f"http://{host.address}:{CLIENTS}/health")
        healthy = (answer.json() or {}).get("health") == "true"
        return "" if healthy else (answer.text.strip()[:120] or "it gives no answer")


def configuration(name: str, members: dict[str, str], pace: Pace) -> dict[str, str | int | bool]:
    """Return the configuration of one member; `members`: addresses by name.

    The initial cluster is read only without existing data: a restarted member knows its peers.

    Raises:
        FiveninesError: there is no such member.
    """
    if name not in members:
        raise FiveninesError(f"there is no member {name} of etcd: the members are {', '.join(members)}")
    peer, client = (f"http://{members[name]}:{port}" for port in (PEERS, CLIENTS))
    return {
        "name": name,
        "data-dir": inside("etcd"),
        "listen-peer-urls": peer,
        "initial-advertise-peer-urls": peer,
        "listen-client-urls": client,
        "advertise-client-urls": client,
        "initial-cluster": ",".join(f"{member}=http://{at}:{PEERS}" for member, at in members.items()),
        "initial-cluster-state": "new",
        # With a configuration file it is off by default, other than with options (seen in 3.4); Patroni's
        # etcd3 client needs it.
        "enable-grpc-gateway": True,
        "heartbeat-interval": round(pace.heartbeat * 1000),
        "election-timeout": round(pace.election * 1000),
    }
