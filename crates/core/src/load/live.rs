//! Lines of JSON on standard output while the run goes on.
//!
//! `tps`, `qps` and `p95_ms` are of the second that just ended; `errors` and `in_doubt` count from the start.

use serde_json::json;
use std::io::Write;

#[derive(Default)]
pub struct Live {
    enabled: bool,
    at_ns: u64,
    transactions: u64,
    queries: u64,
}

/// Counts since the start.
pub struct Figures {
    pub since_start_ns: u64,
    pub transactions: u64,
    pub queries: u64,
    pub p95_ms: f64,
    pub errors: u64,
    pub in_doubt: u64,
    pub connected: usize,
}

impl Live {
    pub fn new(enabled: bool) -> Live {
        Live {
            enabled,
            ..Live::default()
        }
    }

    pub fn started(&self, monotonic_ns: u64, unix_ns: u64) {
        self.print(&json!({"event": "started", "monotonic_ns": monotonic_ns, "unix_ns": unix_ns}));
    }

    pub fn second(&mut self, figures: &Figures) {
        let seconds = (figures.since_start_ns - self.at_ns) as f64 / 1e9;
        let rate = |now: u64, before: u64| ((now - before) as f64 / seconds * 10.0).round() / 10.0;
        self.print(&json!({
            "event": "live",
            "t": (figures.since_start_ns as f64 / 1e6).round() / 1e3,
            "tps": rate(figures.transactions, self.transactions),
            "qps": rate(figures.queries, self.queries),
            "p95_ms": figures.p95_ms,
            "errors": figures.errors,
            "in_doubt": figures.in_doubt,
            "connected": figures.connected,
        }));
        self.at_ns = figures.since_start_ns;
        self.transactions = figures.transactions;
        self.queries = figures.queries;
    }

    pub fn done(&self) {
        self.print(&json!({"event": "done"}));
    }

    /// Nobody listening is no reason to stop measuring.
    fn print(&self, line: &serde_json::Value) {
        if self.enabled {
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    }
}
