//! The start times of transactions. All code here is pure: it gets the time and reads no clock, so that it can be
//! tested without waiting, and depends on the seed alone.
//!
//! ```text
//!   timetable ──stages──> arrivals ──intended starts──> open ──(connection, intended start)──> load/run
//!                                                        ^
//!                                                        └── connections that are free
//!
//!   closed: a free connection starts at once, or after a think time
//!   search: proposes the rate of the next window, gets whether the limit was met
//! ```

pub mod arrivals;
pub mod closed;
mod counts;
mod free;
pub mod open;
pub mod search;
pub mod student;
pub mod think;
pub mod timetable;
pub mod work;

pub use counts::Counts;

use arrivals::Arrivals;
use closed::Closed;
use open::Open;
use work::Goal;

/// Streams of random numbers that are no connection's; connections have those from 0.
pub mod streams {
    pub const RUN: u64 = u64::MAX;
    pub const ARRIVALS: u64 = u64::MAX - 1;
    pub const SEARCH: u64 = u64::MAX - 2;
    /// Think times of connection i: this plus i, so that they leave its statements alone.
    pub const THINKING: u64 = 1 << 62;
}

/// Permission to start a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// When it was meant to start, which its response time counts from. None: when it does start.
    pub intended: Option<u64>,
    /// It is of the work that is to be done, not of a warm-up.
    pub counted: bool,
}

/// Hands out starts to connections.
pub enum Schedule {
    Closed(Closed),
    Open(Box<Open>),
}

impl Schedule {
    pub fn closed(goal: Option<Goal>, connections: usize, warmup_ns: u64) -> Schedule {
        Schedule::Closed(Closed::new(goal, connections, warmup_ns))
    }

    /// A closed loop without an end.
    pub fn endless() -> Schedule {
        Schedule::closed(None, 0, 0)
    }

    pub fn open(arrivals: Arrivals, connections: usize) -> Schedule {
        Schedule::Open(Box::new(Open::new(arrivals, connections)))
    }

    pub fn is_open(&self) -> bool {
        matches!(self, Schedule::Open(_))
    }

    /// This moment is t = 0.
    pub fn begin(&mut self, now: u64) {
        match self {
            Schedule::Closed(closed) => closed.begin(now),
            Schedule::Open(open) => open.begin(now),
        }
    }

    /// A connection is free: it may start now, or is remembered and will be named by `due`.
    #[inline]
    pub fn ask(&mut self, connection: usize, now: u64) -> Option<Start> {
        match self {
            Schedule::Closed(closed) => {
                let counted = closed.take(connection, now)?;
                Some(Start {
                    intended: None,
                    counted,
                })
            }
            Schedule::Open(open) => open.ask(connection, now).map(Start::at),
        }
    }

    /// A connection is not free any more, without having been named.
    pub fn leave(&mut self, connection: usize) {
        if let Schedule::Open(open) = self {
            open.leave(connection);
        }
    }

    /// A start that a connection could not use; another one gets it. True when one has waited for it in vain.
    pub fn give_back(&mut self, connection: usize, start: Start) -> bool {
        match (self, start.intended) {
            (Schedule::Open(open), Some(intended)) => open.give_back(intended),
            (Schedule::Closed(closed), _) => return closed.give_back(connection, start.counted),
            (Schedule::Open(_), None) => {}
        }
        false
    }

    /// A transaction of the work failed: in a closed loop another may start in its place. True when a connection
    /// has waited for it in vain. In an open loop the number of arrivals is what it is.
    pub fn again(&mut self, connection: usize) -> bool {
        match self {
            Schedule::Closed(closed) => closed.again(connection),
            Schedule::Open(_) => false,
        }
    }

    /// From when on work can be done.
    pub fn opens_at(&self) -> u64 {
        match self {
            Schedule::Closed(closed) => closed.opens_at(),
            Schedule::Open(open) => open.origin(),
        }
    }

    /// The next free connection with the arrival that has come for it.
    pub fn due(&mut self, now: u64) -> Option<(usize, Start)> {
        match self {
            Schedule::Closed(_) => None,
            Schedule::Open(open) => open
                .due(now)
                .map(|(connection, intended)| (connection, Start::at(intended))),
        }
    }

    /// When `due` has something to say; None: only after another `ask`.
    #[inline]
    pub fn next_due(&self) -> Option<u64> {
        match self {
            Schedule::Closed(_) => None,
            Schedule::Open(open) => open.next_due(),
        }
    }

    /// The run ends: what has come by now has come, nothing starts any more.
    pub fn close(&mut self, now: u64) {
        if let Schedule::Open(open) = self {
            open.close(now);
        }
    }

    /// As many transactions as were asked for have started.
    pub fn is_exhausted(&self) -> bool {
        match self {
            Schedule::Closed(closed) => closed.is_exhausted(),
            Schedule::Open(open) => open.is_exhausted(),
        }
    }

    /// The same for this connection, which can have a separate number.
    #[inline]
    pub fn is_exhausted_for(&self, connection: usize) -> bool {
        match self {
            Schedule::Closed(closed) => closed.is_exhausted_for(connection),
            Schedule::Open(open) => open.is_exhausted(),
        }
    }

    /// Arrivals that wait for a connection now.
    pub fn backlog(&mut self, now: u64) -> u64 {
        match self {
            Schedule::Closed(_) => 0,
            Schedule::Open(open) => open.backlog(now),
        }
    }

    /// What was asked for, and what became of it.
    pub fn counts(&self) -> Counts {
        match self {
            Schedule::Closed(closed) => Counts {
                arrived: closed.started(),
                started: closed.started(),
                ..Counts::default()
            },
            Schedule::Open(open) => open.counts(),
        }
    }
}

impl Start {
    fn at(intended: u64) -> Start {
        Start {
            intended: Some(intended),
            counted: true,
        }
    }
}
