//! What the transactions of a connection came to.
//!
//! A SELECT that fails is one failed read. A transaction that was to write and fails, wherever, is one failed write.
//! It is one write in doubt when no reply came to a call that may have committed it: a COMMIT, a write outside a
//! transaction, or a text that contains either.

use super::Worker;
use super::load::Load;
use super::state::Call;
use crate::record::{Outcome, Source};
use sql_wire::{Failure, Kind, Standing};
use workloads::{End, Workload};

impl Worker {
    /// Accounts for the call that was just answered.
    #[inline]
    pub(super) fn count(&mut self, load: &mut Load) {
        let Call {
            effect, id, open, ..
        } = self.call;
        let now = load.now();
        load.shared.recorder.statement(now, id, effect);
        let path = effect.path(open, load.shared.sessions.kind);
        let standing = self.lanes.connection(self.lanes.current).standing();
        self.open = standing.map_or(path.open, |standing| standing.open);
        let holds = standing.map_or(path.open, Standing::holds_changes);
        let lasts = path.lasts_after.is_some() && (path.explicit || !holds);
        if lasts && (effect.writes() || self.writes(load.workload.as_ref())) {
            load.shared.recorder.write(now, Source::Load, Outcome::Ok);
        }
    }

    pub(super) fn writes(&self, workload: &dyn Workload) -> bool {
        let types = workload.transactions();
        self.turn
            .as_ref()
            .is_some_and(|turn| types[turn.which].writes)
    }

    #[inline]
    pub(super) fn record_end(&mut self, end: End, load: &mut Load) {
        let Some(turn) = &self.turn else { return };
        let (now, which) = (load.now(), turn.which);
        let started = turn.started.unwrap_or(now);
        self.served = true;
        if turn.counted {
            load.turns.work.did(now);
        }
        let recorder = &mut load.shared.recorder;
        let outcome = match end {
            End::Committed => Outcome::Ok,
            End::Expected(_) => Outcome::Failed,
        };
        let operations = &mut self.client.operations();
        let times = (self.launched_ns, now);
        recorder.history(self.client.number, operations, times, outcome);
        match end {
            End::Committed => {
                let waited_ns = turn.late_ns + load.lateness.waits.until(now) - turn.waited_ns;
                recorder.transaction((started, now), which, Outcome::Ok, waited_ns);
            }
            End::Expected(_) => recorder.expected(now, which, started),
        }
        let mut marks = load.exchange.marks.borrow_mut();
        for (of_type, nanoseconds) in marks.drain(..) {
            recorder.mark(of_type, nanoseconds);
        }
        drop(marks);
        recorder.rows_inserted(which, load.exchange.take_row_count());
        let role = self.lanes.current;
        let candidate = self.lanes.connection(role).candidate();
        load.shared.endpoints.targets(role)[candidate].counts.ok += 1;
    }

    /// Records what a failure did to the transaction under way, and whether it gets another attempt.
    pub(super) fn settle(&mut self, failure: &Failure, load: &mut Load) {
        let now = load.now();
        self.failed |= !failure.class.is_of_workload();
        load.shared.recorder.failure(now, Source::Load, failure);
        load.exchange.marks.borrow_mut().clear();
        load.exchange.take_row_count();
        let writes = self.writes(load.workload.as_ref());
        let Some(turn) = &self.turn else { return };
        let (outcome, lasts) = self.left_by(failure, writes, load.shared.sessions.kind);
        let started = turn.started.unwrap_or(now);
        let operations = &mut self.client.operations();
        let recorder = &mut load.shared.recorder;
        let times = (self.launched_ns, now);
        recorder.history(self.client.number, operations, times, outcome);
        let again = outcome == Outcome::Failed && !lasts && !load.shared.clock.stopping;
        if again && load.policy.retry.allows(failure.class, turn.attempts) {
            load.shared.recorder.retried(turn.which);
            return;
        }
        if load.policy.stop_on_error && !load.shared.clock.stopping {
            load.shared.fatal = Some(failure.clone());
        }
        let effect = self.call.effect;
        if effect.is_read() || !writes {
            load.shared.recorder.read_failed(now, Source::Load);
        }
        if lasts {
            load.shared.recorder.write(now, Source::Load, Outcome::Ok);
        } else if writes && (!effect.is_read() || self.open) {
            load.shared.recorder.write(now, Source::Load, outcome);
        }
        let recorder = &mut load.shared.recorder;
        recorder.transaction((started, now), turn.which, outcome, 0);
        if turn.counted {
            load.turns.start_returned |= load.turns.schedule.again(self.client.number);
        }
        self.turn = None;
    }

    /// What the failed call left: the transaction's outcome, and whether a part of it was committed before the failure.
    fn left_by(&self, failure: &Failure, writes: bool, kind: Kind) -> (Outcome, bool) {
        let Call { effect, open, .. } = self.call;
        let path = effect.path(open, kind);
        match path.lasts_after {
            Some(after) if writes || effect.writes() => match after {
                0 => (Outcome::InDoubt, false),
                _ if failure.done >= after => (Outcome::Failed, true),
                _ => (Outcome::of_sent_write(failure), false),
            },
            _ => (Outcome::Failed, false),
        }
    }
}
