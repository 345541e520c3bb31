//! What the transactions of a connection came to.
//!
//! A SELECT that fails is one failed read. A transaction that was to write and fails, wherever, is one failed
//! write; when its COMMIT (or its autocommit write) was sent and no reply came, one in doubt.

use super::{Call, Worker};
use crate::generator::shared::Shared;
use crate::record::{Outcome, Source};
use sql_wire::{Effect, Failure};
use workloads::End;

impl Worker {
    /// Accounts for the statement that was just answered.
    #[inline]
    pub(super) fn count(&mut self, shared: &mut Shared) {
        let Call { effect, id, .. } = self.call;
        let now = shared.now;
        shared.recorder.statement(now, id, effect);
        match effect {
            Effect::Begin => self.open = true,
            Effect::Rollback => self.open = false,
            Effect::Commit => {
                self.open = false;
                if self.writes(shared) {
                    shared.recorder.write(now, Source::Load, Outcome::Ok);
                }
            }
            Effect::Write if !self.open => {
                shared.recorder.write(now, Source::Load, Outcome::Ok);
            }
            Effect::Write | Effect::Read => {}
        }
    }

    fn writes(&self, shared: &Shared) -> bool {
        let types = shared.workload.transactions();
        self.turn
            .as_ref()
            .is_some_and(|turn| types[turn.which].writes)
    }

    #[inline]
    pub(super) fn record_end(&mut self, end: End, shared: &mut Shared) {
        let Some(turn) = &self.turn else { return };
        let (now, which) = (shared.now, turn.which);
        let started = turn.started.unwrap_or(now);
        if turn.counted {
            shared.work.did(now);
        }
        let recorder = &mut shared.recorder;
        let outcome = match end {
            End::Committed => Outcome::Ok,
            End::Expected(_) => Outcome::Failed,
        };
        let operations = &mut self.client.operations();
        recorder.history(self.client.number, operations, (started, now), outcome);
        match end {
            End::Committed => {
                let waited_ns = turn.late_ns + shared.waits.until(now) - turn.waited_ns;
                recorder.transaction((started, now), which, Outcome::Ok, waited_ns);
            }
            End::Expected(_) => recorder.expected(now, which, started),
        }
        let mut marks = shared.exchange.marks.borrow_mut();
        for (of_type, nanoseconds) in marks.drain(..) {
            recorder.mark(of_type, nanoseconds);
        }
        drop(marks);
        recorder.rows_inserted(which, shared.exchange.take_row_count());
        let role = self.lanes.current;
        let candidate = self.lanes.connection(role).candidate();
        shared.targets(role)[candidate].counts.ok += 1;
    }

    /// Records what a failure did to the transaction under way, and whether it gets another attempt.
    pub(super) fn settle(&mut self, failure: &Failure, shared: &mut Shared) {
        let now = shared.now;
        shared.recorder.failure(now, Source::Load, failure);
        shared.exchange.marks.borrow_mut().clear();
        shared.exchange.take_row_count();
        let writes = self.writes(shared);
        let Some(turn) = &self.turn else { return };
        let outcome = match self.was_last_word(writes) {
            true => Outcome::of_sent_write(failure),
            false => Outcome::Failed,
        };
        let started = turn.started.unwrap_or(now);
        let operations = &mut self.client.operations();
        let recorder = &mut shared.recorder;
        recorder.history(self.client.number, operations, (started, now), outcome);
        let again = outcome == Outcome::Failed && !shared.stopping;
        if again && shared.retry.allows(failure.class, turn.attempts) {
            shared.recorder.retried(turn.which);
            return;
        }
        if shared.stop_on_error && !shared.stopping {
            shared.fatal = Some(failure.clone());
        }
        let effect = self.call.effect;
        if effect == Effect::Read || !writes {
            shared.recorder.read_failed(now, Source::Load);
        }
        if writes && (effect != Effect::Read || self.open) {
            shared.recorder.write(now, Source::Load, outcome);
        }
        let recorder = &mut shared.recorder;
        recorder.transaction((started, now), turn.which, outcome, 0);
        if turn.counted {
            shared.start_returned |= shared.schedule.again(self.client.number);
        }
        self.turn = None;
    }

    /// The call under way was the one that makes its changes last.
    fn was_last_word(&self, writes: bool) -> bool {
        match self.call.effect {
            Effect::Commit => writes,
            Effect::Write => !self.open,
            Effect::Begin | Effect::Rollback | Effect::Read => false,
        }
    }
}
