"""IMSI: a telecom operator lends visitor identities to travelling subscribers, at two sites.

Source: schema and transactions as in K. Aanby, "Cluster Replication. Comparison of cluster topologies in a
simulated telecom environment", 2014.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.load.workloads.imsi_rules import RULES
from fivenines.load.workloads.invariant import Check
from fivenines.load.workloads.settings import WorkloadSettings

Identities = Annotated[int, Field(ge=1, le=100_000_000)]


class Imsi(WorkloadSettings):
    """IMSI: AllocateIMSI releases and allocates a visitor identity and writes an event."""

    family = "imsi"
    scale = ("home", "visitors", "sites", "style")

    workload: Literal["imsi"] = Field(description="allocating visitor IMSIs to home IMSIs")
    home: Identities = Field(525_000, description="number of home IMSIs, the subscribers")
    visitors: Identities = Field(
        525_000, description="number of visitor IMSIs, which are lent to subscribers"
    )
    sites: Annotated[int, Field(ge=1, le=100)] = Field(
        2, description="number of sites, each with its own subscribers"
    )
    site: Annotated[int, Field(ge=0, le=100)] = Field(
        0, description="site of this load; 0: connection i uses site i mod sites"
    )
    style: Literal["statements", "procedures"] = Field(
        "statements", description="whether the client sends statements or calls stored procedures"
    )

    release: Annotated[int, Field(ge=0, le=100)] = Field(
        0, description="percentage of transactions that only release"
    )

    def problems(self) -> list[str]:
        found = []
        if self.site > self.sites:
            found.append(f"site: found {self.site}, but there are only {self.sites} sites")
        found += [
            f"{name}: each of the {self.sites} sites needs at least one"
            for name in ("home", "visitors")
            if getattr(self, name) < self.sites
        ]
        return found

    def invariants(self) -> Sequence[Check]:
        return RULES
