//! What is known of an endpoint from the tries of fresh connections.

use crate::record::probes::Stage;
use sql_wire::Failure;
use std::collections::BTreeSet;

/// An answer may be late by so much before it counts as missing.
const LATE_NS: u64 = 50_000_000;
/// So many tries may be let in and wait for an answer before they get rarer.
const LET_IN: usize = 16;
/// Then the next comes after this share of the silence so far: a server that hangs keeps every connection that
/// it has let in, and is not to run out of them by our doing.
const SHARE: u64 = 10;

#[derive(Default)]
pub struct Candidate {
    /// The last that was heard of it: it takes writes.
    pub good: bool,
    /// How long a try that succeeds takes, smoothed.
    usual_ns: u64,
    /// Tries that got past connecting and wait for an answer.
    waiting: BTreeSet<usize>,
    /// It lets everybody in and answers nobody, from this moment on.
    silent_since: Option<u64>,
    last_begun: u64,
}

impl Candidate {
    pub fn begun(&mut self, now: u64) {
        self.last_begun = now;
    }

    /// A try is past connecting, and waits.
    pub fn let_in(&mut self, number: usize, now: u64) {
        self.waiting.insert(number);
        if self.waiting.len() >= LET_IN {
            self.silent_since.get_or_insert(now);
        }
    }

    pub fn may_try(&self, now: u64) -> bool {
        self.silent_since
            .is_none_or(|since| now - self.last_begun >= now.saturating_sub(since) / SHARE)
    }

    /// A try has been under way for so long.
    pub fn doubt(&mut self, age_ns: u64) {
        self.good &= age_ns <= LATE_NS.max(4 * self.usual_ns);
    }

    pub fn ended(&mut self, number: usize, stage: Stage, failure: Option<&Failure>, took_ns: u64) {
        self.waiting.remove(&number);
        let connected = !matches!(stage, Stage::Resolve | Stage::Connect);
        // Whoever answers, or lets nobody in, keeps no connections.
        if !(connected && failure.is_some_and(Failure::is_own_bound)) {
            self.silent_since = None;
        }
        self.good = failure.is_none();
        if self.good {
            self.usual_ns = match self.usual_ns {
                0 => took_ns,
                usual => usual - usual / 8 + took_ns / 8,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sql_wire::Class;

    const MS: u64 = 1_000_000;

    fn bound() -> Failure {
        Failure::new(Class::Timeout, "reply", "no reply")
    }

    #[test]
    fn what_is_late_is_doubted_and_one_that_answers_is_trusted_again() {
        let mut candidate = Candidate::default();
        assert!(!candidate.good, "nothing is known");
        candidate.ended(0, Stage::Write, None, 30 * MS);
        assert!(candidate.good);
        candidate.doubt(119 * MS);
        assert!(candidate.good, "it usually takes 30 ms");
        candidate.doubt(121 * MS);
        assert!(!candidate.good);
        candidate.ended(1, Stage::Write, None, 200 * MS);
        assert!(candidate.good);
        let read_only = Failure::new(Class::ReadOnly, "1290", "read only");
        candidate.ended(2, Stage::Write, Some(&read_only), MS);
        assert!(!candidate.good);
    }

    #[test]
    fn a_server_that_hangs_is_tried_more_and_more_rarely() {
        let mut candidate = Candidate::default();
        let (mut tries, mut number) = (0, 0);
        // Every 10 ms for 20 s, each with a bound of 2 s.
        for now in (0..20_000).step_by(10).map(|ms| ms * MS) {
            if let Some(old) = candidate.waiting.first().copied()
                && number - old > 200
            {
                candidate.ended(old, Stage::Write, Some(&bound()), 2000 * MS);
            }
            if candidate.may_try(now) {
                candidate.begun(now);
                candidate.let_in(number, now);
                tries += 1;
            }
            number += 1;
        }
        assert!((LET_IN + 20..LET_IN + 100).contains(&tries), "{tries}");
    }

    #[test]
    fn a_host_that_is_silent_is_tried_as_often_as_ever() {
        let mut candidate = Candidate::default();
        for number in 0..LET_IN {
            candidate.let_in(number, 0);
        }
        candidate.begun(2000 * MS);
        assert!(!candidate.may_try(2010 * MS));
        let silence = Failure::new(Class::Timeout, "connect", "no answer to the connect");
        candidate.ended(99, Stage::Connect, Some(&silence), 2000 * MS);
        assert!(candidate.may_try(2010 * MS));
    }
}
