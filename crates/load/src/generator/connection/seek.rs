//! How a connection finds a server: address after address, candidate after candidate, then a pause.

use super::Connection;
use super::exhaustion;
use super::state::{ConnectionEvent, State};
use crate::generator::endpoints::Place;
use crate::generator::shared::Shared;
use crate::transport::Transport;
use sql_wire::endpoint::Endpoint;
use sql_wire::{self, Class, Failure, Kind};

impl Connection {
    /// Starts to connect to the current candidate, or to the next ones when that fails at once.
    pub(super) fn seek(&mut self, shared: &mut Shared) {
        if self.state == State::BackingOff {
            self.failed = 0;
        }
        let mut pause_ns = self.backoff_ns;
        while self.failed < places(self, shared) {
            match self.connect(shared) {
                Ok(()) => return,
                Err(failure) => {
                    let failure = exhaustion::explain(failure, &mut shared.sockets.exhausted);
                    pause_ns = pause_ns.max(exhaustion::pause_ns(&failure));
                    let (now, source) = (shared.clock.now, self.source);
                    self.has_failed = true;
                    shared.recorder.connect_failed(now, source, &failure);
                    self.drop_transport();
                    self.move_on(shared);
                }
            }
        }
        self.state = State::BackingOff;
        // Up to a fifth more or less, so that connections that fell together do not come back in step.
        let jitter = 0.8 + 0.4 * shared.rng.unit();
        self.deadline = shared.clock.now + (pause_ns as f64 * jitter) as u64;
        shared.timers.set(self.deadline, self.token);
    }

    /// Counts a failure and goes on with the next address, or the next candidate's first.
    pub(super) fn move_on(&mut self, shared: &mut Shared) {
        self.failed += 1;
        self.address += 1;
        let targets = shared.endpoints.targets(self.role);
        if self.address >= targets[self.candidate].places() {
            self.address = 0;
            if !self.pinned {
                self.candidate = (self.candidate + 1) % targets.len();
            }
        }
    }

    /// The watchdog's look at a connection that waits for the resolver.
    pub(super) fn on_resolving(&mut self, until: u64, shared: &mut Shared) -> ConnectionEvent {
        let target = &shared.endpoints.targets(self.role)[self.candidate];
        match (target.is_asked(), shared.clock.now < until) {
            (false, _) if self.is_single() => self.set_out(shared),
            (false, _) => {
                self.seek(shared);
                ConnectionEvent::Nothing
            }
            (true, true) => ConnectionEvent::Nothing,
            (true, false) => {
                let failure =
                    Failure::new(Class::Timeout, "resolve", "no answer from the resolver");
                self.fail(failure, shared)
            }
        }
    }

    fn ask_resolver(&mut self, endpoint: &Endpoint, shared: &mut Shared) {
        let asked = shared
            .endpoints
            .resolver
            .ask(self.role, self.candidate, endpoint);
        if let Err(error) = asked {
            let now = shared.clock.now;
            let target = &mut shared.endpoints.targets(self.role)[self.candidate];
            target.resolved(Err(format!("cannot ask the resolver: {error}")), now);
        }
    }

    pub(super) fn connect(&mut self, shared: &mut Shared) -> Result<(), Failure> {
        let (now, kind) = (shared.clock.now, shared.sessions.kind);
        let target = &mut shared.endpoints.targets(self.role)[self.candidate];
        let endpoint = target.endpoint.clone();
        let address = match (&endpoint, kind) {
            (_, Kind::Noop) | (Endpoint::Unix(_) | Endpoint::Odbc(_), _) => None,
            _ => match target.place(self.address, now)? {
                Place::Known(address) => Some(address),
                place => {
                    self.state = State::Resolving {
                        until: self.until(now, shared.sockets.timing.connect_ns),
                    };
                    self.deadline = 0;
                    if place == Place::Unknown {
                        self.ask_resolver(&endpoint, shared);
                    }
                    return Ok(());
                }
            },
        };
        self.session = shared.sessions.at(&endpoint);
        let transport = Transport::open(
            &endpoint,
            address,
            &shared.sockets.registry,
            self.token,
            &self.socket_options(address, shared),
        )?;
        if transport.is_loop() {
            shared.sockets.looping.push(self.token);
        }
        self.transport = Some(transport);
        self.state = State::Connecting;
        self.sought_at = now;
        self.deadline = self.until(now, shared.sockets.timing.connect_ns);
        Ok(())
    }
}

/// How many places there are to try before a pause.
fn places(connection: &Connection, shared: &mut Shared) -> usize {
    let targets = shared.endpoints.targets(connection.role);
    match connection.pinned {
        true => targets[connection.candidate].places(),
        false => targets.iter().map(|target| target.places()).sum(),
    }
}
