//! What `load.json` says of fixed work.

use crate::schedule::work::{Goal, Work};
use serde::Serialize;

/// Done, and how long it took. All that is absent in a load of a given time.
#[derive(Clone, Debug, Serialize)]
pub struct WorkSummary {
    /// Transactions of the work that were committed, or ended without effect as specified.
    done: u64,
    /// All of it was done.
    completed: bool,
    /// The load's time was over before.
    cut: bool,
    /// Seconds from the first start to the last end, to a millisecond; of what was cut, to the cut.
    total_s: f64,
    work: Asked,
}

/// What was asked for, and where in the load it lies.
#[derive(Clone, Debug, Serialize)]
struct Asked {
    /// Of all connections together; null: a number for each connection is set, or the workload ends by itself.
    transactions: Option<u64>,
    each: Option<u64>,
    /// Seconds since the start of the load.
    from_s: f64,
    to_s: f64,
}

impl WorkSummary {
    /// `span`: first start and last end; `origin`: the start of the load.
    pub fn new(
        goal: Goal,
        work: &Work,
        completed: bool,
        (from, to): (u64, u64),
        origin: u64,
    ) -> WorkSummary {
        let (transactions, each) = match goal {
            Goal::Together(count) => (Some(count), None),
            Goal::Each(count) => (None, Some(count)),
            Goal::Workload => (None, None),
        };
        WorkSummary {
            done: work.done,
            completed,
            cut: work.is_cut() && !completed,
            total_s: seconds(to - from),
            work: Asked {
                transactions,
                each,
                from_s: seconds(from.saturating_sub(origin)),
                to_s: seconds(to.saturating_sub(origin)),
            },
        }
    }
}

/// Rounded to a millisecond.
fn seconds(nanoseconds: u64) -> f64 {
    ((nanoseconds + 500_000) / 1_000_000) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_milliseconds_from_the_start_of_the_load() {
        let mut work = Work::default();
        work.started(3_000_600_000);
        work.did(4_500_000_000);
        let span = work.span(0);
        let reported = WorkSummary::new(Goal::Together(1), &work, true, span, 1_000_000_000);
        assert_eq!(
            (reported.total_s, reported.work.from_s, reported.work.to_s),
            (1.499, 2.001, 3.5)
        );
        assert!(reported.completed && !reported.cut);
    }
}
