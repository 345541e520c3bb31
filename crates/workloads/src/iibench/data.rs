//! The table purchases_index, with as many rows as wanted before the load.

use super::options::IibenchOptions;
use super::values::Values;
use crate::dataset::{Chunk, DataSet, Encoder, Table};
use sql_wire::Kind;

const TABLE: &str = "purchases_index";
/// 2015-01-01, in seconds since 1970: when the rows of `prepare` begin to be sold, a thousand each second.
const BEGINNING: i64 = 1_420_070_400;

/// The secondary indexes, with their columns; each has a query that follows it.
pub const INDEXES: [(&str, &str); 3] = [
    ("marketsegment", "price, customerid"),
    ("registersegment", "cashregisterid, price, customerid"),
    ("pdc", "price, dateandtime, customerid"),
];

pub struct IibenchData {
    options: IibenchOptions,
    values: Values,
}

impl IibenchData {
    pub fn new(options: &IibenchOptions) -> IibenchData {
        IibenchData {
            options: *options,
            values: Values::new(options),
        }
    }
}

impl DataSet for IibenchData {
    fn family(&self) -> &'static str {
        "iibench"
    }

    fn description(&self) -> String {
        let options = &self.options;
        format!(
            "rows={} data_length={} cash_registers={} customers={} products={}",
            options.rows,
            options.data_length,
            options.cash_registers,
            options.customers,
            options.products
        )
    }

    fn tables(&self) -> Vec<Table> {
        let columns =
            "transactionid, dateandtime, cashregisterid, customerid, productid, price, data";
        vec![Table::of_rows(TABLE, columns, u64::from(self.options.rows))]
    }

    fn create(&self, kind: Kind) -> Vec<String> {
        let (number, moment, price, key) = match kind {
            Kind::Postgres => ("BIGSERIAL", "TIMESTAMP(0)", "REAL", ""),
            _ => (
                "BIGINT NOT NULL AUTO_INCREMENT",
                "DATETIME",
                "FLOAT",
                ", PRIMARY KEY (transactionid)",
            ),
        };
        vec![format!(
            "CREATE TABLE {TABLE} (transactionid {number}, dateandtime {moment}, \
             cashregisterid INTEGER NOT NULL, customerid INTEGER NOT NULL, \
             productid INTEGER NOT NULL, price {price} NOT NULL, data VARCHAR(4000){key})"
        )]
    }

    fn fill(&self, chunk: &Chunk, rows: &mut Encoder) {
        for unit in chunk.units() {
            let rng = &mut chunk.rng(unit);
            let [register, customer, product, price] = self.values.numbers(rng);
            rows.begin().int(unit as i64 + 1);
            rows.timestamp(BEGINNING + unit as i64 / 1000);
            rows.int(register).int(customer).int(product);
            rows.decimal(i64::from(price), 2);
            rows.plain(|out| self.values.data(rng, out)).end();
        }
    }

    fn finish(&self, kind: Kind) -> Vec<Vec<String>> {
        let mut stages = Vec::new();
        if kind == Kind::Postgres {
            stages.push(vec![format!(
                "ALTER TABLE {TABLE} ADD PRIMARY KEY (transactionid)"
            )]);
            stages.push(vec![format!(
                "SELECT setval(pg_get_serial_sequence('{TABLE}', 'transactionid'), {}, false)",
                self.options.rows + 1
            )]);
        }
        // One after the other: on the same table they would get into each other's way.
        stages.extend(
            INDEXES.map(|(index, columns)| {
                vec![format!("CREATE INDEX {index} ON {TABLE} ({columns})")]
            }),
        );
        stages
    }
}
