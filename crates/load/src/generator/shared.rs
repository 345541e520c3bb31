//! What all connections, workers and the ledger's clients of a run share; one thread owns it all.

use super::binding::Binding;
use super::cli::{Find, Spread};
use super::reconnect::Reconnect;
use super::resolver::Resolver;
use super::retry::Retry;
use super::target::Target;
use super::timers::Timers;
use super::transport::SocketOptions;
use crate::record::Recorder;
use crate::record::lag::Lag;
use crate::record::waits::Waits;
use crate::schedule::Schedule;
use crate::schedule::think::ThinkTime;
use crate::schedule::work::Work;
use base::rng::Rng;
use mio::{Registry, Token};
use sql_wire::endpoint::Endpoint;
use sql_wire::role::Wanted;
use sql_wire::{Credentials, Failure, Kind, Parameters, Session};
use std::rc::Rc;
use workloads::Workload;
use workloads::client::Exchange;

/// What an endpoint is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Write,
    Read,
}

pub struct Timing {
    pub connect_ns: u64,
    /// u64::MAX: no bound.
    pub answer_ns: u64,
    pub socket: SocketOptions,
    pub bind: Binding,
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
    /// Statements have no names.
    pub unnamed: bool,
    /// In new sessions of the servers statements do not commit by themselves.
    pub autocommit_off: bool,
    pub writers: Vec<Target>,
    /// Empty when reads go where writes go.
    pub readers: Vec<Target>,
    pub resolver: Resolver,
    pub workload: Rc<dyn Workload>,
    /// What the workload's transactions and their workers pass to each other.
    pub exchange: Rc<Exchange>,
    pub schedule: Schedule,
    /// Connections from this number on are parked.
    pub active: usize,
    pub think: Option<ThinkTime>,
    /// The workload's own pauses are kept: in a closed loop, where users set the pace.
    pub keep_pauses: bool,
    /// How late transactions started for which a connection was free.
    pub lag: Lag,
    /// How long this program has had no processor.
    pub waits: Waits,
    pub timers: Timers,
    /// What this machine has no more of, if that was noticed.
    pub exhausted: Option<String>,
    pub retry: Retry,
    pub reconnect: Reconnect,
    pub spread: Spread,
    /// Share of the read-only transactions that go to the read endpoints.
    pub read_share: f64,
    /// Of the ledger's calls.
    pub parameters: Parameters,
    /// Every connection reads into this one buffer; only incomplete messages are kept per connection.
    pub buffer: Box<[u8]>,
    /// For jitter, apart from the workload's numbers.
    pub rng: Rng,
    /// t = 0 has passed: transactions may start.
    pub started: bool,
    /// False outside of the windows of a load that takes turns with others.
    pub may_work: bool,
    /// What is done of fixed work.
    pub work: Work,
    /// A start came back for which a connection has asked in vain.
    pub start_returned: bool,
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

    /// Hands the resolver's answers to their targets; connections look there when they are watched next.
    pub fn take_answers(&mut self) {
        let answers: Vec<_> = self.resolver.answers().collect();
        for answer in answers {
            let now = self.now;
            self.targets(answer.role)[answer.target].resolved(answer.addresses, now);
        }
    }

    /// A session that has not spoken yet, for this endpoint.
    pub fn session(&self, endpoint: &Endpoint) -> Box<dyn Session> {
        let mut session = sql_wire::session(self.kind, &self.credentials.at(endpoint));
        if self.unnamed {
            session.without_names();
        }
        session
    }

    /// What a server must be to serve this role.
    pub fn wanted(&self, role: Role) -> Wanted {
        match (role, self.find) {
            (Role::Write, Find::Writable) => Wanted::Writable,
            // Reads without separate endpoints follow the writes.
            (Role::Read, Find::Writable) if self.readers.is_empty() => Wanted::Writable,
            _ => Wanted::Readable,
        }
    }
}
