//! Who connects when. Before t = 0, and where the number of connections rises, so many at a time that a server's
//! queue of new connections does not overflow; in a burst all at t = 0, as fast as this machine can.
//! In a storm the same at the moment at which the number rises.

use crate::generator::worker::{Load, Worker};
use base::sys;

/// Connections under way at a time, outside a burst. Servers queue from 80 (MariaDB) to 4096 new ones.
const AT_A_TIME: usize = 64;
/// In a burst, between looks at what the connections before have come to.
const IN_A_ROW: usize = 32;

pub struct Connector {
    burst: bool,
    /// Those of a later step connect all at once.
    storm: bool,
    /// They are about to.
    storming: bool,
    started: bool,
    /// Connections from this number on have not started to connect.
    next: usize,
    /// Up to this number they are to.
    until: usize,
    /// As `next`, at its highest.
    dialled: usize,
    /// When a burst or a storm was to begin.
    intended: u64,
    /// How long after that its last connection began.
    took_ns: u64,
}

impl Connector {
    pub fn new(burst: bool, storm: bool) -> Connector {
        Connector {
            burst,
            storm,
            storming: false,
            started: false,
            next: 0,
            until: 0,
            dialled: 0,
            intended: 0,
            took_ns: 0,
        }
    }

    pub fn is_for_burst(&self) -> bool {
        self.burst
    }

    /// Connections that have ever started to connect; some can be parked.
    pub fn dialled(&self) -> usize {
        self.dialled
    }

    /// This moment is t = 0.
    pub fn start(&mut self, load: &Load) {
        self.started = true;
        self.until = load.turns.active;
        self.intended = load.now();
    }

    /// There are to be so many connections; those beyond have been parked.
    pub fn connections(&mut self, count: usize, now: u64) {
        self.next = self.next.min(count);
        self.until = count;
        if self.storm && self.next < count {
            self.storming = true;
            self.intended = now;
        }
    }

    /// A burst goes on: the loop must not sleep.
    #[inline]
    pub fn is_dialling(&self) -> bool {
        (self.burst || self.storming) && self.next < self.until
    }

    /// How long this machine took to begin all connections of a burst or of the last storm, in milliseconds.
    pub fn burst_ms(&self) -> Option<f64> {
        (self.burst || self.storming).then_some(self.took_ns as f64 / 1e6)
    }

    /// The next few of a burst.
    #[inline]
    pub fn burst(&mut self, workers: &mut [Worker], load: &mut Load) {
        if !self.is_dialling() || load.shared.clock.stopping {
            return;
        }
        for _ in 0..IN_A_ROW.min(self.until - self.next) {
            load.shared.clock.now = sys::monotonic_ns();
            self.took_ns = load.now() - self.intended;
            self.wake_next(workers, load);
        }
    }

    fn wake_next(&mut self, workers: &mut [Worker], load: &mut Load) {
        workers[self.next].wake(load);
        self.next += 1;
        self.dialled = self.dialled.max(self.next);
    }

    /// As many as may be under way at a time.
    pub fn dial(&mut self, workers: &mut [Worker], load: &mut Load) {
        if self.burst || self.storming || load.shared.clock.stopping {
            return;
        }
        let until = if self.started {
            self.until
        } else {
            load.turns.active
        };
        if self.next >= until {
            return;
        }
        let dialled = &workers[..self.next];
        let under_way = dialled.iter().filter(|w| w.lanes.is_seeking()).count();
        let more = AT_A_TIME.saturating_sub(under_way).min(until - self.next);
        for _ in 0..more {
            load.shared.clock.now = sys::monotonic_ns();
            self.wake_next(workers, load);
        }
    }
}
