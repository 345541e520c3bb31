//! `prepare`: create a workload's schema and load its data.

mod oltp;

use crate::args::{Login, seconds};
use crate::driver::blocking::Client;
use crate::driver::{Credentials, Failure, Kind};
use crate::endpoint::Endpoint;
use crate::workload::distribution::DistributionOptions;
use anyhow::{Result, anyhow};
use clap::ArgAction::Set;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A statement of a load may take this long, for example an index on a large table.
const PATIENCE: Duration = Duration::from_secs(3600);
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Dataset {
    /// sysbench's tables sbtest1..N, for all oltp_* workloads.
    Oltp,
}

/// Create a workload's schema and load its data.
#[derive(clap::Args)]
pub struct Args {
    /// The protocol to speak.
    #[arg(long, value_enum)]
    driver: Kind,
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Default: 3306 or 5432.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// A unix socket instead of host and port.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["host", "port"])]
    socket: Option<PathBuf>,
    #[command(flatten)]
    login: Login,
    /// What to load.
    #[arg(long, value_enum, default_value = "oltp")]
    workload: Dataset,
    /// Number of tables.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tables: u32,
    /// Rows per table.
    #[arg(long, value_name = "ROWS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(0..=2_000_000_000))]
    table_size: u32,
    /// The server numbers rows (AUTO_INCREMENT, SERIAL); off: the loader does.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = Set, value_parser = BoolishValueParser::new(), num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    auto_inc: bool,
    #[command(flatten)]
    distribution: DistributionOptions,
    /// Seed of all random numbers; each table has a stream of its own.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Tables loaded at the same time.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Drop tables of these names first.
    #[arg(long)]
    drop: bool,
    /// Bound on connecting and logging in.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s")]
    connect_timeout: Duration,
}

impl Args {
    fn endpoint(&self) -> Endpoint {
        let default = match self.driver {
            Kind::Postgres => 5432,
            _ => 3306,
        };
        match &self.socket {
            Some(path) => Endpoint::Unix(path.clone()),
            None => Endpoint::Tcp {
                host: self.host.clone(),
                port: self.port.unwrap_or(default),
            },
        }
    }
}

pub fn main(args: &Args) -> Result<()> {
    let credentials = args.login.credentials()?;
    let started = Instant::now();
    let progress = Progress::new(u64::from(args.tables) * u64::from(args.table_size));
    if args.driver != Kind::Noop {
        load_all(args, &credentials, &progress)?;
    }
    progress.print(&json!({
        "event": "done",
        "tables": args.tables,
        "rows": progress.total,
        "seconds": (started.elapsed().as_secs_f64() * 1e3).round() / 1e3,
    }));
    Ok(())
}

/// Threads take tables one by one; the first failure ends the others at their next table.
fn load_all(args: &Args, credentials: &Credentials, progress: &Progress) -> Result<()> {
    let next = AtomicU32::new(1);
    let worker = || -> Result<(), Failure> {
        let mut client = connect(args, credentials)?;
        loop {
            let table = next.fetch_add(1, Ordering::Relaxed);
            if table > args.tables {
                return Ok(());
            }
            oltp::load_table(args, &mut client, table, progress)
                .inspect_err(|_| next.store(args.tables + 1, Ordering::Relaxed))?;
        }
    };
    let results: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let count = args.threads.min(args.tables);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
        let lost = || Failure::protocol("a loading thread broke down");
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(lost())))
            .collect()
    });
    match results.into_iter().find_map(Result::err) {
        Some(failure) => Err(anyhow!("{}: {failure}", args.endpoint())),
        None => Ok(()),
    }
}

/// The connect is bounded, the statements after it may take their time.
fn connect(args: &Args, credentials: &Credentials) -> Result<Client, Failure> {
    let client = Client::connect(
        args.driver,
        &args.endpoint(),
        credentials,
        args.connect_timeout,
    )?;
    client.set_timeout(PATIENCE)?;
    Ok(client)
}

/// Counts rows and prints a line of JSON now and then.
struct Progress {
    total: u64,
    state: Mutex<(u64, Instant)>,
}

impl Progress {
    fn new(total: u64) -> Progress {
        Progress {
            total,
            state: Mutex::new((0, Instant::now())),
        }
    }

    fn add(&self, rows: u64) {
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        state.0 += rows;
        if state.0 == self.total || state.1.elapsed() >= PROGRESS_EVERY {
            state.1 = Instant::now();
            let (done, total) = (state.0, self.total);
            self.print(&json!({"event": "progress", "done": done, "total": total}));
        }
    }

    fn print(&self, line: &serde_json::Value) {
        let mut out = std::io::stdout().lock();
        // Nobody listening is no reason to stop loading.
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }
}
