"""What a cluster costs: the hourly price of an instance, given by a person or by Amazon's Price List API.

Instances alone are reckoned with: storage, I/O, backups and traffic come on top, and are not known before.
Sources: AWS Price List API, "Finding services and products"; Amazon RDS pricing, "billed in one second
increments, with a 10 minute minimum charge".
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.aws.api import Api
from fivenines.errors import FiveninesError

LEAST_SECONDS = 600.0
"""An instance is charged for at least so long."""

AROUND_SECONDS = 1500.0
"""About how long a cluster exists beyond the run itself: until it is available, and until it is deleted."""

_ENGINES = {"aurora-mysql": "Aurora MySQL", "aurora-postgresql": "Aurora PostgreSQL"}
"""As the price list calls them. Whether its price of a Multi-AZ cluster is for one instance or for all three,
it does not say: a person has to give that one."""


@dataclass(frozen=True)
class Charge:
    """What a solution costs: `count` instances, each for `seconds`, at a price per hour (None: not known)."""

    solution: str
    kind: str
    count: int
    seconds: float
    price: float | None
    budget: float | None = None

    @property
    def amount(self) -> float | None:
        """For all of it, in the currency of the price."""
        return None if self.price is None else spent(self.price, self.count, self.seconds)

    def __str__(self) -> str:
        hours = f"{self.seconds / 3600:.1f} h"
        text = f"{self.solution}: {self.count} x {self.kind} for about {hours}"
        if self.price is None or self.amount is None:
            return f"{text}, price not known"
        ends = ""
        if self.budget is not None:
            ends = f"; no trial begins that would exceed {self.budget:.2f}"
        return f"{text} at {self.price:g} an hour each: about {self.amount:.2f}{ends}"


def spent(price: float, count: int, seconds: float) -> float:
    """What so many instances cost that exist for so long."""
    return price * count * max(LEAST_SECONDS, seconds) / 3600


def per_hour(api: Api, engine: str, kind: str) -> float | None:
    """The on-demand price of an instance per hour in USD, by the price list; None: it does not say.

    Args:
        api: of the region.
        engine: as settings call it.
        kind: class of the instance, as db.r6g.large.
    """
    if engine not in _ENGINES:
        return None
    wanted = {"instanceType": kind, "databaseEngine": _ENGINES[engine], "regionCode": api.region}
    try:
        return cheapest(api.price_list(wanted))
    except FiveninesError:
        return None


def cheapest(products: Sequence[str]) -> float | None:
    """The lowest hourly price on demand among products, each a JSON document of the price list.

    Aurora has two, the lower one with I/O charged apart, which is its default.
    """
    found = [price for text in products for price in _prices(json.loads(text))]
    return min(found, default=None)


def _prices(product: dict[str, Any]) -> list[float]:
    terms = product.get("terms", {}).get("OnDemand", {})
    dimensions = [one for term in terms.values() for one in term.get("priceDimensions", {}).values()]
    prices = [
        float(one.get("pricePerUnit", {}).get("USD", 0)) for one in dimensions if one.get("unit") == "Hrs"
    ]
    return [price for price in prices if price > 0]
