//! The calls of a transaction: what it asks for is sent, and what is answered lets it go on.

use super::Worker;
use super::load::Load;
use super::reconnect::Lasting;
use super::state::{Call, State};
use crate::generator::connection::ConnectionEvent;
use crate::generator::shared::token;
use sql_wire::{Class, Effect, Failure, Reply};
use std::task::{Context, Poll, Waker};
use workloads::client::{Note, Request};

impl Worker {
    /// Lets the transaction go on to its next call or its end.
    #[inline]
    pub(super) fn poll(&mut self, load: &mut Load) -> ConnectionEvent {
        load.exchange.set_now(load.now());
        let Some(running) = &mut self.running else {
            return ConnectionEvent::Nothing;
        };
        let progress = running
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        match (progress, load.exchange.take_request()) {
            (Poll::Ready(result), _) => {
                self.running = None;
                self.complete(result, load)
            }
            (Poll::Pending, Some(request)) => self.send(request, load),
            (Poll::Pending, None) => {
                let failure = Failure::new(
                    Class::Other,
                    "workload",
                    "awaits something else than a call",
                );
                self.running = None;
                self.complete(Err(failure), load)
            }
        }
    }

    #[inline]
    fn send(&mut self, request: Request, load: &mut Load) -> ConnectionEvent {
        match request {
            Request::Pause(nanoseconds) => return self.pause_within(nanoseconds, load),
            Request::Note(note) => return self.note(note, load),
            _ if self.lasting == Lasting::Query && self.asked && !self.open => {}
            _ => return self.send_now(request, load),
        }
        self.hold(request, load)
    }

    #[cold]
    fn note(&mut self, note: Note, load: &mut Load) -> ConnectionEvent {
        match note {
            Note::KeepSetting => {
                let sql = load.exchange.sql.borrow();
                self.lanes.keep_setting(&String::from_utf8_lossy(&sql));
            }
            Note::ForgetSettings => self.lanes.forget_settings(),
            Note::SetUp => {
                self.lanes.renew_others(&mut load.shared);
                let turn = self.turn.as_mut();
                if let Some(turn) = turn.filter(|_| !load.turns.schedule.is_open()) {
                    turn.started = Some(load.now());
                }
            }
        }
        load.exchange.answer(Ok(Reply::default()));
        self.poll(load)
    }

    #[inline]
    pub(super) fn send_now(&mut self, request: Request, load: &mut Load) -> ConnectionEvent {
        self.asked = true;
        let connection = self.lanes.connection(self.lanes.current);
        let open = match connection.standing() {
            Some(standing) => standing.holds_changes(),
            None => self.open,
        };
        match request {
            Request::Execute { id, keep_rows } => {
                let effect = load.exchange.statements.borrow()[id].effect;
                let id = Some(id);
                self.call = Call {
                    effect,
                    id,
                    keep_rows,
                    open,
                };
                connection.execute_step(
                    &load.exchange,
                    self.call.id.unwrap_or_default(),
                    keep_rows,
                    &mut load.shared,
                )
            }
            Request::Reconnect => {
                self.reconnecting = true;
                connection.reconnect(&mut load.shared);
                ConnectionEvent::Nothing
            }
            Request::Pause(_) | Request::Note(_) => self.send(request, load),
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
                connection.query(
                    &*load.exchange.sql.borrow(),
                    effect,
                    keep_rows,
                    &mut load.shared,
                )
            }
        }
    }

    /// The transaction waits, with nothing at stake that is under way.
    fn pause_within(&mut self, nanoseconds: u64, load: &mut Load) -> ConnectionEvent {
        let until = load.now().saturating_add(nanoseconds);
        self.waits_until = Some(until);
        self.call = Call {
            effect: Effect::Read,
            ..self.call
        };
        load.shared
            .timers
            .set(until, token(self.client.number, self.lanes.current));
        ConnectionEvent::Nothing
    }

    /// The pause within the transaction is over.
    pub(super) fn end_pause_within(&mut self, load: &mut Load) -> ConnectionEvent {
        self.waits_until = None;
        load.exchange.answer(Ok(Reply::default()));
        self.poll(load)
    }

    #[inline]
    pub(super) fn on_done(&mut self, reply: Reply, load: &mut Load) -> ConnectionEvent {
        if self.doing == State::RollingBack {
            load.shared.recorder.rollback(load.now());
            return self.after_rollback(load);
        }
        self.count(load);
        if self.call.keep_rows {
            let connection = self.lanes.connection(self.lanes.current);
            std::mem::swap(connection.rows(), &mut load.exchange.rows.borrow_mut());
        }
        load.exchange.answer(Ok(reply));
        self.poll(load)
    }
}
