//! The part of a connection's way that encrypts: from the session's wish to its first encrypted words.

use super::Connection;
use super::state::{ConnectionEvent, State};
use crate::generator::shared::Shared;
use sql_wire::Failure;

impl Connection {
    /// The session has asked for TLS, and what it wrote before is sent.
    pub(super) fn encrypt(&mut self, shared: &mut Shared) -> ConnectionEvent {
        // What an intruder slips in before the handshake must not be taken for the server's words after it.
        if !self.out.is_empty() || !self.rest.is_empty() {
            let failure = Failure::protocol("clear text before the TLS handshake");
            return self.fail(failure, shared);
        }
        let endpoint = &shared.endpoints.targets(self.role)[self.candidate].endpoint;
        let host = endpoint.host().unwrap_or_default().to_string();
        let Some(transport) = self.transport.take() else {
            return ConnectionEvent::Nothing;
        };
        let connection = shared.sessions.credentials.tls.connection(&host);
        match connection.and_then(|connection| transport.encrypt(connection)) {
            Ok(transport) => {
                self.transport = Some(transport);
                self.state = State::Securing;
                self.on_securing(shared)
            }
            Err(failure) => self.fail(failure, shared),
        }
    }

    /// Goes on with the handshake as far as what has arrived allows.
    pub(super) fn on_securing(&mut self, shared: &mut Shared) -> ConnectionEvent {
        let Some(stream) = self
            .transport
            .as_mut()
            .and_then(|transport| transport.tls())
        else {
            return ConnectionEvent::Nothing;
        };
        let secured = match stream.handshake() {
            Ok(false) => return ConnectionEvent::Nothing,
            Ok(true) => self.session.secured(stream.certificate(), &mut self.out),
            Err(error) => Err(error.into()),
        };
        match secured {
            Ok(()) => {
                self.state = State::Authenticating;
                self.talk_on(shared)
            }
            Err(failure) => self.fail(failure, shared),
        }
    }
}
