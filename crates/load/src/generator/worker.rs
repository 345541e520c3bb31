//! One connection of the workload: runs transactions one after the other and gives each an outcome.
//!
//! ```text
//!            the schedule: start ───────────────┐
//!                                               v
//!   Waiting ──asks the schedule──> (free) ──> Ready ──connection usable──> Running ──complete──> Pausing ──> Waiting
//!      ^                                        ^  ^                  │    │               (think time, if any)
//!      │                                        │  └── keying time ──┐│    └─refused, or left open─> RollingBack
//!      │ no server, parked                      │ retry             Pausing                            │
//!      └────────────────────────────────────────┴──────────────────────────────────────────────────────┘
//!            connection lost: a retry is Ready, else Waiting        an error that would repeat: Pausing
//! ```
//!
//! In a closed loop the schedule says yes at once. In an open loop it remembers that this connection is free and
//! names it when an arrival has come; a connection without a usable server is not free. Where the number of
//! connections falls, those beyond it end their transaction, leave their server and are parked.
//!
//! The transaction itself is an async function of the workload; this is the executor that polls it, with one
//! call at a time. A retry repeats the transaction with the same random numbers, thus the same statements, and
//! its response time counts from the first attempt's start, or the intended one.

mod account;
mod calls;
mod connection_pair;
mod load;
mod reconnect;
mod retry;
mod sessions;
mod state;
mod turns;

pub use connection_pair::ConnectionPair;
pub use load::{Lateness, Load, Policy, Turns};
pub use reconnect::Reconnect;
pub use retry::Retry;

use super::connection::ConnectionEvent;
use super::endpoints::Role;
use crate::record::Source;
use crate::schedule::Start;
use base::rng::Rng;
use base::sys;
use reconnect::Lasting;
use sql_wire::{Class, Effect, Failure, Reply};
use state::{Attempt, Call, Held, Pause, State};
use std::rc::Rc;
use workloads::client::Client;
use workloads::{End, LeftOpen, Running};

pub struct Worker {
    pub lanes: ConnectionPair,
    client: Rc<Client>,
    doing: State,
    turn: Option<Attempt>,
    running: Option<Running>,
    call: Call,
    /// BEGIN was answered.
    open: bool,
    /// The failure behind a rollback makes it wise to pause after it.
    pause: bool,
    /// Transactions since the connection was made.
    on_connection: u32,
    /// The pause after the transaction.
    after_ns: u64,
    /// The attempt under way has sent a call.
    asked: bool,
    /// Transactions in a row that asked nothing of the server.
    idle: u32,
    /// When the attempt under way began.
    launched_ns: u64,
    /// The transaction waits for a new connection.
    reconnecting: bool,
    /// The transaction sends nothing before this moment.
    waits_until: Option<u64>,
    /// Its call, if it is not the transaction's own wish.
    held: Option<Box<Held>>,
    /// How long the session lasts.
    lasting: Lasting,
    /// The workload has nothing left for this client.
    finished: bool,
    /// It has had a usable connection.
    connected: bool,
    /// A transaction of it has ended as it should.
    served: bool,
    /// A transaction of it has failed for another reason than its workload's own conflicts.
    failed: bool,
    /// Where think times come from, if there are any.
    thinking: Option<Box<Rng>>,
}

impl Worker {
    pub fn new(
        lanes: ConnectionPair,
        client: Rc<Client>,
        thinking: Option<Rng>,
        lasting: Lasting,
    ) -> Worker {
        Worker {
            lanes,
            client,
            thinking: thinking.map(Box::new),
            doing: State::Waiting,
            turn: None,
            running: None,
            call: Call {
                effect: Effect::Read,
                id: None,
                keep_rows: false,
                open: false,
            },
            open: false,
            pause: false,
            on_connection: 0,
            after_ns: 0,
            asked: false,
            idle: 0,
            launched_ns: 0,
            reconnecting: false,
            waits_until: None,
            held: None,
            lasting,
            finished: false,
            connected: false,
            served: false,
            failed: false,
        }
    }

    /// Its tries to connect have failed, or one of its transactions has, and none has ended as it should.
    pub fn is_without_success(&self) -> bool {
        !self.served && (self.failed || (!self.connected && self.lanes.has_failed()))
    }

