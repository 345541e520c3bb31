//! Probes with a new connection and one small write, in addition to the load: they show when a new client can write.
//!
//! ```text
//!   calm ──the fault is near, or an endpoint that took writes fails──> dense
//!    │ one try now and then                                              │ a try every few milliseconds
//!    └── at the endpoints that take writes, in turn; at all of them while none does ──┘
//! ```
//!
//! Probes overlap: none waits for another, and each has a separate time limit, independent of the load's. An endpoint
//! that has not answered for longer than it usually takes is not one that takes writes any more: so a silent
//! host does not block probes of the others. While one is writable, the others are not probed, as clients do not use
//! them: a write that reaches an old primary during its demotion would leave it with a divergent transaction.

mod candidate;

use crate::generator::connection::{Connection, ConnectionEvent};
use crate::generator::endpoints::Role;
use crate::generator::shared::{FIRST_PROBE, Place, Shared, token};
use crate::probes;
use crate::record::probes::{Probe, ProbesSummary, Stage};
use crate::record::{Outcome, Source, WriteCounts};
use base::arguments::seconds;
use base::sys;
use candidate::Candidate;
use sql_wire::{Effect, Failure};
use std::collections::BTreeMap;
use std::time::Duration;

/// Additional accepted probes that can wait for an answer, as answers take time.
const SPARE: usize = 2;
/// The same limit while the answer time is unknown.
const UNKNOWN: usize = 16;
/// Factor on the normal answer time; if answers take longer, probes become rarer in the same proportion.
const SLOWER: u64 = 2;
/// Maximum factor by which probes become rarer: with and without a writable endpoint.
const RARER: (u64, u64) = (10, 5);
/// Probes stay dense for this long after a failure in normal operation.
const WARY_NS: u64 = 2_000_000_000;

#[derive(clap::Args)]
pub struct ProbeArgs {
    /// Interval of probes (a new connection and a small write) during failures. Default: no probes.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub probe_every: Option<Duration>,
    /// Interval of probes in normal operation.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "500ms")]
    pub probe_calm: Duration,
    /// Time limit of a whole probe.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "2s")]
    pub probe_timeout: Duration,
    /// Time after the start from which probes are always dense. Default: only during failures.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub probe_dense_from: Option<Duration>,
}

impl ProbeArgs {
    /// Maximum number of concurrent probes at one endpoint.
    pub fn at_once(&self) -> u64 {
        let most = |every: Duration| self.probe_timeout.as_nanos() / every.as_nanos() + 1;
        self.probe_every.map_or(0, |every| most(every) as u64)
    }
}

/// Times of probes.
struct Times {
    every_ns: u64,
    calm_ns: u64,
    bound_ns: u64,
    /// Since t = 0.
    dense_from_ns: Option<u64>,
}

/// A running probe.
struct Try {
    candidate: usize,
    started: u64,
    connection: Connection,
}

pub struct Prober {
    times: Times,
    candidates: Vec<Candidate>,
    /// By number, so the oldest first.
    tries: BTreeMap<usize, Try>,
    /// The number of the next probe.
    next: usize,
    /// The greatest number that was in the table before.
    greatest: i64,
    place: Place,
    started: u64,
    due: u64,
    /// Index of the next endpoint among the writable ones.
    turn: usize,
    wary_until: u64,
    /// Smoothed time of a successful probe in normal operation.
    calm_answer_ns: u64,
    /// Shortest time of such a probe: the first ones may meet cold caches and a busy machine.
    quickest_ns: u64,
    /// Smoothed current time of an answered probe.
    answer_ns: u64,
    outcomes: WriteCounts,
    skipped: u64,
}

impl Prober {
    /// Create a prober for `endpoints` endpoints; None without probes.
    pub fn new(args: &ProbeArgs, endpoints: usize, greatest: i64, place: Place) -> Option<Prober> {
        let ns = |time: Duration| time.as_nanos() as u64;
        let every = args.probe_every?;
        Some(Prober {
            times: Times {
                every_ns: ns(every),
                calm_ns: ns(args.probe_calm.max(every)),
                bound_ns: ns(args.probe_timeout),
                dense_from_ns: args.probe_dense_from.map(ns),
            },
            candidates: (0..endpoints).map(|_| Candidate::default()).collect(),
            tries: BTreeMap::new(),
            next: 0,
            greatest,
            place,
            started: u64::MAX,
            due: u64::MAX,
            turn: 0,
            wary_until: 0,
            calm_answer_ns: 0,
            quickest_ns: 0,
            answer_ns: 0,
            outcomes: WriteCounts::default(),
            skipped: 0,
        })
    }

    /// t = 0.
    pub fn begin(&mut self, now: u64) {
        self.started = now;
        self.due = now;
    }

    pub fn next_due(&self) -> u64 {
        self.due
    }

    pub fn is_resting(&self) -> bool {
        self.tries.is_empty()
    }

