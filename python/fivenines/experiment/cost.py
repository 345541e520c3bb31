"""The section `cost:` of an experiment: what a server costs, so that a transaction has a price."""

from typing import Annotated

from pydantic import Field

from fivenines.settings import Settings

Price = Annotated[float, Field(ge=0, le=1_000_000)]

# Nodes are what `server_hour` is for, and the client is not a part of a solution.
NEVER = ("node", "client")


class CostSettings(Settings):
    """Prices of hosts; without `server_hour` no costs are shown."""

    currency: Annotated[str, Field(min_length=1, max_length=8)] = Field(
        "EUR", description="what prices are in, as reports show it"
    )
    server_hour: Price | None = Field(
        None, description="price of a server for an hour; null: no costs are shown"
    )
    others: dict[str, Price] = Field(
        default_factory=dict,
        description="price of an hour of hosts beside the database servers, by what they are, as "
        "`{proxy: 0.05, manager: 0.05}`; those not named cost `server_hour`",
    )

    def problems_by_key(self) -> dict[str, str]:
        """What is wrong with keys of `others`, by the key."""
        found = {}
        for kind in self.others:
            if kind in NEVER:
                found[kind] = f"cost.others: {kind!r} is not a host beside the database servers"
            elif self.server_hour is None:
                found[kind] = "cost.others: these prices need a `server_hour` for all other hosts"
        return found
