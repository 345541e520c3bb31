//! TATP, the Telecommunication Application Transaction Processing benchmark, also known as TM1: a home
//! location register of a mobile network.
//!
//! Source: Telecommunication Application Transaction Processing (TATP) Benchmark Description, version 1.0,
//! IBM Software Group Information Management, 2009.
//!
//! A transaction that finds no row, or whose insert meets an existing key or a missing special facility, did
//! what the description foresees: it ends as expected, and is neither a success nor an error.

mod data;
mod options;
mod statements;

pub use data::TatpData;
pub use options::{TatpChoice, TatpOptions};

use super::shares::pick_by_weight;
use super::tpcc::random::nurand;
use super::{Client, End, Running, TransactionType, Workload};
use base::rng::Rng;
use data::{NUMBER_DIGITS, subscriber_number};
use sql_wire::{Class, Failure, Kind, Statement};
use statements::On;
use std::rc::Rc;

pub const NAMES: &[&str] = &["tatp"];

/// In the order of the mix: name, and whether it may write.
const TYPES: [(&str, bool); 7] = [
    ("get_subscriber_data", false),
    ("get_new_destination", false),
    ("get_access_data", false),
    ("update_subscriber_data", true),
    ("update_location", true),
    ("insert_call_forwarding", true),
    ("delete_call_forwarding", true),
];

const NO_ACCESS: &str = "the subscriber has no access info of this type";
const NO_FORWARDING: &str = "there is no such call forwarding";
const NO_FACILITY: &str = "the subscriber has no special facility of this type";
const EXISTS: &str = "the call forwarding exists already";

pub struct Tatp {
    kind: Kind,
    options: TatpOptions,
    types: Vec<TransactionType>,
}

impl Tatp {
    pub fn new(kind: Kind, options: TatpOptions) -> Tatp {
        let types = TYPES.map(|(name, writes)| TransactionType::new(name, writes));
        Tatp {
            kind,
            options,
            types: types.to_vec(),
        }
    }

    /// The id of a subscriber, from 1.
    fn subscriber(&self, rng: &mut Rng) -> u32 {
        let subscribers = self.options.subscribers;
        match self.options.choice {
            TatpChoice::Uniform => rng.uniform(1, subscribers),
            TatpChoice::Nonuniform => nurand(rng, spread(subscribers), 1, subscribers, 0),
        }
    }

    async fn transaction(&self, which: usize, client: &Client) -> Result<End, Failure> {
        let s_id = self.subscriber(&mut client.rng());
        match which {
            0 => get_subscriber_data(client, s_id).await,
            1 => get_new_destination(client, s_id).await,
            2 => get_access_data(client, s_id).await,
            3 => update_subscriber_data(client, s_id).await,
            4 => update_location(client, s_id).await,
            5 => insert_call_forwarding(client, s_id).await,
            _ => delete_call_forwarding(client, s_id).await,
        }
    }
}

/// The description's constant A of the non-uniform choice among so many subscribers.
fn spread(subscribers: u32) -> u32 {
    match subscribers {
        0..=1_000_000 => 65_535,
        1_000_001..=10_000_000 => 1_048_575,
        _ => 2_097_151,
    }
}

async fn get_subscriber_data(client: &Client, s_id: u32) -> Result<End, Failure> {
    let reply = on(client, On::GetSubscriber).int(s_id as i32).await?;
    found(reply.rows, s_id)?;
    Ok(End::Committed)
}

async fn get_new_destination(client: &Client, s_id: u32) -> Result<End, Failure> {
    let (sf_type, start, end) = facility_and_times(&mut client.rng());
    let call = on(client, On::GetDestination).int(s_id as i32).int(sf_type);
    let reply = call.int(start).int(end).await?;
    Ok(ended(reply.rows, NO_FORWARDING))
}

async fn get_access_data(client: &Client, s_id: u32) -> Result<End, Failure> {
    let ai_type = one_of_four(&mut client.rng());
    let call = on(client, On::GetAccess).int(s_id as i32).int(ai_type);
    Ok(ended(call.await?.rows, NO_ACCESS))
}

