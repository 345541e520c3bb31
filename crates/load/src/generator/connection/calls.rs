//! What a connection is asked to do.

use super::{Connection, ConnectionEvent, State};
use crate::generator::shared::Shared;
use sql_wire::{Effect, Rows, Statement};
use workloads::client::Exchange;

impl Connection {
    /// Executes a statement with the shared parameters. The connection must be idle.
    #[inline]
    pub fn execute(
        &mut self,
        id: usize,
        statement: &Statement,
        keep_rows: bool,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        self.session
            .execute(id, statement, &shared.parameters, keep_rows, &mut self.out);
        self.send_call(shared)
    }

    /// The same for a statement of the workload, with the exchange's parameters.
    #[inline]
    pub fn execute_step(
        &mut self,
        id: usize,
        keep_rows: bool,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        let exchange = &shared.exchange;
        let (parameters, statements) = (exchange.parameters.borrow(), exchange.statements.borrow());
        self.session
            .execute(id, &statements[id], &parameters, keep_rows, &mut self.out);
        drop((parameters, statements));
        self.send_call(shared)
    }

    /// The same for a side workload, which has a separate exchange.
    pub fn execute_of(
        &mut self,
        exchange: &Exchange,
        id: usize,
        keep_rows: bool,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        let (parameters, statements) = (exchange.parameters.borrow(), exchange.statements.borrow());
        self.session
            .execute(id, &statements[id], &parameters, keep_rows, &mut self.out);
        drop((parameters, statements));
        self.send_call(shared)
    }

    /// Sends the exchange's text. The connection must be idle.
    pub fn query_step(
        &mut self,
        effect: Effect,
        keep_rows: bool,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        let sql = shared.exchange.sql.borrow();
        self.session.query(&sql, effect, keep_rows, &mut self.out);
        drop(sql);
        self.send_call(shared)
    }

    /// Sends text SQL. The connection must be idle.
    pub fn query(&mut self, sql: &str, effect: Effect, shared: &mut Shared) -> ConnectionEvent {
        self.session.query(sql, effect, false, &mut self.out);
        self.send_call(shared)
    }

    /// The rows of the last reply, if they were to be kept.
    pub fn rows(&mut self) -> &mut Rows {
        self.session.rows()
    }

    #[inline]
    pub(super) fn send_call(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.state = State::Busy;
        self.deadline = self.until(shared.now, shared.timing.answer_ns);
        match self.flush(shared) {
            Ok(()) => ConnectionEvent::Nothing,
            Err(failure) => self.fail(failure, shared),
        }
    }
}
