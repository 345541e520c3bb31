//! registers: single values that are written and read by statements of their own, so that the order in time of what
//! was read shows whether there is one copy of the data.
//!
//! Source: the register workloads of Jepsen (jepsen.tests.linearizable-register). Every value is written once in a
//! run, so that a read tells which write it saw.

use super::shares::pick_by_weight;
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

/// The transactions, by their places: one that writes or reads, and one that only reads.
const MIXED: usize = 0;
const READ_ONLY: usize = 1;

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
    types: Vec<TransactionType>,
    first: Cell<i64>,
    next_value: Cell<i64>,
    /// From one value to the next, so that those of several loads never meet.
    step: Cell<i64>,
}

pub fn make(kind: Kind, options: &RegistersOptions) -> Rc<dyn Workload> {
    let mut types = vec![TransactionType::new("registers", true)];
    if options.read_only > 0 {
        types.push(TransactionType::new("registers_read_only", false));
    }
    Rc::new(Registers {
        kind,
        options: *options,
        types,
        first: Cell::new(1),
        next_value: Cell::new(1),
        step: Cell::new(1),
    })
}

impl Registers {
    async fn operation(&self, which: usize, client: &Client) -> Result<End, Failure> {
        let (at, is_read) = {
            let mut rng = client.rng();
            let at = rng.uniform(0, self.options.keys - 1);
            let is_read = which == READ_ONLY || rng.uniform(1, 100) <= self.options.reads;
            (at, is_read)
        };
        let key = self.first.get() + i64::from(at);
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
        let value = self.next_value.get();
        self.next_value.set(value + self.step.get());
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
        &self.types
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
        self.next_value.set(1 + index as i64);
        self.step.set(count as i64);
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        match self.options.read_only {
            0 => Some(MIXED),
            share => {
                let weights = [100.0 - f64::from(share), f64::from(share)];
                Some(pick_by_weight(client, weights.iter().copied()))
            }
        }
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.operation(which, &client).await })
    }
}

#[cfg(test)]
mod tests;
