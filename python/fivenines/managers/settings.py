"""What all failover managers share: who promotes another node when the primary dies."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from fivenines.cluster.part_settings import PartSettings


class ManagerSettings(PartSettings):
    """Settings of any failover manager; `kind` is narrowed by each subclass."""

    failover_fact: ClassVar[str] = ""
    """Who fails over, and how, in a few words; for the facts of a solution."""

    on_nodes: ClassVar[bool] = False
    """Whether it runs on the nodes themselves, where their majority decides."""

    moves_address: ClassVar[bool] = False
    """Whether it takes an address along to the primary."""

    software: ClassVar[str | None] = None
    """The engine whose root file system the nodes have instead of their server's own, as it carries both."""

    all_ids: ClassVar[bool] = False
    """Whether its programs change their user: the lab must map all user ids, which takes root."""

    for_vms: ClassVar[bool] = True
    """Whether it can look after servers on virtual machines."""

    changes: ClassVar[frozenset[str]] = frozenset()
    """Settings of servers, by canonical names, that it changes while it runs."""

    server_settings: ClassVar[Mapping[str, str | int | float | bool]] = {}
    """What it needs of the nodes' servers, over the settings of the solution."""

    kind: str = Field(description="the kind of failover manager")

    @property
    def supervises(self) -> bool:
        """Whether it makes nodes members again by itself: the solution's `rejoin` is not called then."""
        return False

    @property
    def switches_over(self) -> bool:
        return bool(self.host)
