//! The rows of bulkload. Each depends on its number alone, so every run loads the same.
//!
//! An order has ten items, a customer ten orders.

use crate::dataset::{Encoder, Table, append_padded};
use crate::letters::Letters;
use base::rng::Rng;
use std::ops::Range;

pub const PRODUCTS: u32 = 1000;
pub const ITEMS_OF_ORDER: u32 = 10;
pub const ORDERS_OF_CUSTOMER: u32 = 10;
pub const ITEMS_OF_CUSTOMER: u32 = ITEMS_OF_ORDER * ORDERS_OF_CUSTOMER;

/// Tables to load, parents first, and their columns.
pub const COLUMNS: [(&str, &str); 3] = [
    ("bulk_customer", "customer_id, email, name"),
    ("bulk_order", "order_id, customer_id, ordered"),
    (
        "bulk_item",
        "order_id, line, product_id, quantity, amount, note",
    ),
];

/// No row is longer as SQL.
const ROW_BYTES: usize = 160;
const NOTE: usize = 60;
/// 2015-01-01, in seconds since 1970.
const BEGINNING: i64 = 1_420_070_400;
const DAY: i64 = 86_400;

/// Writes INSERT statements.
pub struct Rows {
    tables: [Table; 3],
    letters: Letters,
}

impl Rows {
    pub fn new() -> Rows {
        Rows {
            tables: COLUMNS.map(|(name, columns)| Table::of_rows(name, columns, 0)),
            letters: Letters::new(),
        }
    }

    /// One statement for these rows of a table, given by its position in `COLUMNS`.
    pub fn statement(&self, table: usize, numbers: Range<u32>) -> Vec<u8> {
        let limit = (numbers.len() + 1) * ROW_BYTES;
        let mut rows = Encoder::inserts(&self.tables[table], limit);
        for number in numbers {
            rows.begin();
            match table {
                0 => self.customer(number, &mut rows),
                1 => order(number, &mut rows),
                _ => self.item(number, &mut rows),
            }
            rows.end();
        }
        rows.take().concat()
    }

    fn customer(&self, number: u32, rows: &mut Encoder) {
        let rng = &mut Rng::new(0, u64::from(number));
        rows.int(number);
        rows.plain(|out| {
            self.letters.append(rng, 12, out);
            append_padded(u64::from(number), 10, out);
            out.extend_from_slice(b"@example.org");
        });
        rows.plain(|out| self.letters.append(rng, 20, out));
    }

    fn item(&self, number: u32, rows: &mut Encoder) {
        let rng = &mut Rng::new(2, u64::from(number));
        rows.int(number / ITEMS_OF_ORDER);
        rows.int(number % ITEMS_OF_ORDER + 1);
        rows.int(rng.uniform(0, PRODUCTS - 1));
        rows.int(rng.uniform(1, 99));
        rows.decimal(i64::from(rng.uniform(1, 9_999_999)), 2);
        rows.plain(|out| self.letters.append(rng, NOTE, out));
    }
}

fn order(number: u32, rows: &mut Encoder) {
    rows.int(number).int(number / ORDERS_OF_CUSTOMER);
    rows.timestamp(BEGINNING + DAY * i64::from(number % 365));
}
