//! One connection of a side workload: polls one transaction at a time, as a worker does, without its policy.

use crate::generator::alongside::pace::RETRY_NS;
use crate::generator::connection::{Connection, ConnectionEvent};
use crate::generator::shared::Shared;
use crate::record::{Outcome, Source, WriteCounts};
use base::sys;
use sql_wire::{Class, Effect, Failure, Reply};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use workloads::client::{Client, Exchange, Request};
use workloads::{End, Running, Workload};

enum State {
    Nothing,
    Running(Running),
    /// Undoes what a failed transaction has left open.
    RollingBack,
}

pub struct Runner {
    connection: Connection,
    client: Rc<Client>,
    exchange: Rc<Exchange>,
    workload: Rc<dyn Workload>,
    doing: State,
    /// The effect of the call under way, and whether its rows are wanted.
    call: (Effect, bool),
    /// BEGIN was answered.
    open: bool,
    started: u64,
    /// After a failure: do not wait for the next turn.
    retry_at: Option<u64>,
    pub counts: WriteCounts,
}

impl Runner {
    pub fn new(
        connection: Connection,
        client: Rc<Client>,
        exchange: Rc<Exchange>,
        workload: Rc<dyn Workload>,
    ) -> Runner {
        Runner {
            connection,
            client,
            exchange,
            workload,
            doing: State::Nothing,
            call: (Effect::Read, false),
            open: false,
            started: 0,
            retry_at: None,
            counts: WriteCounts::default(),
        }
    }

    pub fn is_resting(&self) -> bool {
        !self.connection.is_busy()
    }

    pub fn is_usable(&self) -> bool {
        self.connection.is_usable()
    }

    /// A turn may begin now.
    pub fn is_free(&self) -> bool {
        matches!(self.doing, State::Nothing) && self.connection.is_idle()
    }

    pub fn on_turn(&mut self, shared: &mut Shared) {
        if !shared.clock.started || shared.clock.stopping || !self.is_free() {
            return;
        }
        self.retry_at = None;
        let now = sys::monotonic_ns();
        shared.clock.now = now;
        self.started = now;
        self.exchange.set_now(now);
        let Some(which) = self.workload.pick(&self.client) else {
            return;
        };
        let running = Rc::clone(&self.workload).run(which, Rc::clone(&self.client));
        self.doing = State::Running(running);
        self.poll(shared);
    }

    pub fn on_ready(&mut self, shared: &mut Shared) {
        let event = self.connection.on_ready(shared);
        self.handle(event, shared);
    }

    pub fn on_watch(&mut self, shared: &mut Shared) {
        let event = self.connection.on_watch(shared);
        self.handle(event, shared);
        if self.retry_at.is_some_and(|at| shared.clock.now >= at) {
            self.on_turn(shared);
        }
    }

    pub fn close(&mut self, failure: &Failure, shared: &mut Shared) {
        let event = self.connection.close(failure.clone());
        self.handle(event, shared);
    }

    fn handle(&mut self, event: ConnectionEvent, shared: &mut Shared) {
        match event {
            ConnectionEvent::Nothing | ConnectionEvent::Idle => {}
            ConnectionEvent::Usable if self.retry_at.is_some() => self.on_turn(shared),
            ConnectionEvent::Usable => {}
            ConnectionEvent::Done(reply) => self.on_done(reply, shared),
            ConnectionEvent::Refused(failure) => match self.doing {
                State::Running(_) => {
                    self.exchange.answer(Err(failure));
                    self.poll(shared);
                }
                _ => self.rest(),
            },
            ConnectionEvent::Lost(failure) => self.on_lost(&failure, shared),
        }
    }

    fn on_done(&mut self, reply: Reply, shared: &mut Shared) {
        if !matches!(self.doing, State::Running(_)) {
            return self.rest();
        }
        let (effect, keep_rows) = self.call;
        let path = effect.path(self.open, shared.sessions.kind);
        self.open = match self.connection.standing() {
            Some(standing) => standing.open,
            None => path.open,
        };
        if keep_rows {
            std::mem::swap(self.connection.rows(), &mut self.exchange.rows.borrow_mut());
        }
        self.exchange.answer(Ok(reply));
        self.poll(shared);
    }

    /// Lets the transaction go on until its next call, or its end.
    fn poll(&mut self, shared: &mut Shared) {
        let State::Running(running) = &mut self.doing else {
            return;
        };
        self.exchange.set_now(shared.clock.now);
        let context = &mut Context::from_waker(Waker::noop());
        let event = match (running.as_mut().poll(context), self.exchange.take_request()) {
            (Poll::Ready(result), _) => return self.complete(result, shared),
            (Poll::Pending, Some(Request::Execute { id, keep_rows })) => {
                let effect = self.exchange.statements.borrow()[id].effect;
                self.call = (effect, keep_rows);
                self.connection
                    .execute_step(&self.exchange, id, keep_rows, shared)
            }
            (Poll::Pending, _) => {
                let message = "calls something other than its own statements";
                let failure = Failure::new(Class::Other, "workload", message);
                return self.complete(Err(failure), shared);
            }
        };
        self.handle(event, shared);
    }

    fn complete(&mut self, result: Result<End, Failure>, shared: &mut Shared) {
        match result {
            Ok(End::Committed) => self.record(Outcome::Ok, shared),
            Ok(End::Expected(_)) => self.record(Outcome::Failed, shared),
            Err(failure) => self.fail(&failure, shared),
        }
        if !self.open {
            return self.rest();
        }
        self.doing = State::RollingBack;
        let event = self
            .connection
            .query("ROLLBACK", Effect::Rollback, false, shared);
        self.handle(event, shared);
    }

    fn on_lost(&mut self, failure: &Failure, shared: &mut Shared) {
        match self.doing {
            State::Running(_) => self.fail(failure, shared),
            _ => shared
                .recorder
                .failure(shared.clock.now, Source::Ledger, failure),
        }
        self.rest();
    }

    fn rest(&mut self) {
        self.doing = State::Nothing;
        self.open = false;
    }

    fn fail(&mut self, failure: &Failure, shared: &mut Shared) {
        let now = shared.clock.now;
        shared.recorder.failure(now, Source::Ledger, failure);
        self.retry_at = Some(now + RETRY_NS);
        // A write without a transaction commits by itself.
        let path = self.call.0.path(self.open, shared.sessions.kind);
        let outcome = match path.lasts_after {
            Some(_) => Outcome::of_sent_write(failure),
            None => Outcome::Failed,
        };
        self.record(outcome, shared);
    }

    fn record(&mut self, outcome: Outcome, shared: &mut Shared) {
        self.counts.add(outcome);
        let operations = &mut self.client.operations();
        let times = (self.started, shared.clock.now);
        let recorder = &mut shared.recorder;
        recorder.history(self.client.number, operations, times, outcome);
    }
}
