"""The consistency conditions of TPC-C (clause 3.3.2), each as a query for violations.

Condition 11 compares numbers of orders that are valid only for the initial population, and is left out.
Two tallies are added: acknowledged orders and payments must exist.
"""

from fivenines.load.workloads.invariant import Check, Invariant, Tally

_NEWEST = """
    SELECT d.d_w_id, d.d_id, d.d_next_o_id, o.newest AS newest_order, n.newest AS newest_new_order
    FROM district d
    LEFT JOIN (SELECT o_w_id, o_d_id, MAX(o_id) AS newest FROM orders GROUP BY o_w_id, o_d_id) o
        ON o.o_w_id = d.d_w_id AND o.o_d_id = d.d_id
    LEFT JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) AS newest FROM new_order
               GROUP BY no_w_id, no_d_id) n
        ON n.no_w_id = d.d_w_id AND n.no_d_id = d.d_id
    WHERE d.d_next_o_id - 1 <> COALESCE(o.newest, 0) OR n.newest <> o.newest
"""

_LINES_OF_DISTRICT = """
    SELECT d.d_w_id, d.d_id, o.demanded AS lines_demanded, l.found AS lines_found
    FROM district d
    LEFT JOIN (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS demanded FROM orders
               GROUP BY o_w_id, o_d_id) o ON o.o_w_id = d.d_w_id AND o.o_d_id = d.d_id
    LEFT JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) AS found FROM order_line
               GROUP BY ol_w_id, ol_d_id) l ON l.ol_w_id = d.d_w_id AND l.ol_d_id = d.d_id
    WHERE COALESCE(o.demanded, 0) <> COALESCE(l.found, 0)
"""

_UNDELIVERED = """
    SELECT o.o_w_id, o.o_d_id, o.o_id, o.o_carrier_id, n.no_o_id
    FROM orders o LEFT JOIN new_order n
        ON n.no_w_id = o.o_w_id AND n.no_d_id = o.o_d_id AND n.no_o_id = o.o_id
    WHERE (o.o_carrier_id IS NULL AND n.no_o_id IS NULL)
       OR (o.o_carrier_id IS NOT NULL AND n.no_o_id IS NOT NULL)
"""

_LINES_OF_ORDER = """
    SELECT o.o_w_id, o.o_d_id, o.o_id, o.o_ol_cnt AS lines_demanded,
           COALESCE(l.found, 0) AS lines_found
    FROM orders o LEFT JOIN (
        SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS found FROM order_line
        GROUP BY ol_w_id, ol_d_id, ol_o_id
    ) l ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id
    WHERE o.o_ol_cnt <> COALESCE(l.found, 0)
"""

_DELIVERED_LINES = """
    SELECT l.ol_w_id, l.ol_d_id, l.ol_o_id, l.ol_number, l.ol_delivery_d, o.o_carrier_id
    FROM order_line l LEFT JOIN orders o
        ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id
    WHERE o.o_id IS NULL
       OR (l.ol_delivery_d IS NULL AND o.o_carrier_id IS NOT NULL)
       OR (l.ol_delivery_d IS NOT NULL AND o.o_carrier_id IS NULL)
"""

_DELIVERED_AMOUNT = """
    SELECT o.o_w_id, o.o_d_id, o.o_c_id, SUM(ol.ol_amount) AS amount
    FROM orders o JOIN order_line ol
        ON ol.ol_w_id = o.o_w_id AND ol.ol_d_id = o.o_d_id AND ol.ol_o_id = o.o_id
    WHERE ol.ol_delivery_d IS NOT NULL GROUP BY o.o_w_id, o.o_d_id, o.o_c_id
"""

