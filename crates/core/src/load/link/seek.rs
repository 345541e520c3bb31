//! How a link finds a server: candidate after candidate, then a pause.

use super::{Link, State};
use crate::driver::{self, Failure, Kind};
use crate::endpoint::Endpoint;
use crate::load::shared::Shared;
use crate::load::transport::Transport;

impl Link {
    /// Starts to connect to the current candidate, or to the next ones when that fails at once.
    pub(super) fn seek(&mut self, shared: &mut Shared) {
        let candidates = shared.targets(self.role).len();
        if self.state == State::BackingOff {
            self.failed = 0;
        }
        while self.failed < candidates {
            match self.connect(shared) {
                Ok(()) => return,
                Err(failure) => {
                    shared.recorder.connect_failed(shared.now, self.source);
                    shared.recorder.failure(shared.now, self.source, &failure);
                    self.drop_transport();
                    self.failed += 1;
                    self.candidate = (self.candidate + 1) % candidates;
                }
            }
        }
        self.state = State::BackingOff;
        // Up to a fifth more or less, so that links that fell together do not come back in step.
        let jitter = 0.8 + 0.4 * shared.rng.unit();
        self.deadline = shared.now + (self.backoff_ns as f64 * jitter) as u64;
    }

    fn connect(&mut self, shared: &mut Shared) -> Result<(), Failure> {
        let (now, kind) = (shared.now, shared.kind);
        let target = &mut shared.targets(self.role)[self.candidate];
        let endpoint = target.endpoint.clone();
        let address = match (&endpoint, kind) {
            (_, Kind::Noop) => None,
            (Endpoint::Unix(_), _) => None,
            _ => Some(target.address(now)?),
        };
        let mut credentials = shared.credentials.clone();
        credentials.private_transport = matches!(endpoint, Endpoint::Unix(_));
        self.session = driver::session(kind, &credentials);
        let transport = Transport::open(
            &endpoint,
            address,
            &shared.registry,
            self.token,
            shared.timing.operation,
        )?;
        if transport.is_loop() {
            shared.looping.push(self.token);
        }
        self.transport = Some(transport);
        self.state = State::Connecting;
        self.deadline = now + shared.timing.connect_ns;
        Ok(())
    }
}
