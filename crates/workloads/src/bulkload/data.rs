//! The schema of bulkload: products are there, everything else is empty.

use super::options::BulkloadOptions;
use super::rows::{COLUMNS, PRODUCTS};
use crate::dataset::{Chunk, DataSet, Encoder, Table, append_padded};
use sql_wire::Kind;

/// Child, its columns, parent, its key.
const REFERENCES: [(&str, &str, &str); 3] = [
    ("bulk_order", "customer_id", "bulk_customer"),
    ("bulk_item", "order_id", "bulk_order"),
    ("bulk_item", "product_id", "bulk_product"),
];

pub struct BulkloadData {
    options: BulkloadOptions,
}

impl BulkloadData {
    pub fn new(options: &BulkloadOptions) -> BulkloadData {
        BulkloadData { options: *options }
    }

    /// On PostgreSQL the check can be put off to the end of a transaction.
    fn foreign_keys(kind: Kind) -> Vec<String> {
        let deferrable = match kind {
            Kind::Postgres => " DEFERRABLE INITIALLY IMMEDIATE",
            _ => "",
        };
        REFERENCES
            .iter()
            .map(|(child, column, parent)| {
                format!(
                    "ALTER TABLE {child} ADD CONSTRAINT {child}_{column} FOREIGN KEY ({column}) \
                     REFERENCES {parent} ({column}){deferrable}"
                )
            })
            .collect()
    }
}

impl DataSet for BulkloadData {
    fn family(&self) -> &'static str {
        "bulkload"
    }

    fn description(&self) -> String {
        format!("foreign_keys={}", self.options.foreign_keys)
    }

    fn tables(&self) -> Vec<Table> {
        let empty = |(name, columns): (&str, &'static str)| Table::of_rows(name, columns, 0);
        let products = Table::of_rows("bulk_product", "product_id, name", u64::from(PRODUCTS));
        std::iter::once(products)
            .chain(COLUMNS.map(empty))
            .collect()
    }

    fn create(&self, _kind: Kind) -> Vec<String> {
        [
            "bulk_product (product_id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL)",
            "bulk_customer (customer_id INTEGER NOT NULL PRIMARY KEY, email VARCHAR(60) NOT NULL, \
             name VARCHAR(40) NOT NULL, UNIQUE (email))",
            "bulk_order (order_id INTEGER NOT NULL PRIMARY KEY, customer_id INTEGER NOT NULL, \
             ordered DATE NOT NULL)",
            "bulk_item (order_id INTEGER NOT NULL, line INTEGER NOT NULL, \
             product_id INTEGER NOT NULL, quantity INTEGER NOT NULL, amount DECIMAL(10,2) NOT NULL, \
             note VARCHAR(80) NOT NULL, PRIMARY KEY (order_id, line))",
        ]
        .map(|table| format!("CREATE TABLE {table}"))
        .to_vec()
    }

    fn fill(&self, chunk: &Chunk, rows: &mut Encoder) {
        for unit in chunk.units() {
            rows.begin().int(unit as i64);
            rows.plain(|out| {
                out.extend_from_slice(b"product");
                append_padded(unit, 5, out);
            });
            rows.end();
        }
    }

    /// The indexes are there with and without foreign keys, so that only the checks differ.
    fn finish(&self, kind: Kind) -> Vec<Vec<String>> {
        let indexes = [
            "CREATE INDEX bulk_order_customer ON bulk_order (customer_id)",
            "CREATE INDEX bulk_item_product ON bulk_item (product_id)",
        ];
        let mut stages = vec![indexes.map(str::to_string).to_vec()];
        if self.options.foreign_keys {
            stages.extend(Self::foreign_keys(kind).into_iter().map(|sql| vec![sql]));
        }
        stages
    }
}
