"""Server settings of a solution's nodes: in layers, as written, and as requested."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Generic

from fivenines.servers.base import Value
from fivenines.servers.cluster.aspect import N
from fivenines.servers.in_effect import Finding
from fivenines.servers.spelled import AT_INITDB, layered, plain, with_plugins
from fivenines.solutions.durability import DECIDING
from fivenines.solutions.settings import S
from fivenines.solutions.vms import for_vms

if TYPE_CHECKING:
    from fivenines.solutions.base import Solution


class Configuration(ABC, Generic[S, N]):
    """Server settings of the nodes of one solution; a subclass defines those of its kind.

    Args:
        solution: the solution, whose nodes may not exist yet.
    """

    def __init__(self, solution: "Solution[S, N]") -> None:
        self.solution = solution
        # Settings of a node that come from joining its cluster with another one.
        self.joined_with: Callable[[N], Mapping[str, Value]] = lambda _node: {}

    @property
    def settings(self) -> S:
        """Return the settings of the solution."""
        return self.solution.settings

    @abstractmethod
    def own(self, node: N) -> dict[str, Value]:
        """Return server settings of a node, in addition to the defaults and the user's settings."""

    def whole(self, node: N) -> dict[str, Value]:
        """Return its settings in layers: access layer, solution, partner cluster, manager, user."""
        settings, manager = self.settings, self.settings.failover_manager
        reached = settings.access.server_settings
        managed = manager.server_settings if manager is not None else {}
        joined = self.joined_with(node)
        vms = for_vms(node, settings.server) if settings.machines == "virtual-machines" else {}
        family = self.solution.engine.family
        own = layered(family, vms, reached, self.own(node), joined, managed)
        return layered(family, own, with_plugins(own, self.given()))

    def write(self, node: N) -> None:
        """Write the configuration of a node's server."""
        node.setup.configure(self.whole(node))

    def given(self) -> dict[str, Value]:
        """Return the user's settings for each server, without those that the solution merges with its own."""
        server = self.settings.server
        if self.solution.engine.family != "postgresql":
            return dict(server)
        # These settings are stored in its data directory.
        return {name: value for name, value in server.items() if plain(name, "postgresql") not in AT_INITDB}

    @property
    def of_role(self) -> frozenset[str]:
        """Return server settings, by canonical names, that follow a node's role in this solution."""
        manager = self.settings.failover_manager
        by_role = frozenset(DECIDING) if self.settings.durability.by_role else frozenset()
        return by_role | (manager.changes if manager is not None else frozenset())

    def parts_in_effect(self) -> list[Finding]:
        """Return settings of parts other than nodes that are not in effect, or not observed."""
        return []
