"""Forward ports of this machine to each node and each endpoint of the running deployment."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from fivenines.base.threads import Background
from fivenines.lab.network.forward import LOOPBACK, Forwarder
from fivenines.servers.base import Server
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.manual.state import Login, Way

# Seconds between two checks whether a server has ended.
_LOOK = 0.1


@dataclass(frozen=True)
class _Entrance:
    """An endpoint in the lab, and whether its process is running."""

    name: str
    address: str
    alive: Callable[[], bool]
    node: str = ""


class Forwards:
    """All forwarded ports of the running deployment; they end with it.

    Args:
        deployed: the deployment.
        base: the first port on this machine; None: free ports.
        log: the relay's log file.

    Raises:
        UsageError: a port is in use.
    """

    def __init__(self, deployed: Deployed, base: int | None, log: Path) -> None:
        self._deployed = deployed
        self._entrances = _entrances(deployed)
        assert deployed.client is not None
        targets = [each.address for each in self._entrances]
        self._forwarder = Forwarder(deployed.client, targets, base, log)
        self.ways = [
            Way(each.name, each.address, f"{LOOPBACK}:{port}", each.node)
            for each, port in zip(self._entrances, self._forwarder.ports, strict=True)
        ]
        Background(target=self._watch).start()

    def login(self) -> Login:
        """Return how a client connects now."""
        nodes = self._deployed.solution.nodes
        first = nodes[0]
        user, password = first.application
        here = {way.lab: way.here for way in self.ways}
        writes = [here[address] for address in self._deployed.access.endpoints().write]
        dsn = dsn_of(first, writes)
        # A single address: the proxy's, or the primary's.
        primary = self._deployed.solution.roles.certain_primary() or first
        at = writes[0] if len(writes) == 1 else here[primary.endpoint]
        return Login(user, password, first.database, dsn, first.console.shell(dsn, at))

    def _watch(self) -> None:
        """Notify the relay of each server that ends, so that its port refuses connections, too."""
        alive = [True] * len(self._entrances)
        pause = threading.Event()
        while self._forwarder.alive and not pause.wait(_LOOK):
            for number, entrance in enumerate(self._entrances):
                now = entrance.alive()
                if alive[number] and not now:
                    self._forwarder.doubt(number)
                alive[number] = now


def _entrances(deployed: Deployed) -> list[_Entrance]:
    """Return each node, then the endpoints of the access layer that are no nodes."""
    found = [
        _Entrance(node.name, node.endpoint, lambda node=node: node.alive, node.name)  # type: ignore[misc]
        for node in deployed.solution.nodes
    ]
    known = {each.address for each in found}
    layer = deployed.access

    def alive() -> bool:
        return layer.process is None or layer.process.alive

    endpoints = layer.endpoints()
    for name, addresses in (("writes", endpoints.write), ("reads", endpoints.read)):
        for address in addresses:
            if address not in known:
                known.add(address)
                found.append(_Entrance(name, address, alive))
    return found


def dsn_of(server: Server, addresses: Sequence[str]) -> str:
    """Return the DSN of a server's account; with several addresses it selects the writable one."""
    user, password = server.application
    scheme = "postgresql" if server.driver == "postgres" else "mysql"
    find = len(addresses) > 1 and server.driver == "postgres"
    options = "?target_session_attrs=read-write" if find else ""
    account = f"{quote(user)}:{quote(password)}"
    return f"{scheme}://{account}@{','.join(addresses)}/{server.database}{options}"
