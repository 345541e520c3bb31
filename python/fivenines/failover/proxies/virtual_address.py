"""A virtual address: clients connect to one address, which the failover manager moves to the primary."""

from typing import Literal

from pydantic import Field

from fivenines.failover.proxies.base import Access
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.topology import Topology


class VirtualAddressSettings(AccessSettings):
    """One address for writes, on the host of the primary; the failover manager moves it."""

    kind: Literal["virtual-address"] = Field(description="a virtual address that the failover manager moves")

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.moves_address:
            return []
        named = f"the manager {topology.manager}"
        moves = named if topology.manager else "failover is built in, and"
        problem = (
            f"access virtual-address: {moves} moves no address; choose a failover manager that does "
            "(pacemaker), or another access layer"
        )
        return [problem]


class VirtualAddress(Access[VirtualAddressSettings]):
    """Gives the address to the first node; from then on the failover manager moves it."""

    settings_type = VirtualAddressSettings

    def start(self) -> None:
        self.solution.nodes[0].host.addresses.give(self.solution.lab.virtual_address)

    def endpoints(self) -> Endpoints:
        node = self.solution.nodes[0]
        virtual = self.solution.lab.virtual_address
        return Endpoints.of_one(f"{virtual}:{node.port}", self.solution.endpoints().read)
