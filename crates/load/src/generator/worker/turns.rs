//! What a connection does between transactions: takes a start, begins an attempt, pauses, goes on.

use super::{Attempt, IDLE_IN_A_ROW, IDLE_NS, Pause, State, Worker};
use crate::generator::connection::ConnectionEvent;
use crate::generator::connection_pair::token;
use crate::generator::shared::Shared;
use crate::record::Outcome;
use crate::schedule::Start;
use std::rc::Rc;
use std::time::Duration;
use workloads::Pauses;

impl Worker {
    /// After a pause: the turn that was kept, or a new one.
    pub(super) fn go_on(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.doing = State::Waiting;
        match self.turn {
            Some(_) => self.launch(shared),
            None => self.start(shared),
        }
    }

    /// Takes a turn when the schedule has one.
    #[inline]
    pub(super) fn start(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.doing = State::Waiting;
        let may = shared.started && shared.may_work && !shared.stopping && !self.finished;
        if self.client.number >= shared.active {
            self.park(shared);
            return ConnectionEvent::Nothing;
        }
        // No transaction starts while no server is connected.
        if !may || !self.lanes.has_usable() {
            return ConnectionEvent::Nothing;
        }
        match shared.schedule.ask(self.client.number, shared.now) {
            Some(start) => self.begin(start, 0, shared),
            None => ConnectionEvent::Nothing,
        }
    }

    /// Uses a start: picks the transaction, and begins it after its keying time. `late_ns`: how late this
    /// program came to it.
    #[inline]
    pub(super) fn begin(
        &mut self,
        start: Start,
        late_ns: u64,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        shared.exchange.set_now(shared.now);
        let Some(which) = shared.workload.pick(&self.client) else {
            self.finished = true;
            self.hand_back(start, shared);
            return ConnectionEvent::Nothing;
        };
        let writes = shared.workload.transactions()[which].writes;
        self.lanes.choose(writes, shared);
        self.turn = Some(Attempt {
            which,
            counted: start.counted,
            started: start.intended,
            attempts: 0,
            late_ns,
            waited_ns: 0,
            rng: self.client.rng().clone(),
        });
        let pauses = match shared.keep_pauses {
            true => shared.workload.pauses(which, &self.client),
            false => Pauses::default(),
        };
        self.after_ns = nanoseconds(pauses.after);
        match nanoseconds(pauses.before) {
            0 => self.launch(shared),
            before => self.rest(before, Pause::Planned, shared),
        }
    }

    /// Begins an attempt at the turn's transaction, now or as soon as its connection is usable.
    #[inline]
    pub(super) fn launch(&mut self, shared: &mut Shared) -> ConnectionEvent {
        let Some(turn) = &mut self.turn else {
            return ConnectionEvent::Nothing;
        };
        // Its keying time has lasted until its load's window was over.
        let too_late = turn.attempts == 0 && !shared.may_work;
        if shared.stopping || too_late {
            return self.give_up(shared);
        }
        self.doing = State::Ready;
        if !self.lanes.connection(self.lanes.current).is_idle() {
            return ConnectionEvent::Nothing;
        }
        if turn.attempts == 0 {
            turn.started.get_or_insert(shared.now);
            if turn.counted {
                shared.work.started(shared.now);
            }
            turn.waited_ns = shared.waits.until(shared.now);
        } else {
            self.client.rng().clone_from(&turn.rng);
        }
        turn.attempts += 1;
        self.doing = State::Running;
        self.launched_ns = shared.now;
        self.open = false;
        self.asked = false;
        self.reconnecting = false;
        self.waits_until = None;
        self.held = None;
        self.running = Some(Rc::clone(&shared.workload).run(turn.which, Rc::clone(&self.client)));
        self.poll(shared)
    }

    /// The run ends before the turn's next attempt.
    pub(super) fn give_up(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.doing = State::Waiting;
        match self.turn.take() {
            Some(turn) if turn.attempts > 0 => {
                let (now, which) = (shared.now, turn.which);
                let (started, outcome) = (turn.started.unwrap_or(now), Outcome::Failed);
                shared
                    .recorder
                    .transaction((started, now), which, outcome, 0);
            }
            // It never began.
            Some(turn) => {
                let start = Start {
                    intended: turn.started,
                    counted: turn.counted,
                };
                self.hand_back(start, shared);
            }
            None => {}
        }
        ConnectionEvent::Nothing
    }

    /// Nothing is open any more: pause, retry, reconnect, or take the next turn.
    #[inline]
    pub(super) fn after_rollback(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.open = false;
        let back_off = match std::mem::take(&mut self.pause) {
            true => shared.timing.backoff_ns,
            false => 0,
        };
        let planned = match &self.turn {
            Some(_) => 0,
            None => self.after_ns + self.think(shared),
        };
        if self.turn.is_none() {
            self.end_session(shared);
        }
        if back_off > planned {
            return self.rest(back_off, Pause::BackOff, shared);
        }
        if planned > 0 {
            return self.rest(planned, Pause::Planned, shared);
        }
        match (&self.turn, self.asked) {
            (Some(_), _) => self.launch(shared),
            (None, true) => self.start(shared),
            // Transactions that ask nothing of the server must not keep the loop busy for ever.
            (None, false) => {
                self.idle = self.idle % IDLE_IN_A_ROW + 1;
                // What asks nothing may still take its time.
                let took = shared.now.saturating_sub(self.launched_ns);
                match self.idle < IDLE_IN_A_ROW && took < IDLE_NS {
                    true => ConnectionEvent::Idle,
                    false => self.rest(1, Pause::BackOff, shared),
                }
            }
        }
    }

    /// The schedule gets a start back.
    fn hand_back(&self, start: Start, shared: &mut Shared) {
        shared.start_returned |= shared.schedule.give_back(self.client.number, start);
    }

    /// The pause of a user who looks at a result.
    #[inline]
    pub(super) fn think(&mut self, shared: &Shared) -> u64 {
        match (&mut self.thinking, shared.think) {
            (Some(rng), Some(think)) => nanoseconds(think.next(rng)),
            _ => 0,
        }
    }

    /// Does nothing for a while.
    pub(super) fn rest(
        &mut self,
        pause_ns: u64,
        why: Pause,
        shared: &mut Shared,
    ) -> ConnectionEvent {
        let until = shared.now + pause_ns;
        self.doing = State::Pausing { until, why };
        let token = token(self.client.number, self.lanes.current);
        shared.timers.set(until, token);
        ConnectionEvent::Nothing
    }
}

#[inline]
pub(super) fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}
