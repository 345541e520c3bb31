//! What a run leaves behind: counts, a 10 ms time line, latency histograms, the ledger's history, a summary.

pub mod bounds;
pub mod client;
mod counts;
pub mod errors;
pub mod file;
pub mod histogram;
pub mod history;
pub mod lag;
pub mod ledger;
pub mod limit;
pub mod probes;
pub mod schedule;
pub mod summary;
pub mod ticks;
pub mod timeline;
pub mod waits;
pub mod work;

pub use counts::{
    ConnectCounts, Outcome, Part, ReadCounts, Source, Totals, TypeCounts, WriteCounts,
};

use errors::Errors;
pub use histogram::Latency;
use histogram::LatencyLog;
use history::HistoryLog;
use ledger::LedgerLog;
use probes::ProbeLog;
use sql_wire::{Class, Effect, Failure};
use std::io;
use std::path::Path;
use ticks::Ticks;
use timeline::{Cell, Timeline};
use workloads::TransactionType;
use workloads::history::Operation;

/// Receives everything that happens. All times are CLOCK_MONOTONIC nanoseconds.
pub struct Recorder {
    pub started_ns: u64,
    pub load: Totals,
    pub ledger: Totals,
    pub ledger_skipped: u64,
    pub errors: Errors,
    pub types: Vec<TypeCounts>,
    /// Answered statements by their number.
    pub statements: Vec<u64>,
    /// Answered statements that were sent as text, by effect.
    pub texts: [u64; Effect::NAMES.len()],
    /// Transactions that were undone because they failed or were left open.
    pub rollbacks: u64,
    pub latency: LatencyLog,
    pub ledger_log: LedgerLog,
    pub probe_log: ProbeLog,
    /// For those who watch.
    pub ticks: Ticks,
    history: HistoryLog,
    /// Write errors while the loop was busy, reported at the end of the second.
    broken: Option<io::Error>,
    timeline: Timeline,
    /// Where the part under way began, and the counts then.
    part_from_ns: u64,
    before_part: (WriteCounts, u64, ConnectCounts),
}

impl Recorder {
    /// Without a folder, files are not written: only the counts are wanted.
    pub fn create(folder: Option<&Path>, types: &[TransactionType]) -> io::Result<Recorder> {
        // With one type, all transactions are of it.
        let apart = if types.len() > 1 { types } else { &[] };
        let names: Vec<&str> = apart.iter().map(|of| of.name.as_str()).collect();
        Ok(Recorder {
            started_ns: 0,
            load: Totals::default(),
            ledger: Totals::default(),
            ledger_skipped: 0,
            errors: Errors::default(),
            types: types.iter().map(TypeCounts::new).collect(),
            statements: Vec::new(),
            texts: [0; Effect::NAMES.len()],
            rollbacks: 0,
            latency: LatencyLog::create(folder, &names)?,
            ledger_log: LedgerLog::create(folder)?,
            probe_log: ProbeLog::new(folder),
            ticks: Ticks::default(),
            history: HistoryLog::new(folder),
            broken: None,
            timeline: Timeline::create(folder)?,
            part_from_ns: 0,
            before_part: Default::default(),
        })
    }

    /// This moment is t = 0.
    pub fn start(&mut self, now: u64, unix_ns: u64) -> io::Result<()> {
        self.started_ns = now;
        self.part_from_ns = now;
        self.timeline.start(now);
        self.latency.start(unix_ns)
    }

    fn both(&mut self, now: u64, source: Source) -> (&mut Totals, &mut Cell) {
        let totals = match source {
            Source::Load => &mut self.load,
            Source::Ledger => &mut self.ledger,
        };
        (totals, self.timeline.cell(now, source))
    }

    #[inline]
    pub fn statement(&mut self, now: u64, id: Option<usize>, effect: Effect) {
        let mut count = 1;
        match id {
            None => count = self.text(effect),
            Some(id) => {
                if id >= self.statements.len() {
                    self.statements.resize(id + 1, 0);
                }
                self.statements[id] += 1;
            }
        }
        self.load.queries += u64::from(count);
        let cell = self.timeline.cell(now, Source::Load);
        cell.queries_ok += count;
        if effect.is_read() {
            cell.reads_ok += 1;
            self.load.reads.ok += 1;
        }
    }

    /// Counts the statements of a text by what each does, and returns their number.
    fn text(&mut self, effect: Effect) -> u32 {
        let Effect::Course(course) = effect else {
            self.texts[effect.index()] += 1;
            return 1;
        };
        let mut all = 0;
        for (count, more) in self.texts.iter_mut().zip(course.counts) {
            *count += u64::from(more);
            all += u32::from(more);
        }
        all
    }

    pub fn rollback(&mut self, now: u64) {
        self.rollbacks += 1;
        self.load.queries += 1;
        self.timeline.cell(now, Source::Load).queries_ok += 1;
    }

    /// `waited_ns`: how much of the response time this program had no processor, or came late to it.
    #[inline]
    pub fn transaction(
        &mut self,
        (started, now): (u64, u64),
        which: usize,
        outcome: Outcome,
        waited_ns: u64,
    ) {
        self.load.transactions.add(outcome);
        let counts = &mut self.types[which];
        match outcome {
            Outcome::Ok => counts.ok += 1,
            Outcome::Failed => counts.failed += 1,
            Outcome::InDoubt => counts.in_doubt += 1,
        }
        if outcome == Outcome::Ok {
            self.timeline.cell(now, Source::Load).transactions_ok += 1;
            self.latency.record(Latency::Transaction, now - started);
            self.ticks.answered(now - started);
            self.latency.record(Latency::Waited, waited_ns);
            self.of_type(which, now - started);
        }
    }

