"""Create small consistent tables of TPC-C and TATP in which tests plant defects."""

TPCC = """
CREATE TABLE warehouse (w_id INT PRIMARY KEY, w_ytd DECIMAL(12,2));
CREATE TABLE district (d_w_id INT, d_id INT, d_next_o_id INT, d_ytd DECIMAL(12,2),
    PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (c_w_id INT, c_d_id INT, c_id INT, c_balance DECIMAL(12,2),
    c_ytd_payment DECIMAL(12,2), PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE TABLE history (h_c_w_id INT, h_c_d_id INT, h_c_id INT, h_w_id INT, h_d_id INT,
    h_amount DECIMAL(6,2));
CREATE TABLE orders (o_w_id INT, o_d_id INT, o_id INT, o_c_id INT, o_carrier_id INT, o_ol_cnt INT,
    PRIMARY KEY (o_w_id, o_d_id, o_id));
CREATE TABLE new_order (no_w_id INT, no_d_id INT, no_o_id INT,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE order_line (ol_w_id INT, ol_d_id INT, ol_o_id INT, ol_number INT,
    ol_delivery_d TIMESTAMP NULL, ol_amount DECIMAL(6,2),
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
INSERT INTO warehouse VALUES (1, 40.00);
INSERT INTO district VALUES (1, 1, 4, 20.00), (1, 2, 3, 20.00);
INSERT INTO customer VALUES (1, 1, 1, -10.00, 10.00), (1, 1, 2, -2.50, 10.00),
    (1, 2, 1, -10.00, 10.00), (1, 2, 2, -10.00, 10.00);
INSERT INTO history VALUES (1, 1, 1, 1, 1, 10.00), (1, 1, 2, 1, 1, 10.00),
    (1, 2, 1, 1, 2, 10.00), (1, 2, 2, 1, 2, 10.00);
INSERT INTO orders VALUES (1, 1, 1, 1, 5, 2), (1, 1, 2, 2, 3, 1), (1, 1, 3, 1, NULL, 2),
    (1, 2, 1, 1, 1, 1), (1, 2, 2, 2, NULL, 1);
INSERT INTO new_order VALUES (1, 1, 3), (1, 2, 2);
INSERT INTO order_line VALUES (1, 1, 1, 1, '2026-01-01 00:00:00', 0), (1, 1, 1, 2, '2026-01-01 00:00:00', 0),
    (1, 1, 2, 1, '2026-01-01 00:00:00', 7.50), (1, 1, 3, 1, NULL, 3.00), (1, 1, 3, 2, NULL, 4.00),
    (1, 2, 1, 1, '2026-01-01 00:00:00', 0), (1, 2, 2, 1, NULL, 5.00);
"""

TATP = """
CREATE TABLE subscriber (s_id INT PRIMARY KEY, sub_nbr VARCHAR(15));
CREATE TABLE access_info (s_id INT, ai_type INT);
CREATE TABLE special_facility (s_id INT, sf_type INT);
CREATE TABLE call_forwarding (s_id INT, sf_type INT, start_time INT, end_time INT,
    numberx VARCHAR(15));
INSERT INTO subscriber VALUES (1, '000000000000001'), (2, '000000000000002'), (3, '000000000000003');
INSERT INTO access_info VALUES (1, 1), (1, 2), (1, 3), (1, 4), (2, 2), (3, 4);
INSERT INTO special_facility VALUES (1, 1), (2, 1), (2, 2), (3, 4);
INSERT INTO call_forwarding VALUES (1, 1, 0, 8, 'x'), (2, 2, 8, 12, 'y'), (2, 2, 16, 20, 'z');
"""

TABLES = {"tpcc": TPCC, "tatp": TATP}

