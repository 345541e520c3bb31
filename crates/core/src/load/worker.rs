//! One connection of the workload: runs transactions one after the other and gives each an outcome.
//!
//! ```text
//!   Waiting ──link usable, run started──> Running ──complete──> Running (the next) ...
//!      ^                                   │    │
//!      │ link lost                         │    └─refused─> RollingBack ──> Running (the next)
//!      └───────────────────────────────────┘                    │
//!                                                 error that would repeat: Pausing until a deadline
//! ```
//!
//! Accounting: a SELECT that fails is one failed read. A transaction that was to write and fails, wherever, is
//! one failed write; when its COMMIT (or its autocommit write) was sent and no reply came, one in doubt.

use super::link::{Happening, Link};
use super::shared::{Role, Shared};
use crate::driver::{Effect, Failure};
use crate::record::{Outcome, Source};
use crate::rng::Rng;
use crate::workload::Cursor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Waiting,
    Running,
    RollingBack,
    Pausing { until: u64 },
}

pub struct Worker {
    pub link: Link,
    doing: Doing,
    cursor: Cursor,
    rng: Rng,
    started: u64,
    /// The statement under way.
    statement: usize,
    /// BEGIN was answered.
    open: bool,
    /// The failure behind a rollback makes it wise to pause after it.
    pause: bool,
}

impl Worker {
    pub fn new(link: Link, rng: Rng) -> Worker {
        Worker {
            link,
            doing: Doing::Waiting,
            cursor: Cursor::default(),
            rng,
            started: 0,
            statement: 0,
            open: false,
            pause: false,
        }
    }

    /// No transaction is under way.
    pub fn is_resting(&self) -> bool {
        !self.link.is_busy()
    }

    pub fn on_ready(&mut self, shared: &mut Shared) {
        let happening = self.link.on_ready(shared);
        self.handle(happening, shared);
    }

    pub fn on_watch(&mut self, shared: &mut Shared) {
        if let Doing::Pausing { until } = self.doing
            && shared.now >= until
            && self.link.is_idle()
        {
            let happening = self.start(shared);
            return self.handle(happening, shared);
        }
        let happening = self.link.on_watch(shared);
        self.handle(happening, shared);
    }

    /// t = 0: links that became usable before it start now.
    pub fn on_start(&mut self, shared: &mut Shared) {
        if self.link.is_idle() {
            let happening = self.start(shared);
            self.handle(happening, shared);
        }
    }

    /// The run is over; what is still under way failed or is in doubt.
    pub fn close(&mut self, failure: Failure, shared: &mut Shared) {
        let happening = self.link.close(failure);
        self.handle(happening, shared);
    }

    #[inline]
    fn handle(&mut self, first: Happening, shared: &mut Shared) {
        let mut happening = first;
        loop {
            happening = match happening {
                Happening::Nothing => return,
                Happening::Usable => self.start(shared),
                Happening::Done(_) => self.on_done(shared),
                Happening::Refused(failure) => self.on_refused(&failure, shared),
                Happening::Lost(failure) => {
                    self.on_lost(&failure, shared);
                    return;
                }
            };
        }
    }

    /// Begins a transaction when one may begin.
    #[inline]
    fn start(&mut self, shared: &mut Shared) -> Happening {
        self.open = false;
        if !shared.started || shared.stopping || !shared.schedule.take() {
            self.doing = Doing::Waiting;
            return Happening::Nothing;
        }
        self.doing = Doing::Running;
        self.cursor = Cursor::default();
        self.started = shared.now;
        self.step(shared)
    }

    /// Sends the next statement, or completes the transaction and begins the next.
    #[inline]
    fn step(&mut self, shared: &mut Shared) -> Happening {
        let next = shared
            .workload
            .next(&mut self.cursor, &mut self.rng, &mut shared.parameters);
        match next {
            Some(id) => {
                self.statement = id;
                self.link.execute_step(id, shared)
            }
            None => {
                let now = shared.now;
                shared.recorder.transaction(now, self.started, Outcome::Ok);
                let (role, candidate) = (self.link.role(), self.link.candidate());
                shared.targets(role)[candidate].counts.ok += 1;
                self.start(shared)
            }
        }
    }

    #[inline]
    fn on_done(&mut self, shared: &mut Shared) -> Happening {
        if self.doing == Doing::RollingBack {
            shared.recorder.rollback(shared.now);
            return self.after_rollback(shared);
        }
        let effect = shared.workload.statements()[self.statement].effect;
        let (now, writes) = (shared.now, shared.workload.writes());
        let recorder = &mut shared.recorder;
        recorder.statement(now, self.statement, effect == Effect::Read);
        match effect {
            Effect::Begin => self.open = true,
            Effect::Commit => {
                self.open = false;
                if writes {
                    recorder.write(now, Source::Load, Outcome::Ok);
                }
            }
            Effect::Write if !self.open => recorder.write(now, Source::Load, Outcome::Ok),
            Effect::Write | Effect::Read => {}
        }
        self.step(shared)
    }

    /// The server refused a statement but the session goes on: undo and take a new transaction.
    #[cold]
    fn on_refused(&mut self, failure: &Failure, shared: &mut Shared) -> Happening {
        self.settle(failure, shared);
        self.pause = failure.class.repeats();
        if self.doing == Doing::Running && self.open {
            self.doing = Doing::RollingBack;
            return self.link.query("ROLLBACK", shared);
        }
        self.after_rollback(shared)
    }

    fn after_rollback(&mut self, shared: &mut Shared) -> Happening {
        self.open = false;
        if std::mem::take(&mut self.pause) {
            let until = shared.now + shared.timing.backoff_ns;
            self.doing = Doing::Pausing { until };
            return Happening::Nothing;
        }
        self.start(shared)
    }

    #[cold]
    fn on_lost(&mut self, failure: &Failure, shared: &mut Shared) {
        self.settle(failure, shared);
        self.doing = Doing::Waiting;
        self.open = false;
        self.pause = false;
    }

    /// Records what a failure did to the transaction under way.
    fn settle(&mut self, failure: &Failure, shared: &mut Shared) {
        let now = shared.now;
        shared.recorder.failure(now, Source::Load, failure);
        if self.doing != Doing::Running {
            return;
        }
        if shared.stop_on_error && !shared.stopping {
            shared.fatal = Some(failure.clone());
        }
        let effect = shared.workload.statements()[self.statement].effect;
        let writes = shared.workload.writes();
        let final_word = match effect {
            Effect::Commit => writes,
            Effect::Write => !self.open,
            Effect::Begin | Effect::Read => false,
        };
        let outcome = match final_word {
            true => Outcome::of_sent_write(failure),
            false => Outcome::Failed,
        };
        if effect == Effect::Read || !writes {
            shared.recorder.read_failed(now, Source::Load);
        }
        if writes && (effect != Effect::Read || self.open) {
            shared.recorder.write(now, Source::Load, outcome);
        }
        shared.recorder.transaction(now, self.started, outcome);
    }
}

/// Workers go where their workload's transactions belong.
pub fn role(shared: &Shared) -> Role {
    match shared.workload.writes() {
        true => Role::Write,
        false => Role::Read,
    }
}
