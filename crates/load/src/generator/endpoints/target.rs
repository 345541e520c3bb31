//! An endpoint of a run, with its addresses and what is counted of it.

use crate::record::summary::EndpointSummary;
use sql_wire::endpoint::Endpoint;
use sql_wire::{Class, Failure};
use std::net::SocketAddr;

/// How long the answer about a name is trusted: a changed one is seen by the connects of a second later.
const RESOLVED_NS: u64 = 1_000_000_000;

pub struct Target {
    pub endpoint: Endpoint,
    pub name: String,
    pub counts: EndpointSummary,
    addresses: Vec<SocketAddr>,
    /// Until when they are trusted; a literal address always is.
    fresh_until: u64,
    /// The resolver was asked and has not answered.
    asked: bool,
    unresolved: Option<String>,
    /// When it last refused a write as read-only.
    refused_write: Option<u64>,
}

/// What is known of the place to connect to.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    Known(SocketAddr),
    /// The resolver must be asked.
    Unknown,
    /// The resolver has been asked.
    Asked,
}

impl Target {
    pub fn new(endpoint: Endpoint) -> Target {
        let literal = endpoint.literal();
        Target {
            name: endpoint.to_string(),
            endpoint,
            counts: EndpointSummary::default(),
            addresses: literal.into_iter().collect(),
            fresh_until: literal.map_or(0, |_| u64::MAX),
            asked: false,
            unresolved: None,
            refused_write: None,
        }
    }

    /// It called itself writable, and has just refused a write.
    pub fn refused_write(&mut self, now: u64) {
        self.refused_write = Some(now);
    }

    /// Why its word is not taken within this time after such a refusal.
    pub fn belied(&self, now: u64, within_ns: u64) -> Option<Failure> {
        let since = now.saturating_sub(self.refused_write?);
        let message = "the server calls itself writable, and has refused a write as read-only";
        (since < within_ns).then(|| Failure::new(Class::ReadOnly, "role", message))
    }

    /// How many places to try there are, as far as one knows.
    pub fn places(&self) -> usize {
        self.addresses.len().max(1)
    }

    pub fn is_asked(&self) -> bool {
        self.asked
    }

    /// The address at this position, or the first when there are fewer now.
    pub fn place(&mut self, position: usize, now: u64) -> Result<Place, Failure> {
        if self.asked {
            return Ok(Place::Asked);
        }
        if now >= self.fresh_until {
            self.asked = true;
            return Ok(Place::Unknown);
        }
        if let Some(message) = &self.unresolved {
            return Err(Failure::new(Class::Refused, "resolve", message));
        }
        let address = self.addresses.get(position).or(self.addresses.first());
        address
            .copied()
            .map(Place::Known)
            .ok_or_else(|| Failure::new(Class::Refused, "resolve", "no address"))
    }

    /// The resolver has answered.
    pub fn resolved(&mut self, answer: Result<Vec<SocketAddr>, String>, now: u64) {
        self.asked = false;
        self.fresh_until = now + RESOLVED_NS;
        (self.addresses, self.unresolved) = match answer {
            Ok(addresses) => (addresses, None),
            Err(message) => (Vec::new(), Some(message)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "10.0.0.1:1";
    const TWO: &str = "10.0.0.2:1";

    fn known(address: &str) -> Result<Place, Failure> {
        Ok(Place::Known(address.parse().unwrap()))
    }

    #[test]
    fn a_literal_address_is_never_asked_for() {
        let mut target = Target::new(ONE.parse().unwrap());
        assert_eq!(target.place(0, u64::MAX - 1), known(ONE));
        assert_eq!(target.place(5, 0), known(ONE));
    }

    #[test]
    fn a_name_is_asked_for_once_and_again_after_a_second() {
        let mut target = Target::new("db:1".parse().unwrap());
        assert_eq!(target.place(0, 0), Ok(Place::Unknown));
        assert_eq!(
            target.place(0, 0),
            Ok(Place::Asked),
            "by another connection"
        );
        let addresses = [ONE, TWO].map(|address| address.parse().unwrap());
        target.resolved(Ok(addresses.to_vec()), 10);
        assert_eq!(target.places(), 2);
        assert_eq!(target.place(1, 20), known(TWO));
        assert_eq!(target.place(1, 10 + RESOLVED_NS), Ok(Place::Unknown));
        target.resolved(Ok(vec![addresses[1]]), 2 * RESOLVED_NS);
        assert_eq!(target.place(1, 2 * RESOLVED_NS), known(TWO), "fewer now");
    }

    #[test]
    fn a_name_without_address_fails_until_it_is_asked_for_again() {
        let mut target = Target::new("db:1".parse().unwrap());
        target.place(0, 0).unwrap();
        target.resolved(Err("no such host".to_string()), 0);
        assert_eq!(target.place(0, 1).unwrap_err().code, "resolve");
        assert_eq!(target.places(), 1);
        assert_eq!(target.place(0, RESOLVED_NS), Ok(Place::Unknown));
    }
}
