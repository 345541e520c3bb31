//! imsi: a telecom operator lends visitor IMSIs to its travelling subscribers.
//!
//! AllocateIMSI finds the subscriber's home operator and its partner in the visited country, releases a visitor
//! IMSI that the subscriber already holds, takes a free one of that partner, binds the two to each other, and
//! writes an event; all in one transaction. Sites have separate subscribers and visitor IMSIs, so that two
//! sites can work at once without ever touching the same row.
//!
//! Locks: a transaction locks the subscriber's row first, and can then change the visitor IMSI bound to it. It
//! takes a free visitor IMSI with FOR UPDATE SKIP LOCKED, from a random place on, so no transaction waits for it.
//!
//! Source: K. Aanby, "Cluster Replication", master's thesis, 2014 (schema VRC_DB).

mod data;
mod numbering;
mod options;
mod procedures;
mod statements;

pub use data::ImsiData;
pub use options::ImsiOptions;

use super::client::Call;
use super::{Client, End, Running, TransactionType, Workload};
use numbering::{home_imsi, visitor_imsi};
use options::Style;
use sql_wire::{Failure, Kind, Statement};
use statements::{NONE_FREE, On};
use std::cell::RefCell;
use std::rc::Rc;

pub const NAMES: &[&str] = &["imsi"];

/// Types of transactions, by position.
const ALLOCATE: usize = 0;
/// Not a transaction: the time of ten allocations of one connection, one after the other.
const BATCH_OF_TEN: usize = 1;
const RELEASE: usize = 2;
const BATCH: u32 = 10;

/// What the procedures say when no visitor IMSI is free: SQLSTATE 45000, which is errno 1644 on MySQL.
const REFUSED: [&str; 2] = ["1644", "45000"];

/// The ten allocations that a connection is at.
#[derive(Clone, Copy, Default)]
struct Ten {
    done: u32,
    started: u64,
}

pub struct Imsi {
    kind: Kind,
    options: ImsiOptions,
    types: Vec<TransactionType>,
    /// By connection.
    tens: RefCell<Vec<Ten>>,
}

/// A subscriber and where it travels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Journey {
    home: i64,
    country: i32,
    /// Where the search for a free visitor IMSI begins.
    start: i64,
}

/// The values of a locked subscriber's row.
struct Subscriber {
    operator: i64,
    held: Option<i64>,
    site: i64,
}

/// The workload.
pub fn make(kind: Kind, options: &ImsiOptions) -> Rc<dyn Workload> {
    Rc::new(Imsi::new(kind, options))
}

impl Imsi {
    fn new(kind: Kind, options: &ImsiOptions) -> Imsi {
        let names = ["allocate_imsi", "batch_of_ten", "release_imsi"];
        let count = if options.release > 0 { 3 } else { 2 };
        Imsi {
            kind,
            options: *options,
            types: names[..count]
                .iter()
                .map(|&name| TransactionType::new(name, true))
                .collect(),
            tens: RefCell::default(),
        }
    }

    /// A random subscriber of the connection's site.
    fn journey(&self, client: &Client) -> Journey {
        let options = &self.options;
        let site = match options.site {
            0 => client.number as u32 % options.sites,
            site => site - 1,
        };
        let rng = &mut client.rng();
        let subscribers = options.home_range(site);
        let number = rng.uniform(subscribers.start, subscribers.end - 1);
        let visitors = options.visitor_range(site);
        Journey {
            home: home_imsi(number),
            country: options.home_place(number).country as i32,
            start: visitor_imsi(rng.uniform(visitors.start, visitors.end - 1)),
        }
    }

    async fn allocate(&self, client: &Client) -> Result<End, Failure> {
        let begun = client.now();
        let journey = self.journey(client);
        let end = match self.options.style {
            Style::Statements => self.allocate_by_statements(client, journey).await?,
            Style::Procedures => {
                let call = self.on(client, On::CallAllocate);
                let call = call.big_int(journey.home).int(journey.country);
                match call.big_int(journey.start).await {
                    Err(failure) if REFUSED.contains(&failure.code.as_str()) => {
                        End::Expected(NONE_FREE)
                    }
                    result => result.map(|_| End::Committed)?,
                }
            }
        };
        if end == End::Committed
            && let Some(started) = self.count(client.number, begun)
        {
            client.mark(BATCH_OF_TEN, client.now().saturating_sub(started));
        }
        Ok(end)
    }

