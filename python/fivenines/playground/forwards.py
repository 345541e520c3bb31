"""Ways from the machine into a playground: a port for each node and each part of its access layer."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from fivenines.deployment.deployed import Deployed
from fivenines.lab.forward import LOOPBACK, Forwarder
from fivenines.playground.state import Login, Way
from fivenines.servers.base import Server

# Seconds between two looks whether a server has ended.
_LOOK = 0.1


@dataclass(frozen=True)
class _Entrance:
    """Something in the lab that clients connect to, and whether its process runs."""

    name: str
    address: str
    alive: Callable[[], bool]
    node: str = ""


class Forwards:
    """All ways into a deployment that is up; they end with it.

    Args:
        deployed: where they lead to.
        base: the first port on this machine, the others follow; None: any that are free.
        log: what the relay says.

    Raises:
        UsageError: a port is taken.
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
        threading.Thread(target=self._watch, daemon=True).start()

    def login(self) -> Login:
        """How a client gets in now."""
        nodes = self._deployed.solution.nodes
        first = nodes[0]
        user, password = first.application
        here = {way.lab: way.here for way in self.ways}
        writes = [here[address] for address in self._deployed.access.endpoints().write]
        dsn = dsn_of(first, writes)
        # one address alone: the proxy's, or the primary's
        primary = self._deployed.solution.primary() or first
        at = writes[0] if len(writes) == 1 else here[primary.endpoint]
        return Login(user, password, first.database, dsn, first.shell_command(dsn, at))

    def _watch(self) -> None:
        """Tell the relay of each server that ends: its port shall refuse as the server's own does."""
        alive = [True] * len(self._entrances)
        pause = threading.Event()
        while self._forwarder.alive and not pause.wait(_LOOK):
            for number, entrance in enumerate(self._entrances):
                now = entrance.alive()
                if alive[number] and not now:
                    self._forwarder.doubt(number)
                alive[number] = now


def _entrances(deployed: Deployed) -> list[_Entrance]:
    """Each node, then what of the access layer is no node's own address."""
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
    """The DSN of a server's account: of several addresses, the one that takes writes is meant."""
    user, password = server.application
    scheme = "postgresql" if server.driver == "postgres" else "mysql"
    find = len(addresses) > 1 and server.driver == "postgres"
    options = "?target_session_attrs=read-write" if find else ""
    account = f"{quote(user)}:{quote(password)}"
    return f"{scheme}://{account}@{','.join(addresses)}/{server.database}{options}"
