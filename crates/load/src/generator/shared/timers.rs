//! Moments at which something is to happen, to the nanosecond: one heap for what connections wait for, and one
//! timer descriptor that wakes the event loop at the next moment of all.
//!
//! The descriptor is set only when the next moment is another than before. While events keep the loop busy it
//! looks at the moments anyway, so that a busy loop pays no system call for its timers.

use base::sys::Timer;
use mio::Token;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// Think times, pauses and back-offs of connections. What is not wanted any more is not removed: who is called
/// looks whether its time has come.
#[derive(Default)]
pub struct Timers(BinaryHeap<Reverse<(u64, usize)>>);

impl Timers {
    pub fn set(&mut self, due: u64, token: Token) {
        self.0.push(Reverse((due, token.0)));
    }

    #[inline]
    pub fn next_due(&self) -> Option<u64> {
        self.0.peek().map(|Reverse((due, _))| *due)
    }

    /// Returns the next expired timer and its owner.
    pub fn pop(&mut self, now: u64) -> Option<(u64, Token)> {
        if self.next_due().is_none_or(|due| due > now) {
            return None;
        }
        self.0
            .pop()
            .map(|Reverse((due, token))| (due, Token(token)))
    }
}

/// Wakes the event loop.
pub struct Alarm {
    timer: Timer,
    set_to: u64,
}

impl Alarm {
    pub fn new() -> io::Result<Alarm> {
        Ok(Alarm {
            timer: Timer::new()?,
            set_to: u64::MAX,
        })
    }

    /// Becomes readable at this moment, or at once when it has passed.
    #[inline]
    pub fn set(&mut self, due: u64) -> io::Result<()> {
        if due == self.set_to {
            return Ok(());
        }
        self.set_to = due;
        // 0 would disarm it.
        self.timer.set(due.max(1))
    }

    /// It went off, and must be set again even for the same moment.
    pub fn went_off(&mut self) {
        self.set_to = u64::MAX;
    }
}

impl AsRawFd for Alarm {
    fn as_raw_fd(&self) -> RawFd {
        self.timer.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::sys::monotonic_ns;
    use mio::unix::SourceFd;
    use mio::{Events, Interest, Poll};
    use std::time::Duration;

    #[test]
    fn moments_come_in_order_and_not_early() {
        let mut timers = Timers::default();
        for (due, token) in [(30, 3), (10, 1), (20, 2)] {
            timers.set(due, Token(token));
        }
        assert_eq!(timers.pop(9), None);
        assert_eq!(timers.next_due(), Some(10));
        assert_eq!(timers.pop(25), Some((10, Token(1))));
        assert_eq!(timers.pop(25), Some((20, Token(2))));
        assert_eq!(timers.pop(25), None);
    }

    /// Edge-triggered and never read: setting it again must be enough for it to go off again.
    #[test]
    fn an_alarm_goes_off_each_time_it_is_set() {
        let mut poll = Poll::new().unwrap();
        let mut alarm = Alarm::new().unwrap();
        let fd = alarm.as_raw_fd();
        poll.registry()
            .register(&mut SourceFd(&fd), Token(7), Interest::READABLE)
            .unwrap();
        let mut events = Events::with_capacity(4);
        for _ in 0..3 {
            let due = monotonic_ns() + 2_000_000;
            alarm.set(due).unwrap();
            poll.poll(&mut events, Some(Duration::from_secs(10)))
                .unwrap();
            assert_eq!(events.iter().count(), 1);
            assert!(monotonic_ns() >= due);
            alarm.went_off();
        }
        alarm.set(monotonic_ns() - 5).unwrap();
        poll.poll(&mut events, Some(Duration::from_secs(10)))
            .unwrap();
        assert_eq!(events.iter().count(), 1, "a moment that has passed");
    }
}
