//! Lines of JSON on standard output while the run goes on.
//!
//! `tps`, `qps`, `p95_ms` and `offered` are of the second that just ended; `backlog` is of its end; `errors`,
//! `in_doubt`, `ok`, `failed` and `queries` count from the start. `offered` is None in a closed loop, which offers what is asked for. `step`
//! counts from 1; in a search it is the window.

use crate::generator::worker::{Load, Worker};
use base::sys;
use serde_json::json;

#[derive(Default)]
pub struct Live {
    enabled: bool,
    at_ns: u64,
    transactions: u64,
    queries: u64,
    arrived: u64,
}

/// Counts since the start.
pub struct Figures {
    since_start_ns: u64,
    transactions: u64,
    failed: u64,
    queries: u64,
    p95_ms: f64,
    errors: u64,
    in_doubt: u64,
    connected: usize,
    /// Arrivals of an open loop.
    arrived: Option<u64>,
    backlog: u64,
    step: usize,
}

impl Figures {
    pub fn of(load: &mut Load, workers: &[Worker], step: usize) -> Figures {
        let backlog = load.turns.schedule.backlog(load.now());
        let arrived = load.turns.schedule.counts().arrived;
        let recorder = &load.shared.recorder;
        let (totals, ledger) = (&recorder.load, &recorder.ledger);
        let connected = workers.iter().filter(|w| w.lanes.has_usable()).count();
        Figures {
            since_start_ns: load.now() - recorder.started_ns,
            transactions: totals.transactions.ok,
            failed: totals.transactions.failed,
            queries: totals.queries,
            p95_ms: recorder.latency.quantile_ms(0.95),
            errors: recorder.errors.total(),
            in_doubt: totals.transactions.in_doubt + ledger.writes.in_doubt,
            connected,
            arrived: load.turns.schedule.is_open().then_some(arrived),
            backlog,
            step,
        }
    }
}

impl Live {
    pub fn new(enabled: bool) -> Live {
        Live {
            enabled,
            ..Live::default()
        }
    }

    /// Everybody is connected.
    pub fn ready(&self) {
        self.print(&json!({"event": "ready"}));
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
            "offered": figures.arrived.map(|arrived| rate(arrived, self.arrived)),
            "backlog": figures.backlog,
            "step": figures.step,
            "ok": figures.transactions,
            "failed": figures.failed,
            "queries": figures.queries,
        }));
        self.at_ns = figures.since_start_ns;
        self.transactions = figures.transactions;
        self.queries = figures.queries;
        self.arrived = figures.arrived.unwrap_or_default();
    }

    pub fn done(&self) {
        self.print(&json!({"event": "done"}));
    }

    /// A closed output does not stop the measurement.
    fn print(&self, line: &serde_json::Value) {
        if self.enabled {
            let _ = sys::write_line(line);
        }
    }
}
