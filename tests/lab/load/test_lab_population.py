"""Contents of loaded data sets: the requested indexes, and the population rules."""

from typing import Any

import pytest
from lab_prepare import Site, each_site, workload_flags

place = each_site


@pytest.fixture(autouse=True)
def _clean(place: Site) -> None:
    place.drop_tables()


def test_secondary_indexes_come_in_variants(place: Site) -> None:
    def made(**settings: Any) -> set[str]:
        workload = workload_flags("oltp_insert", table_size=100, **settings)
        assert place.prepare(*workload, "--drop").code == 0
        return {name for name in place.indexes("sbtest1") if name not in ("PRIMARY", "sbtest1_pkey")}

    assert made() == {"k_1"}
    assert made(secondary_indexes=0) == set()
    assert made(secondary_indexes=3) == {"k_1", "c_1", "pad_1"}
    assert len(made(secondary=True)) == 2
    assert {"PRIMARY", "sbtest1_pkey"}.isdisjoint(place.indexes("sbtest1"))


TATP = ("subscriber", "access_info", "special_facility", "call_forwarding")


def test_tatp_is_populated_as_described(place: Site) -> None:
    done = place.prepare(*workload_flags("tatp", subscribers=20_000), "--drop")
    assert done.code == 0, done.stderr
    counts = [place.one(f"SELECT COUNT(*) FROM {table}") for table in TATP]
    assert counts[0] == 20_000 and sum(counts) == done.rows
    assert 2.45 < counts[1] / 20_000 < 2.55 and 2.45 < counts[2] / 20_000 < 2.55
    assert 1.45 < counts[3] / counts[2] < 1.55
    active = place.one("SELECT COUNT(*) FROM special_facility WHERE is_active = 1")
    assert 0.84 < active / counts[2] < 0.86
    whole = "SIGNED" if place.node.driver == "mysql" else "INTEGER"
    for offending in (
        "SELECT s_id FROM subscriber WHERE LENGTH(sub_nbr) <> 15 OR s_id <> CAST(sub_nbr AS {int})",
        "SELECT s_id FROM access_info GROUP BY s_id HAVING COUNT(*) > 4",
        "SELECT s.s_id FROM subscriber s LEFT JOIN special_facility f ON f.s_id = s.s_id "
        "WHERE f.s_id IS NULL",
        "SELECT s_id FROM call_forwarding WHERE start_time NOT IN (0, 8, 16) OR end_time <= start_time "
        "OR end_time > start_time + 8",
        "SELECT s_id FROM access_info WHERE ai_type NOT BETWEEN 1 AND 4 OR data1 NOT BETWEEN 0 AND 255",
    ):
        assert place.query(offending.replace("{int}", whole)) == []
    free = place.query(
        "SELECT f.s_id, f.sf_type FROM (SELECT s_id, 1 AS sf_type FROM subscriber) f LEFT JOIN "
        "special_facility g ON g.s_id = f.s_id AND g.sf_type = 1 WHERE g.s_id IS NULL LIMIT 1"
    )[0]
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        place.query(f"INSERT INTO call_forwarding VALUES ({free[0]}, {free[1]}, 0, 1, '1')")


# The consistency conditions of clause 3.3.2 and some population rules: queries for rows that violate them.
TPCC_OFFENDING = {
    "1": """SELECT w_id FROM warehouse
        WHERE w_ytd <> (SELECT SUM(d_ytd) FROM district WHERE d_w_id = w_id)""",
    "2": """SELECT d_id FROM district
        WHERE d_next_o_id - 1 <> (SELECT MAX(o_id) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
        OR d_next_o_id - 1 <>
            (SELECT MAX(no_o_id) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id)""",
    "3": """SELECT no_d_id FROM new_order GROUP BY no_w_id, no_d_id
        HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*) OR COUNT(*) <> 900""",
    "4": """SELECT d_id FROM district
        WHERE (SELECT SUM(o_ol_cnt) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
        <> (SELECT COUNT(*) FROM order_line WHERE ol_w_id = d_w_id AND ol_d_id = d_id)""",
    "5": """SELECT o_id FROM orders
        LEFT JOIN new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
        WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)""",
    "6": """SELECT o_id FROM orders WHERE o_ol_cnt <> (SELECT COUNT(*) FROM order_line
        WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)""",
    "7": """SELECT ol_o_id FROM order_line
        JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
        WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)""",
    "8": """SELECT w_id FROM warehouse
        WHERE w_ytd <> (SELECT SUM(h_amount) FROM history WHERE h_w_id = w_id)""",
    "9": """SELECT d_id FROM district
        WHERE d_ytd <> (SELECT SUM(h_amount) FROM history WHERE h_w_id = d_w_id AND h_d_id = d_id)""",
    "10, 12": """SELECT c_id FROM customer
        WHERE c_balance <> -10 OR c_balance + c_ytd_payment <> 0""",
    "11": """SELECT d_id FROM district
        WHERE (SELECT COUNT(*) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
        - (SELECT COUNT(*) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id) <> 2100""",
    "amounts": """SELECT ol_o_id FROM order_line
        WHERE (ol_amount = 0) <> (ol_delivery_d IS NOT NULL)""",
    "customers": """SELECT o_c_id FROM orders GROUP BY o_w_id, o_d_id, o_c_id HAVING COUNT(*) <> 1""",
    "names": """SELECT c_d_id FROM customer WHERE c_id <= 1000 GROUP BY c_w_id, c_d_id
        HAVING COUNT(DISTINCT c_last) <> 1000""",
}


def test_tpcc_is_consistent_when_loaded(place: Site) -> None:
    """Load with foreign keys in PostgreSQL, without them in MariaDB."""
    _require_tpcc(place, keys=place.node.driver == "postgres")


@pytest.mark.long
def test_tpcc_is_consistent_when_loaded_the_other_way_round(place: Site) -> None:
    _require_tpcc(place, keys=place.node.driver == "mysql")


def _require_tpcc(place: Site, keys: bool) -> None:
    workload = workload_flags("tpcc", warehouses=2, foreign_keys=keys)
    done = place.prepare(*workload, "--drop")
    assert done.code == 0, done.stderr
    counts = {table: place.one(f"SELECT COUNT(*) FROM {table}") for table in place.tables()}
    lines = counts.pop("order_line")
    assert counts == {
        "warehouse": 2,
        "district": 20,
        "customer": 60_000,
        "history": 60_000,
        "orders": 60_000,
        "new_order": 18_000,
        "item": 100_000,
        "stock": 200_000,
    }
    assert 9.9 < lines / 60_000 < 10.1
    for name, offending in TPCC_OFFENDING.items():
        assert place.query(f"{offending} LIMIT 5") == [], name
    original = place.one("SELECT COUNT(*) FROM item WHERE i_data LIKE '%ORIGINAL%'")
    assert 9_000 < original < 11_000
    assert {"customer_name", "orders_customer"} <= place.indexes("customer") | place.indexes("orders")
    broken = "INSERT INTO new_order VALUES (9999, 1, 1)"
    if keys:
        with pytest.raises(Exception, match=r"(?i)foreign key"):
            place.query(broken)
    else:
        place.query(broken)
