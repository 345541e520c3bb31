//! Open loop: transactions start on schedule, independent of earlier ones.
//!
//! An arrival that finds no free connection waits, in order, until one is free; nothing is dropped. Its response
//! time counts from the intended start, so that a server's pause is seen by all who would have come in it, and
//! not only by the few who were being served (coordinated omission; Gil Tene, How NOT to Measure Latency,
//! 2013, and Schroeder, Wierman and Harchol-Balter, Open Versus Closed: A Cautionary Tale, NSDI 2006).
//!
//! What waits is not stored: arrivals can be repeated from the seed, so that one iterator stands at the next
//! arrival to come, and a second one at the first that waits. An hour's backlog needs no memory.

use super::arrivals::Arrivals;
use super::counts::Counts;
use super::free::FreeList;
use std::collections::VecDeque;

pub struct Open {
    /// What has not come yet, at the last look.
    coming: Arrivals,
    /// The same sequence, as far as it has been started.
    waiting: Arrivals,
    /// Starts that were given back; older than all that waits.
    returned: VecDeque<u64>,
    /// When t = 0 is, CLOCK_MONOTONIC nanoseconds; the end of time before it is known.
    origin: u64,
    closed: bool,
    free: FreeList,
    counts: Counts,
}

impl Open {
    pub fn new(arrivals: Arrivals, connections: usize) -> Open {
        Open {
            coming: arrivals.clone(),
            waiting: arrivals,
            returned: VecDeque::new(),
            origin: u64::MAX,
            closed: false,
            free: FreeList::new(connections),
            counts: Counts::default(),
        }
    }

    pub fn begin(&mut self, now: u64) {
        self.origin = now;
    }

    /// t = 0.
    pub fn origin(&self) -> u64 {
        self.origin
    }

    /// Continues with other arrivals, with t = 0 at `now`. Waiting transactions are dropped and counted.
    pub fn replace(&mut self, arrivals: Arrivals, now: u64) {
        self.counts.abandoned += self.backlog(now);
        self.returned.clear();
        self.coming = arrivals.clone();
        self.waiting = arrivals;
        self.origin = now;
    }

    /// A connection is free: what waits, or its place in the queue.
    #[inline]
    pub fn ask(&mut self, connection: usize, now: u64) -> Option<u64> {
        // Others are free, so that nothing can wait: what is due is handed out by `due`.
        if self.free.is_empty() && self.next_start().is_some_and(|at| at <= now) {
            self.look(now);
            return self.take();
        }
        self.free.push(connection);
        None
    }

    /// Counts what has come until now; nothing is handed out any more.
    pub fn close(&mut self, now: u64) {
        self.look(now);
        self.closed = true;
    }

    pub fn leave(&mut self, connection: usize) {
        self.free.remove(connection);
    }

    pub fn give_back(&mut self, intended: u64) {
        self.counts.started -= 1;
        self.returned.push_back(intended);
    }

    #[inline]
    pub fn due(&mut self, now: u64) -> Option<(usize, u64)> {
        if self.next_start().is_none_or(|at| at > now) {
            return None;
        }
        match self.free.pop() {
            Some(connection) => self.take().map(|intended| (connection, intended)),
            None => {
                self.look(now);
                None
            }
        }
    }

    #[inline]
    pub fn next_due(&self) -> Option<u64> {
        match self.free.is_empty() {
            true => None,
            false => self.next_start(),
        }
    }

    /// All of a bounded number have started.
    pub fn is_exhausted(&self) -> bool {
        self.returned.is_empty() && self.waiting.is_used_up()
    }

    /// Arrivals until `now` that have not started.
    pub fn backlog(&mut self, now: u64) -> u64 {
        self.look(now);
        self.waiting_now()
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The intended start that is next to be started.
    #[inline]
    fn next_start(&self) -> Option<u64> {
        if self.closed {
            return None;
        }
        match self.returned.front() {
            Some(&intended) => Some(intended),
            None => self.waiting.peek().map(|at| self.origin.saturating_add(at)),
        }
    }

    fn take(&mut self) -> Option<u64> {
        let intended = match self.returned.pop_front() {
            Some(intended) => intended,
            None => self.origin + self.waiting.next()?,
        };
        self.counts.started += 1;
        if self.counts.started + self.counts.abandoned > self.counts.arrived {
            self.counts.arrived += 1;
            self.coming.next();
        }
        Some(intended)
    }

    fn waiting_now(&self) -> u64 {
        self.counts.arrived - self.counts.started - self.counts.abandoned
    }

    /// Counts what has come until now.
    fn look(&mut self, now: u64) {
        let has_come = |at: u64| self.origin.saturating_add(at) <= now;
        while !self.closed && self.coming.peek().is_some_and(has_come) {
            self.counts.arrived += 1;
            self.coming.next();
        }
        self.counts.backlog_max = self.counts.backlog_max.max(self.waiting_now());
    }
}

#[cfg(test)]
mod tests;
