//! The command line of `prepare`.

use base::arguments::seconds;
use sql_wire::Kind;
use sql_wire::args::{Login, ServerArgs};
use sql_wire::endpoint::Endpoint;
use std::time::Duration;
use workloads::document::Document;

/// Create a workload's schema and load its data.
#[derive(clap::Args)]
pub struct Args {
    /// The protocol to speak.
    #[arg(long, value_enum)]
    pub driver: Kind,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    pub login: Login,
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
    /// Time limit for connecting and logging in.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s")]
    pub connect_timeout: Duration,
}

impl Args {
    pub fn endpoint(&self) -> Endpoint {
        self.server.endpoint(self.driver)
    }
}
