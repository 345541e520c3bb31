//! What is known of an endpoint from the tries of fresh connections.

use sql_wire::Failure;
use std::collections::{BTreeMap, BTreeSet};

/// An answer may be late by so much before it counts as missing.
const LATE_NS: u64 = 50_000_000;
/// Once an endpoint is silent, the next comes after this share of the silence so far: a server that hangs keeps
/// every connection that it has let in, and is not to run out of them by our doing.
const SHARE: u64 = 10;

#[derive(Default)]
pub struct Candidate {
    /// The last that was heard of it: it takes writes.
    pub good: bool,
    /// How long a try that succeeds takes, smoothed.
    usual_ns: u64,
    /// Tries that are connecting, since these moments.
    connecting: BTreeMap<usize, u64>,
    /// Tries that got past connecting and wait for an answer.
    waiting: BTreeSet<usize>,
    /// It was let in or answered last then: after that it is silent.
    last_heard: u64,
    last_begun: u64,
}

impl Candidate {
    pub fn begun(&mut self, number: usize, now: u64) {
        self.connecting.insert(number, now);
        self.last_begun = now;
    }

    /// A try is past connecting, and waits.
    pub fn let_in(&mut self, number: usize, now: u64) {
        if self.connecting.remove(&number).is_none() {
            return;
        }
        if self.waiting.is_empty() {
            self.last_heard = now;
        }
        self.waiting.insert(number);
    }

    /// Whether another try does any good while so many at once are what it answers when nothing is wrong. More
    /// would only make a busy server busier: it is then tried as often as it answers.
    pub fn may_try(&self, now: u64, at_once: usize) -> bool {
        let silence = now.saturating_sub(self.last_heard);
        self.waiting.len() < at_once
            || self.lets_nobody_in(now)
            || (silence > self.late_ns() && now - self.last_begun >= silence / SHARE)
    }

    /// Nothing came through since the last that was let in: a further try costs the endpoint nothing.
    fn lets_nobody_in(&self, now: u64) -> bool {
        self.connecting
            .first_key_value()
            .is_some_and(|(number, begun)| {
                now - begun > LATE_NS && self.waiting.last() < Some(number)
            })
    }

    /// An answer that takes longer is missing.
    fn late_ns(&self) -> u64 {
        LATE_NS.max(4 * self.usual_ns)
    }

    /// A try has been under way for so long.
    pub fn doubt(&mut self, age_ns: u64) {
        self.good &= age_ns <= self.late_ns();
    }

    /// A try has ended at this moment, after so long.
    pub fn ended(&mut self, number: usize, failure: Option<&Failure>, now: u64, took_ns: u64) {
        self.connecting.remove(&number);
        let was_let_in = self.waiting.remove(&number);
        // what our own bound ended was no answer
        if was_let_in && !failure.is_some_and(Failure::is_own_bound) {
            self.last_heard = now;
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
    const AT_ONCE: usize = 2;

    fn bound() -> Failure {
        Failure::new(Class::Timeout, "reply", "no reply")
    }

    /// A candidate with one successful probe, number 0, which took this long.
    fn known(usual_ms: u64) -> Candidate {
        let mut candidate = Candidate::default();
        tried(&mut candidate, 0, 0);
        candidate.ended(0, None, usual_ms * MS, usual_ms * MS);
        candidate
    }

    /// A try that is let in.
    fn tried(candidate: &mut Candidate, number: usize, now: u64) {
        candidate.begun(number, now);
        candidate.let_in(number, now);
    }

    #[test]
    fn what_is_late_is_doubted_and_one_that_answers_is_trusted_again() {
        assert!(!Candidate::default().good, "nothing is known");
        let mut candidate = known(30);
        assert!(candidate.good);
        candidate.doubt(119 * MS);
        assert!(candidate.good, "it usually takes 30 ms");
        candidate.doubt(121 * MS);
        assert!(!candidate.good);
        candidate.ended(1, None, 0, 200 * MS);
        assert!(candidate.good);
        let read_only = Failure::new(Class::ReadOnly, "1290", "read only");
        candidate.ended(2, Some(&read_only), 0, MS);
        assert!(!candidate.good);
    }

    #[test]
    fn a_server_that_hangs_is_tried_more_and_more_rarely() {
        let mut candidate = known(5);
        let (mut tries, mut open) = (0, BTreeMap::new());
        // every 10 ms for 20 s, each with a bound of 2 s
        for number in 1..2000 {
            let now = (10 + number as u64 * 10) * MS;
            open.retain(|&old, begun| {
                let waits = now - *begun < 2000 * MS;
                if !waits {
                    candidate.ended(old, Some(&bound()), now, 2000 * MS);
                }
                waits
            });
            assert!(
                number < 30 || !open.is_empty(),
                "no probe would see its end"
            );
            if candidate.may_try(now, AT_ONCE) {
                tried(&mut candidate, number, now);
                open.insert(number, now);
                tries += 1;
            }
        }
        assert!((30..100).contains(&tries), "{tries}");
    }

    #[test]
    fn a_server_that_is_slow_has_two_at_once() {
        let mut candidate = known(5);
        // it answers each after 45 ms: not silent, slower than the tries would come
        let (mut open, mut tries) = (BTreeMap::new(), 0);
        for number in 1..=100 {
            let now = (10 + number as u64 * 10) * MS;
            open.retain(|&old, begun| {
                let waits = now - *begun < 45 * MS;
                if !waits {
                    candidate.ended(old, None, now, 45 * MS);
                }
                waits
            });
            if candidate.may_try(now, AT_ONCE) {
                tried(&mut candidate, number, now);
                open.insert(number, now);
                tries += 1;
            }
            assert!(open.len() <= AT_ONCE);
        }
        assert!((35..=45).contains(&tries), "{tries}");
    }

    #[test]
    fn a_host_that_is_silent_is_tried_as_often_as_ever() {
        let mut candidate = known(5);
        // two had been let in when it fell silent
        tried(&mut candidate, 1, 10 * MS);
        tried(&mut candidate, 2, 20 * MS);
        assert!(!candidate.may_try(30 * MS, AT_ONCE));
        assert!(candidate.may_try(70 * MS, AT_ONCE));
        candidate.begun(3, 70 * MS);
        assert!(
            candidate.may_try(1000 * MS, AT_ONCE),
            "no probe is accepted"
        );
        candidate.begun(4, 1000 * MS);
        assert!(candidate.may_try(1001 * MS, AT_ONCE));
        // The endpoint accepts connections again, but does not answer.
        candidate.let_in(4, 1002 * MS);
        assert!(!candidate.may_try(1003 * MS, AT_ONCE));
    }
}
