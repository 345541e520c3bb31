//! The command line of `prepare`.

use base::arguments::seconds;
use sql_wire::args::ServerArgs;
use std::time::Duration;
use workloads::document::Document;

/// Create a workload's schema and load its data.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub server: ServerArgs,
    /// Workload of the data, as JSON with all settings.
    #[arg(long, value_name = "DOCUMENT")]
    pub workload: Document,
    /// Seed of all random numbers: the same seed gives the same rows.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of concurrent loading connections.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,
    /// Drop the data set's tables first, with all their rows.
    #[arg(long)]
    pub drop: bool,
    /// Command of a Lua script to run.
    #[arg(long, value_name = "NAME", default_value = "prepare")]
    pub command: String,
    /// Time limit for connecting and logging in.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s")]
    pub connect_timeout: Duration,
}