    pub fn summary(&self) -> ProbesSummary {
        let in_seconds = |ns: u64| ns as f64 / 1e9;
        ProbesSummary {
            outcomes: self.outcomes,
            skipped: self.skipped,
            every_s: in_seconds(self.times.every_ns),
            calm_s: in_seconds(self.times.calm_ns),
            timeout_s: in_seconds(self.times.bound_ns),
            dense_from_s: self.times.dense_from_ns.map(in_seconds),
        }
    }

    /// Start the next probe if it is due.
    pub fn on_moment(&mut self, shared: &mut Shared) {
        if shared.clock.now < self.due {
            return;
        }
        if shared.clock.stopping {
            self.due = u64::MAX;
            return;
        }
        self.doubt_the_late(shared.clock.now);
        let at_once = self.at_once();
        for candidate in self.chosen() {
            if self.candidates[candidate].may_try(shared.clock.now, at_once) {
                self.set_out(candidate, shared);
            } else {
                self.skipped += 1;
            }
        }
        self.due = self.next_moment(shared.clock.now);
    }

    /// Continue the probe with this number.
    pub fn on_ready(&mut self, number: usize, shared: &mut Shared) {
        if let Some(attempt) = self.tries.get_mut(&number) {
            let event = attempt.connection.on_ready(shared);
            self.handle(number, event, shared);
        }
    }

    /// Check expired time limits and resolved names.
    pub fn on_watch(&mut self, shared: &mut Shared) {
        let numbers: Vec<usize> = self.tries.keys().copied().collect();
        for number in numbers {
            if let Some(attempt) = self.tries.get_mut(&number) {
                let event = attempt.connection.on_watch(shared);
                self.handle(number, event, shared);
            }
        }
    }

    /// End all probes, as the run is over and their results no longer count.
    pub fn close(&mut self) {
        self.tries.clear();
    }

    fn is_dense(&self, now: u64) -> bool {
        let from = self.times.dense_from_ns;
        now < self.wary_until || from.is_some_and(|from| now >= self.started + from)
    }

    /// In steps from the last one; those that were slept through are left out.
    fn next_moment(&self, now: u64) -> u64 {
        if self.is_dense(now) {
            let step = self.times.every_ns * self.rarer();
            return self.due + ((now - self.due) / step + 1) * step;
        }
        let step = self.times.calm_ns;
        let next = self.due + ((now - self.due) / step + 1) * step;
        match self.times.dense_from_ns {
            Some(from) => next.min(self.started + from),
            None => next,
        }
    }

    /// Factor by which probes are rarer than requested. Logins can be expensive, and probes must not slow down a
    /// server that lacks CPU time.
    fn rarer(&self) -> u64 {
        let taken = self.candidates.iter().any(|one| one.good);
        let most = if taken { RARER.0 } else { RARER.1 };
        let usual = SLOWER * self.calm_answer_ns;
        (self.answer_ns.checked_div(usual).unwrap_or(0)).clamp(1, most)
    }

    /// Number of waiting probes at an endpoint that answers as quickly as it can. By the mean, a slow start would permit
    /// so many expensive logins at once that they keep the server as slow as it was then.
    fn at_once(&self) -> usize {
        match self.quickest_ns {
            0 => UNKNOWN,
            answer => (answer / self.times.every_ns) as usize + SPARE,
        }
    }

    fn answered_in_the_calm(&mut self, took: u64) {
        self.calm_answer_ns = smoothed(self.calm_answer_ns, took);
        self.quickest_ns = match self.quickest_ns {
            0 => took,
            known => known.min(took),
        };
    }

    /// Endpoints to probe now: the next writable one, or all.
    fn chosen(&mut self) -> Vec<usize> {
        let all = 0..self.candidates.len();
        let good: Vec<usize> = all.clone().filter(|&at| self.candidates[at].good).collect();
        if good.is_empty() {
            return all.collect();
        }
        self.turn += 1;
        vec![good[self.turn % good.len()]]
    }

    /// An endpoint with an overdue answer does not count as writable.
    fn doubt_the_late(&mut self, now: u64) {
        for attempt in self.tries.values() {
            self.candidates[attempt.candidate].doubt(now - attempt.started);
        }
    }

    fn set_out(&mut self, candidate: usize, shared: &mut Shared) {
        let now = sys::monotonic_ns();
        shared.clock.now = now;
        let number = self.next;
        self.next += 1;
        let place = number % shared.endpoints.targets(Role::Write)[candidate].places();
        let token = token(FIRST_PROBE + number, Role::Write);
        let connection = Connection::new(shared, token, Role::Write, Source::Ledger, candidate, 0);
        let mut connection = connection.single(now + self.times.bound_ns, place);
        let event = connection.set_out(shared);
        self.candidates[candidate].begun(number, now);
        let attempt = Try {
            candidate,
            started: now,
            connection,
        };
        self.tries.insert(number, attempt);
        self.handle(number, event, shared);
    }

