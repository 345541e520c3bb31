//! The command line of `load`.

mod bounds;
mod drive;

pub use drive::{Bound, Measure};

use super::alongside::ProbeArgs;
use super::endpoints::{Find, Spread};
use super::shared::{Place, place};
use super::worker::{Reconnect, Retry};
use crate::facts;
use base::arguments::{Usage, identifier, seconds};
use bounds::Bounds;
use drive::DriveArgs;
use sql_wire::args::Login;
use sql_wire::endpoint::Endpoint;
use sql_wire::{Class, Credentials, Kind};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use workloads::document::{Alongside, Document};
use workloads::{RunFacts, Workload};

/// From here on a duration stands for "until the work is done".
const ENDLESS_S: f64 = 365.0 * 86_400.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnError {
    /// Continue with a new transaction, on another server if needed.
    RetryNext,
    /// End the run at the first failed transaction, with exit code 1.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Protocol {
    /// Prepare statements once per connection.
    Prepared,
    /// Parse an unnamed statement for each execution (PostgreSQL only).
    Extended,
    /// Send the statements of SQL files as texts with the values in them; on PostgreSQL all others as `extended`.
    Simple,
}

/// Load a database with a workload and record throughput, latency and errors, also during failures.
#[derive(clap::Args)]
pub struct Args {
    /// The protocol to speak.
    #[arg(long, value_enum)]
    pub driver: Kind,
    #[command(flatten)]
    pub login: Login,
    /// Candidate endpoint for writes, in order of preference (HOST:PORT or the path of a unix socket).
    #[arg(long, value_name = "ENDPOINT")]
    pub write: Vec<Endpoint>,
    /// Endpoint for single reads and read-only transactions. Default: the endpoints for writes.
    #[arg(long, value_name = "ENDPOINT")]
    pub read: Vec<Endpoint>,
    /// Candidate to use for writes.
    #[arg(long, value_enum, default_value = "writable")]
    pub find: Find,
    /// Candidate that connections start with.
    #[arg(long, value_enum, default_value = "first")]
    pub spread: Spread,
    /// Workload to run, as JSON with all settings.
    #[arg(long, value_name = "DOCUMENT")]
    pub workload: Document,
    /// Method of executing statements. Use extended or simple behind a pooler that switches servers between transactions.
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
    /// Time limit at the start: give up if no endpoint is usable for this long, and start without the missing
    /// connections if none was added for this long.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s")]
    pub start_timeout: Duration,
    /// Action after a failed transaction.
    #[arg(long, value_enum, default_value = "retry-next")]
    pub on_error: OnError,
    /// Retry a failed transaction up to N times with the same statements; every attempt counts.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,
    /// Classes of failures to retry.
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = failure_class,
          default_values = ["deadlock", "conflict", "lock_timeout"])]
    pub retry_on: Vec<Class>,
    /// When connections reconnect: session (never), transaction (after each one), query (also after each statement
    /// outside a transaction), random (drawn for each transaction), or after N transactions.
    #[arg(long, value_name = "WHEN", default_value = "session")]
    pub reconnect: Reconnect,
    /// Local addresses to connect from, round robin. Default: chosen by the kernel.
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    pub bind: Vec<IpAddr>,
    /// Percentage of read-only transactions that use the read endpoints, if there are any.
    #[arg(long, value_name = "PERCENT", default_value = "100", value_parser = percentage)]
    pub read_share: f64,
    /// Statement to run first in each new connection.
    #[arg(long, value_name = "SQL")]
    pub session_sql: Vec<String>,
    /// Numbered writes per second to the ledger, for all its clients together; 0: no ledger.
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = rate)]
    pub ledger_rate: f64,
    /// Reads of the ledger per second through each endpoint, for all its clients together.
    #[arg(long, value_name = "RATE", default_value = "100", value_parser = rate)]
    pub ledger_read_rate: f64,
    /// Number of clients of the ledger, each with a separate session at every endpoint.
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub ledger_clients: usize,
    /// Table of the ledger, created if missing.
    #[arg(long, value_name = "TABLE", default_value = crate::ledger::TABLE, value_parser = identifier)]
    pub ledger_table: String,
    /// Side workload that runs in addition to the load, with its rate, as JSON.
    #[arg(long, value_name = "DOCUMENT")]
    pub alongside: Vec<Alongside>,
    /// Number of connections of each side workload.
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub alongside_clients: usize,
    #[command(flatten, next_help_heading = "Probes with new connections")]
    pub probes: ProbeArgs,
    /// Folder for the results, created if missing.
    #[arg(long, value_name = "DIR", required_unless_present = "show")]
    pub out: Option<PathBuf>,
    /// Print the statements of the first N transactions of connection 0 and exit; needs no server. Each reply is
    /// assumed to have one row of zeros, so statements that depend on rows can differ.
    #[arg(long, value_name = "N")]
    pub show: Option<u64>,
    /// Number of this load among several loads on the same servers, such as 2/3. The loads use separate numbers
    /// for rows of the ledger, of probes and of lists.
    #[arg(long, value_name = "I/N", value_parser = place, default_value = "1/1")]
    pub one_of: Place,
    /// Wait for this file and start at its time (CLOCK_MONOTONIC, in nanoseconds). With --live, a line reports
    /// that all connections are open.
    #[arg(long, value_name = "FILE")]
    pub start_file: Option<PathBuf>,
    /// Print a line of JSON to standard output each second.
    #[arg(long)]
    pub live: bool,
    /// Interval of lines in the file ticks.csv of the results, for live displays; at least 10 ms.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub tick: Option<Duration>,
}

