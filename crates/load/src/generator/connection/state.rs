//! Where a connection is on its way, and what its owner hears of it.

use crate::record::probes::Stage;
use sql_wire::{Failure, Reply};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Waiting for the deadline before the next round of candidates.
    BackingOff,
    /// The resolver was asked for the candidate's addresses.
    Resolving { until: u64 },
    /// The kernel is connecting.
    Connecting,
    /// Protocol greeting and log-in are under way.
    Authenticating,
    /// The TLS handshake is under way; the log-in goes on after it.
    Securing,
    /// The server was asked this about its role.
    Verifying(&'static str),
    /// The session is made to commit each statement.
    Autocommit,
    /// The session has received this setting of the workload.
    SettingUp(usize),
    /// Usable, no call under way.
    Idle,
    /// A call waits for its reply until the deadline.
    Busy,
    /// The run is over.
    Closed,
}

/// What an owner must know of.
#[derive(Debug)]
pub enum ConnectionEvent {
    Nothing,
    /// The transaction ended without asking anything of the server: the next may begin.
    Idle,
    /// The connection found a server; calls may follow.
    Usable,
    /// The call under way succeeded.
    Done(Reply),
    /// The call under way failed, the session goes on.
    Refused(Failure),
    /// The session is gone, and with it the call under way.
    Lost(Failure),
}

/// What is kept of a connection for one try only.
pub struct Single {
    /// When all must be over.
    pub until: u64,
    pub ended_in: Stage,
}
