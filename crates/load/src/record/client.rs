//! The load generator watching itself: processor time, memory, clock calls, and how late its event loop runs.

use super::histogram::Quantiles;
use super::lag::{self, Lag};
use super::limit::{Limit, Symptoms, limits};
use base::sys::{self, Usage};
use hdrhistogram::CreationError;
use serde::Serialize;
use workloads::HeldUp;

#[derive(Serialize)]
pub struct ClientSummary {
    pub user_s: f64,
    pub system_s: f64,
    pub wall_s: f64,
    pub max_rss_kib: u64,
    /// Memory per connection: growth since before the first one; None where it would be noise.
    pub connection_kib: Option<f64>,
    /// Time spent ready to run while something else had the processor.
    pub run_queue_s: f64,
    /// How much of the response times that wait was, and lateness of the client: mean and 99th percentile.
    pub waited_mean_ms: Option<f64>,
    pub waited_p99_ms: Option<f64>,
    pub lag_p50_us: u64,
    pub lag_p99_us: u64,
    pub lag_max_us: u64,
    /// Processor time of one transaction of this workload without a server.
    pub noop_ns: Option<f64>,
    /// Readings of the clock during the run, and what one costs.
    pub clock_calls: u64,
    pub clock_ns: f64,
    /// How the client limited the result; None when it did not.
    pub limit: Option<String>,
    /// The same, one by one.
    pub limits: Vec<Limit>,
    /// The client itself may have limited what was measured: there is a limit.
    pub bottleneck: bool,
}

/// What only others know of the client.
#[derive(Default)]
pub struct Remarks {
    pub schedule_lag: Option<lag::Quantiles>,
    pub latency_p99_ms: Option<f64>,
    pub waited: Quantiles,
    pub exhausted: Option<String>,
    pub held_up: Option<HeldUp>,
    pub noop_ns: Option<f64>,
    pub connection_kib: Option<f64>,
}

pub struct SelfWatch {
    before: Usage,
    clock_calls_before: u64,
    /// Usage when the part of the run under way began.
    part_before: Usage,
    lag: Lag,
}

impl SelfWatch {
    pub fn start() -> Result<SelfWatch, CreationError> {
        let before = sys::usage();
        Ok(SelfWatch {
            before,
            part_before: before,
            clock_calls_before: sys::clock_calls(),
            lag: Lag::new()?,
        })
    }

    /// The loop came to a timer this much after it was due.
    pub fn lag(&mut self, nanoseconds: u64) {
        self.lag.record(nanoseconds);
    }

    /// Closes a part of the run: what the client used and felt in it.
    pub fn end_part(&mut self, wall_s: f64) -> Symptoms {
        let now = sys::usage();
        let used = now.since(&self.part_before);
        self.part_before = now;
        Symptoms {
            wall_s,
            used,
            loop_lag: self.lag.take(),
            ..Symptoms::default()
        }
    }

    /// User and system time so far.
    pub fn cpu_s(&self) -> f64 {
        let used = sys::usage().since(&self.before);
        used.user_s + used.system_s
    }

    pub fn summary(&mut self, wall_s: f64, remarks: Remarks) -> ClientSummary {
        self.lag.take();
        let clock_calls = sys::clock_calls() - self.clock_calls_before;
        let after = sys::usage();
        let used = after.since(&self.before);
        let lag = self.lag.total();
        let limits = limits(&Symptoms {
            wall_s,
            used,
            loop_lag: lag,
            schedule_lag: remarks.schedule_lag,
            latency_p99_ms: remarks.latency_p99_ms,
            waited_p99_ms: remarks.waited.p99,
            exhausted: remarks.exhausted,
            held_up: remarks.held_up,
        });
        ClientSummary {
            user_s: used.user_s,
            system_s: used.system_s,
            wall_s,
            max_rss_kib: after.max_rss_kib,
            connection_kib: remarks.connection_kib,
            run_queue_s: used.run_queue_s,
            waited_mean_ms: remarks.waited.mean,
            waited_p99_ms: remarks.waited.p99,
            lag_p50_us: lag.map_or(0, |lag| lag.p50),
            lag_p99_us: lag.map_or(0, |lag| lag.p99),
            lag_max_us: lag.map_or(0, |lag| lag.max),
            noop_ns: remarks.noop_ns,
            clock_calls,
            clock_ns: sys::clock_cost_ns(),
            bottleneck: !limits.is_empty(),
            limit: limits
                .iter()
                .map(|one| one.text.clone())
                .reduce(|all, next| all + " " + &next),
            limits,
        }
    }
}