impl Args {
    /// Check what clap cannot check: flags that need or exclude each other.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.write.is_empty() && self.driver != Kind::Noop && self.show.is_none() {
            return Err(Usage::error(
                "--write is missing: name the server, for example --write 127.0.0.1:3306",
            ));
        }
        for endpoint in self.write.iter().chain(&self.read) {
            endpoint.check(self.driver).map_err(Usage::error)?;
        }
        self.check_dialect()?;
        self.check_protocol()?;
        self.drive.check()
    }

    /// Reject settings that a dialect does not support.
    fn check_dialect(&self) -> anyhow::Result<()> {
        let kind = self.driver;
        if kind.is_by_odbc_alone() && !self.alongside.is_empty() {
            return Err(Usage::error(format!(
                "side workloads do not support the SQL of {}",
                kind.name()
            )));
        }
        if matches!(kind, Kind::Oracle | Kind::Sqlserver | Kind::Db2) && self.find == Find::Writable
        {
            return Err(Usage::error(format!(
                "--find writable: querying the role is not supported for {}: use --find any",
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
                "--protocol extended: only PostgreSQL's protocol has unnamed statements; remove it",
            )),
            Protocol::Simple if !["script", "mix"].contains(&self.workload.workload.as_str()) => {
                Err(Usage::error(
                    "--protocol simple: only SQL files have statements as texts; remove it",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The workload's description, with the load's choice of protocol.
    pub fn described(&self) -> Document {
        let as_texts = self.protocol == Protocol::Simple;
        self.workload.with_texts(as_texts)
    }

    /// Facts that the workload can use before the run.
    pub fn facts(&self, credentials: &Credentials) -> RunFacts {
        let drive = &self.drive;
        let clients = drive.most_connections() as usize;
        let each = drive.transactions_each.map(|each| each * clients as u64);
        let end_ns = drive.timetable().0.last().map_or(0, |stage| stage.to_ns);
        let seconds = end_ns as f64 / 1e9;
        RunFacts {
            clients,
            seed: self.seed,
            // A fixed amount of work also has a time limit, but far beyond its end.
            seconds: if seconds < ENDLESS_S { seconds } else { 0.0 },
            transactions: drive.transactions.or(each).unwrap_or_default(),
            rate: drive.rate.as_ref().map_or(0.0, |steps| steps.first()),
            rehearsal: false,
            account: facts::account(self.write.first(), credentials),
        }
    }

    /// Returns the statements for each new session: the workload's settings, then the user's.
    pub fn session_setup(&self, kind: Kind, workload: &dyn Workload) -> Vec<String> {
        let mut setup = workload.session_setup(kind);
        setup.extend(self.session_sql.iter().cloned());
        setup
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
        format!("unknown class; the classes are {}", names.join(", "))
    })
}

/// A share in [0, 1], given in percent with or without the sign.
fn percentage(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value / 100.0),
        _ => Err("expected a percentage from 0 to 100".to_string()),
    }
}

/// Operations per second of the ledger or a side workload.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=10_000.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 10000".to_string()),
    }
}
