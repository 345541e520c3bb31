//! Puts a database under load, records what it gives, and fills its tables.

pub mod by_odbc;
mod facts;
pub mod generator;
mod ledger;
pub mod prepare;
mod probes;
mod record;
mod schedule;
mod transport;
pub mod watch;

use workloads::registry::{FAMILIES, Registry};

/// All workloads that there are.
pub const WORKLOADS: Registry = Registry(&[FAMILIES, scripts::FAMILIES]);
