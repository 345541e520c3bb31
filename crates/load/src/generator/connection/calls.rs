//! What a connection is asked to do.

use super::Connection;
use super::state::{ConnectionEvent, State};
use crate::generator::shared::Shared;
use sql_wire::{Effect, Parameters, Rows, Statement};
use workloads::client::Exchange;

impl Connection {
    /// Executes a statement. The connection must be idle.
    #[inline]
    pub fn execute(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
        keep_rows: bool,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        self.session
            .execute(id, statement, parameters, keep_rows, &mut self.out);
        self.send_call(shared)
    }

    /// The same for a statement of a workload, with the parameters of its exchange.
    #[inline]
    pub fn execute_step(
        &mut self,
        exchange: &Exchange,
        id: usize,
        keep_rows: bool,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        let (parameters, statements) = (exchange.parameters.borrow(), exchange.statements.borrow());
        self.execute(id, &statements[id], &parameters, keep_rows, shared)
    }

    /// Sends text SQL. The connection must be idle.
    pub fn query(
        &mut self,
        sql: impl AsRef<[u8]>,
        effect: Effect,
        keep_rows: bool,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        (self.session).text(sql.as_ref(), effect, keep_rows, &mut self.out);
        self.send_call(shared)
    }

    /// The rows of the last reply, if they were to be kept.
    pub fn rows(&mut self) -> &mut Rows {
        self.session.rows()
    }

    #[inline]
    pub(super) fn send_call(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.state = State::Busy;
        self.deadline = self.until(shared.clock.now, shared.sockets.timing.answer_ns);
        match self.flush(shared) {
            Ok(()) => ConnectionEvent::Nothing,
            Err(failure) => self.fail(failure, shared),
        }
    }
}
