"""The section `cost:` of an experiment: prices of hosts, for the price of a transaction."""

from typing import Annotated

from pydantic import Field

from fivenines.base.settings import Settings

Price = Annotated[float, Field(ge=0, le=1_000_000)]

# Kinds of hosts without a separate price: `server_hour` is for nodes, and clients cost nothing.
NEVER = ("node", "client")


class CostSettings(Settings):
    """Prices of hosts; without `server_hour`, reports show no costs."""

    currency: Annotated[str, Field(min_length=1, max_length=8)] = Field(
        "EUR", description="currency of the prices, as shown in reports"
    )
    server_hour: Price | None = Field(
        None, description="price per hour of a server; null: reports show no costs"
    )
    others: dict[str, Price] = Field(
        default_factory=dict,
        description="price per hour of hosts other than database servers, by kind, as "
        "`{proxy: 0.05, manager: 0.05}`; other kinds cost `server_hour`",
    )

    def problems_by_key(self) -> dict[str, str]:
        """Return the problem of each wrong key of `others`."""
        found = {}
        for kind in self.others:
            if kind in NEVER:
                found[kind] = f"cost.others: {kind!r} is not a kind of host other than database servers"
            elif self.server_hour is None:
                found[kind] = "cost.others: set `server_hour`, the price of all other hosts, too"
        return found
