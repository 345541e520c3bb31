//! The command line of `load`.

use crate::args::{Login, seconds};
use crate::driver::Kind;
use crate::endpoint::Endpoint;
use crate::workload::Workload;
use crate::workload::oltp::{Oltp, OltpOptions, Transaction};
use std::path::PathBuf;
use std::time::Duration;

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnError {
    /// Go on with a new transaction, on another server if need be.
    RetryNext,
    /// End the run at the first failed transaction, with exit code 1.
    Stop,
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
    #[arg(long, value_name = "ENDPOINT", required_if_eq_any([("driver", "mysql"), ("driver", "postgres")]))]
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
    /// What to run.
    #[arg(long, value_enum)]
    pub workload: Transaction,
    #[command(flatten)]
    pub oltp: OltpOptions,
    /// Connections, each running one transaction after the other.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub connections: u32,
    /// How long to run.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10s")]
    pub duration: Duration,
    /// Stop after this many transactions.
    #[arg(long, value_name = "MAX")]
    pub transactions: Option<u64>,
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Bound on connecting, logging in and asking for the role together.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "1s")]
    pub connect_timeout: Duration,
    /// Bound on the reply to one statement.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "30s")]
    pub operation_timeout: Duration,
    /// Pause after all candidates failed.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "50ms")]
    pub backoff: Duration,
    /// Give up when no endpoint is usable for this long at the start.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s")]
    pub start_timeout: Duration,
    /// What to do when a transaction fails.
    #[arg(long, value_enum, default_value = "retry-next")]
    pub on_error: OnError,
    /// Uniquely numbered probe writes (and as many reads) per second; 0: none.
    #[arg(long, value_name = "RATE", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub probe_rate: u32,
    /// The probe's table, created when missing.
    #[arg(long, value_name = "TABLE", default_value = "fivenines_probe", value_parser = identifier)]
    pub probe_table: String,
    /// Folder for the results, created when missing.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// A line of JSON each second on standard output.
    #[arg(long)]
    pub live: bool,
}

impl Args {
    pub fn make_workload(&self) -> Box<dyn Workload> {
        Box::new(Oltp::new(self.driver, self.workload, self.oltp, self.seed))
    }

    /// The endpoints for reads, which default to those for writes.
    pub fn read_endpoints(&self) -> &[Endpoint] {
        match self.read.is_empty() {
            true => &self.write,
            false => &self.read,
        }
    }
}

/// A name that needs no quoting in SQL.
fn identifier(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.is_empty() || !text.chars().all(plain) || text.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err("expected letters, digits and underscores, no digit first".to_string());
    }
    Ok(text.to_string())
}
