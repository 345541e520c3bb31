//! The time, and how far the run is.

pub struct Clock {
    /// The time of the event being handled, CLOCK_MONOTONIC nanoseconds.
    pub now: u64,
    /// t = 0 has passed: transactions may start.
    pub started: bool,
    /// No new transactions.
    pub stopping: bool,
}
