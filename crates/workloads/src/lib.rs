//! What is asked of the database. A transaction is an async function over a `Client`.
//!
//! A new workload is one file with one type behind `Workload`, its options and its data set next to it, and one
//! entry in `registry`.

pub mod append;
pub mod bank;
pub mod bulkload;
pub mod client;
pub mod dataset;
pub mod distribution;
pub mod document;
pub mod history;
pub mod iibench;
pub mod imsi;
mod isolation;
mod letters;
pub mod mix;
mod multirow;
pub mod oltp;
pub mod registers;
pub mod registry;
mod shares;
pub mod stress;
pub mod tatp;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tpcc;
mod writes_and_reads;

pub use client::Client;

use sql_wire::{Failure, Kind, Statement, blocking};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

/// One kind of transaction of a workload, counted and timed apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionType {
    pub name: String,
    /// It may write, so it belongs to the write endpoint.
    pub writes: bool,
}

impl TransactionType {
    pub fn new(name: impl Into<String>, writes: bool) -> TransactionType {
        TransactionType {
            name: name.into(),
            writes,
        }
    }
}

/// How a transaction ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It did what it was to do.
    Committed,
    /// It ended without effect, as its specification expects of some: for example an insert of a key that is
    /// taken. What is still open is rolled back.
    Expected(&'static str),
}

/// What becomes of a transaction of the server that is still open when its function has ended well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOpen {
    /// It is rolled back.
    RolledBack,
    /// It stays open, and the session's next transaction goes on in it.
    Kept,
    /// The run ends with this message.
    Refused(String),
}

/// A transaction under way.
pub type Running = Pin<Box<dyn Future<Output = Result<End, Failure>>>>;

/// Pauses around a transaction, as users have them. Not part of its response time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// Before it: keying in.
    pub before: Duration,
    /// After it: looking at the result.
    pub after: Duration,
}

/// What a workload may know of the run to come.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    pub clients: usize,
    pub seed: u64,
    /// 0: until its work is done.
    pub seconds: f64,
    /// Of all clients together; 0: until its time is over.
    pub transactions: u64,
    /// Starts per second; 0: no rate was asked for.
    pub rate: f64,
    /// It is only tried out what a transaction costs this program.
    pub rehearsal: bool,
    pub account: Account,
}

/// The server that the run begins with, and who logs in.
#[derive(Clone, Debug, Default)]
pub struct Account {
    pub host: String,
    pub port: u16,
    pub socket: Option<String>,
    pub user: String,
    pub password: String,
    pub database: String,
}

/// A script took time in which no other connection was served.
#[derive(Clone, Debug, Default)]
pub struct HeldUp {
    pub script: String,
    /// Functions that are known to take time, if it called any.
    pub by: Vec<String>,
    pub count: u64,
    pub total_ns: u64,
    pub longest_ns: u64,
}

pub trait Workload {
    fn name(&self) -> &str;

    /// All its types of transactions, at least one; `pick` and `run` know them by position.
    fn transactions(&self) -> &[TransactionType];

    /// All statements that are known beforehand; `Client::call` knows them by position.
    fn statements(&self) -> Vec<Statement>;

    /// A table that must exist; the run reports at once if it does not.
    fn required_table(&self) -> Option<&str>;

    /// Called once before the run, with a writable server, to create small tables.
    fn ready(&self, _server: &mut blocking::Client) -> Result<(), Failure> {
        Ok(())
    }

    /// Called once before the run.
    fn expect(&self, _facts: &RunFacts) {}

    /// Called once before the run with the number of this load (from 0) among loads on the same servers.
    fn one_of(&self, _index: usize, _count: usize) {}

    /// Whether the load ends when the workload has nothing left, after a work of known size.
    fn ends_itself(&self) -> bool {
        false
    }

    /// Returns additional counts of the workload by name; scripts have them.
    fn counted(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }

    /// How long the workload itself has kept all connections waiting; None: never.
    fn held_up(&self) -> Option<HeldUp> {
        None
    }

    /// The run is about to begin. What is to be sent before goes to a server that `connect` finds; it is not measured.
    fn begin(
        &self,
        _connect: &mut dyn FnMut() -> Result<blocking::Client, Failure>,
    ) -> anyhow::Result<()> {
        Ok(())
    }

    /// The run is over. What is still to be sent goes to a server that `connect` finds; it is not measured.
    fn finish(
        &self,
        _connect: &mut dyn FnMut() -> Result<blocking::Client, Failure>,
    ) -> anyhow::Result<()> {
        Ok(())
    }

    /// Returns the statements that every new session must run before its first transaction.
    fn session_setup(&self, _kind: Kind) -> Vec<String> {
        Vec::new()
    }

    /// Whether a statement outside of a transaction must commit. Scripts take the server as it is.
    fn relies_on_autocommit(&self) -> bool {
        true
    }

    /// What becomes of a transaction that one of this type leaves open.
    fn left_open(&self, _which: usize, _client: &Client) -> LeftOpen {
        LeftOpen::RolledBack
    }

    /// The type of this client's next transaction; None when it has nothing left to do.
    fn pick(&self, client: &Client) -> Option<usize>;

    /// Starts a transaction of this type.
    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running;

    /// The pauses around the next transaction, which will be of this type.
    fn pauses(&self, _which: usize, _client: &Client) -> Pauses {
        Pauses::default()
    }
}
