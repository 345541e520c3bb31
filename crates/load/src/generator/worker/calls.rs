//! The calls of a transaction: what it asks for is sent, and what is answered lets it go on.

use super::{Call, State, Worker};
use crate::generator::connection::ConnectionEvent;
use crate::generator::connection_pair::token;
use crate::generator::reconnect::Lasting;
use crate::generator::shared::Shared;
use sql_wire::{Class, Effect, Failure, Reply};
use std::task::{Context, Poll, Waker};
use workloads::client::{Note, Request};

impl Worker {
    /// Lets the transaction go on to its next call or its end.
    #[inline]
    pub(super) fn poll(&mut self, shared: &mut Shared) -> ConnectionEvent {
        shared.exchange.set_now(shared.now);
        let Some(running) = &mut self.running else {
            return ConnectionEvent::Nothing;
        };
        let progress = running
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        match (progress, shared.exchange.take_request()) {
            (Poll::Ready(result), _) => {
                self.running = None;
                self.complete(result, shared)
            }
            (Poll::Pending, Some(request)) => self.send(request, shared),
            (Poll::Pending, None) => {
                let failure = Failure::new(
                    Class::Other,
                    "workload",
                    "awaits something else than a call",
                );
                self.running = None;
                self.complete(Err(failure), shared)
            }
        }
    }

    #[inline]
    fn send(&mut self, request: Request, shared: &mut Shared) -> ConnectionEvent {
        match request {
            Request::Pause(nanoseconds) => return self.pause_within(nanoseconds, shared),
            Request::Note(note) => return self.note(note, shared),
            _ if self.lasting == Lasting::Query && self.asked && !self.open => {}
            _ => return self.send_now(request, shared),
        }
        self.hold(request, shared)
    }

    #[cold]
    fn note(&mut self, note: Note, shared: &mut Shared) -> ConnectionEvent {
        match note {
            Note::KeepSetting => self.lanes.keep_setting(&shared.exchange.sql.borrow()),
            Note::ForgetSettings => self.lanes.forget_settings(),
            Note::SetUp => {
                self.lanes.renew_others(shared);
                let turn = self.turn.as_mut();
                if let Some(turn) = turn.filter(|_| !shared.schedule.is_open()) {
                    turn.started = Some(shared.now);
                }
            }
        }
        shared.exchange.answer(Ok(Reply::default()));
        self.poll(shared)
    }

    #[inline]
    pub(super) fn send_now(&mut self, request: Request, shared: &mut Shared) -> ConnectionEvent {
        self.asked = true;
        let connection = self.lanes.connection(self.lanes.current);
        let open = match connection.standing() {
            Some(standing) => standing.holds_changes(),
            None => self.open,
        };
        match request {
            Request::Execute { id, keep_rows } => {
                let effect = shared.exchange.statements.borrow()[id].effect;
                let id = Some(id);
                self.call = Call {
                    effect,
                    id,
                    keep_rows,
                    open,
                };
                connection.execute_step(self.call.id.unwrap_or_default(), keep_rows, shared)
            }
            Request::Reconnect => {
                self.reconnecting = true;
                connection.reconnect(shared);
                ConnectionEvent::Nothing
            }
            Request::Pause(_) | Request::Note(_) => self.send(request, shared),
            Request::Text {
                effect,
                keep_rows,
                counted: id,
            } => {
                self.call = Call {
                    effect,
                    id,
                    keep_rows,
                    open,
                };
                connection.query_step(effect, keep_rows, shared)
            }
        }
    }

    /// The transaction waits, with nothing at stake that is under way.
    fn pause_within(&mut self, nanoseconds: u64, shared: &mut Shared) -> ConnectionEvent {
        let until = shared.now.saturating_add(nanoseconds);
        self.waits_until = Some(until);
        self.call = Call {
            effect: Effect::Read,
            ..self.call
        };
        shared
            .timers
            .set(until, token(self.client.number, self.lanes.current));
        ConnectionEvent::Nothing
    }

    /// The pause within the transaction is over.
    pub(super) fn end_pause_within(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.waits_until = None;
        shared.exchange.answer(Ok(Reply::default()));
        self.poll(shared)
    }

    #[inline]
    pub(super) fn on_done(&mut self, reply: Reply, shared: &mut Shared) -> ConnectionEvent {
        if self.doing == State::RollingBack {
            shared.recorder.rollback(shared.now);
            return self.after_rollback(shared);
        }
        self.count(shared);
        if self.call.keep_rows {
            let connection = self.lanes.connection(self.lanes.current);
            std::mem::swap(connection.rows(), &mut shared.exchange.rows.borrow_mut());
        }
        shared.exchange.answer(Ok(reply));
        self.poll(shared)
    }
}
