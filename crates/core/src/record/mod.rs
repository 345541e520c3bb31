//! What a run leaves behind: counts, a 10 ms time line, latency histograms, the probe's history, a summary.

pub mod client;
pub mod errors;
pub mod file;
pub mod histogram;
pub mod probe;
pub mod summary;
pub mod timeline;

use crate::driver::Failure;
use errors::Errors;
use histogram::{Latency, LatencyLog};
use probe::ProbeLog;
use serde::Serialize;
use std::io;
use std::path::Path;
use timeline::{Cell, Timeline};

/// Who did something: the workload's connections, or the probe's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Load,
    Probe,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Load => "load",
            Source::Probe => "probe",
        }
    }
}

/// What became of an operation that changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    Failed,
    /// The commit was sent and its reply never came: it may have happened.
    InDoubt,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Failed => "failed",
            Outcome::InDoubt => "in_doubt",
        }
    }

    /// The outcome of a commit or an autocommit write that met this failure.
    pub fn of_sent_write(failure: &Failure) -> Outcome {
        if failure.doubt {
            Outcome::InDoubt
        } else {
            Outcome::Failed
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WriteCounts {
    pub ok: u64,
    pub failed: u64,
    pub in_doubt: u64,
}

impl WriteCounts {
    #[inline]
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Ok => self.ok += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::InDoubt => self.in_doubt += 1,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ReadCounts {
    pub ok: u64,
    pub failed: u64,
}

/// Counts of one source over the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub transactions: WriteCounts,
    pub reads: ReadCounts,
    pub writes: WriteCounts,
    pub queries: u64,
    pub connects_failed: u64,
    pub reconnects: u64,
}

/// Receives everything that happens. All times are CLOCK_MONOTONIC nanoseconds.
pub struct Recorder {
    pub started_ns: u64,
    pub load: Totals,
    pub probe: Totals,
    pub probe_skipped: u64,
    pub errors: Errors,
    /// Answered statements by the workload's statement number.
    pub statements: Vec<u64>,
    pub rollbacks: u64,
    pub latency: LatencyLog,
    pub probe_log: ProbeLog,
    timeline: Timeline,
}

impl Recorder {
    pub fn create(folder: &Path, statements: usize) -> io::Result<Recorder> {
        Ok(Recorder {
            started_ns: 0,
            load: Totals::default(),
            probe: Totals::default(),
            probe_skipped: 0,
            errors: Errors::default(),
            statements: vec![0; statements],
            rollbacks: 0,
            latency: LatencyLog::create(folder)?,
            probe_log: ProbeLog::create(folder)?,
            timeline: Timeline::create(folder)?,
        })
    }

    /// This moment is t = 0.
    pub fn start(&mut self, now: u64, unix_ns: u64) -> io::Result<()> {
        self.started_ns = now;
        self.timeline.start(now);
        self.latency.start(unix_ns)
    }

    fn both(&mut self, now: u64, source: Source) -> (&mut Totals, &mut Cell) {
        let totals = match source {
            Source::Load => &mut self.load,
            Source::Probe => &mut self.probe,
        };
        (totals, self.timeline.cell(now, source))
    }

    #[inline]
    pub fn statement(&mut self, now: u64, id: usize, is_read: bool) {
        self.statements[id] += 1;
        self.load.queries += 1;
        let cell = self.timeline.cell(now, Source::Load);
        cell.queries_ok += 1;
        if is_read {
            cell.reads_ok += 1;
            self.load.reads.ok += 1;
        }
    }

    pub fn rollback(&mut self, now: u64) {
        self.rollbacks += 1;
        self.load.queries += 1;
        self.timeline.cell(now, Source::Load).queries_ok += 1;
    }

    #[inline]
    pub fn transaction(&mut self, now: u64, started: u64, outcome: Outcome) {
        self.load.transactions.add(outcome);
        if outcome == Outcome::Ok {
            self.timeline.cell(now, Source::Load).transactions_ok += 1;
            self.latency.record(Latency::Transaction, now - started);
        }
    }

    #[inline]
    pub fn write(&mut self, now: u64, source: Source, outcome: Outcome) {
        let (totals, cell) = self.both(now, source);
        totals.writes.add(outcome);
        match outcome {
            Outcome::Ok => cell.writes_ok += 1,
            Outcome::Failed => cell.writes_failed += 1,
            Outcome::InDoubt => cell.writes_in_doubt += 1,
        }
    }

    pub fn read_failed(&mut self, now: u64, source: Source) {
        let (totals, cell) = self.both(now, source);
        totals.reads.failed += 1;
        cell.reads_failed += 1;
    }

    /// One answered probe operation, which is a query of its own.
    pub fn probe_answered(&mut self, now: u64, started: u64, is_read: bool) {
        let (totals, cell) = self.both(now, Source::Probe);
        totals.queries += 1;
        cell.queries_ok += 1;
        let latency = if is_read {
            totals.reads.ok += 1;
            cell.reads_ok += 1;
            Latency::ProbeRead
        } else {
            totals.writes.ok += 1;
            cell.writes_ok += 1;
            Latency::ProbeWrite
        };
        self.latency.record(latency, now - started);
    }

    pub fn connect_failed(&mut self, now: u64, source: Source) {
        let (totals, cell) = self.both(now, source);
        totals.connects_failed += 1;
        cell.connects_failed += 1;
    }

    pub fn reconnected(&mut self, source: Source) {
        match source {
            Source::Load => self.load.reconnects += 1,
            Source::Probe => self.probe.reconnects += 1,
        }
    }

    pub fn failure(&mut self, now: u64, source: Source, failure: &Failure) {
        let since_start = now.saturating_sub(self.started_ns);
        self.errors.add(source, failure, since_start / 1_000_000);
    }

    /// Closes the second that ends now: histograms out, buffers to disk.
    pub fn second(&mut self, now: u64) -> io::Result<()> {
        self.latency
            .write_interval(now.saturating_sub(self.started_ns))?;
        self.timeline.flush()?;
        self.probe_log.flush()
    }

    /// Writes what is left and gives the files their final names.
    pub fn finish(&mut self, now: u64) -> io::Result<()> {
        self.second(now)?;
        self.timeline.finish()?;
        self.latency.finish()?;
        self.probe_log.finish()
    }
}
