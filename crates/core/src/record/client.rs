//! The load generator watching itself: processor time, memory, and how late its event loop runs.

use crate::sys::{self, Usage};
use hdrhistogram::Histogram;
use serde::Serialize;

const BUSY_SHARE: f64 = 0.9;
const LATE_US: u64 = 10_000;

#[derive(Serialize)]
pub struct ClientSummary {
    pub user_s: f64,
    pub system_s: f64,
    pub wall_s: f64,
    pub max_rss_kib: u64,
    pub run_queue_s: f64,
    pub lag_p50_us: u64,
    pub lag_p99_us: u64,
    pub lag_max_us: u64,
    /// The client itself may have limited what was measured.
    pub bottleneck: bool,
}

pub struct SelfWatch {
    before: Usage,
    lag_us: Histogram<u32>,
}

impl SelfWatch {
    pub fn start() -> Result<SelfWatch, hdrhistogram::CreationError> {
        Ok(SelfWatch {
            before: sys::usage(),
            lag_us: Histogram::new_with_bounds(1, 60_000_000, 2)?,
        })
    }

    /// The loop came to a timer this much after it was due.
    pub fn lag(&mut self, nanoseconds: u64) {
        self.lag_us.saturating_record((nanoseconds / 1000).max(1));
    }

    pub fn summary(&self, wall_s: f64) -> ClientSummary {
        let after = sys::usage();
        let user_s = after.user_s - self.before.user_s;
        let system_s = after.system_s - self.before.system_s;
        let lag_p99_us = self.lag_us.value_at_quantile(0.99);
        ClientSummary {
            user_s,
            system_s,
            wall_s,
            max_rss_kib: after.max_rss_kib,
            run_queue_s: after.run_queue_s - self.before.run_queue_s,
            lag_p50_us: self.lag_us.value_at_quantile(0.5),
            lag_p99_us,
            lag_max_us: self.lag_us.max(),
            bottleneck: user_s + system_s >= BUSY_SHARE * wall_s || lag_p99_us > LATE_US,
        }
    }
}
