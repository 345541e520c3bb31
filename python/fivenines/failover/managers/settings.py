"""Settings that all failover managers share."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from fivenines.servers.cluster.part_settings import PartSettings
from fivenines.servers.cluster.timeouts import Values


class ManagerSettings(PartSettings):
    """Settings of any failover manager; subclasses narrow `kind`."""

    # What promotes a node and how, in a few words, for the facts of a solution.
    failover_fact: ClassVar[str] = ""

    # Whether it runs on the nodes themselves, where their majority decides.
    on_nodes: ClassVar[bool] = False

    # Whether it moves an address to the primary.
    moves_address: ClassVar[bool] = False

    # The engine whose root file system the nodes use instead of their server's, as it contains both.
    software: ClassVar[str | None] = None

    # Whether its programs change their user: the lab must map all user ids, which requires root.
    all_ids: ClassVar[bool] = False

    # Whether it supports servers on virtual machines.
    for_vms: ClassVar[bool] = True

    # Server settings, by canonical names, that it changes while it runs.
    changes: ClassVar[frozenset[str]] = frozenset()

    # Server settings that it needs; they take precedence over the settings of the solution.
    server_settings: ClassVar[Mapping[str, str | int | float | bool]] = {}

    # Sets of timeouts among which `fivenines tune` chooses; empty: it knows none.
    timeouts: ClassVar[tuple[Values, ...]] = ()

    kind: str = Field(description="kind of failover manager")

    @property
    def supervises(self) -> bool:
        """Return whether it makes restarted nodes members by itself, without the solution's `rejoin`."""
        return False

    @property
    def switches_over(self) -> bool:
        return bool(self.host)
