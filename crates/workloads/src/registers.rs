//! registers: single values that are written and read by statements of their own, so that the order in time of what
//! was read shows whether there is one copy of the data.
//!
//! Source: the register workloads of Jepsen (jepsen.tests.linearizable-register). Every value is written once in a
//! run, so that a read tells which write it saw.

use super::writes_and_reads::{Types, UniqueValues, operation};
use super::{Client, End, Running, TransactionType, Workload};
use crate::history::Operation;
use serde::Deserialize;
use sql_wire::{Effect, Failure, Kind, Statement, Type, blocking, storage};
use std::cell::Cell;
use std::rc::Rc;

pub const NAMES: &[&str] = &["registers"];
pub const TABLE: &str = "fivenines_registers";

const WRITE: usize = 0;
const READ: usize = 1;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistersOptions {
    /// Registers in use.
    pub keys: u32,
    /// Percentage of reads among the operations at the write endpoint.
    pub reads: u32,
    /// Percentage of operations that belong to the read endpoint.
    pub read_only: u32,
}

pub struct Registers {
    kind: Kind,
    options: RegistersOptions,
    types: Types,
    first: Cell<i64>,
    values: UniqueValues,
}

pub fn make(kind: Kind, options: &RegistersOptions) -> Rc<dyn Workload> {
    Rc::new(Registers {
        kind,
        options: *options,
        types: Types::new(NAMES[0], options.read_only),
        first: Cell::new(1),
        values: UniqueValues::new(),
    })
}

impl Registers {
    async fn operation(&self, which: usize, client: &Client) -> Result<End, Failure> {
        let (at, is_read) = operation(client, which, self.options.keys, self.options.reads);
        let key = self.first.get() + at as i64;
        match is_read {
            true => self.read(key, client).await?,
            false => self.write(key, client).await?,
        }
        Ok(End::Committed)
    }

    async fn read(&self, key: i64, client: &Client) -> Result<(), Failure> {
        let reply = client.call(READ).big_int(key).rows().await?;
        let value = reply.all().int(0, 0);
        client.note(Operation::Value { key, value });
        Ok(())
    }

    async fn write(&self, key: i64, client: &Client) -> Result<(), Failure> {
        let value = self.values.take();
        client.note(Operation::Write { key, value });
        client.call(WRITE).big_int(key).big_int(value).await?;
        Ok(())
    }
}

impl Workload for Registers {
    fn name(&self) -> &str {
        NAMES[0]
    }

    fn transactions(&self) -> &[TransactionType] {
        self.types.all()
    }

    fn statements(&self) -> Vec<Statement> {
        let insert = format!("INSERT INTO {TABLE}(k, v) VALUES (?, ?)");
        let write = match self.kind {
            Kind::Postgres => format!("{insert} ON CONFLICT (k) DO UPDATE SET v = EXCLUDED.v"),
            _ => format!("{insert} ON DUPLICATE KEY UPDATE v = VALUES(v)"),
        };
        let read = format!("SELECT v FROM {TABLE} WHERE k = ?");
        let types: &'static [Type] = &[Type::BigInt, Type::BigInt];
        vec![
            Statement::new(self.kind, "register_write", Effect::Write, &write, types),
            Statement::new(
                self.kind,
                "register_read",
                Effect::Read,
                &read,
                &[Type::BigInt],
            ),
        ]
    }

    fn required_table(&self) -> Option<&str> {
        None
    }

    /// Registers of an earlier load stay as they are: those of this one come behind them.
    fn ready(&self, server: &mut blocking::Client) -> Result<(), Failure> {
        storage::require_transactions(server, self.kind, TABLE)?;
        server.query(&format!(
            "CREATE TABLE IF NOT EXISTS {TABLE} (k BIGINT PRIMARY KEY, v BIGINT NOT NULL)"
        ))?;
        server.query(&format!("SELECT COALESCE(MAX(k), 0) FROM {TABLE}"))?;
        self.first.set(server.rows().int(0, 0).unwrap_or(0) + 1);
        Ok(())
    }

    fn one_of(&self, index: usize, count: usize) {
        self.values.one_of(index, count);
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        Some(self.types.pick(client))
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.operation(which, &client).await })
    }
}

#[cfg(test)]
mod tests;