    fn handle(&mut self, number: usize, mut event: ConnectionEvent, shared: &mut Shared) {
        while let Some(attempt) = self.tries.get_mut(&number) {
            match event {
                ConnectionEvent::Nothing | ConnectionEvent::Idle => {
                    let stage = attempt.connection.stage();
                    let candidate = &mut self.candidates[attempt.candidate];
                    if is_let_in(stage) {
                        candidate.let_in(number, shared.clock.now);
                    }
                    return;
                }
                ConnectionEvent::Usable => {
                    let sql = probes::insert(self.greatest + 1 + self.place.number(number));
                    event = attempt.connection.query(&sql, Effect::Write, false, shared);
                }
                ConnectionEvent::Done(_) => {
                    attempt.connection.leave(shared);
                    self.end(number, Stage::Write, None, shared);
                }
                ConnectionEvent::Refused(ref failure) => {
                    attempt.connection.leave(shared);
                    self.end(number, Stage::Write, Some(failure), shared);
                }
                ConnectionEvent::Lost(ref failure) => {
                    let stage = attempt.connection.stage();
                    self.end(number, stage, Some(failure), shared);
                }
            }
        }
    }

    fn end(&mut self, number: usize, stage: Stage, failure: Option<&Failure>, shared: &mut Shared) {
        let Some(attempt) = self.tries.remove(&number) else {
            return;
        };
        let now = shared.clock.now;
        let candidate = &mut self.candidates[attempt.candidate];
        let was_good = candidate.good;
        candidate.ended(number, failure, now, now - attempt.started);
        let took = now - attempt.started;
        if failure.is_none() && !self.is_dense(attempt.started) {
            self.answered_in_the_calm(took);
        }
        if is_let_in(stage) && !failure.is_some_and(Failure::is_own_bound) {
            self.answer_ns = smoothed(self.answer_ns, took);
        }
        if was_good && failure.is_some() {
            self.wary_until = now + WARY_NS;
            self.due = self.due.min(now + self.times.every_ns);
        }
        let outcome = match (failure, stage) {
            (None, _) => Outcome::Ok,
            (Some(failure), Stage::Write) => Outcome::of_sent_write(failure),
            (Some(_), _) => Outcome::Failed,
        };
        self.outcomes.add(outcome);
        let since_start = |at: u64| at.saturating_sub(self.started) / 1000;
        let probe = Probe {
            started_us: since_start(attempt.started),
            completed_us: since_start(now),
            endpoint: &shared.endpoints.writers[attempt.candidate].name,
            outcome,
            stage,
            error_class: failure.map_or("", |failure| failure.class.name()),
        };
        if let Err(error) = shared.recorder.probe_log.add(&probe) {
            shared.fatal = Some(error.into());
        }
    }
}

/// Whether a probe in this stage occupies a connection of the endpoint, or was answered there.
fn is_let_in(stage: Stage) -> bool {
    !matches!(stage, Stage::Resolve | Stage::Connect)
}

/// Exponentially weighted mean; 0: unknown.
fn smoothed(known: u64, next: u64) -> u64 {
    match known {
        0 => next,
        known => known - known / 8 + next / 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prober every 10 ms, with a bound of 2 s.
    fn prober(endpoints: usize) -> Prober {
        let args = ProbeArgs {
            probe_every: Some(Duration::from_millis(10)),
            probe_calm: Duration::from_millis(500),
            probe_timeout: Duration::from_secs(2),
            probe_dense_from: None,
        };
        Prober::new(&args, endpoints, 0, Place { index: 0, count: 1 }).unwrap()
    }

    #[test]
    fn a_slow_start_permits_no_more_at_once() {
        let mut prober = prober(1);
        for took_ms in [731, 243, 20, 180] {
            prober.answered_in_the_calm(took_ms * 1_000_000);
        }
        assert_eq!(prober.at_once(), 2 + SPARE);
        assert!(prober.calm_answer_ns > 500_000_000);
    }

    #[test]
    fn tries_get_rarer_with_slower_answers_and_only_so_much() {
        let mut prober = prober(2);
        assert_eq!((prober.rarer(), prober.at_once()), (1, UNKNOWN));
        (prober.calm_answer_ns, prober.quickest_ns) = (20_000_000, 20_000_000);
        assert_eq!(prober.at_once(), 2 + SPARE);
        // As in normal operation, twice, 3.5 times, and as if no endpoint answered.
        let seen = [20, 40, 70, 140, 4000].map(|ms| {
            prober.answer_ns = ms * 1_000_000;
            prober.rarer()
        });
        assert_eq!(seen, [1, 1, 1, 3, RARER.1]);
        prober.candidates[1].good = true;
        assert_eq!(prober.rarer(), RARER.0);
    }
}
