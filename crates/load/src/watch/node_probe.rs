//! One conversation with one node, which never waits: bytes come when they come, and the clock ticks.
//!
//! ```text
//!   Closed ──connect──> LoggingIn ──> Idle ──tick: ask──> Waiting ──answer──> Idle
//!      ^                    │          │                     │
//!      └──── the socket is closed, or the log-in is refused ─┘
//! ```
//!
//! Over a unix socket a connection without an answer is kept, as that of a frozen server answers when it thaws;
//! one of a dead server is closed by the kernel, and it was on this machine that it died. A server behind a
//! network may have died without a word: there another connection is tried after each bound.

use super::question::{self, Answer, Asked, Server};
use super::tables::State;
use crate::transport::{SocketOptions, Transport};
use base::sys;
use mio::{Registry, Token};
use sql_wire::endpoint::Endpoint;
use sql_wire::{
    self, Credentials, Effect, Event, Failure, Kind, LONGEST_MESSAGE, Parameters, Rows, Session,
    Statement,
};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

/// Between two tries to log in, each of which may cost the server a process.
const AFTER_REFUSAL_NS: u64 = 50_000_000;

/// Answers take less, but on a busy machine.
const SILENT_NS: u64 = 100_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Closed,
    LoggingIn,
    Idle,
    Waiting(Asked),
}

/// What became known.
#[derive(Debug, PartialEq)]
pub enum Heard {
    Nothing,
    /// The node's state, and since when it holds.
    State(Answer, u64),
    /// The answer about the ledger is in `rows`.
    Seen(u64),
}

/// Whom to probe to.
pub struct Target {
    pub kind: Kind,
    pub endpoint: Endpoint,
    /// Of a TCP endpoint; None for a unix socket.
    pub address: Option<SocketAddr>,
    pub credentials: Credentials,
}

pub struct NodeProbe {
    place: Target,
    /// Which statement reads the ledger; None: it is asked about its role.
    seen: Option<Statement>,
    server: Server,
    token: Token,
    phase: Phase,
    stream: Option<Transport>,
    session: Box<dyn Session>,
    out: Vec<u8>,
    rest: Vec<u8>,
    /// When what it waits for began.
    since: u64,
    /// Whether the missing answer was reported.
    reported: bool,
    not_before: u64,
    bound_ns: u64,
}

impl NodeProbe {
    pub fn new(place: Target, seen: Option<Statement>, token: Token, bound_ns: u64) -> NodeProbe {
        let session = sql_wire::session(place.kind, &place.credentials);
        NodeProbe {
            server: Server::of(place.kind),
            place,
            seen,
            token,
            phase: Phase::Closed,
            stream: None,
            session,
            out: Vec::new(),
            rest: Vec::new(),
            since: 0,
            reported: false,
            not_before: 0,
            bound_ns,
        }
    }

    /// The rows of the last answer.
    pub fn rows(&mut self) -> &Rows {
        self.session.rows()
    }

    /// It has waited for its answer for longer than answers take.
    pub fn is_silent(&self, now: u64) -> bool {
        let waits = matches!(self.phase, Phase::LoggingIn | Phase::Waiting(_));
        waits && now > self.since + SILENT_NS
    }

    /// Time for the next question, or for noticing that there is no answer.
    pub fn on_tick(&mut self, now: u64, registry: &Registry, buffer: &mut [u8]) -> Heard {
        match self.phase {
            Phase::Closed if now < self.not_before => Heard::Nothing,
            Phase::Closed => match self.connect(now, registry) {
                // What a server says first may have come with the connect.
                Ok(()) => self.on_ready(now, buffer),
                Err(failure) => self.end(now, &failure),
            },
            Phase::Idle => {
                let asked = match (&self.seen, self.server) {
                    (Some(_), _) => Asked::Seen,
                    (None, server) => server.first(),
                };
                self.ask(asked, now)
            }
            Phase::LoggingIn | Phase::Waiting(_) if self.reported => {
                if self.place.address.is_some() && now >= self.since + 2 * self.bound_ns {
                    self.hang_up();
                }
                Heard::Nothing
            }
            Phase::LoggingIn | Phase::Waiting(_) if now < self.since + self.bound_ns => {
                Heard::Nothing
            }
            Phase::LoggingIn | Phase::Waiting(_) => {
                self.reported = true;
                self.away(self.since)
            }
        }
    }

    /// The socket can be read or written, or is closed.
    pub fn on_ready(&mut self, now: u64, buffer: &mut [u8]) -> Heard {
        match self.receive(buffer) {
            Ok(None) => Heard::Nothing,
            Ok(Some(event)) => self.on_event(event, now),
            Err(failure) => self.end(now, &failure),
        }
    }

