//! Tells how far a load is: one line of JSON now and then.

use base::sys;
use serde_json::json;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_millis(200);

/// Counts rows, and prints their number every 200 ms and at the end.
pub struct Progress {
    total: u64,
    state: Mutex<(u64, Instant)>,
}

impl Progress {
    /// `done` of `total` rows are there from an earlier attempt. Where rows come in units of chance numbers
    /// both are their expectation.
    pub fn new(done: u64, total: u64) -> Progress {
        Progress {
            total,
            state: Mutex::new((done, Instant::now())),
        }
    }

    pub fn add(&self, rows: u64) {
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        state.0 += rows;
        if state.0 == self.total || state.1.elapsed() >= EVERY {
            state.1 = Instant::now();
            print(&json!({"event": "progress", "done": state.0, "total": self.total}));
        }
    }
}

pub fn print(line: &serde_json::Value) {
    // A closed output does not stop the loading.
    let _ = sys::write_line(line);
}
