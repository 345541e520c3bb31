//! What is counted: by source, by outcome, by type of transaction, by part of a run.

use super::histogram::Quantiles;
use serde::Serialize;
use sql_wire::Failure;
use workloads::TransactionType;

/// Who did something: the workload's connections, or the ledger's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Load,
    Ledger,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Load => "load",
            Source::Ledger => "ledger",
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

impl TypeCounts {
    pub fn new(of: &TransactionType) -> TypeCounts {
        TypeCounts {
            name: of.name.clone(),
            writes: of.writes,
            ..TypeCounts::default()
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ReadCounts {
    pub ok: u64,
    pub failed: u64,
}

/// What became of the transactions of one type.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TypeCounts {
    pub name: String,
    pub writes: bool,
    pub ok: u64,
    /// Ended without effect, as the workload's specification expects of some.
    pub expected: u64,
    pub failed: u64,
    pub in_doubt: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Rows inserted, of workloads that count them.
    #[serde(skip_serializing_if = "is_zero")]
    pub rows: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Counts of one source over the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub transactions: WriteCounts,
    /// Ended without effect, as specified.
    pub expected: u64,
    pub retries: u64,
    pub reads: ReadCounts,
    pub writes: WriteCounts,
    pub queries: u64,
    pub connects_ok: u64,
    pub connects_failed: u64,
    /// Of the failed: the connection was refused, or the server had no free connection.
    pub connects_refused: u64,
    /// Of the failed: no answer in time.
    pub connects_timed_out: u64,
    pub reconnects: u64,
}

/// How connecting went.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ConnectCounts {
    /// All tries.
    pub count: u64,
    pub ok: u64,
    pub failed: u64,
    /// Of the failed: the connection was refused, or the server had no free connection.
    pub refused: u64,
    /// Of the failed: no answer within the connect timeout.
    pub timed_out: u64,
}

impl ConnectCounts {
    pub fn since(&self, before: &ConnectCounts) -> ConnectCounts {
        ConnectCounts {
            count: self.count - before.count,
            ok: self.ok - before.ok,
            failed: self.failed - before.failed,
            refused: self.refused - before.refused,
            timed_out: self.timed_out - before.timed_out,
        }
    }
}

impl Totals {
    pub fn connects(&self) -> ConnectCounts {
        ConnectCounts {
            count: self.connects_ok + self.connects_failed,
            ok: self.connects_ok,
            failed: self.connects_failed,
            refused: self.connects_refused,
            timed_out: self.connects_timed_out,
        }
    }
}

/// What happened in a part of the run: a step of the schedule, or a window of a search.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub from_ns: u64,
    pub to_ns: u64,
    pub ok: u64,
    /// Ended without effect, as specified.
    pub expected: u64,
    /// Failed or in doubt.
    pub failed: u64,
    pub latency: Quantiles,
    /// How much of it the load generator had no processor.
    pub waited: Quantiles,
    pub connects: ConnectCounts,
    pub connect_times: Quantiles,
}
