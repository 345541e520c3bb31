//! Where a session ends before the load does: between transactions, and between statements that stand alone.

use super::{State, Worker};
use crate::generator::connection::ConnectionEvent;
use crate::generator::reconnect::Reconnect;
use crate::generator::shared::Shared;
use sql_wire::Parameters;
use workloads::client::Request;

/// A call that waits for a new connection, with what the shared exchange had for it.
pub(super) struct Held {
    request: Request,
    parameters: Parameters,
    sql: String,
}

impl Worker {
    /// Between two transactions: leaves the server where that is wanted. Not at the end of the load.
    #[inline]
    pub(super) fn end_session(&mut self, shared: &mut Shared) {
        let next = shared.reconnect.lasting(&mut shared.rng);
        let before = std::mem::replace(&mut self.lasting, next);
        let ends = (shared.reconnect).ends(before, next, self.on_connection);
        if !ends || shared.stopping || shared.schedule.is_exhausted_for(self.client.number) {
            return;
        }
        self.on_connection = 0;
        self.doing = State::Waiting;
        match shared.reconnect {
            Reconnect::After(_) => self.lanes.reconnect(shared),
            // Of two connections the one that the transaction used.
            _ => (self.lanes.connection(self.lanes.current)).reconnect(shared),
        }
    }

    /// A call must wait until there is a new connection.
    #[cold]
    pub(super) fn hold(&mut self, request: Request, shared: &mut Shared) -> ConnectionEvent {
        let exchange = &shared.exchange;
        self.held = Some(Box::new(Held {
            request,
            parameters: exchange.parameters.take(),
            sql: exchange.sql.take(),
        }));
        self.reconnecting = true;
        (self.lanes.connection(self.lanes.current)).reconnect(shared);
        ConnectionEvent::Nothing
    }

    /// The new connection is there.
    #[cold]
    pub(super) fn send_held(&mut self, held: Held, shared: &mut Shared) -> ConnectionEvent {
        shared.exchange.parameters.replace(held.parameters);
        shared.exchange.sql.replace(held.sql);
        self.send_now(held.request, shared)
    }
}
