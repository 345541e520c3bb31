//! Where a session ends before the load does: between transactions, and between statements that stand alone.

use super::Worker;
use super::load::Load;
use super::reconnect::Reconnect;
use super::state::{Held, State};
use crate::generator::connection::ConnectionEvent;
use workloads::client::Request;

impl Worker {
    /// Between two transactions: leaves the server where that is wanted. Not at the end of the load.
    #[inline]
    pub(super) fn end_session(&mut self, load: &mut Load) {
        let next = load.policy.reconnect.lasting(&mut load.shared.rng);
        let before = std::mem::replace(&mut self.lasting, next);
        let ends = (load.policy.reconnect).ends(before, next, self.on_connection);
        if !ends
            || load.shared.clock.stopping
            || load.turns.schedule.is_exhausted_for(self.client.number)
        {
            return;
        }
        self.on_connection = 0;
        self.open = false;
        self.doing = State::Waiting;
        match load.policy.reconnect {
            Reconnect::After(_) => self.lanes.reconnect(&mut load.shared),
            // Of two connections the one that the transaction used.
            _ => (self.lanes.connection(self.lanes.current)).reconnect(&mut load.shared),
        }
    }

    /// A call must wait until there is a new connection.
    #[cold]
    pub(super) fn hold(&mut self, request: Request, load: &mut Load) -> ConnectionEvent {
        let exchange = &load.exchange;
        self.held = Some(Box::new(Held {
            request,
            parameters: exchange.parameters.take(),
            sql: exchange.sql.take(),
        }));
        self.reconnecting = true;
        (self.lanes.connection(self.lanes.current)).reconnect(&mut load.shared);
        ConnectionEvent::Nothing
    }

    /// The new connection is there.
    #[cold]
    pub(super) fn send_held(&mut self, held: Held, load: &mut Load) -> ConnectionEvent {
        load.exchange.parameters.replace(held.parameters);
        load.exchange.sql.replace(held.sql);
        self.send_now(held.request, load)
    }
}
