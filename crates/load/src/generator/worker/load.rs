//! What the workers of a run share, in addition to what all clients do: the load's workload, turns and policy.

use super::reconnect::Reconnect;
use super::retry::Retry;
use crate::generator::shared::Shared;
use crate::record::lag::Lag;
use crate::record::waits::Waits;
use crate::schedule::Schedule;
use crate::schedule::think::ThinkTime;
use crate::schedule::work::Work;
use std::rc::Rc;
use workloads::Workload;
use workloads::client::Exchange;

pub struct Load {
    pub shared: Shared,
    pub workload: Rc<dyn Workload>,
    /// What the workload's transactions and their workers pass to each other.
    pub exchange: Rc<Exchange>,
    pub turns: Turns,
    pub lateness: Lateness,
    pub policy: Policy,
}

impl Load {
    /// The time of the event being handled, CLOCK_MONOTONIC nanoseconds.
    #[inline]
    pub fn now(&self) -> u64 {
        self.shared.clock.now
    }
}

/// Who may start a transaction, and when.
pub struct Turns {
    pub schedule: Schedule,
    /// Connections from this number on are parked.
    pub active: usize,
    /// False outside of the windows of a load that takes turns with others.
    pub may_work: bool,
    /// A start came back for which a connection has asked in vain.
    pub start_returned: bool,
    /// What is done of fixed work.
    pub work: Work,
}

/// How late this program is.
pub struct Lateness {
    /// How late transactions started for which a connection was free.
    pub lag: Lag,
    /// How long this program has had no processor.
    pub waits: Waits,
}

/// What the user wants of a worker.
pub struct Policy {
    pub think: Option<ThinkTime>,
    /// The workload's own pauses are kept: in a closed loop, where users set the pace.
    pub keep_pauses: bool,
    pub retry: Retry,
    /// The pause before a transaction that would fail again at once.
    pub backoff_ns: u64,
    pub stop_on_error: bool,
    pub reconnect: Reconnect,
    /// Share of the read-only transactions that go to the read endpoints.
    pub read_share: f64,
}
