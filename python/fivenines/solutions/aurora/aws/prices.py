"""The cost of a cluster: the hourly price of an instance, set by the user or from Amazon's Price List API.

Only instances are included: storage, I/O, backups and traffic cost extra, and are not known in advance.
Sources: AWS Price List API, "Finding services and products"; Amazon RDS pricing, "billed in one second
increments, with a 10 minute minimum charge".
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.solutions.aurora.aws.api import Api

# Shortest billed time of an instance, in seconds.
LEAST_SECONDS = 600.0

# Approximate time that a cluster exists in addition to the run: creation and deletion, in seconds.
AROUND_SECONDS = 1500.0

# Engine names in the price list. It does not show whether its price of a Multi-AZ cluster is for one instance
# or for all three, so users have to set that price.
_ENGINES = {"aurora-mysql": "Aurora MySQL", "aurora-postgresql": "Aurora PostgreSQL"}


@dataclass(frozen=True)
class Charge:
    """The cost of a solution: `count` instances, each for `seconds`, at a price per hour (None: unknown)."""

    solution: str
    kind: str
    count: int
    seconds: float
    price: float | None
    budget: float | None = None

    @property
    def amount(self) -> float | None:
        """Return the total in the currency of the price."""
        return None if self.price is None else spent(self.price, self.count, self.seconds)

    def __str__(self) -> str:
        hours = f"{self.seconds / 3600:.1f} h"
        text = f"{self.solution}: {self.count} x {self.kind} for about {hours}"
        if self.price is None or self.amount is None:
            return f"{text}, price unknown"
        ends = ""
        if self.budget is not None:
            ends = f"; no trial begins that would exceed {self.budget:.2f}"
        return f"{text} at {self.price:g} an hour each: about {self.amount:.2f}{ends}"


def spent(price: float, count: int, seconds: float) -> float:
    """Return the cost of instances that exist for this many seconds."""
    return price * count * max(LEAST_SECONDS, seconds) / 3600


def per_hour(api: Api, engine: str, kind: str) -> float | None:
    """Return the on-demand price of an instance per hour in USD from the price list; None: not listed.

    Args:
        api: of the region.
        engine: its name in settings.
        kind: class of the instance, as db.r6g.large.
    """
    if engine not in _ENGINES:
        return None
    filters = {"instanceType": kind, "databaseEngine": _ENGINES[engine], "regionCode": api.region}
    try:
        return cheapest(api.price_list(filters))
    except FiveninesError:
        return None


def cheapest(products: Sequence[str]) -> float | None:
    """Return the lowest hourly on-demand price among products, each a JSON document of the price list.

    Aurora has two, the lower one with separate I/O charges, which is its default.
    """
    prices = [price for text in products for price in _prices(json.loads(text))]
    return min(prices, default=None)


def _prices(product: dict[str, Any]) -> list[float]:
    terms = product.get("terms", {}).get("OnDemand", {})
    dimensions = [
        dimension for term in terms.values() for dimension in term.get("priceDimensions", {}).values()
    ]
    prices = [
        float(dimension.get("pricePerUnit", {}).get("USD", 0))
        for dimension in dimensions
        if dimension.get("unit") == "Hrs"
    ]
    return [price for price in prices if price > 0]
