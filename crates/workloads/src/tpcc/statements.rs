//! The SQL of TPC-C's transactions, the same for both kinds of server.
//!
//! Statements over several rows have a fixed number of parameters, filled up by repeating the last, so that a
//! session prepares few: servers limit how many there are. Only the insert of order lines, whose rows cannot be
//! repeated, has one for each number of rows.

use sql_wire::Effect::{Read, Write};
use sql_wire::Type::{Int, Text};
use sql_wire::{Effect, Kind, Statement, Type};
use std::borrow::Cow;

/// In the order of `all`; those that insert order lines follow.
#[derive(Clone, Copy)]
pub enum On {
    CustomerDiscount,
    LockDistrict,
    NextOrder,
    InsertOrder,
    InsertNewOrder,
    Items,
    LockStock,
    UpdateStock,
    WarehousePaid,
    Warehouse,
    DistrictPaid,
    District,
    CustomersByName,
    LockCustomer,
    CustomerData,
    CustomerPaid,
    BadCustomerPaid,
    InsertHistory,
    Customer,
    LastOrder,
    OldestNewOrder,
    DeleteNewOrders,
    OrderCustomers,
    SetCarrier,
    OrderAmounts,
    SetDelivered,
    CustomerDelivered,
    LatestOrder,
    LowStock,
    InsertLines,
}

/// Lines of an order: at least 5, or 4 when one is for an item that does not exist.
pub const MOST_LINES: usize = 15;
pub const FEWEST_LINES: usize = 4;
/// Orders that a delivery takes: one of each district.
pub const DELIVERED: usize = 10;

/// Name, effect, text and parameter types. {} stands for a list, see `repeated`.
type Row = (&'static str, Effect, &'static str, &'static [Type]);

const SQL: [Row; On::InsertLines as usize] = [
    (
        "customer_discount",
        Read,
        "SELECT c_discount, c_last, c_credit, w_tax FROM warehouse, customer \
         WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?",
        &[Int, Int, Int],
    ),
    (
        "lock_district",
        Read,
        "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE",
        &[Int, Int],
    ),
    (
        "next_order",
        Write,
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?",
        &[Int, Int],
    ),
    (
        "insert_order",
        Write,
        "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) \
         VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP, NULL, ?, ?)",
        &[Int; 6],
    ),
    (
        "insert_new_order",
        Write,
        "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)",
        &[Int; 3],
    ),
    (
        "items",
        Read,
        "SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id IN ({items})",
        &[Int; MOST_LINES],
    ),
    (
        // In the order of keys, so that orders that want the same rows wait instead of deadlocking.
        "lock_stock",
        Read,
        "SELECT s_i_id, s_quantity, s_data, CASE ? WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 \
         WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 \
         WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END \
         FROM stock WHERE s_w_id = ? AND s_i_id IN ({items}) ORDER BY s_i_id FOR UPDATE",
        &[Int; MOST_LINES + 2],
    ),
    (
        "update_stock",
        Write,
        "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, \
         s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?",
        &[Int; 5],
    ),
    (
        "warehouse_paid",
        Write,
        "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?",
        &[Text, Int],
    ),
    (
        "warehouse",
        Read,
        "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id = ?",
        &[Int],
    ),
    (
        "district_paid",
        Write,
        "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?",
        &[Text, Int, Int],
    ),
    (
        "district",
        Read,
        "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district \
         WHERE d_w_id = ? AND d_id = ?",
        &[Int, Int],
    ),
    (
        "customers_by_name",
        Read,
        "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first",
        &[Int, Int, Text],
    ),
    (
        "lock_customer",
        Read,
        "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, \
         c_since, c_credit_lim, c_discount, c_balance FROM customer \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE",
        &[Int, Int, Int],
    ),
    (
        "customer_data",
        Read,
        "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        &[Int, Int, Int],
    ),
    (
        "customer_paid",
        Write,
        "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, \
         c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        &[Text, Text, Int, Int, Int],
    ),
    (
        "bad_customer_paid",
        Write,
        "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, \
         c_payment_cnt = c_payment_cnt + 1, c_data = ? WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        &[Text, Text, Text, Int, Int, Int],
    ),
    (
        "insert_history",
        Write,
        "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
         VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP, ?, ?)",
        &[Int, Int, Int, Int, Int, Text, Text],
    ),
    (
        "customer",
        Read,
        "SELECT c_balance, c_first, c_middle, c_last FROM customer \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        &[Int, Int, Int],
    ),
    (
        "last_order",
        Read,
        "SELECT o_id, o_entry_d, o_carrier_id, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d \
         FROM orders, order_line WHERE o_w_id = ? AND o_d_id = ? AND o_id = \
         (SELECT MAX(o_id) FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?) \
         AND ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id",
        &[Int; 5],
    ),
    (
        "oldest_new_order",
        Read,
        "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1 FOR UPDATE",
        &[Int, Int],
    ),
    (
        "delete_new_orders",
        Write,
        "DELETE FROM new_order WHERE no_w_id = ? AND ({no})",
        &[Int; 2 * DELIVERED + 1],
    ),
    (
        "order_customers",
        Read,
        "SELECT o_d_id, o_c_id FROM orders WHERE o_w_id = ? AND ({o})",
        &[Int; 2 * DELIVERED + 1],
    ),
    (
        "set_carrier",
        Write,
        "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND ({o})",
        &[Int; 2 * DELIVERED + 2],
    ),
    (
        "order_amounts",
        Read,
        "SELECT ol_d_id, SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ({ol}) GROUP BY ol_d_id",
        &[Int; 2 * DELIVERED + 1],
    ),
    (
        "set_delivered",
        Write,
        "UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = ? AND ({ol})",
        &[Int; 2 * DELIVERED + 1],
    ),
    (
        "customer_delivered",
        Write,
        "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        &[Text, Int, Int, Int],
    ),
    (
        "latest_order",
        Read,
        "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?",
        &[Int, Int],
    ),
    (
        "low_stock",
        Read,
        "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = ? AND ol_d_id = ? \
         AND ol_o_id BETWEEN ? AND ? AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?",
        &[Int; 6],
    ),
];