    /// No call is under way, nor a transaction's wish for a new connection or a pause.
    pub fn is_resting(&self) -> bool {
        !self.lanes.is_busy() && !self.reconnecting && self.waits_until.is_none()
    }

    /// No transaction is under way, nor is one about to be.
    pub fn is_done(&self) -> bool {
        self.turn.is_none() && !self.lanes.is_busy()
    }

    /// Its workload is used up.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    pub fn on_ready(&mut self, role: Role, load: &mut Load) {
        let event = self.lanes.connection(role).on_ready(&mut load.shared);
        self.handle(role, event, load);
    }

    /// A moment has come that this worker or its connection asked for; it may be stale.
    pub fn on_timer(&mut self, role: Role, load: &mut Load) {
        if let State::Pausing { until, why } = self.doing
            && load.now() >= until
        {
            if why == Pause::Planned {
                load.lateness.lag.record(load.now() - until);
            }
            let event = self.go_on(load);
            self.handle(self.lanes.current, event, load);
        }
        if self.waits_until.is_some_and(|until| load.now() >= until) {
            let event = self.end_pause_within(load);
            self.handle(self.lanes.current, event, load);
        }
        let event = self.lanes.connection(role).on_watch(&mut load.shared);
        self.handle(role, event, load);
    }

    /// The schedule has a start for this worker, which was free.
    pub fn on_turn(&mut self, start: Start, load: &mut Load) {
        let late_ns = (start.intended).map_or(0, |intended| load.now().saturating_sub(intended));
        if start.intended.is_some() {
            load.lateness.lag.record(late_ns);
        }
        let event = self.begin(start, late_ns, load);
        self.handle(self.lanes.current, event, load);
    }

    /// This worker is one of the run's connections from now on, so it looks for a server.
    pub fn wake(&mut self, load: &mut Load) {
        self.lanes.come_back();
        self.on_watch(load);
    }

    /// The number of connections has fallen: leaves its server, unless a transaction is under way.
    pub fn park(&mut self, load: &mut Load) {
        if self.turn.is_some() || self.lanes.is_busy() {
            return;
        }
        self.doing = State::Waiting;
        load.turns.schedule.leave(self.client.number);
        self.lanes.leave(&mut load.shared);
    }

    pub fn on_watch(&mut self, load: &mut Load) {
        for role in self.lanes.roles() {
            let event = self.lanes.connection(role).on_watch(&mut load.shared);
            self.handle(role, event, load);
        }
    }

    /// t = 0: connections that became usable before it start now.
    pub fn on_start(&mut self, load: &mut Load) {
        if self.doing != State::Waiting {
            return;
        }
        let event = match (&mut self.thinking, load.policy.think) {
            (Some(rng), Some(think)) => {
                let pause = think.first(rng).as_nanos() as u64;
                self.rest(pause, Pause::Planned, load)
            }
            _ => self.start(load),
        };
        self.handle(self.lanes.current, event, load);
    }

    /// The run is over; what is still under way failed or is in doubt.
    pub fn close(&mut self, failure: &Failure, load: &mut Load) {
        // That the run ends first says nothing of the server.
        let failed = self.failed;
        for role in self.lanes.roles() {
            let event = self.lanes.connection(role).close(failure.clone());
            self.handle(role, event, load);
        }
        // The outcome of a paused transaction is unknown.
        if self.waits_until.is_some() {
            self.turn = None;
        }
        self.give_up(load);
        self.failed = failed;
    }

    #[inline]
    fn handle(&mut self, mut role: Role, first: ConnectionEvent, load: &mut Load) {
        let mut event = first;
        loop {
            event = match event {
                ConnectionEvent::Nothing => return,
                ConnectionEvent::Idle => {
                    load.shared.clock.now = sys::monotonic_ns();
                    self.start(load)
                }
                ConnectionEvent::Usable => self.on_usable(role, load),
                ConnectionEvent::Done(reply) => self.on_done(reply, load),
                ConnectionEvent::Refused(failure) => self.on_refused(failure, load),
                ConnectionEvent::Lost(failure) => {
                    self.on_lost(role, &failure, load);
                    return;
                }
            };
            role = self.lanes.current;
        }
    }

    fn on_usable(&mut self, role: Role, load: &mut Load) -> ConnectionEvent {
        self.connected = true;
        match self.doing {
            State::Waiting => self.start(load),
            State::Ready if role == self.lanes.current => self.launch(load),
            State::Running if self.reconnecting && role == self.lanes.current => {
                self.reconnecting = false;
                self.open = false;
                if let Some(held) = self.held.take() {
                    return self.send_held(*held, load);
                }
                load.exchange.answer(Ok(Reply::default()));
                self.poll(load)
            }
            _ => ConnectionEvent::Nothing,
        }
    }

    /// The transaction's function returned.
    #[inline]
    fn complete(&mut self, result: Result<End, Failure>, load: &mut Load) -> ConnectionEvent {
        // What the transaction did by itself after its last answer has taken its time, too.
        if !self.asked || sys::coarse_ns() > load.now() {
            load.shared.clock.now = sys::monotonic_ns();
        }
        let left_open = match (&result, &self.turn) {
            (Ok(_), Some(turn)) if self.open => load.workload.left_open(turn.which, &self.client),
            _ => LeftOpen::RolledBack,
        };
        let (result, kept) = match left_open {
            LeftOpen::Refused(message) => (Err(self.client.stop_run(message)), false),
            LeftOpen::Kept => (result, true),
            // What is rolled back has not been done.
            LeftOpen::RolledBack
                if self.open
                    && matches!(result, Ok(End::Committed))
                    && self.writes(load.workload.as_ref()) =>
            {
                (Err(still_open()), false)
            }
            LeftOpen::RolledBack => (result, false),
        };
        match result {
            Ok(end) => {
                self.record_end(end, load);
                self.turn = None;
                self.on_connection += 1;
            }
            Err(failure) => {
                self.settle(&failure, load);
                self.pause = failure.class.repeats();
            }
        }
        if kept {
            return self.after_end(load);
        }
        if self.open {
            self.doing = State::RollingBack;
            let connection = self.lanes.connection(self.lanes.current);
            return connection.query("ROLLBACK", Effect::Rollback, false, &mut load.shared);
        }
        self.after_rollback(load)
    }

    /// The server refused a statement but the session goes on: the transaction hears of it and decides.
    #[cold]
    fn on_refused(&mut self, failure: Failure, load: &mut Load) -> ConnectionEvent {
        if self.doing == State::RollingBack {
            load.shared
                .recorder
                .failure(load.now(), Source::Load, &failure);
            // What cannot be rolled back, as a transaction of XA, ends with its session.
            (self.lanes.connection(self.lanes.current)).reconnect(&mut load.shared);
            return self.after_rollback(load);
        }
        load.exchange.answer(Err(failure));
        self.poll(load)
    }

    #[cold]
    fn on_lost(&mut self, role: Role, failure: &Failure, load: &mut Load) {
        let under_way = matches!(self.doing, State::Running | State::RollingBack);
        if !under_way || role != self.lanes.current {
            load.shared
                .recorder
                .failure(load.now(), Source::Load, failure);
            if !self.lanes.has_usable() {
                load.turns.schedule.leave(self.client.number);
            }
            return;
        }
        self.running = None;
        self.waits_until = None;
        if self.doing == State::Running {
            self.settle(failure, load);
        } else {
            load.shared
                .recorder
                .failure(load.now(), Source::Load, failure);
        }
        self.open = false;
        self.pause = false;
        self.on_connection = 0;
        self.doing = match self.turn {
            Some(_) => State::Ready,
            None => State::Waiting,
        };
        // A user thinks after a failure as well.
        let pause = self.think(&load.policy);
        if self.turn.is_none() && pause > 0 {
            self.rest(pause, Pause::Planned, load);
        }
    }
}

/// The failure of a transaction whose last statement should have committed it.
#[cold]
fn still_open() -> Failure {
    let message = "the session was still within a transaction after the last statement, so it was rolled back (the \
                   server's init_connect may begin one)";
    Failure::new(Class::Other, "left_open", message)
}
