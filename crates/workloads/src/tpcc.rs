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

pub use data::TpccData;
pub use options::{TpccHome, TpccOptions};

use super::client::Call;
use super::shares::pick_by_weight;
use super::{Client, End, Pauses, Running, TransactionType, Workload};
use base::rng::Rng;
use random::{Constants, DISTRICTS, last_name};
use sql_wire::{Class, Failure, Kind, Statement};
use statements::On;
use std::rc::Rc;
use std::time::Duration;

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
    options: TpccOptions,
    constants: Constants,
    types: Vec<TransactionType>,
}

/// A district of a warehouse; both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    warehouse: u32,
    district: u32,
}

/// A customer by number, or by last name as most are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Customer {
    Number(u32),
    Name(Vec<u8>),
}

impl Tpcc {
    pub fn new(kind: Kind, options: TpccOptions) -> Tpcc {
        let types = TYPES.map(|of| TransactionType::new(of.name, of.writes));
        Tpcc {
            kind,
            options,
            // The same for all runs, so that they ask for the same rows most often and can be compared.
            constants: Constants::of_run(0),
            types: types.to_vec(),
        }
    }

    /// The warehouse that the transaction is about.
    fn warehouse(&self, client: &Client) -> u32 {
        let warehouses = self.options.warehouses;
        match self.options.home {
            TpccHome::Fixed => client.number as u32 % warehouses + 1,
            TpccHome::Random => client.rng().uniform(1, warehouses),
        }
    }

    /// The transaction's warehouse, and any of its districts.
    fn place(&self, client: &Client) -> Place {
        Place {
            warehouse: self.warehouse(client),
            district: client.rng().uniform(1, DISTRICTS),
        }
    }

    /// The district of the terminal: of all ten in turn for the connections of a warehouse.
    fn own_district(&self, client: &Client) -> u32 {
        match self.options.home {
            TpccHome::Fixed => client.number as u32 / self.options.warehouses % DISTRICTS + 1,
            TpccHome::Random => client.rng().uniform(1, DISTRICTS),
        }
    }

    /// Any warehouse but this one, if there is another.
    fn other_warehouse(&self, warehouse: u32, rng: &mut Rng) -> u32 {
        match self.options.warehouses {
            1 => warehouse,
            all => {
                let other = rng.uniform(1, all - 1);
                other + u32::from(other >= warehouse)
            }
        }
    }

    /// 60 % by last name, clauses 2.5.1.2 and 2.6.1.2.
    fn customer(&self, rng: &mut Rng) -> Customer {
        if percent(rng) > 60 {
            return Customer::Number(self.constants.pick_customer(rng));
        }
        let mut name = Vec::new();
        last_name(self.constants.pick_last_name(rng), &mut name);
        Customer::Name(name)
    }

    async fn transaction(&self, which: usize, client: &Client) -> Result<End, Failure> {
        match which {
            0 => new_order::run(self, client).await,
            1 => payment::run(self, client).await,
            2 => order_status::run(self, client).await,
            3 => delivery::run(self, client).await,
            _ => stock_level::run(self, client).await,
        }
    }
}

/// 1 to 100, as clause 2 draws whatever happens to a percentage of transactions.
fn percent(rng: &mut Rng) -> u32 {
    rng.uniform(1, 100)
}

/// The number of a customer. Of those with a last name the middle one by first name, rounded up: clause 2.5.2.2.
async fn customer_number(
    client: &Client,
    place: Place,
    customer: Customer,
) -> Result<i32, Failure> {
    let name = match customer {
        Customer::Number(number) => return Ok(number as i32),
        Customer::Name(name) => name,
    };
    let call = at(client, On::CustomersByName, place).text(name).rows();
    let reply = call.await?;
    if reply.rows == 0 {
        return Err(missing("customers of a last name"));
    }
    Ok(reply.int((reply.rows as usize - 1) / 2, 0)? as i32)
}

/// Every row that is asked for exists, but for the items of orders that are to be undone.
fn missing(what: &str) -> Failure {
    let message =
        format!("no {what}: have fewer warehouses been loaded than the setting `warehouses` says?");
    Failure::new(Class::Other, "missing", message)
}

/// A call with warehouse and district as its first parameters.
fn at(client: &Client, which: On, place: Place) -> Call<'_> {
    let call = client.call(which as usize);
    call.int(place.warehouse as i32).int(place.district as i32)
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
        Some(pick_by_weight(client, self.options.mix.0.iter().copied()))
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.transaction(which, &client).await })
    }

    fn pauses(&self, which: usize, client: &Client) -> Pauses {
        if !self.options.think_times {
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
