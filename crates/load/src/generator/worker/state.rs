//! What a worker is at: the turn, the attempt, the call.

use base::rng::Rng;
use sql_wire::{Effect, Parameters};
use workloads::client::Request;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Waiting,
    Ready,
    Running,
    RollingBack,
    Pausing { until: u64, why: Pause },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// A user's, at whose end the next transaction is meant to start.
    Planned,
    /// After an error, so as not to run into it again at once.
    BackOff,
}

/// A transaction that may run, from its first attempt to its outcome.
pub struct Attempt {
    pub which: usize,
    /// It is of the work that is to be done.
    pub counted: bool,
    /// What the response time counts from: the intended start, else that of the first attempt.
    pub started: Option<u64>,
    pub attempts: u32,
    /// How late this program came to the intended start, and the wait for a processor until it began.
    pub late_ns: u64,
    pub waited_ns: u64,
    /// The random numbers as they were before the first attempt.
    pub rng: Rng,
}

/// The call under way.
#[derive(Clone, Copy)]
pub struct Call {
    pub effect: Effect,
    /// None: sent as text.
    pub id: Option<usize>,
    pub keep_rows: bool,
    /// A transaction was open when it was sent, or opens with it.
    pub open: bool,
}

/// A call that waits for a new connection, with what the shared exchange had for it.
pub struct Held {
    pub request: Request,
    pub parameters: Parameters,
    pub sql: Vec<u8>,
}