    async fn allocate_by_statements(
        &self,
        client: &Client,
        journey: Journey,
    ) -> Result<End, Failure> {
        let home = journey.home;
        client.begin().await?;
        let subscriber = self.subscriber(client, home).await?;
        let partner = self.on(client, On::Partner);
        let partner = partner.int(subscriber.operator as i32).int(journey.country);
        let partner = partner.rows().await?.int(0, 0)? as i32;
        if let Some(held) = subscriber.held {
            self.release_held(client, home, held, subscriber.site)
                .await?;
        }
        let Some(visitor) = self.free(client, partner, journey.start).await? else {
            return Ok(End::Expected(NONE_FREE));
        };
        let bind = self.on(client, On::BindVisitor);
        bind.big_int(home).big_int(visitor).await?;
        let bind = self.on(client, On::BindHome);
        bind.big_int(visitor).big_int(home).await?;
        self.event(client, subscriber.site, home, visitor, "A")
            .await?;
        client.commit().await?;
        Ok(End::Committed)
    }

    /// Locks the subscriber's row.
    async fn subscriber(&self, client: &Client, home: i64) -> Result<Subscriber, Failure> {
        let row = self.on(client, On::Home).big_int(home).rows().await?;
        Ok(Subscriber {
            operator: row.int(0, 0)?,
            held: row.all().int(0, 1),
            site: row.int(0, 2)?,
        })
    }

    /// Locks a free visitor IMSI of the partner: the first from a random place on, else the first of all.
    async fn free(
        &self,
        client: &Client,
        partner: i32,
        start: i64,
    ) -> Result<Option<i64>, Failure> {
        for from in [start, 0] {
            let free = self.on(client, On::Free).int(partner).big_int(from);
            let found = free.rows().await?;
            if found.rows > 0 {
                return found.int(0, 0).map(Some);
            }
        }
        Ok(None)
    }

    async fn release_held(
        &self,
        client: &Client,
        home: i64,
        visitor: i64,
        site: i64,
    ) -> Result<(), Failure> {
        self.on(client, On::ReleaseVisitor).big_int(visitor).await?;
        self.on(client, On::ReleaseHome).big_int(home).await?;
        self.event(client, site, home, visitor, "R").await.map(drop)
    }

    fn event<'a>(
        &self,
        client: &'a Client,
        site: i64,
        home: i64,
        visitor: i64,
        event: &str,
    ) -> Call<'a> {
        let call = self.on(client, On::Event).int(site as i32);
        call.big_int(home).big_int(visitor).text(event)
    }

    /// ReleaseIMSI on its own.
    async fn release(&self, client: &Client) -> Result<End, Failure> {
        let home = self.journey(client).home;
        client.begin().await?;
        if self.options.style == Style::Procedures {
            self.on(client, On::CallRelease).big_int(home).await?;
        } else {
            let subscriber = self.subscriber(client, home).await?;
            let Some(held) = subscriber.held else {
                return Ok(End::Expected("the subscriber holds no visitor IMSI"));
            };
            self.release_held(client, home, held, subscriber.site)
                .await?;
        }
        client.commit().await?;
        Ok(End::Committed)
    }

    /// One more allocation of a connection, begun at this time. The tenth gives the time when the first of
    /// the ten began.
    fn count(&self, connection: usize, begun: u64) -> Option<u64> {
        let mut tens = self.tens.borrow_mut();
        if tens.len() <= connection {
            tens.resize(connection + 1, Ten::default());
        }
        let ten = &mut tens[connection];
        if ten.done == 0 {
            ten.started = begun;
        }
        ten.done = (ten.done + 1) % BATCH;
        (ten.done == 0).then_some(ten.started)
    }

    fn on<'a>(&self, client: &'a Client, which: On) -> Call<'a> {
        client.call(which as usize)
    }
}

impl Workload for Imsi {
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
        Some("h_imsi_details")
    }

    /// The study's database knows no other isolation; under MySQL's default, locks on gaps between free visitor
    /// IMSIs would make those who release wait for those who search.
    fn session_setup(&self, kind: Kind) -> Vec<String> {
        match kind {
            Kind::Mysql => {
                vec!["SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED".to_string()]
            }
            _ => Vec::new(),
        }
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        let release = self.options.release;
        Some(match release > 0 && client.rng().uniform(0, 99) < release {
            true => RELEASE,
            false => ALLOCATE,
        })
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move {
            match which {
                RELEASE => self.release(&client).await,
                _ => self.allocate(&client).await,
            }
        })
    }
}

#[cfg(test)]
mod tests;
