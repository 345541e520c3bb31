//! What all links, workers and probes of a run share; one thread owns it all.

use super::cli::Find;
use crate::driver::role::Wanted;
use crate::driver::{Class, Credentials, Failure, Kind, Parameters};
use crate::endpoint::Endpoint;
use crate::record::Recorder;
use crate::record::summary::EndpointSummary;
use crate::rng::Rng;
use crate::schedule::closed::Closed;
use crate::workload::Workload;
use mio::{Registry, Token};
use std::net::SocketAddr;
use std::time::Duration;

/// How long a resolved name is trusted. Resolving blocks the loop, so it must stay rare.
const RESOLVED_NS: u64 = 1_000_000_000;

/// What an endpoint is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Write,
    Read,
}

/// An endpoint with what is known of it.
pub struct Target {
    pub endpoint: Endpoint,
    pub name: String,
    pub counts: EndpointSummary,
    resolved: Option<(SocketAddr, u64)>,
}

impl Target {
    pub fn new(endpoint: Endpoint) -> Target {
        Target {
            name: endpoint.to_string(),
            endpoint,
            counts: EndpointSummary::default(),
            resolved: None,
        }
    }

    pub fn address(&mut self, now: u64) -> Result<SocketAddr, Failure> {
        if let Some((address, at)) = self.resolved
            && now < at + RESOLVED_NS
        {
            return Ok(address);
        }
        let address = self
            .endpoint
            .resolve()
            .map_err(|message| Failure::new(Class::Refused, "resolve", message))?;
        self.resolved = Some((address, now));
        Ok(address)
    }
}

pub struct Timing {
    pub connect_ns: u64,
    pub operation: Duration,
    pub backoff_ns: u64,
}

pub struct Shared {
    /// The time of the event being handled, CLOCK_MONOTONIC nanoseconds.
    pub now: u64,
    pub recorder: Recorder,
    pub registry: Registry,
    pub timing: Timing,
    pub kind: Kind,
    pub find: Find,
    pub credentials: Credentials,
    pub writers: Vec<Target>,
    /// Empty when reads go where writes go.
    pub readers: Vec<Target>,
    pub workload: Box<dyn Workload>,
    pub schedule: Closed,
    pub parameters: Parameters,
    /// Every link reads into this one buffer; only incomplete messages are kept per link.
    pub buffer: Box<[u8]>,
    /// For jitter, apart from the workload's numbers.
    pub rng: Rng,
    /// t = 0 has passed: transactions may start.
    pub started: bool,
    /// No new transactions.
    pub stopping: bool,
    /// Links without a socket that have something to read.
    pub looping: Vec<Token>,
    /// The failure that ends the run, when the user wants the first to end it.
    pub fatal: Option<Failure>,
    pub stop_on_error: bool,
}

impl Shared {
    pub fn targets(&mut self, role: Role) -> &mut [Target] {
        match role {
            Role::Read if !self.readers.is_empty() => &mut self.readers,
            _ => &mut self.writers,
        }
    }

    /// What a server must be to serve this role.
    pub fn wanted(&self, role: Role) -> Wanted {
        match (role, self.find) {
            (Role::Write, Find::Writable) => Wanted::Writable,
            // Reads without endpoints of their own follow the writes.
            (Role::Read, Find::Writable) if self.readers.is_empty() => Wanted::Writable,
            _ => Wanted::Readable,
        }
    }
}
