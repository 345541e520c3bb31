//! The command line of `load`.

use super::bounds::Bounds;
use super::drive::DriveArgs;
use super::prober::ProbeArgs;
use super::reconnect::Reconnect;
use super::retry::Retry;
use super::together::{Place, place};
use crate::facts;
use base::arguments::{Usage, identifier, seconds};
use sql_wire::args::Login;
use sql_wire::endpoint::Endpoint;
use sql_wire::{Class, Credentials, Kind};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use workloads::RunFacts;
use workloads::document::{Beside, Document};

/// From here on a duration stands for "until the work is done".
const ENDLESS_S: f64 = 365.0 * 86_400.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Find {
    /// After connecting ask the server whether it takes writes, else try the next candidate.
    Writable,
    /// Take what answers: for proxies and virtual addresses.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Spread {
    /// All connections start with the first candidate.
    First,
    /// Connection i starts with candidate i mod N.
    All,
    /// Connections start with any candidate, and take any when they connect again.
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnError {
    /// Go on with a new transaction, on another server if need be.
    RetryNext,
    /// End the run at the first failed transaction, with exit code 1.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Protocol {
    /// Statements are prepared once for each connection.
    Prepared,
    /// Each execution parses its statement, which has no name (PostgreSQL only).
    Extended,
}

/// Drive a database with a workload and record what it gives, also while servers die.
#[derive(clap::Args)]
pub struct Args {
    /// The protocol to speak.
    #[arg(long, value_enum)]
    pub driver: Kind,
    #[command(flatten)]
    pub login: Login,
    /// Where to write: candidates in order (HOST:PORT or a unix socket's path).
    #[arg(long, value_name = "ENDPOINT")]
    pub write: Vec<Endpoint>,
    /// Where single reads and read-only transactions go; default: where writes go.
    #[arg(long, value_name = "ENDPOINT")]
    pub read: Vec<Endpoint>,
    /// Which candidate to take for writes.
    #[arg(long, value_enum, default_value = "writable")]
    pub find: Find,
    /// Which candidate to start with.
    #[arg(long, value_enum, default_value = "first")]
    pub spread: Spread,
    /// What to run, as JSON with all of its settings.
    #[arg(long, value_name = "DOCUMENT")]
    pub workload: Document,
    /// How statements are executed. Use extended behind a pooler that changes the server between two transactions.
    #[arg(long, value_enum, default_value = "prepared")]
    pub protocol: Protocol,
    #[command(flatten, next_help_heading = "When transactions start")]
    pub drive: DriveArgs,
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten, next_help_heading = "How long clients wait")]
    pub bounds: Bounds,
    /// Pause after all candidates failed.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "50ms")]
    pub backoff: Duration,
    /// Give up when no endpoint is usable for this long at the start, and begin without connections that are
    /// not there when none was added for as long.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s")]
    pub start_timeout: Duration,
    /// What to do when a transaction fails.
    #[arg(long, value_enum, default_value = "retry-next")]
    pub on_error: OnError,
    /// Try a failed transaction again, at most this often, with the same statements; every attempt counts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,
    /// Which failures are tried again.
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = failure_class,
          default_values = ["deadlock", "conflict", "lock_timeout"])]
    pub retry_on: Vec<Class>,
    /// When a connection leaves its server and connects again: session (never), transaction (after each), query (after
    /// each statement outside of a transaction, too), random (drawn for each transaction), or after N transactions.
    #[arg(long, value_name = "WHEN", default_value = "session")]
    pub reconnect: Reconnect,
    /// Addresses of this machine from which to connect, in turn. Default: as the kernel chooses.
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    pub bind: Vec<IpAddr>,
    /// Share of the read-only transactions that go to the read endpoints, when there are any.
    #[arg(long, value_name = "PERCENT", default_value = "100", value_parser = percentage)]
    pub read_share: f64,
    /// Statement that each new connection runs first.
    #[arg(long, value_name = "SQL")]
    pub session_sql: Vec<String>,
    /// Uniquely numbered writes of the ledger per second, of all its clients together; 0: no ledger.
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = rate)]
    pub ledger_rate: f64,
    /// Reads of the ledger per second through each endpoint, of all its clients together.
    #[arg(long, value_name = "RATE", default_value = "100", value_parser = rate)]
    pub ledger_read_rate: f64,
    /// Clients of the ledger, each with a session of its own at every endpoint.
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub ledger_clients: usize,
    /// The ledger's table, created when missing.
    #[arg(long, value_name = "TABLE", default_value = crate::ledger::TABLE, value_parser = identifier)]
    pub ledger_table: String,
    /// A workload that runs beside the load, with its rate, as JSON.
    #[arg(long, value_name = "DOCUMENT")]
    pub beside: Vec<Beside>,
    /// Connections of each workload beside the load.
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub beside_clients: usize,
    #[command(flatten, next_help_heading = "Tries of fresh connections")]
    pub probes: ProbeArgs,
    /// Folder for the results, created when missing.
    #[arg(long, value_name = "DIR", required_unless_present = "show")]
    pub out: Option<PathBuf>,
    /// Print the statements of the first N transactions of connection 0, and end; needs no server. Replies are
    /// taken to have one row of zeros, so that what depends on rows that were read can differ.
    #[arg(long, value_name = "N")]
    pub show: Option<u64>,
    /// Which of several loads at the same servers this one is, as 2/3: the rows that each writes beside its load
    /// (the ledger's, those of fresh connections, lists) have numbers of their own.
    #[arg(long, value_name = "I/N", value_parser = place, default_value = "1/1")]
    pub one_of: Place,
    /// Begin not before a moment of CLOCK_MONOTONIC in nanoseconds, which this file has once it is there; with
    /// --live a line says that everybody is connected.
    #[arg(long, value_name = "FILE")]
    pub start_file: Option<PathBuf>,
    /// A line of JSON each second on standard output.
    #[arg(long)]
    pub live: bool,
    /// A line so often in the file ticks.csv of the results, for those who watch; 10 ms at least.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub tick: Option<Duration>,
}

