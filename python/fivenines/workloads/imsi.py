"""IMSI: a telecom operator lends visitor identities to travelling subscribers, at two sites.

Source: schema and transactions as in Aanby, "Eager or asynchronous replication over a wide area
network", 2014.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.workloads.imsi_rules import RULES
from fivenines.workloads.invariant import Check
from fivenines.workloads.settings import WorkloadSettings

Identities = Annotated[int, Field(ge=1, le=100_000_000)]


class Imsi(WorkloadSettings):
    """IMSI: AllocateIMSI releases and takes a visitor identity and writes an event, in one go."""

    family = "imsi"
    scale = ("home", "visitors", "sites", "style")

    workload: Literal["imsi"] = Field(description="allocating visitor IMSIs to home IMSIs")
    home: Identities = Field(525_000, description="home IMSIs, the subscribers")
    visitors: Identities = Field(525_000, description="visitor IMSIs, which are lent to them")
    sites: Annotated[int, Field(ge=1, le=100)] = Field(2, description="sites with subscribers of their own")
    site: Annotated[int, Field(ge=0, le=100)] = Field(
        0, description="the site that this load works for; 0: connection i for site i mod sites"
    )
    style: Literal["statements", "procedures"] = Field(
        "statements", description="statements of the client, or stored procedures"
    )

    release: Annotated[int, Field(ge=0, le=100)] = Field(
        0, description="percentage of transactions that only release"
    )

    def problems(self) -> list[str]:
        found = []
        if self.site > self.sites:
            found.append(f"site: there is no site {self.site} of {self.sites}")
        found += [
            f"{name}: every one of the {self.sites} sites needs one at least"
            for name in ("home", "visitors")
            if getattr(self, name) < self.sites
        ]
        return found

    def invariants(self) -> Sequence[Check]:
        return RULES