_BALANCE = f"""
    SELECT c.c_w_id, c.c_d_id, c.c_id, c.c_balance,
           COALESCE(l.amount, 0) - COALESCE(h.amount, 0) AS delivered_less_paid
    FROM customer c
    LEFT JOIN ({_DELIVERED_AMOUNT}) l
        ON l.o_w_id = c.c_w_id AND l.o_d_id = c.c_d_id AND l.o_c_id = c.c_id
    LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS amount FROM history
               GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
        ON h.h_c_w_id = c.c_w_id AND h.h_c_d_id = c.c_d_id AND h.h_c_id = c.c_id
    WHERE c.c_balance <> COALESCE(l.amount, 0) - COALESCE(h.amount, 0)
"""

_PAID_AND_OWED = f"""
    SELECT c.c_w_id, c.c_d_id, c.c_id, c.c_balance, c.c_ytd_payment,
           COALESCE(l.amount, 0) AS delivered
    FROM customer c LEFT JOIN ({_DELIVERED_AMOUNT}) l
        ON l.o_w_id = c.c_w_id AND l.o_d_id = c.c_d_id AND l.o_c_id = c.c_id
    WHERE c.c_balance + c.c_ytd_payment <> COALESCE(l.amount, 0)
"""

_BY_CLAUSE = {
    1: (
        "a warehouse's year-to-date amount is that of its districts",
        """
        SELECT w.w_id, w.w_ytd, d.ytd AS districts_ytd FROM warehouse w
        LEFT JOIN (SELECT d_w_id, SUM(d_ytd) AS ytd FROM district GROUP BY d_w_id) d
            ON d.d_w_id = w.w_id
        WHERE w.w_ytd <> COALESCE(d.ytd, 0)
        """,
    ),
    2: ("a district's next order number follows its newest order and new order", _NEWEST),
    3: (
        "the new orders of a district have consecutive numbers",
        """
        SELECT no_w_id, no_d_id, MIN(no_o_id) AS oldest, MAX(no_o_id) AS newest, COUNT(*) AS found
        FROM new_order GROUP BY no_w_id, no_d_id
        HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)
        """,
    ),
    4: ("a district has as many order lines as its orders demand", _LINES_OF_DISTRICT),
    5: ("an order without a carrier is a new order, and no other is", _UNDELIVERED),
    6: ("an order has as many order lines as it demands", _LINES_OF_ORDER),
    7: ("an order line is delivered when its order has a carrier", _DELIVERED_LINES),
    8: (
        "a warehouse's year-to-date amount is that of its payments",
        """
        SELECT w.w_id, w.w_ytd, h.amount AS payments FROM warehouse w
        LEFT JOIN (SELECT h_w_id, SUM(h_amount) AS amount FROM history GROUP BY h_w_id) h
            ON h.h_w_id = w.w_id
        WHERE w.w_ytd <> COALESCE(h.amount, 0)
        """,
    ),
    9: (
        "a district's year-to-date amount is that of its payments",
        """
        SELECT d.d_w_id, d.d_id, d.d_ytd, h.amount AS payments FROM district d
        LEFT JOIN (SELECT h_w_id, h_d_id, SUM(h_amount) AS amount FROM history
                   GROUP BY h_w_id, h_d_id) h ON h.h_w_id = d.d_w_id AND h.h_d_id = d.d_id
        WHERE d.d_ytd <> COALESCE(h.amount, 0)
        """,
    ),
    10: ("a customer's balance is what was delivered less what was paid", _BALANCE),
    12: ("a customer's balance and payments together are what was delivered", _PAID_AND_OWED),
}

CONDITIONS: list[Check] = [
    *(
        Invariant(f"condition {number}: {name}", f"TPC-C clause 3.3.2.{number}", sql)
        for number, (name, sql) in _BY_CLAUSE.items()
    ),
    Tally(
        "orders: loaded + new orders",
        "acknowledged transactions",
        "SELECT COUNT(*) FROM orders",
        {"new_order": 1},
    ),
    Tally(
        "payments: loaded + paid", "acknowledged transactions", "SELECT COUNT(*) FROM history", {"payment": 1}
    ),
]
