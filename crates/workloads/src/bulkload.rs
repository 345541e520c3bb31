//! bulkload: tables with foreign keys filled from multi-row INSERTs sent as text, as a dump is loaded. It ends by
//! itself when all rows are in.
//!
//! A chunk is some customers with their orders and items, one transaction: so chunks depend on nothing but the
//! products, which `prepare` loads, and connections can load at the same time. A connection that asks gets the
//! next chunk, and keeps it until it is in; whether a chunk is in already is looked up when an attempt at it
//! failed, since a commit in doubt may have taken place.
//!
//! Source: the question is that of M. Tusa, 2015: what do foreign keys cost when a dump is loaded into Galera?

mod data;
mod options;
mod rows;

pub use data::BulkloadData;
pub use options::BulkloadOptions;

use super::{Client, End, Running, TransactionType, Workload};
use rows::{COLUMNS, ITEMS_OF_CUSTOMER, ITEMS_OF_ORDER, Rows};
use sql_wire::{Effect, Failure, Kind, Statement, Type};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

pub const NAMES: &[&str] = &["bulkload"];

/// Positions of statements.
const IS_LOADED: usize = 0;
const DEFER: usize = 1;

/// A chunk that a connection has to load.
#[derive(Clone, Copy)]
struct Held {
    chunk: u32,
    /// There was an attempt before.
    tried: bool,
}

pub struct Bulkload {
    kind: Kind,
    options: BulkloadOptions,
    rows: Rows,
    next: Cell<u32>,
    /// By connection.
    held: RefCell<Vec<Option<Held>>>,
    types: [TransactionType; 1],
}

/// The workload.
pub fn make(kind: Kind, options: &BulkloadOptions) -> Rc<dyn Workload> {
    Rc::new(Bulkload::new(kind, options))
}

impl Bulkload {
    fn new(kind: Kind, options: &BulkloadOptions) -> Bulkload {
        Bulkload {
            kind,
            options: *options,
            rows: Rows::new(),
            next: Cell::new(0),
            held: RefCell::default(),
            types: [TransactionType::new("load", true)],
        }
    }

    /// Customers of a chunk: enough for a full statement of items.
    fn customers(&self) -> u32 {
        self.options.batch.div_ceil(ITEMS_OF_CUSTOMER)
    }

    fn chunks(&self) -> u32 {
        self.options
            .rows
            .div_ceil(self.customers() * ITEMS_OF_CUSTOMER)
    }

    /// The rows of a chunk, for each table; the last chunk has what is left.
    fn ranges(&self, chunk: u32) -> [Range<u32>; 3] {
        let items = self.customers() * ITEMS_OF_CUSTOMER;
        let first = chunk * items;
        let end = first.saturating_add(items).min(self.options.rows);
        [ITEMS_OF_CUSTOMER, ITEMS_OF_ORDER, 1].map(|each| first / each..end.div_ceil(each))
    }

    /// The chunk that a connection is to load: the one that it has, or the next.
    fn take(&self, connection: usize) -> Option<Held> {
        let mut held = self.held.borrow_mut();
        if held.len() <= connection {
            held.resize(connection + 1, None);
        }
        let slot = &mut held[connection];
        if slot.is_none() && self.next.get() < self.chunks() {
            let chunk = self.next.replace(self.next.get() + 1);
            *slot = Some(Held {
                chunk,
                tried: false,
            });
        }
        *slot
    }

    fn set(&self, connection: usize, held: Option<Held>) {
        self.held.borrow_mut()[connection] = held;
    }

    async fn load(&self, client: &Client) -> Result<End, Failure> {
        let Some(held) = self.take(client.number) else {
            return Ok(End::Expected("all rows are loaded"));
        };
        let tried = Held {
            tried: true,
            ..held
        };
        self.set(client.number, Some(tried));
        let ranges = self.ranges(held.chunk);
        if held.tried && self.is_loaded(client, &ranges[0]).await? {
            self.set(client.number, None);
            return Ok(End::Expected("the rows are there"));
        }
        self.insert(client, &ranges).await?;
        self.set(client.number, None);
        Ok(End::Committed)
    }

    async fn insert(&self, client: &Client, ranges: &[Range<u32>; 3]) -> Result<(), Failure> {
        client.begin().await?;
        if self.kind == Kind::Postgres && !self.options.checks {
            client.call(DEFER).await?;
        }
        for (table, range) in ranges.iter().enumerate() {
            for first in range.clone().step_by(self.options.batch as usize) {
                let end = first.saturating_add(self.options.batch).min(range.end);
                let sql = self.rows.statement(table, first..end);
                let answer = client.text(sql.as_slice(), Effect::Write, false);
                answer.await?;
            }
        }
        client.commit().await?;
        client.count_rows(ranges.iter().map(|range| range.len() as u64).sum());
        Ok(())
    }

    async fn is_loaded(&self, client: &Client, customers: &Range<u32>) -> Result<bool, Failure> {
        let call = client.call(IS_LOADED).int(customers.start as i32);
        Ok(call.rows().await?.int(0, 0)? > 0)
    }
}

impl Workload for Bulkload {
    fn name(&self) -> &str {
        NAMES[0]
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    fn statements(&self) -> Vec<Statement> {
        let is_loaded = format!(
            "SELECT COUNT(*) FROM {} WHERE customer_id = ?",
            COLUMNS[0].0
        );
        vec![
            Statement::new(
                self.kind,
                "is_loaded",
                Effect::Read,
                &is_loaded,
                &[Type::Int],
            ),
            Statement::new(
                self.kind,
                "defer",
                Effect::Read,
                "SET CONSTRAINTS ALL DEFERRED",
                &[],
            ),
        ]
    }

    fn ends_itself(&self) -> bool {
        true
    }

    fn required_table(&self) -> Option<&str> {
        Some("bulk_item")
    }

    fn session_setup(&self, kind: Kind) -> Vec<String> {
        match kind {
            Kind::Mysql if !self.options.checks => {
                vec!["SET FOREIGN_KEY_CHECKS = 0, UNIQUE_CHECKS = 0".to_string()]
            }
            _ => Vec::new(),
        }
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        self.take(client.number).map(|_| 0)
    }

    fn run(self: Rc<Self>, _which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.load(&client).await })
    }
}

#[cfg(test)]
mod tests;
