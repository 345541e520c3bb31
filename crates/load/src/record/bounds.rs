//! How long the clients of a run waited, as `load.json` tells it.

use serde::Serialize;

/// null: no bound.
#[derive(Serialize)]
pub struct BoundsSummary {
    pub answer_timeout_s: Option<f64>,
    pub connect_timeout_s: f64,
    /// null: off.
    pub keepalive: Option<KeepaliveSummary>,
    pub tcp_user_timeout_s: Option<f64>,
}

#[derive(Serialize)]
pub struct KeepaliveSummary {
    pub idle_s: f64,
    pub interval_s: f64,
    pub probes: u32,
}
