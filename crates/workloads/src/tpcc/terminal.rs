//! A terminal: what its user asks for, and calls that several transactions make for it.

use super::options::{TpccHome, TpccOptions};
use super::random::{Constants, DISTRICTS, last_name};
use super::statements::On;
use crate::Client;
use crate::client::Call;
use base::rng::Rng;
use sql_wire::{Class, Failure};

/// Draws what users ask for.
pub struct Terminal {
    pub options: TpccOptions,
    pub constants: Constants,
}

/// A district of a warehouse; both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub warehouse: u32,
    pub district: u32,
}

/// A customer by number, or by last name as most are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Customer {
    Number(u32),
    Name(Vec<u8>),
}

impl Terminal {
    pub fn new(options: TpccOptions) -> Terminal {
        Terminal {
            options,
            // The same for all runs, so that they ask for the same rows most often and can be compared.
            constants: Constants::of_run(0),
        }
    }

    /// The warehouse that the transaction is about.
    pub fn warehouse(&self, client: &Client) -> u32 {
        let warehouses = self.options.warehouses;
        match self.options.home {
            TpccHome::Fixed => client.number as u32 % warehouses + 1,
            TpccHome::Random => client.rng().uniform(1, warehouses),
        }
    }

    /// The transaction's warehouse, and any of its districts.
    pub fn place(&self, client: &Client) -> Place {
        Place {
            warehouse: self.warehouse(client),
            district: client.rng().uniform(1, DISTRICTS),
        }
    }

    /// The district of the terminal: of all ten in turn for the connections of a warehouse.
    pub fn own_district(&self, client: &Client) -> u32 {
        match self.options.home {
            TpccHome::Fixed => client.number as u32 / self.options.warehouses % DISTRICTS + 1,
            TpccHome::Random => client.rng().uniform(1, DISTRICTS),
        }
    }

    /// Any warehouse but this one, if there is another.
    pub fn other_warehouse(&self, warehouse: u32, rng: &mut Rng) -> u32 {
        match self.options.warehouses {
            1 => warehouse,
            all => {
                let other = rng.uniform(1, all - 1);
                other + u32::from(other >= warehouse)
            }
        }
    }

    /// 60 % by last name, clauses 2.5.1.2 and 2.6.1.2.
    pub fn customer(&self, rng: &mut Rng) -> Customer {
        if percent(rng) > 60 {
            return Customer::Number(self.constants.pick_customer(rng));
        }
        let mut name = Vec::new();
        last_name(self.constants.pick_last_name(rng), &mut name);
        Customer::Name(name)
    }
}

/// 1 to 100, as clause 2 draws whatever happens to a percentage of transactions.
pub fn percent(rng: &mut Rng) -> u32 {
    rng.uniform(1, 100)
}

/// The number of a customer. Of those with a last name the middle one by first name, rounded up: clause 2.5.2.2.
pub async fn customer_number(
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
pub fn missing(what: &str) -> Failure {
    let message =
        format!("no {what}: have fewer warehouses been loaded than the setting `warehouses` says?");
    Failure::new(Class::Other, "missing", message)
}

/// A call with warehouse and district as its first parameters.
pub fn at(client: &Client, which: On, place: Place) -> Call<'_> {
    let call = client.call(which as usize);
    call.int(place.warehouse as i32).int(place.district as i32)
}
