//! What `load.json` says of the schedule: its starts, its steps, connecting, and a search.

use super::histogram::Quantiles;
use super::lag::Quantiles as Lag;
use super::{ConnectCounts, Part};
use crate::schedule::Counts;
use serde::Serialize;

/// `arrived` = `started` + `abandoned` + `backlog_end`: nothing is dropped without being counted.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ScheduleSummary {
    /// `closed`, `open` or `search`.
    pub kind: &'static str,
    /// Of the first step, per second; None: a closed loop.
    pub rate: Option<f64>,
    /// How arrivals are spread in time: `constant` or `poisson`.
    pub arrivals: Option<&'static str>,
    pub burst: bool,
    /// Mean, in milliseconds.
    pub think_ms: Option<f64>,
    pub arrived: u64,
    pub started: u64,
    /// Waited when a window of a search ended.
    pub abandoned: u64,
    pub backlog_max: u64,
    pub backlog_end: u64,
    /// True minus intended start, where a connection was free.
    pub lag_p50_us: Option<u64>,
    pub lag_p99_us: Option<u64>,
    pub lag_max_us: Option<u64>,
}

impl ScheduleSummary {
    pub fn with_counts(mut self, counts: Counts, lag: Option<Lag>) -> ScheduleSummary {
        self.arrived = counts.arrived;
        self.started = counts.started;
        self.abandoned = counts.abandoned;
        self.backlog_max = counts.backlog_max;
        self.backlog_end = counts.arrived - counts.started - counts.abandoned;
        self.lag_p50_us = lag.map(|lag| lag.p50);
        self.lag_p99_us = lag.map(|lag| lag.p99);
        self.lag_max_us = lag.map(|lag| lag.max);
        self
    }
}

/// One step. Transactions belong to the step in which they were answered.
#[derive(Clone, Debug, Serialize)]
pub struct StepSummary {
    from_s: f64,
    to_s: f64,
    rate: Option<f64>,
    connections: u32,
    ok: u64,
    /// Failed or in doubt.
    failed: u64,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
    max_ms: Option<f64>,
    /// Those of the first step have been before the start, too.
    connects: Connects,
}

impl StepSummary {
    pub fn new(part: &Part, rate: Option<f64>, connections: u32) -> StepSummary {
        StepSummary {
            from_s: part.from_ns as f64 / 1e9,
            to_s: part.to_ns as f64 / 1e9,
            rate,
            connections,
            ok: part.ok,
            failed: part.failed,
            p50_ms: part.latency.p50,
            p95_ms: part.latency.p95,
            p99_ms: part.latency.p99,
            max_ms: part.latency.max,
            connects: Connects::new(part.connects, part.connect_times),
        }
    }
}

/// What was answered in the measured part of a window; times are seconds since the start of the load.
#[derive(Clone, Debug, Serialize)]
pub struct TurnSummary {
    from_s: f64,
    to_s: f64,
    ok: u64,
    /// Ended without effect, as the workload's specification expects of some.
    expected: u64,
    /// Failed or in doubt.
    failed: u64,
    latency_ms: Quantiles,
}

impl TurnSummary {
    pub fn new(part: &Part) -> TurnSummary {
        TurnSummary {
            from_s: part.from_ns as f64 / 1e9,
            to_s: part.to_ns as f64 / 1e9,
            ok: part.ok,
            expected: part.expected,
            failed: part.failed,
            latency_ms: part.latency,
        }
    }
}

/// Connecting, from the first packet to a session that may be used.
#[derive(Clone, Debug, Serialize)]
pub struct Connects {
    #[serde(flatten)]
    counts: ConnectCounts,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    max_ms: Option<f64>,
}

impl Connects {
    pub fn new(counts: ConnectCounts, times: Quantiles) -> Connects {
        Connects {
            counts,
            p50_ms: times.p50,
            p99_ms: times.p99,
            max_ms: times.max,
        }
    }
}

/// The same over the whole load.
#[derive(Clone, Debug, Serialize)]
pub struct ConnectsSummary {
    #[serde(flatten)]
    pub all: Connects,
    /// How long this machine took to begin all connections of a burst, or of the last storm; None: there was none.
    pub burst_ms: Option<f64>,
}

/// A search for the highest rate that keeps a bound.
#[derive(Clone, Debug, Serialize)]
pub struct SearchSummary {
    /// In milliseconds.
    pub bound: f64,
    /// Of what: `p99`, `mean`, ...
    pub percentile: &'static str,
    /// Per second; None: no rate was found, see the windows.
    pub rate: Option<f64>,
    /// The 95 % interval of the rate.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub windows: Vec<WindowSummary>,
}

#[derive(Clone, Debug, Serialize)]
pub struct WindowSummary {
    pub from_s: f64,
    pub to_s: f64,
    pub rate: f64,
    /// Transactions per second that succeeded or ended as expected.
    pub achieved: f64,
    /// What the bound is on, in milliseconds.
    pub value_ms: Option<f64>,
    pub kept: bool,
    /// Why it was not kept; empty when it was.
    pub reason: String,
}
