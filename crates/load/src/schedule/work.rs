//! Fixed work: a load that ends when so much is done, and how long that took.
//!
//! As with sysbench's `--events` (src/sysbench.c, `sb_more_events`) work counts from the start of the load, and the
//! total time is that from the first start to the last end. sysbench counts an event when it begins, and runs it
//! again for as long as it meets an error that may be ignored, so that in the end as many have succeeded as were
//! asked for. Here as well: what failed is not done, and another transaction is begun in its place. A commit in
//! doubt is not done either. Before the work there can be a warm-up, which is not counted.

/// How much there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// So many transactions, of all connections together.
    Together(u64),
    /// So many transactions of each connection.
    Each(u64),
    /// Until the workload has nothing left.
    Workload,
}

impl Goal {
    /// Transactions of so many connections; None: the workload knows.
    pub fn transactions(self, connections: u64) -> Option<u64> {
        match self {
            Goal::Together(count) => Some(count),
            Goal::Each(count) => Some(count.saturating_mul(connections)),
            Goal::Workload => None,
        }
    }
}

/// What has become of the work. Times are CLOCK_MONOTONIC nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    pub done: u64,
    /// The first start.
    first: Option<u64>,
    /// The last end of what is done.
    last: Option<u64>,
    /// When the load's time was over, and the work was not.
    cut: Option<u64>,
}

impl Work {
    /// A transaction of the work starts.
    #[inline]
    pub fn started(&mut self, now: u64) {
        self.first.get_or_insert(now);
    }

    /// One is done. What is answered after the cut came too late.
    #[inline]
    pub fn did(&mut self, now: u64) {
        if self.cut.is_none() {
            self.done += 1;
            self.last = Some(now);
        }
    }

    /// The load's time is over.
    pub fn cut(&mut self, now: u64) {
        self.cut.get_or_insert(now);
    }

    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// From the first start to the last end, or to the cut; `opened`: from when on work could be done.
    pub fn span(&self, opened: u64) -> (u64, u64) {
        let from = self.first.unwrap_or(opened);
        (from, self.cut.or(self.last).unwrap_or(from).max(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_from_the_first_start_to_the_last_end() {
        let mut work = Work::default();
        for (started, ended) in [(10, 30), (20, 25), (40, 70)] {
            work.started(started);
            work.did(ended);
        }
        assert_eq!((work.done, work.span(5)), (3, (10, 70)));
    }

    #[test]
    fn what_ends_after_the_cut_is_not_done() {
        let mut work = Work::default();
        assert_eq!(work.span(7), (7, 7));
        work.started(10);
        work.did(20);
        work.cut(50);
        work.did(60);
        assert_eq!((work.done, work.span(7)), (1, (10, 50)));
    }

    #[test]
    fn work_that_never_began_took_all_the_time() {
        let mut work = Work::default();
        work.cut(90);
        assert_eq!((work.is_cut(), work.span(30)), (true, (30, 90)));
    }
}
