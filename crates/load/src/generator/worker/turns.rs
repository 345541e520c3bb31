//! What a connection does between transactions: takes a start, begins an attempt, pauses, goes on.

use super::Worker;
use super::load::{Load, Policy, Turns};
use super::state::{Attempt, Pause, State};
use crate::generator::connection::ConnectionEvent;
use crate::generator::shared::token;
use crate::record::Outcome;
use crate::schedule::Start;
use std::rc::Rc;
use workloads::Pauses;

/// Transactions without a call that run before others get their turn.
const IDLE_IN_A_ROW: u32 = 1000;
/// One that takes this long is the last of them.
const IDLE_NS: u64 = 1_000_000;

impl Worker {
    /// After a pause: the turn that was kept, or a new one.
    pub(super) fn go_on(&mut self, load: &mut Load) -> ConnectionEvent {
        self.doing = State::Waiting;
        match self.turn {
            Some(_) => self.launch(load),
            None => self.start(load),
        }
    }

    /// Takes a turn when the schedule has one.
    #[inline]
    pub(super) fn start(&mut self, load: &mut Load) -> ConnectionEvent {
        self.doing = State::Waiting;
        let may = load.shared.clock.started
            && load.turns.may_work
            && !load.shared.clock.stopping
            && !self.finished;
        if self.client.number >= load.turns.active {
            self.park(load);
            return ConnectionEvent::Nothing;
        }
        // No transaction starts while no server is connected.
        if !may || !self.lanes.has_usable() {
            return ConnectionEvent::Nothing;
        }
        match load.turns.schedule.ask(self.client.number, load.now()) {
            Some(start) => self.begin(start, 0, load),
            None => ConnectionEvent::Nothing,
        }
    }

    /// Uses a start: picks the transaction, and begins it after its keying time. `late_ns`: how late this
    /// program came to it.
    #[inline]
    pub(super) fn begin(&mut self, start: Start, late_ns: u64, load: &mut Load) -> ConnectionEvent {
        load.exchange.set_now(load.now());
        let Some(which) = load.workload.pick(&self.client) else {
            self.finished = true;
            self.hand_back(start, &mut load.turns);
            return ConnectionEvent::Nothing;
        };
        let writes = load.workload.transactions()[which].writes;
        self.lanes
            .choose(writes, load.policy.read_share, &mut load.shared.rng);
        self.turn = Some(Attempt {
            which,
            counted: start.counted,
            started: start.intended,
            attempts: 0,
            late_ns,
            waited_ns: 0,
            rng: self.client.rng().clone(),
        });
        let pauses = match load.policy.keep_pauses {
            true => load.workload.pauses(which, &self.client),
            false => Pauses::default(),
        };
        self.after_ns = pauses.after.as_nanos() as u64;
        match pauses.before.as_nanos() as u64 {
            0 => self.launch(load),
            before => self.rest(before, Pause::Planned, load),
        }
    }

    /// Begins an attempt at the turn's transaction, now or as soon as its connection is usable.
    #[inline]
    pub(super) fn launch(&mut self, load: &mut Load) -> ConnectionEvent {
        let Some(turn) = &mut self.turn else {
            return ConnectionEvent::Nothing;
        };
        // Its keying time has lasted until its load's window was over.
        let too_late = turn.attempts == 0 && !load.turns.may_work;
        if load.shared.clock.stopping || too_late {
            return self.give_up(load);
        }
        self.doing = State::Ready;
        if !self.lanes.connection(self.lanes.current).is_idle() {
            return ConnectionEvent::Nothing;
        }
        if turn.attempts == 0 {
            turn.started.get_or_insert(load.now());
            if turn.counted {
                load.turns.work.started(load.now());
            }
            turn.waited_ns = load.lateness.waits.until(load.now());
        } else {
            self.client.rng().clone_from(&turn.rng);
        }
        turn.attempts += 1;
        self.doing = State::Running;
        self.launched_ns = load.now();
        self.asked = false;
        self.reconnecting = false;
        self.waits_until = None;
        self.held = None;
        self.running = Some(Rc::clone(&load.workload).run(turn.which, Rc::clone(&self.client)));
        self.poll(load)
    }

    /// The run ends before the turn's next attempt.
    pub(super) fn give_up(&mut self, load: &mut Load) -> ConnectionEvent {
        self.doing = State::Waiting;
        match self.turn.take() {
            Some(turn) if turn.attempts > 0 => {
                let (now, which) = (load.now(), turn.which);
                let (started, outcome) = (turn.started.unwrap_or(now), Outcome::Failed);
                load.shared
                    .recorder
                    .transaction((started, now), which, outcome, 0);
            }
            // It never began.
            Some(turn) => {
                let start = Start {
                    intended: turn.started,
                    counted: turn.counted,
                };
                self.hand_back(start, &mut load.turns);
            }
            None => {}
        }
        ConnectionEvent::Nothing
    }

    /// Nothing is open any more.
    #[inline]
    pub(super) fn after_rollback(&mut self, load: &mut Load) -> ConnectionEvent {
        self.open = false;
        self.after_end(load)
    }

    /// Pause, retry, reconnect, or take the next turn.
    #[inline]
    pub(super) fn after_end(&mut self, load: &mut Load) -> ConnectionEvent {
        let back_off = match std::mem::take(&mut self.pause) {
            true => load.policy.backoff_ns,
            false => 0,
        };
        let planned = match &self.turn {
            Some(_) => 0,
            None => self.after_ns + self.think(&load.policy),
        };
        if self.turn.is_none() {
            self.end_session(load);
        }
        if back_off > planned {
            return self.rest(back_off, Pause::BackOff, load);
        }
        if planned > 0 {
            return self.rest(planned, Pause::Planned, load);
        }
        match (&self.turn, self.asked) {
            (Some(_), _) => self.launch(load),
            (None, true) => self.start(load),
            // Transactions that ask nothing of the server must not keep the loop busy for ever.
            (None, false) => {
                self.idle = self.idle % IDLE_IN_A_ROW + 1;
                // What asks nothing may still take its time.
                let took = load.now().saturating_sub(self.launched_ns);
                match self.idle < IDLE_IN_A_ROW && took < IDLE_NS {
                    true => ConnectionEvent::Idle,
                    false => self.rest(1, Pause::BackOff, load),
                }
            }
        }
    }

    /// The schedule gets a start back.
    fn hand_back(&self, start: Start, turns: &mut Turns) {
        turns.start_returned |= turns.schedule.give_back(self.client.number, start);
    }

    /// The pause of a user who looks at a result.
    #[inline]
    pub(super) fn think(&mut self, policy: &Policy) -> u64 {
        match (&mut self.thinking, policy.think) {
            (Some(rng), Some(think)) => think.next(rng).as_nanos() as u64,
            _ => 0,
        }
    }

    /// Does nothing for a while.
    pub(super) fn rest(&mut self, pause_ns: u64, why: Pause, load: &mut Load) -> ConnectionEvent {
        let until = load.now() + pause_ns;
        self.doing = State::Pausing { until, why };
        let token = token(self.client.number, self.lanes.current);
        load.shared.timers.set(until, token);
        ConnectionEvent::Nothing
    }
}