# Statements, with the conditions (by clause) and tallies that they violate.
TPCC_DEFECTS: list[tuple[str, set[str]]] = [
    ("UPDATE warehouse SET w_ytd = w_ytd + 1", {"1", "8"}),
    ("UPDATE district SET d_next_o_id = 9 WHERE d_id = 2", {"2"}),
    ("DELETE FROM orders WHERE o_d_id = 1 AND o_id = 3", {"2", "4", "7", "orders"}),
    ("INSERT INTO new_order VALUES (1, 1, 1)", {"3", "5"}),
    ("DELETE FROM order_line WHERE ol_d_id = 1 AND ol_o_id = 3 AND ol_number = 2", {"4", "6"}),
    ("DELETE FROM order_line WHERE ol_d_id = 1 AND ol_o_id = 2", {"4", "6", "10", "12"}),
    ("UPDATE orders SET o_carrier_id = NULL WHERE o_d_id = 1 AND o_id = 1", {"5", "7"}),
    ("UPDATE order_line SET ol_delivery_d = NULL WHERE ol_amount = 7.50", {"7", "10", "12"}),
    ("DELETE FROM history WHERE h_d_id = 2 AND h_c_id = 2", {"8", "9", "10", "payments"}),
    ("UPDATE district SET d_ytd = d_ytd + 1 WHERE d_id = 1", {"1", "9"}),
    ("UPDATE customer SET c_balance = c_balance + 1 WHERE c_d_id = 2 AND c_id = 1", {"10", "12"}),
    ("UPDATE customer SET c_ytd_payment = 11 WHERE c_d_id = 1 AND c_id = 1", {"12"}),
]

TATP_DEFECTS: list[tuple[str, set[str]]] = [
    ("UPDATE subscriber SET sub_nbr = '3' WHERE s_id = 3", {"sub_nbr is s_id in 15 digits"}),
    (
        "DELETE FROM subscriber WHERE s_id = 2",
        {
            "subscribers are numbered from 1 without a gap",
            "each row of access_info has its subscriber, and ai_type from 1 to 4",
            "each row of special_facility has its subscriber, and sf_type from 1 to 4",
            "the load neither adds to subscriber nor takes from it",
        },
    ),
    (
        "DELETE FROM access_info WHERE s_id = 3",
        {
            "each subscriber has 1 to 4 rows in access_info",
            "the load neither adds to access_info nor takes from it",
        },
    ),
    (
        "UPDATE access_info SET ai_type = 3 WHERE ai_type = 4 AND s_id = 1",
        {"no row of access_info is there twice"},
    ),
    (
        "DELETE FROM special_facility WHERE s_id = 2 AND sf_type = 2",
        {
            "each call forwarding has its special facility",
            "the load neither adds to special_facility nor takes from it",
        },
    ),
    (
        "UPDATE call_forwarding SET start_time = 7 WHERE s_id = 1",
        {"call forwardings start at 0, 8 or 16 o'clock"},
    ),
    (
        "UPDATE call_forwarding SET start_time = 8 WHERE s_id = 2",
        {"no row of call_forwarding is there twice"},
    ),
    ("DELETE FROM call_forwarding WHERE s_id = 1", {"call forwardings: loaded + inserted - deleted"}),
]

_MUTUAL = "a home IMSI and the visitor IMSI that it holds name each other"
# A workload, a statement that damages one row of its data, and the violated conditions.
FAMILY_DEFECTS: list[tuple[str, str, set[str]]] = [
    (
        "{workload: iibench, batch: 10}",
        "DELETE FROM purchases_index WHERE transactionid = 1",
        {"purchases: loaded + inserted"},
    ),
    (
        "{workload: ingest, parents: 2, children: 2, batch: 5}",
        "DELETE FROM tbtest_child1 WHERE SAMPLE",
        {"children: loaded + inserted", "a parent has 1 child in a table (alone) or 5 (inserted together)"},
    ),
    (
        "{workload: crud, parents: 2, children: 2, rows: 200, foreign_keys: false}",
        "UPDATE tbtest_child1 SET a = -1 WHERE SAMPLE",
        {"no child is without its parent"},
    ),
    (
        "{workload: imsi, home: 1000, visitors: 2000}",
        "UPDATE h_imsi_details SET v_imsi = NULL WHERE h_imsi = (SELECT MIN(h_imsi) FROM v_imsi_info)",
        {_MUTUAL, "a home IMSI holds what its events say"},
    ),
    (
        "{workload: bulkload, rows: 5000}",
        "DELETE FROM bulk_item WHERE order_id = 3 AND line = 1",
        {
            "each order has ten items, but perhaps the last",
            "items: 500 for each transaction, 5000 in the end",
        },
    ),
]
