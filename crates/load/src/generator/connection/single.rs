//! A connection for one try: connect, log in, one statement. It has one bound for all of that, ends for good with
//! the first failure, and counts neither as a connection of the load nor as one of the ledger.

use super::Connection;
use super::exhaustion;
use super::state::{ConnectionEvent, Single, State};
use crate::generator::shared::Shared;
use crate::record::probes::Stage;
use crate::transport::SocketOptions;
use sql_wire::Failure;
use std::net::SocketAddr;
use std::time::Duration;

impl Connection {
    /// The same, for one try that is over at `until`. Of several addresses it takes the one at this position.
    pub fn single(mut self, until: u64, address: usize) -> Connection {
        self.pinned = true;
        self.address = address;
        self.single = Some(Single {
            until,
            ended_in: Stage::Connect,
        });
        self
    }

    /// Begins the try.
    pub fn set_out(&mut self, shared: &mut Shared) -> ConnectionEvent {
        match self.connect(shared) {
            Ok(()) => ConnectionEvent::Nothing,
            Err(failure) => {
                let failure = exhaustion::explain(failure, &mut shared.sockets.exhausted);
                self.end_try(failure)
            }
        }
    }

    /// Where a try that is over ended, or where one is that goes on.
    pub fn stage(&self) -> Stage {
        match (self.state, &self.single) {
            (State::Closed, Some(single)) => single.ended_in,
            (State::Resolving { .. }, _) => Stage::Resolve,
            (State::BackingOff | State::Connecting, _) => Stage::Connect,
            (State::Verifying(_), _) => Stage::Role,
            (State::Idle | State::Busy, _) => Stage::Write,
            _ => Stage::Login,
        }
    }

    pub(super) fn is_single(&self) -> bool {
        self.single.is_some()
    }

    pub(super) fn end_try(&mut self, failure: Failure) -> ConnectionEvent {
        let stage = match failure.code.as_str() {
            "resolve" => Stage::Resolve,
            _ => self.stage(),
        };
        if let Some(single) = &mut self.single {
            single.ended_in = stage;
        }
        self.drop_transport();
        self.state = State::Closed;
        ConnectionEvent::Lost(failure)
    }

    /// The end of what begins now and has this bound, or of the whole try.
    pub(super) fn until(&self, now: u64, bound_ns: u64) -> u64 {
        match &self.single {
            Some(single) => single.until,
            None => now.saturating_add(bound_ns),
        }
    }

    /// Those of the load, or of a try: the kernel forgets it when it is over.
    pub(super) fn socket_options(&self, to: Option<SocketAddr>, shared: &Shared) -> SocketOptions {
        let from = to.and_then(|to| shared.sockets.timing.bind.next(to));
        match &self.single {
            None => SocketOptions {
                from,
                ..shared.sockets.timing.socket.clone()
            },
            Some(single) => SocketOptions {
                from,
                keepalive: None,
                log_in: Duration::from_nanos(single.until.saturating_sub(shared.clock.now)),
                user_timeout: Some(Duration::from_nanos(
                    single.until.saturating_sub(shared.clock.now).max(1_000_000),
                )),
            },
        }
    }
}
