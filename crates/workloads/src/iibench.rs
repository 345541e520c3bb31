//! iiBench, the index insertion benchmark: one table with three secondary indexes that grows at its end.
//!
//! Sources: T. Callaghan, iibench-mysql (values of the columns); M. Callaghan, iibench.py (length of `data`,
//! queries that start at a value and follow an index); M. Tusa, "AWS Aurora Benchmarking", 2015 (this schema).

mod data;
mod options;
mod values;

pub use data::IibenchData;
pub use options::IibenchOptions;

use super::client::Call;
use super::multirow::MultiRow;
use super::{Client, End, Running, TransactionType, Workload};
use data::INDEXES;
use sql_wire::{Effect, Failure, Kind, Statement, Type};
use std::rc::Rc;
use values::Values;

pub const NAMES: &[&str] = &["iibench"];

/// Rows that a query reads.
const QUERY_ROWS: u32 = 10;
/// The types of transactions, by position. Queries are there only if wanted, one for each of `INDEXES`.
const INSERT: usize = 0;
const TYPES: [(&str, bool); 4] = [
    ("insert", true),
    ("query_market", false),
    ("query_register", false),
    ("query_pdc", false),
];

/// The position of the statement that finds one of the newest rows; those of the queries follow it.
const NEWEST: usize = 1;

pub struct Iibench {
    kind: Kind,
    options: IibenchOptions,
    values: Values,
    types: Vec<TransactionType>,
}

/// The workload.
pub fn make(kind: Kind, options: &IibenchOptions) -> Rc<dyn Workload> {
    Rc::new(Iibench::new(kind, options))
}

impl Iibench {
    fn new(kind: Kind, options: &IibenchOptions) -> Iibench {
        let count = if options.queries == 0 { 1 } else { TYPES.len() };
        let types = TYPES[..count].iter();
        Iibench {
            kind,
            options: *options,
            values: Values::new(options),
            types: types
                .map(|&(name, writes)| TransactionType::new(name, writes))
                .collect(),
        }
    }

    async fn insert(&self, client: &Client) -> Result<End, Failure> {
        let batch = self.options.batch;
        let mut call = client.call(INSERT);
        for _ in 0..batch {
            call = self.row(client, call);
        }
        call.await?;
        client.count_rows(u64::from(batch));
        Ok(End::Committed)
    }

    fn row<'a>(&self, client: &'a Client, call: Call<'a>) -> Call<'a> {
        let rng = &mut client.rng();
        let [register, customer, product, price] = self.values.numbers(rng);
        call.int(register as i32)
            .int(customer as i32)
            .int(product as i32)
            .double(f64::from(price) / 100.0)
            .text_by(|out| self.values.data(rng, out))
    }

    /// Takes one of the newest rows, and reads on from it by one index.
    async fn query(&self, client: &Client, which: usize) -> Result<End, Failure> {
        let back = client.rng().uniform(0, self.options.tail - 1);
        let newest = client.call(NEWEST).int(back as i32).rows().await?;
        if newest.rows == 0 {
            return Ok(End::Expected("the table is empty"));
        }
        let (register, price) = (newest.int(0, 0)?, newest.float(0, 1)?);
        let query = client.call(NEWEST + which);
        let query = match TYPES[which].0 {
            "query_register" => query.int(register as i32).double(price),
            _ => query.double(price),
        };
        query.await?;
        Ok(End::Committed)
    }

    fn insert_statement(&self) -> Statement {
        let insert = MultiRow {
            name: "insert",
            table: "purchases_index",
            columns: "dateandtime, cashregisterid, customerid, productid, price, data",
            // The server's clock, so that the statement is the same in every run.
            row: "(LOCALTIMESTAMP(0), ?, ?, ?, ?, ?)",
            types: &[Type::Int, Type::Int, Type::Int, Type::Double, Type::Text],
        };
        insert.statement(self.kind, self.options.batch as usize, "")
    }

    fn query_statement(&self, name: &'static str, index: &str, columns: &str) -> Statement {
        let hint = match self.kind {
            Kind::Postgres => String::new(),
            _ => format!(" FORCE INDEX ({index})"),
        };
        let (condition, types): (&str, &[Type]) = match name {
            "query_register" => (
                "cashregisterid = ? AND price >= ?",
                &[Type::Int, Type::Double],
            ),
            _ => ("price >= ?", &[Type::Double]),
        };
        let sql = format!(
            "SELECT {columns} FROM purchases_index{hint} WHERE {condition} ORDER BY {columns} \
             LIMIT {QUERY_ROWS}"
        );
        Statement::new(self.kind, name, Effect::Read, &sql, types.to_vec())
    }
}

impl Workload for Iibench {
    fn name(&self) -> &str {
        NAMES[0]
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    fn statements(&self) -> Vec<Statement> {
        let mut all = vec![self.insert_statement()];
        if self.options.queries > 0 {
            all.push(Statement::new(
                self.kind,
                "newest",
                Effect::Read,
                "SELECT cashregisterid, price FROM purchases_index WHERE transactionid >= \
                 (SELECT MAX(transactionid) FROM purchases_index) - ? ORDER BY transactionid LIMIT 1",
                &[Type::Int],
            ));
            all.extend(
                TYPES[1..]
                    .iter()
                    .zip(INDEXES)
                    .map(|(&(name, _), (index, columns))| {
                        self.query_statement(name, index, columns)
                    }),
            );
        }
        all
    }

    fn required_table(&self) -> Option<&str> {
        Some("purchases_index")
    }

    /// `queries` queries for each batch on the average, the three kinds alike.
    fn pick(&self, client: &Client) -> Option<usize> {
        let queries = self.options.queries;
        if queries == 0 {
            return Some(INSERT);
        }
        let rng = &mut client.rng();
        Some(match rng.uniform(0, queries) {
            0 => INSERT,
            _ => rng.uniform(1, INDEXES.len() as u32) as usize,
        })
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move {
            match which {
                INSERT => self.insert(&client).await,
                query => self.query(&client, query).await,
            }
        })
    }
}

#[cfg(test)]
mod tests;