/// The parameters of an order line.
const LINE: [Type; 9] = [Int, Int, Int, Int, Int, Int, Int, Text, Text];

pub fn all(kind: Kind) -> Vec<Statement> {
    let fixed = SQL.into_iter().map(|(name, effect, sql, types)| {
        Statement::new(kind, name, effect, &lists_filled_in(sql), types)
    });
    let inserts = (FEWEST_LINES..=MOST_LINES).map(|lines| insert_lines(kind, lines));
    fixed.chain(inserts).collect()
}

/// The number of the statement that inserts so many order lines.
pub fn insert_of(lines: usize) -> usize {
    On::InsertLines as usize + lines - FEWEST_LINES
}

fn insert_lines(kind: Kind, lines: usize) -> Statement {
    let sql = format!(
        "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, \
         ol_amount, ol_dist_info) VALUES {}",
        repeated("(?, ?, ?, ?, ?, ?, ?, ?, ?)", ", ", lines)
    );
    let types = Cow::Owned(LINE.repeat(lines));
    Statement::new(kind, "insert_lines", Write, &sql, types)
}

fn lists_filled_in(sql: &str) -> String {
    let mut sql = sql.replace("{items}", &repeated("?", ", ", MOST_LINES));
    // Both servers look pairs up by index in this form, but not all do in the form (a, b) IN (...).
    for (name, pair) in [
        ("{no}", "no_d_id = ? AND no_o_id = ?"),
        ("{o}", "o_d_id = ? AND o_id = ?"),
        ("{ol}", "ol_d_id = ? AND ol_o_id = ?"),
    ] {
        sql = sql.replace(name, &repeated(pair, " OR ", DELIVERED));
    }
    sql
}

fn repeated(part: &str, between: &str, times: usize) -> String {
    vec![part; times].join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_has_a_type() {
        for statement in all(Kind::Mysql) {
            let marks = statement.sql.matches('?').count();
            assert_eq!(marks, statement.types.len(), "{}", statement.sql);
            assert!(!statement.sql.contains('{'), "{}", statement.sql);
        }
    }

    #[test]
    fn inserts_are_found_by_their_number_of_lines() {
        let all = all(Kind::Postgres);
        for lines in FEWEST_LINES..=MOST_LINES {
            assert_eq!(all[insert_of(lines)].types.len(), 9 * lines);
        }
        assert_eq!(all.len(), insert_of(MOST_LINES) + 1);
    }
}
