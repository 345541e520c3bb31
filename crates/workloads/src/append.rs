//! append: lists that transactions append to and read, so that what they read tells the order of the writes.
//!
//! Source: the list-append workload of Elle (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from
//! Experimental Observations", VLDB 2020). Every value is appended once in a run; a list has had so many
//! appends, then a new one takes its place, so that reads stay short.

use super::isolation::Isolation;
use super::writes_and_reads::{Types, UniqueValues, operation};
use super::{Client, End, Running, TransactionType, Workload};
use crate::history::Operation;
use serde::Deserialize;
use sql_wire::{Effect, Failure, Kind, Statement, Type, blocking, storage};
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

pub const NAMES: &[&str] = &["append"];
pub const TABLE: &str = "fivenines_lists";

const APPEND: usize = 0;
const READ: usize = 1;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppendOptions {
    /// Lists in use at a time.
    pub keys: u32,
    /// Appends to a list until a new one takes its place.
    pub max_appends: u32,
    /// The most operations of a transaction.
    pub operations: u32,
    /// Percentage of reads among the operations.
    pub reads: u32,
    /// Percentage of transactions that only read.
    pub read_only: u32,
    /// The isolation level of its sessions.
    pub isolation: Isolation,
}

/// The lists in use, and how often each was appended to.
struct Lists {
    in_use: Vec<(i64, u32)>,
    next: i64,
}

impl Lists {
    fn new(first: i64, keys: u32) -> Lists {
        let keys = i64::from(keys);
        Lists {
            in_use: (first..first + keys).map(|key| (key, 0)).collect(),
            next: first + keys,
        }
    }

    fn key(&self, at: usize) -> i64 {
        self.in_use[at].0
    }

    /// The list at this place, which gets one more append.
    fn append(&mut self, at: usize, most: u32) -> i64 {
        let (key, appends) = &mut self.in_use[at];
        let appended = *key;
        *appends += 1;
        if *appends >= most {
            (*key, *appends) = (self.next, 0);
            self.next += 1;
        }
        appended
    }
}

pub struct Append {
    kind: Kind,
    options: AppendOptions,
    types: Types,
    lists: RefCell<Lists>,
    values: UniqueValues,
}

pub fn make(kind: Kind, options: &AppendOptions) -> Rc<dyn Workload> {
    Rc::new(Append {
        kind,
        options: *options,
        types: Types::new(NAMES[0], options.read_only),
        lists: RefCell::new(Lists::new(1, options.keys)),
        values: UniqueValues::new(),
    })
}

impl Append {
    async fn transaction(&self, which: usize, client: &Client) -> Result<End, Failure> {
        let count = client.rng().uniform(1, self.options.operations);
        client.begin().await?;
        for _ in 0..count {
            let (at, is_read) = operation(client, which, self.options.keys, self.options.reads);
            match is_read {
                true => self.read(at, client).await?,
                false => self.append(at, client).await?,
            }
        }
        client.commit().await?;
        Ok(End::Committed)
    }

    async fn read(&self, at: usize, client: &Client) -> Result<(), Failure> {
        let key = self.lists.borrow().key(at);
        let reply = client.call(READ).big_int(key).rows().await?;
        let list = reply.all().text(0, 0).map(|list| list.into_owned());
        client.note(Operation::Read { key, list });
        Ok(())
    }

    async fn append(&self, at: usize, client: &Client) -> Result<(), Failure> {
        let key = self.lists.borrow_mut().append(at, self.options.max_appends);
        let value = self.values.take();
        client.note(Operation::Append { key, value });
        let call = client.call(APPEND).big_int(key).text_by(|out| {
            // a vector takes everything
            let _ = write!(out, "{value}");
        });
        call.await?;
        Ok(())
    }
}

impl Workload for Append {
    fn name(&self) -> &str {
        NAMES[0]
    }

    fn transactions(&self) -> &[TransactionType] {
        self.types.all()
    }

    fn statements(&self) -> Vec<Statement> {
        let insert = format!("INSERT INTO {TABLE}(k, elements) VALUES (?, ?)");
        let append = match self.kind {
            Kind::Postgres => format!(
                "{insert} ON CONFLICT (k) DO UPDATE \
                 SET elements = {TABLE}.elements || ',' || EXCLUDED.elements"
            ),
            _ => format!(
                "{insert} ON DUPLICATE KEY UPDATE elements = CONCAT(elements, ',', VALUES(elements))"
            ),
        };
        let read = format!("SELECT elements FROM {TABLE} WHERE k = ?");
        let types: &'static [Type] = &[Type::BigInt, Type::Text];
        vec![
            Statement::new(self.kind, "append", Effect::Write, &append, types),
            Statement::new(
                self.kind,
                "append_read",
                Effect::Read,
                &read,
                &[Type::BigInt],
            ),
        ]
    }

    fn required_table(&self) -> Option<&str> {
        None
    }

    /// Lists of an earlier load stay as they are: this one begins behind them.
    fn ready(&self, server: &mut blocking::Client) -> Result<(), Failure> {
        storage::require_transactions(server, self.kind, TABLE)?;
        server.query(&format!(
            "CREATE TABLE IF NOT EXISTS {TABLE} (k BIGINT PRIMARY KEY, elements TEXT NOT NULL)"
        ))?;
        server.query(&format!("SELECT COALESCE(MAX(k), 0) FROM {TABLE}"))?;
        let greatest = server.rows().int(0, 0).unwrap_or(0);
        *self.lists.borrow_mut() = Lists::new(greatest + 1, self.options.keys);
        Ok(())
    }

    fn one_of(&self, index: usize, count: usize) {
        self.values.one_of(index, count);
    }

    fn session_setup(&self, kind: Kind) -> Vec<String> {
        self.options.isolation.setup(kind)
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        Some(self.types.pick(client))
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.transaction(which, &client).await })
    }
}

#[cfg(test)]
mod tests;
