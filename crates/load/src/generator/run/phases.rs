//! The phases of a run: its start when all are connected, the steps of its profile, its seconds, its end.

use super::live::Figures;
use super::{Run, SECOND_NS};
use crate::generator::alongside::{Ledger, Prober};
use crate::generator::profile::Advance;
use crate::generator::worker::Worker;
use crate::record::client::SelfWatch;
use crate::record::ticks::Tick;
use anyhow::Result;
use base::sys;
use sql_wire::{Class, Failure};

impl Run {
    /// All connections are open, or no new one was added for a while. In a burst, connecting is part of the run.
    pub(super) fn may_start(&mut self) -> bool {
        let active = &self.workers[..self.load.turns.active];
        let usable = active.iter().filter(|w| w.lanes.are_usable()).count();
        if usable > self.usable {
            self.usable = usable;
            self.starts_at = self.load.now() + self.start_timeout_ns;
        }
        let all = usable == active.len() || self.connector.is_for_burst();
        let of_ledger = self.ledger.as_ref().is_none_or(Ledger::is_usable);
        all && of_ledger && self.side_workloads.is_usable() || self.load.now() >= self.starts_at
    }

    /// t = 0 is `now`: this moment, or one that has just passed where several loads agreed upon it.
    pub(super) fn start(&mut self, now: u64) -> Result<()> {
        self.watch = SelfWatch::start()?;
        self.load.shared.clock.now = sys::monotonic_ns();
        self.started_unix_ns = sys::unix_ns() - (self.load.now() - now);
        self.load.shared.recorder.start(now, self.started_unix_ns)?;
        self.load.shared.clock.started = true;
        self.tick_due = now;
        self.second_due = now + SECOND_NS;
        if let Some(every) = self.line_every_ns {
            self.line_due = now + every;
        }
        self.live.started(now, self.started_unix_ns);
        if let Some(ledger) = &mut self.ledger {
            ledger.begin(now);
        }
        self.side_workloads.begin(now);
        if let Some(probes) = &mut self.probes {
            probes.begin(now);
        }
        self.load.turns.schedule.begin(now);
        self.profile.begin(now, &mut self.load);
        self.connector.start(&self.load);
        for worker in &mut self.workers[..self.load.turns.active] {
            worker.on_start(&mut self.load);
        }
        Ok(())
    }

    /// A step or a window of a search has ended.
    pub(super) fn advance(&mut self) -> Result<()> {
        let hunting = self.profile.rate_search().is_some();
        let idle = hunting && self.workers.iter().all(Worker::is_done);
        let turn = self
            .profile
            .advance(&mut self.load, &mut self.watch, &mut self.steps, idle)?;
        match turn {
            Advance::GoOn => {}
            Advance::End => {
                self.load.turns.work.cut(self.load.now());
                self.stop();
            }
            Advance::Connections(count) => self.change_connections(count),
            Advance::Work => self.work(),
        }
        Ok(())
    }

    pub(super) fn change_connections(&mut self, count: usize) {
        let before = std::mem::replace(&mut self.load.turns.active, count);
        if let Some(beyond) = self.workers.get_mut(count..before) {
            for worker in beyond {
                worker.park(&mut self.load);
            }
        }
        self.connector.connections(count, self.load.now());
        self.connector.dial(&mut self.workers, &mut self.load);
    }

    /// A window begins: who waits takes a turn.
    pub(super) fn work(&mut self) {
        for worker in &mut self.workers[..self.load.turns.active] {
            worker.on_start(&mut self.load);
        }
    }

    /// All transactions that there are to be have ended.
    pub(super) fn is_used_up(&self) -> bool {
        let exhausted = || {
            self.load.turns.schedule.is_exhausted()
                && self.profile.rate_search().is_none()
                && self.workers.iter().all(Worker::is_done)
        };
        self.load.shared.clock.started && (self.has_finished() || exhausted())
    }

    /// The workload has nothing left for any connection.
    pub fn has_finished(&self) -> bool {
        let mut active = self.workers[..self.load.turns.active].iter();
        active.all(Worker::is_finished)
    }

    /// A line for those who watch.
    pub(super) fn write_line(&mut self, now: u64) {
        let every = self.line_every_ns.unwrap_or(SECOND_NS).max(1);
        self.line_due += (now - self.line_due) / every * every + every;
        let recorder = &mut self.load.shared.recorder;
        let transactions = recorder.load.transactions;
        recorder.ticks.write(&Tick {
            t_ms: (now - recorder.started_ns) / 1_000_000,
            ok: transactions.ok,
            failed: transactions.failed,
            in_doubt: transactions.in_doubt,
            ledger_ok: recorder.ledger.writes.ok,
            errors: recorder.errors.total(),
        });
    }

    pub(super) fn end_second(&mut self, now: u64) -> Result<()> {
        self.second_due += SECOND_NS;
        let step = self.profile.step();
        let figures = Figures::of(&mut self.load, &self.workers, step);
        self.live.second(&figures);
        self.load.shared.recorder.second(now)?;
        Ok(())
    }

    /// No new transactions; the loop ends when those under way are answered, or after a grace.
    pub(super) fn stop(&mut self) {
        if self.load.shared.clock.stopping {
            return;
        }
        self.load.shared.clock.stopping = true;
        self.stopped_at = sys::monotonic_ns();
        self.load.turns.schedule.close(self.stopped_at);
    }

    /// When it was stopped, in seconds from its start.
    pub fn stopped_s(&self) -> f64 {
        self.stopped_at
            .saturating_sub(self.load.shared.recorder.started_ns) as f64
            / 1e9
    }

    pub(super) fn is_over(&self) -> bool {
        self.load.shared.clock.stopping
            && (self.load.now() >= self.stopped_at + self.grace_ns
                || self.workers.iter().all(Worker::is_resting)
                    && self.ledger.as_ref().is_none_or(Ledger::is_resting)
                    && self.side_workloads.is_resting()
                    && self.probes.as_ref().is_none_or(Prober::is_resting))
    }

    pub(super) fn close(&mut self) -> Result<()> {
        let now = sys::monotonic_ns();
        self.load.shared.clock.now = now;
        let failure = Failure::new(Class::Timeout, "end", "the run ended before the reply");
        for worker in &mut self.workers {
            worker.close(&failure, &mut self.load);
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.close(&failure, &mut self.load.shared);
        }
        self.side_workloads.close(&failure, &mut self.load.shared);
        if let Some(probes) = &mut self.probes {
            probes.close();
        }
        if !self.load.shared.clock.started {
            self.started_unix_ns = sys::unix_ns();
            self.load.shared.recorder.start(now, self.started_unix_ns)?;
        }
        self.profile.end(&mut self.load, &mut self.steps)?;
        self.load.lateness.lag.take();
        self.load.shared.recorder.finish(now)?;
        Ok(())
    }

    pub fn done(&self) {
        self.live.done();
    }
}
