//! TPC-C: a wholesale supplier's orders, payments and deliveries.
//!
//! Source: TPC Benchmark C, Standard Specification, revision 5.11 (2010).
//!
//! Isolation is READ COMMITTED on both kinds of server, and rows that a transaction is going to change are
//! locked when they are read, by SELECT ... FOR UPDATE: no update is lost and conditions 1 to 12 of clause 3.3.2
//! hold, with the same number of statements everywhere. Locks are taken in one order (warehouse, district,
//! stock by key; deliveries by district), so that deadlocks are rare.

mod data;
mod delivery;
mod money;
mod new_order;
mod options;
mod order_status;
mod payment;
pub mod random;
mod schema;
mod statements;
mod stock_level;
mod terminal;

pub use data::TpccData;
pub use options::{TpccHome, TpccOptions};

use super::shares::pick_by_weight;
use super::{Client, End, Pauses, Running, TransactionType, Workload};
use base::rng::Rng;
use sql_wire::{Failure, Kind, Statement};
use std::rc::Rc;
use std::time::Duration;
use terminal::Terminal;

pub const NAMES: &[&str] = &["tpcc"];

/// In the order of the mix, with the times of clause 5.2.5.7.
const TYPES: [Type; 5] = [
    Type::new("new_order", true, 18, 12),
    Type::new("payment", true, 3, 12),
    Type::new("order_status", false, 2, 10),
    Type::new("delivery", true, 2, 5),
    Type::new("stock_level", false, 2, 5),
];

struct Type {
    name: &'static str,
    writes: bool,
    keying_s: u64,
    /// The mean.
    think_s: u32,
}

impl Type {
    const fn new(name: &'static str, writes: bool, keying_s: u64, think_s: u32) -> Type {
        Type {
            name,
            writes,
            keying_s,
            think_s,
        }
    }
}

pub struct Tpcc {
    kind: Kind,
    terminal: Terminal,
    types: Vec<TransactionType>,
}

impl Tpcc {
    pub fn new(kind: Kind, options: TpccOptions) -> Tpcc {
        let types = TYPES.map(|of| TransactionType::new(of.name, of.writes));
        Tpcc {
            kind,
            terminal: Terminal::new(options),
            types: types.to_vec(),
        }
    }

    async fn transaction(&self, which: usize, client: &Client) -> Result<End, Failure> {
        match which {
            0 => new_order::run(&self.terminal, client).await,
            1 => payment::run(&self.terminal, client).await,
            2 => order_status::run(&self.terminal, client).await,
            3 => delivery::run(&self.terminal, client).await,
            _ => stock_level::run(&self.terminal, client).await,
        }
    }
}

/// A negative exponential distribution, cut at ten times its mean: clause 5.2.5.4.
fn think_time(mean_s: u32, rng: &mut Rng) -> Duration {
    let means = -(1.0 - rng.unit()).ln();
    Duration::from_secs_f64(f64::from(mean_s) * means.min(10.0))
}

impl Workload for Tpcc {
    fn name(&self) -> &str {
        NAMES[0]
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    fn statements(&self) -> Vec<Statement> {
        statements::all(self.kind)
    }

    fn required_table(&self) -> Option<&str> {
        Some("order_line")
    }

    fn session_setup(&self, kind: Kind) -> Vec<String> {
        let sql = match kind {
            Kind::Mysql => "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            Kind::Postgres => {
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED"
            }
            _ => return Vec::new(),
        };
        vec![sql.to_string()]
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        Some(pick_by_weight(
            client,
            self.terminal.options.mix.0.iter().copied(),
        ))
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.transaction(which, &client).await })
    }

    fn pauses(&self, which: usize, client: &Client) -> Pauses {
        if !self.terminal.options.think_times {
            return Pauses::default();
        }
        // A separate generator: a retry repeats the transaction's numbers, which start at the client's state.
        const PAUSES: u64 = 1 << 62;
        let mut rng = Rng::new(client.rng().clone().next_u64(), PAUSES);
        Pauses {
            before: Duration::from_secs(TYPES[which].keying_s),
            after: think_time(TYPES[which].think_s, &mut rng),
        }
    }
}

#[cfg(test)]
mod tests;