    fn connect(&mut self, now: u64, registry: &Registry) -> Result<(), Failure> {
        let options = SocketOptions {
            keepalive: Some(sys::KEEPALIVE),
            user_timeout: Some(Duration::from_nanos(self.bound_ns)),
            from: None,
            log_in: Duration::from_nanos(self.bound_ns),
        };
        let (endpoint, address) = (&self.place.endpoint, self.place.address);
        let stream = Transport::open(endpoint, address, registry, self.token, &options)?;
        self.session = sql_wire::session(self.place.kind, &self.place.credentials);
        self.server = Server::of(self.place.kind);
        self.stream = Some(stream);
        self.phase = Phase::LoggingIn;
        self.since = now;
        self.reported = false;
        self.session.open(&mut self.out);
        Ok(self.flush()?)
    }

    fn ask(&mut self, asked: Asked, now: u64) -> Heard {
        let parameters = Parameters::default();
        match (&self.seen, self.place.kind) {
            (Some(statement), _) => {
                self.session
                    .execute(0, statement, &parameters, true, &mut self.out);
            }
            // Once prepared, it costs PostgreSQL no planning; MariaDB gains nothing by it.
            (None, Kind::Postgres) => {
                let statement = self.server.role();
                self.session
                    .execute(0, &statement, &parameters, true, &mut self.out);
            }
            (None, _) => {
                self.session
                    .query(&self.server.role().sql, Effect::Read, true, &mut self.out);
            }
        }
        self.phase = Phase::Waiting(asked);
        self.since = now;
        self.reported = false;
        match self.flush() {
            Ok(()) => Heard::Nothing,
            Err(error) => self.end(now, &error.into()),
        }
    }

    fn on_event(&mut self, event: Event, now: u64) -> Heard {
        match (self.phase, event) {
            (Phase::LoggingIn, Event::Authenticated) => {
                self.phase = Phase::Idle;
                match self.seen {
                    Some(_) => self.ask(Asked::Seen, now),
                    None => self.ask(self.server.first(), now),
                }
            }
            (Phase::Waiting(Asked::Kind), Event::Done(_)) => {
                self.server = Server::learn(self.session.rows());
                self.ask(Asked::Role, now)
            }
            (Phase::Waiting(Asked::Role), Event::Done(_)) => {
                self.phase = Phase::Idle;
                Heard::State(self.server.judge(self.session.rows()), now)
            }
            (Phase::Waiting(Asked::Seen), Event::Done(_)) => {
                self.phase = Phase::Idle;
                Heard::Seen(now)
            }
            (Phase::Waiting(asked), Event::Refused(failure)) => {
                self.phase = Phase::Idle;
                self.judge(Some(asked), &failure, now)
            }
            (_, Event::Refused(failure)) => {
                self.not_before = now + AFTER_REFUSAL_NS;
                self.end(now, &failure)
            }
            _ => self.end(now, &Failure::protocol("a reply out of turn")),
        }
    }

    /// The conversation is over; the next tick begins another.
    fn end(&mut self, now: u64, failure: &Failure) -> Heard {
        let asked = match self.phase {
            Phase::Waiting(asked) => Some(asked),
            Phase::Idle => Some(Asked::Role),
            Phase::Closed | Phase::LoggingIn => None,
        };
        self.hang_up();
        self.judge(asked, failure, now)
    }

    fn hang_up(&mut self) {
        self.stream = None;
        self.out.clear();
        self.rest.clear();
        self.phase = Phase::Closed;
    }

    fn judge(&self, asked: Option<Asked>, failure: &Failure, at: u64) -> Heard {
        match (&self.seen, question::judge_failure(asked, failure)) {
            (None, Some(answer)) => Heard::State(answer, at),
            _ => Heard::Nothing,
        }
    }

    fn away(&self, since: u64) -> Heard {
        let answer = Answer {
            state: State::Away,
            epoch: String::new(),
        };
        match self.seen {
            None => Heard::State(answer, since),
            Some(_) => Heard::Nothing,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        if !stream.is_connected()? {
            return Ok(());
        }
        while !self.out.is_empty() {
            match stream.write(&self.out) {
                Ok(count) => drop(self.out.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<Event>, Failure> {
        self.flush()?;
        loop {
            let Some(stream) = &mut self.stream else {
                return Ok(None);
            };
            match stream.read(buffer) {
                Ok(0) => return Err(self.session.ended()),
                Ok(count) => self.rest.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            if self.rest.len() > LONGEST_MESSAGE {
                return Err(Failure::protocol("a message without end"));
            }
            let fed = self.session.feed(&self.rest, &mut self.out)?;
            self.rest.drain(..fed.consumed);
            self.flush()?;
            if fed.event.is_some() {
                return Ok(fed.event);
            }
        }
    }
}