impl Args {
    /// What clap cannot say: flags that need or exclude each other.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.write.is_empty() && self.driver != Kind::Noop && self.show.is_none() {
            return Err(Usage::error(
                "--write: where is the server? For example --write 127.0.0.1:3306",
            ));
        }
        for endpoint in self.write.iter().chain(&self.read) {
            endpoint.check(self.driver).map_err(Usage::error)?;
        }
        self.check_dialect()?;
        self.check_protocol()?;
        self.drive.check()
    }

    /// What is not written for every dialect.
    fn check_dialect(&self) -> anyhow::Result<()> {
        let kind = self.driver;
        if kind.is_by_odbc_alone() && !self.beside.is_empty() {
            return Err(Usage::error(format!(
                "workloads beside the load are not written for the SQL of {}",
                kind.name()
            )));
        }
        if matches!(kind, Kind::Oracle | Kind::Sqlserver | Kind::Db2) && self.find == Find::Writable
        {
            return Err(Usage::error(format!(
                "--find writable: it is not known how to ask {} for its role: use any",
                kind.name()
            )));
        }
        Ok(())
    }

    fn check_protocol(&self) -> anyhow::Result<()> {
        let by_odbc = self.write.iter().any(Endpoint::is_odbc);
        let without_names = matches!(self.driver, Kind::Postgres | Kind::Noop) && !by_odbc;
        match self.protocol {
            Protocol::Extended if !without_names => Err(Usage::error(
                "--protocol extended: only PostgreSQL's own protocol executes statements without a name; \
                 leave it out",
            )),
            _ => Ok(()),
        }
    }

    /// What the workload may know beforehand.
    pub fn facts(&self, credentials: &Credentials) -> RunFacts {
        let drive = &self.drive;
        let clients = drive.most_connections() as usize;
        let each = drive.transactions_each.map(|each| each * clients as u64);
        let end_ns = drive.timetable().0.last().map_or(0, |stage| stage.to_ns);
        let seconds = end_ns as f64 / 1e9;
        RunFacts {
            clients,
            seed: self.seed,
            // A fixed work has a bound, too, but it is far beyond the work's end.
            seconds: if seconds < ENDLESS_S { seconds } else { 0.0 },
            transactions: drive.transactions.or(each).unwrap_or_default(),
            rate: drive.rate.as_ref().map_or(0.0, |steps| steps.first()),
            rehearsal: false,
            account: facts::account(self.write.first(), credentials),
        }
    }

    pub fn retry(&self) -> Retry {
        Retry {
            most: self.retries,
            classes: self.retry_on.clone(),
        }
    }

    /// The endpoints for reads, which default to those for writes.
    pub fn read_endpoints(&self) -> &[Endpoint] {
        match self.read.is_empty() {
            true => &self.write,
            false => &self.read,
        }
    }
}

fn failure_class(text: &str) -> Result<Class, String> {
    Class::named(text).ok_or_else(|| {
        let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        format!("no such class; there are {}", names.join(", "))
    })
}

/// A share in [0, 1], given in percent with or without the sign.
fn percentage(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value / 100.0),
        _ => Err("expected a percentage from 0 to 100".to_string()),
    }
}

/// Operations per second beside the load.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=10_000.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 10000".to_string()),
    }
}