async fn update_subscriber_data(client: &Client, s_id: u32) -> Result<End, Failure> {
    let (bit, data, sf_type) = {
        let rng = &mut client.rng();
        (rng.uniform(0, 1), rng.uniform(0, 255), one_of_four(rng))
    };
    client.begin().await?;
    let call = on(client, On::UpdateBit).int(bit as i32);
    found(call.int(s_id as i32).await?.affected, s_id)?;
    let call = on(client, On::UpdateFacility).int(data as i32);
    let reply = call.int(s_id as i32).int(sf_type).await?;
    finish(client, reply.affected, NO_FACILITY).await
}

async fn update_location(client: &Client, s_id: u32) -> Result<End, Failure> {
    let location = client.rng().uniform(1, u32::MAX);
    let call = on(client, On::UpdateLocation).big_int(i64::from(location));
    let reply = call.text_by(|out| subscriber_number(s_id, out)).await?;
    found(reply.affected, s_id)?;
    Ok(End::Committed)
}

async fn insert_call_forwarding(client: &Client, s_id: u32) -> Result<End, Failure> {
    let (sf_type, start, end) = facility_and_times(&mut client.rng());
    client.begin().await?;
    let s_id = by_number(client, s_id).await?;
    on(client, On::Facilities).int(s_id).await?;
    let call = on(client, On::InsertForwarding).int(s_id);
    let call = call.int(sf_type).int(start).int(end);
    let inserted = call
        .text_by(|out| client.rng().digits(NUMBER_DIGITS, out))
        .await;
    match inserted {
        Ok(_) => client.commit().await.map(|_| End::Committed),
        Err(failure) if failure.class == Class::Constraint => Ok(End::Expected(refusal(&failure))),
        Err(failure) => Err(failure),
    }
}

async fn delete_call_forwarding(client: &Client, s_id: u32) -> Result<End, Failure> {
    let (sf_type, start, _) = facility_and_times(&mut client.rng());
    client.begin().await?;
    let s_id = by_number(client, s_id).await?;
    let call = on(client, On::DeleteForwarding).int(s_id);
    let reply = call.int(sf_type).int(start).await?;
    finish(client, reply.affected, NO_FORWARDING).await
}

/// Looks up the id of a subscriber by its number.
async fn by_number(client: &Client, s_id: u32) -> Result<i32, Failure> {
    let call = on(client, On::SubscriberByNumber).rows();
    let reply = call.text_by(|out| subscriber_number(s_id, out)).await?;
    found(reply.rows, s_id)?;
    Ok(reply.int(0, 0)? as i32)
}

/// Commits if the last statement changed something.
async fn finish(client: &Client, affected: u64, reason: &'static str) -> Result<End, Failure> {
    if affected > 0 {
        client.commit().await?;
    }
    Ok(ended(affected, reason))
}

fn ended(rows: u64, reason: &'static str) -> End {
    match rows {
        0 => End::Expected(reason),
        _ => End::Committed,
    }
}

/// Every subscriber up to the setting must be there.
fn found(rows: u64, s_id: u32) -> Result<(), Failure> {
    match rows {
        0 => Err(Failure::new(
            Class::Other,
            "missing",
            format!(
                "subscriber {s_id} is missing: have fewer been loaded than the setting `subscribers` says?"
            ),
        )),
        _ => Ok(()),
    }
}

/// Why the server refused an insert: no such special facility, or the key is taken.
fn refusal(failure: &Failure) -> &'static str {
    match failure.code.as_str() {
        // PostgreSQL; MySQL and MariaDB; Oracle, SQL Server, Db2, solidDB
        "23503" | "1216" | "1452" | "2291" | "547" | "-530" | "10029" => NO_FACILITY,
        _ => EXISTS,
    }
}

/// A type of special facility, a start time and an end time, drawn independently of each other.
fn facility_and_times(rng: &mut Rng) -> (i32, i32, i32) {
    let sf_type = one_of_four(rng);
    let start = 8 * rng.uniform(0, 2) as i32;
    (sf_type, start, rng.uniform(1, 24) as i32)
}

fn one_of_four(rng: &mut Rng) -> i32 {
    rng.uniform(1, 4) as i32
}

fn on(client: &Client, which: On) -> super::client::Call<'_> {
    client.call(which as usize)
}

impl Workload for Tatp {
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
        Some("call_forwarding")
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        Some(pick_by_weight(client, self.options.mix.0.iter().copied()))
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.transaction(which, &client).await })
    }
}

#[cfg(test)]
mod tests;
