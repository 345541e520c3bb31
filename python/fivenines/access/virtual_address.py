"""A virtual address: clients connect to one address, which the failover manager moves to the primary."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fivenines.access.base import Access
from fivenines.access.endpoints import Endpoints
from fivenines.access.settings import AccessSettings
from fivenines.lab import network

if TYPE_CHECKING:
    from fivenines.solutions.settings import SolutionSettings


class VirtualAddressSettings(AccessSettings):
    """One address for writes, on the host of the primary; the failover manager takes it along."""

    kind: Literal["virtual-address"] = Field(
        description="an address that the failover manager moves"
    )

    def problems_with(self, solution: "SolutionSettings") -> list[str]:
        manager = getattr(solution, "manager", None)
        if manager is not None and manager.moves_address:
            return []
        moves = "failover is built in, and" if manager is None else f"the manager {manager.kind}"
        told = (
            f"access virtual-address: {moves} moves no address; choose a failover manager that does "
            "(pacemaker), or another access"
        )
        return [told]


class VirtualAddress(Access[VirtualAddressSettings]):
    """The first node gets the address; from then on it is the failover manager's."""

    settings_type = VirtualAddressSettings

    def start(self) -> None:
        network.give_address(self.solution.nodes[0].host.pid, network.VIRTUAL)

    def endpoints(self) -> Endpoints:
        node = self.solution.nodes[0]
        return Endpoints(
            write=(f"{network.VIRTUAL}:{node.port}",),
            read=self.solution.endpoints().read,
            find="any",
            spread="first",
        )
