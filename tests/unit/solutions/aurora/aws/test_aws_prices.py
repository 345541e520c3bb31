"""The cost of a cluster."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import FiveninesError
from fivenines.solutions.aurora.aws.prices import Charge, cheapest, per_hour, spent


def product(*prices: str, unit: str = "Hrs") -> str:
    """Return a product in the form of the Price List API: terms by SKU, each with dimensions."""
    terms = {
        f"SKU.{n}": {"priceDimensions": {f"SKU.{n}.R": {"unit": unit, "pricePerUnit": {"USD": price}}}}
        for n, price in enumerate(prices)
    }
    return json.dumps({"product": {"sku": "SKU"}, "terms": {"OnDemand": terms, "Reserved": {"x": {}}}})


def test_the_lowest_price_on_demand_is_taken() -> None:
    products = [product("0.3900000000"), product("0.2900000000", "0.0000000000")]
    assert cheapest(products) == 0.29
    assert cheapest([]) is None
    assert cheapest([product("5.0", unit="Quantity")]) is None
    assert cheapest(["{}"]) is None


def test_at_least_ten_minutes_are_charged() -> None:
    assert spent(0.6, 2, 60) == pytest.approx(0.2)
    assert spent(0.6, 2, 7200) == pytest.approx(2.4)


@given(st.floats(0.001, 100), st.integers(1, 16), st.floats(0, 1e6), st.floats(0, 1e6))
def test_longer_never_costs_less(price: float, count: int, first: float, more: float) -> None:
    assert spent(price, count, first + more) >= spent(price, count, first) > 0


def test_a_charge_reads_as_a_sentence() -> None:
    one = Charge("shop", "db.r6g.large", 2, 5400, 0.3, 5)
    assert str(one) == (
        "shop: 2 x db.r6g.large for about 1.5 h at 0.3 an hour each: about 0.90; no trial begins that "
        "would exceed 5.00"
    )
    assert str(Charge("shop", "db.r6g.large", 2, 5400, None)).endswith("price unknown")


class Listing:
    """A price list."""

    region = "eu-central-1"

    def __init__(self, answer: list[str] | Exception) -> None:
        self.answer = answer
        self.asked: dict[str, str] = {}

    def price_list(self, filters: dict[str, str]) -> list[str]:
        self.asked = filters
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_the_price_list_is_filtered_by_class_and_region() -> None:
    listing = Listing([product("0.313")])
    assert per_hour(listing, "aurora-mysql", "db.r6g.large") == 0.313  # type: ignore[arg-type]
    assert listing.asked == {
        "instanceType": "db.r6g.large",
        "databaseEngine": "Aurora MySQL",
        "regionCode": "eu-central-1",
    }


def test_an_unlisted_price_is_unknown() -> None:
    silent = Listing(FiveninesError("may not"))
    assert per_hour(silent, "aurora-mysql", "db.r6g.large") is None  # type: ignore[arg-type]
    assert per_hour(Listing([product("0.3")]), "rds-mysql", "db.m5d.large") is None  # type: ignore[arg-type]