    /// A transaction ended without effect, as specified.
    pub fn expected(&mut self, now: u64, which: usize, started: u64) {
        self.load.expected += 1;
        self.types[which].expected += 1;
        self.latency.record(Latency::Expected, now - started);
    }

    /// A measure that a workload took itself.
    pub fn mark(&mut self, which: usize, nanoseconds: u64) {
        self.types[which].ok += 1;
        self.of_type(which, nanoseconds);
    }

    /// A transaction that succeeded has inserted so many rows.
    #[inline]
    pub fn rows_inserted(&mut self, which: usize, rows: u64) {
        self.types[which].rows += rows;
    }

    #[inline]
    fn of_type(&mut self, which: usize, nanoseconds: u64) {
        if self.types.len() > 1 {
            self.latency.record(Latency::Type(which), nanoseconds);
        }
    }

    pub fn retried(&mut self, which: usize) {
        self.types[which].retries += 1;
        self.load.retries += 1;
    }

    /// A session became usable, this long after its connect began.
    pub fn connected(&mut self, now: u64, source: Source, nanoseconds: u64) {
        let (totals, cell) = self.both(now, source);
        totals.connects_ok += 1;
        cell.connects_ok += 1;
        if source == Source::Load {
            self.latency.record(Latency::Connect, nanoseconds);
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

    /// One answered ledger operation, which is a separate query.
    pub fn ledger_answered(&mut self, now: u64, started: u64, is_read: bool) {
        let (totals, cell) = self.both(now, Source::Ledger);
        totals.queries += 1;
        cell.queries_ok += 1;
        let latency = if is_read {
            totals.reads.ok += 1;
            cell.reads_ok += 1;
            Latency::LedgerRead
        } else {
            totals.writes.ok += 1;
            cell.writes_ok += 1;
            Latency::LedgerWrite
        };
        self.latency.record(latency, now - started);
    }

    /// A transaction that tests isolation is over; forgets what it has noted.
    pub fn history(
        &mut self,
        client: usize,
        operations: &mut Vec<Operation>,
        (started, now): (u64, u64),
        outcome: Outcome,
    ) {
        if operations.is_empty() {
            return;
        }
        let since_start = |at: u64| at.saturating_sub(self.started_ns) / 1000;
        let times = (since_start(started), since_start(now));
        if let Err(error) = self.history.add(client, operations, times, outcome) {
            self.broken.get_or_insert(error);
        }
        operations.clear();
    }

    pub fn connect_failed(&mut self, now: u64, source: Source, failure: &Failure) {
        let (totals, cell) = self.both(now, source);
        totals.connects_failed += 1;
        cell.connects_failed += 1;
        match failure.class {
            Class::Refused => totals.connects_refused += 1,
            Class::Timeout => totals.connects_timed_out += 1,
            _ => {}
        }
        self.failure(now, source, failure);
    }

    pub fn reconnected(&mut self, source: Source) {
        match source {
            Source::Load => self.load.reconnects += 1,
            Source::Ledger => self.ledger.reconnects += 1,
        }
    }

    pub fn failure(&mut self, now: u64, source: Source, failure: &Failure) {
        let since_start = match self.started_ns {
            0 => 0,
            started => now.saturating_sub(started),
        };
        self.errors.add(source, failure, since_start / 1_000_000);
        if failure.is_own_bound() {
            self.timeline.cell(now, source).timeouts += 1;
        }
    }

    /// Closes the second that ends now: histograms out, buffers to disk.
    pub fn second(&mut self, now: u64) -> io::Result<()> {
        self.latency
            .write_interval(now.saturating_sub(self.started_ns))?;
        self.timeline.flush()?;
        self.history.flush()?;
        self.ledger_log.flush()?;
        self.probe_log.flush()?;
        self.broken.take().map_or(Ok(()), Err)
    }

    /// Closes a part of the run; the next one begins now.
    pub fn end_part(&mut self, now: u64) -> io::Result<Part> {
        self.latency
            .write_interval(now.saturating_sub(self.started_ns))?;
        let (after, expected) = (self.load.transactions, self.load.expected);
        let (before, expected_before, _) = self.before_part;
        let part = Part {
            from_ns: self.part_from_ns - self.started_ns,
            to_ns: now - self.started_ns,
            ok: after.ok - before.ok,
            expected: expected - expected_before,
            failed: after.failed + after.in_doubt - before.failed - before.in_doubt,
            latency: self.latency.take_part()?,
            connects: self.load.connects().since(&self.before_part.2),
            connect_times: self.latency.take_connects()?,
            waited: self.latency.take_waited()?,
        };
        self.part_from_ns = now;
        self.before_part = (after, expected, self.load.connects());
        Ok(part)
    }

    /// Writes what is left and gives the files their final names.
    pub fn finish(&mut self, now: u64) -> io::Result<()> {
        self.second(now)?;
        self.timeline.finish()?;
        self.latency.finish()?;
        self.history.finish()?;
        self.probe_log.finish()?;
        self.ledger_log.finish()
    }
}
