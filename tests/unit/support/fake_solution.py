"""A solution without servers: one primary and its replicas, which carry out every order at once.

`deployment_contract` holds it to what real solutions do.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.failover.proxies.direct import Direct, DirectSettings
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.membership import Membership
from fivenines.solutions.base import Solution
from fivenines.solutions.traits import Traits
from fivenines.trial.deployment import deployed
from fivenines.trial.deployment.deployed import Deployed


class FakeHost:
    """A host with folders, and nothing that runs on it."""

    def __init__(self, name: str, address: str, folder: Path) -> None:
        self.name, self.address = name, address
        self.node = folder / name
        for part in ("conf", "log"):
            (self.node / part).mkdir(parents=True)
        self.data = SimpleNamespace(flush=lambda: None, configuration={})


class FakeLab:
    """The hosts of a deployment; closing it ends all servers."""

    limits_reason = ""
    virtual_address = "10.99.0.250"
    tell: Any = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hosts: dict[str, Any] = {}
        self.servers: list[FakeNode] = []
        # One address is enough.
        self.network = SimpleNamespace(add_addresses=lambda _host, _more: None)

    def add_host(self, name: str, _root: Any) -> FakeHost:
        address = f"10.0.0.{len(self.hosts) + 1}"
        self.hosts[name] = FakeHost(name, address, self.folder)
        host: FakeHost = self.hosts[name]
        return host

    def close(self) -> None:
        for server in self.servers:
            server.alive = False


class FakeNode:
    """A server: it runs or not, and the first of a solution takes writes."""

    def __init__(self, host: FakeHost, writes: bool) -> None:
        self.host, self.name, self._writes = host, host.name, writes
        self.endpoint = self.client_endpoint = f"{host.address}:5432"
        self.alive = self.frozen = False
        self.monitoring = self

    def start(self) -> None:
        self.alive = True

    def stop(self) -> None:
        self.alive = self.frozen = False

    def answers(self) -> bool:
        return self.alive

    def accepts_writes(self) -> bool | None:
        return self._writes if self.alive else None

    def writable(self) -> bool:
        return self.accepts_writes() is True

    def effective_settings(self) -> dict[str, str]:
        return {}


class FakeMembership(Membership[Any]):
    """Replicas have everything at once."""

    def rejoin(self, node: Any) -> None:
        node.start()

    def not_joined_reason(self, node: Any) -> str:
        return "" if node.alive else f"{node.name} does not answer"

    def lag_reason(self, node: Any) -> str:
        return self.not_joined_reason(node)


class FakeSolution(Cluster[Any]):
    """Starts its servers."""

    membership_type = FakeMembership

    def __init__(self, settings: Any, lab: Any, engine: Any, _data: Path) -> None:
        topology: Any = SimpleNamespace(solution="fake")
        super().__init__(settings.name, topology, lab, engine)
        self.settings = settings
        self.phases: dict[str, float] = {}

    def deploy(self) -> None:
        for number in range(self.settings.traits.nodes):
            host: Any = self.lab.add_host(f"node{number + 1}", None)  # type: ignore[arg-type]
            self.nodes.append(FakeNode(host, writes=number == 0))
        self.lab.servers = list(self.nodes)  # type: ignore[attr-defined]
        self.start()

    def start(self) -> None:
        for node in self.nodes:
            node.start()

    def leave(self) -> None:
        """Nothing stays."""

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        yield
        self.phases[phase] = 0.0


def fake_settings(nodes: int) -> Any:
    """Settings of a fake solution with direct access and no failover manager."""
    return SimpleNamespace(
        name="fake",
        engine="",
        traits=Traits(nodes, single_writer=True),
        external=True,
        facts=lambda: None,
        access=DirectSettings(),
        failover_manager=None,
        durability=SimpleNamespace(by_role=False),
    )


def fake_deployment(nodes: int, folder: Path, patch: pytest.MonkeyPatch) -> Deployed:
    """Return a real `Deployed` around a fake solution in a fake lab."""
    kinds: dict[type, Any] = {Solution: FakeSolution, deployed.Access: Direct}
    patch.setattr(deployed, "_around", lambda *_: FakeLab(folder))
    patch.setattr(deployed, "engine", lambda _name: None)
    patch.setattr(deployed.plugins, "implementation", lambda _package, base, _: kinds[base])
    return Deployed(fake_settings(nodes), folder, folder)
