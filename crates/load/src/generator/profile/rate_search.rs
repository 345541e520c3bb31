//! A search while it runs: one window of an open loop after the other, each judged.
//!
//! ```text
//!   Settling (a fifth of the window) ──> Measuring ──judged──> Draining ──> Settling at the next rate, or the end
//! ```
//!
//! A window keeps the bound when the response times of what was answered in it do, nearly all of it succeeded,
//! what waits at its end would be served within the bound (Little's law: at rate R and a wait of at most W there
//! wait at most R W), and the client's processor was not full. Response times count from the intended start, so
//! that they contain the client's lateness: a rate is never kept thanks to it, and where the bound is broken and
//! the client was late, the reason says so.

use super::advance::Advance;
use crate::generator::args::{Args, Bound, Measure};
use crate::generator::worker::Load;
use crate::record::Part;
use crate::record::client::SelfWatch;
use crate::record::histogram::Quantiles;
use crate::record::limit::{self, Symptoms};
use crate::record::schedule::{SearchSummary, StepSummary, WindowSummary};
use crate::schedule::arrivals::{Arrivals, Piece, Process};
use crate::schedule::search::Search;
use crate::schedule::{Schedule, streams};
use base::rng::Rng;
use base::sys;
use serde_json::json;
use std::io;

/// A twentieth of what was asked for may fail to arrive in the window, as arrivals are random.
const ACHIEVED_SHARE: f64 = 0.95;
/// More failures than this share, and the rate is not kept.
const FAILED_SHARE: f64 = 0.01;
/// How long transactions may drain after a window, and how often to look.
const DRAIN_NS: u64 = 2_000_000_000;
const LOOK_NS: u64 = 10_000_000;
const DAY_NS: u64 = 86_400_000_000_000;

#[derive(Clone, Copy, Debug)]
enum Phase {
    Settling,
    Measuring,
    Draining { until: u64 },
}

pub struct RateSearch {
    pub connections: u32,
    search: Search,
    bound: Bound,
    process: Process,
    seed: u64,
    window_ns: u64,
    /// The user's bound on the whole search.
    longest_ns: u64,
    live: bool,
    phase: Phase,
    due: u64,
    ends_at: u64,
    rate: f64,
    windows: Vec<WindowSummary>,
}

impl RateSearch {
    pub fn new(args: &Args, bound: Bound) -> RateSearch {
        let drive = &args.drive;
        let rng = Rng::new(args.seed, streams::SEARCH);
        RateSearch {
            connections: drive.most_connections(),
            search: Search::new(drive.search_settings(), rng),
            bound,
            process: drive.arrivals,
            seed: args.seed,
            window_ns: drive.search_window.as_nanos() as u64,
            longest_ns: drive.duration.map_or(DAY_NS, |time| time.as_nanos() as u64),
            live: args.live,
            phase: Phase::Settling,
            due: u64::MAX,
            ends_at: u64::MAX,
            rate: 0.0,
            windows: Vec::new(),
        }
    }

    pub fn windows(&self) -> &[WindowSummary] {
        &self.windows
    }

    pub fn due(&self) -> u64 {
        self.due.min(self.ends_at)
    }

    pub fn begin(&mut self, now: u64, load: &mut Load) {
        self.ends_at = now + self.longest_ns;
        self.next_window(load);
    }

    pub fn advance(
        &mut self,
        load: &mut Load,
        watch: &mut SelfWatch,
        steps: &mut Vec<StepSummary>,
        idle: bool,
    ) -> io::Result<Advance> {
        if load.now() >= self.ends_at {
            return Ok(Advance::End);
        }
        match self.phase {
            Phase::Settling => self.measure(load, watch)?,
            Phase::Measuring => self.judge(load, watch, steps)?,
            Phase::Draining { until } => {
                if !idle && load.now() < until {
                    self.due = load.now() + LOOK_NS;
                    return Ok(Advance::GoOn);
                }
                return Ok(self.next_window(load));
            }
        }
        Ok(Advance::GoOn)
    }

    fn next_window(&mut self, load: &mut Load) -> Advance {
        let Some(rate) = self.search.rate() else {
            return Advance::End;
        };
        self.rate = rate;
        self.phase = Phase::Settling;
        self.due = load.now() + self.window_ns / 5;
        let piece = Piece {
            from_ns: 0,
            to_ns: DAY_NS,
            rate,
        };
        // Each window has different arrivals, so that repeats are independent.
        let seed = self.seed.wrapping_add(self.windows.len() as u64);
        let rng = Rng::new(seed, streams::ARRIVALS);
        self.replace(Arrivals::new(&[piece], self.process, rng, None), load);
        self.say(&json!({"event": "search", "window": self.windows.len() + 1, "rate": rate}));
        Advance::GoOn
    }

    fn replace(&self, arrivals: Arrivals, load: &mut Load) {
        let now = load.now();
        if let Schedule::Open(open) = &mut load.turns.schedule {
            open.replace(arrivals, now);
        }
    }

    /// What came before is thrown away.
    fn measure(&mut self, load: &mut Load, watch: &mut SelfWatch) -> io::Result<()> {
        load.shared.recorder.end_part(load.now())?;
        load.lateness.lag.take();
        watch.end_part(0.0);
        self.phase = Phase::Measuring;
        self.due = load.now() + self.window_ns;
        Ok(())
    }

    fn judge(
        &mut self,
        load: &mut Load,
        watch: &mut SelfWatch,
        steps: &mut Vec<StepSummary>,
    ) -> io::Result<()> {
        let now = load.now();
        let backlog = load.turns.schedule.backlog(now);
        let part = load.shared.recorder.end_part(now)?;
        let wall_s = (part.to_ns - part.from_ns) as f64 / 1e9;
        let mut symptoms = watch.end_part(wall_s);
        symptoms.schedule_lag = load.lateness.lag.take();
        symptoms.latency_p99_ms = part.latency.p99;
        symptoms.waited_p99_ms = part.waited.p99;
        let reason = verdict(&self.bound, self.rate, &part, backlog, &symptoms);
        self.search.tell(reason.is_none());
        let window = WindowSummary {
            from_s: part.from_ns as f64 / 1e9,
            to_s: part.to_ns as f64 / 1e9,
            rate: self.rate,
            achieved: ((part.ok + part.expected) as f64 / wall_s * 10.0).round() / 10.0,
            value_ms: self.bound.measure.of(&part.latency),
            kept: reason.is_none(),
            reason: reason.unwrap_or_default(),
        };
        self.say(&json!({
            "event": "search", "window": self.windows.len() + 1, "rate": window.rate,
            "achieved": window.achieved, "value_ms": window.value_ms, "kept": window.kept,
            "reason": window.reason,
        }));
        self.windows.push(window);
        steps.push(StepSummary::new(&part, Some(self.rate), self.connections));
        self.replace(Arrivals::none(), load);
        self.phase = Phase::Draining {
            until: now + DRAIN_NS,
        };
        self.due = now + LOOK_NS;
        Ok(())
    }

    fn say(&self, line: &serde_json::Value) {
        if self.live {
            let _ = sys::write_line(line);
        }
    }

    pub fn summary(&self) -> SearchSummary {
        let found = self.search.found();
        SearchSummary {
            bound: self.bound.milliseconds,
            percentile: self.bound.measure.name(),
            rate: found.map(|found| found.rate),
            low: found.map(|found| found.low),
            high: found.map(|found| found.high),
            windows: self.windows.clone(),
        }
    }
}

impl Measure {
    fn of(self, latency: &Quantiles) -> Option<f64> {
        match self {
            Measure::Mean => latency.mean,
            Measure::P50 => latency.p50,
            Measure::P95 => latency.p95,
            Measure::P99 => latency.p99,
            Measure::P999 => latency.p999,
        }
    }
}

/// Why the window did not keep the bound; None: it did.
fn verdict(
    bound: &Bound,
    rate: f64,
    part: &Part,
    backlog: u64,
    client: &Symptoms,
) -> Option<String> {
    if let Some(sentence) = limit::busy(client) {
        return Some(format!("the client was the limit. {sentence}"));
    }
    let reason = broken(bound, rate, part, backlog)?;
    // Response times contain the client's lateness: what was kept in spite of it was kept.
    Some(match limit::limit(client) {
        Some(sentence) => format!("{reason}, but the client may be the limit. {sentence}"),
        None => reason,
    })
}

fn broken(bound: &Bound, rate: f64, part: &Part, backlog: u64) -> Option<String> {
    let name = bound.measure.name();
    let Some(value) = bound.measure.of(&part.latency) else {
        return Some("no transaction succeeded".to_string());
    };
    let answered = part.ok + part.expected;
    let all = answered + part.failed;
    if part.failed as f64 > FAILED_SHARE * all as f64 {
        return Some(format!("{} of {all} transactions failed", part.failed));
    }
    if value > bound.milliseconds {
        return Some(format!("{name} was {value:.3} ms"));
    }
    let waiting_at_most = (rate * bound.milliseconds / 1000.0).max(1.0);
    if backlog as f64 > waiting_at_most {
        return Some(format!("{backlog} transactions waited at the end"));
    }
    let wall_s = (part.to_ns - part.from_ns) as f64 / 1e9;
    let expected = rate * wall_s;
    // Three standard deviations of a Poisson number.
    if (answered as f64) < ACHIEVED_SHARE * expected - 3.0 * expected.sqrt() {
        let achieved = answered as f64 / wall_s;
        return Some(format!("{achieved:.1} per second were achieved"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::lag;
    use base::sys::Usage;

    const BOUND: Bound = Bound {
        measure: Measure::P99,
        milliseconds: 20.0,
    };

    fn part(ok: u64, failed: u64, p99: f64) -> Part {
        Part {
            from_ns: 0,
            to_ns: 1_000_000_000,
            ok,
            expected: 0,
            failed,
            waited: Quantiles::default(),
            latency: Quantiles {
                p99: Some(p99),
                ..Quantiles::default()
            },
            connects: Default::default(),
            connect_times: Default::default(),
        }
    }

    fn client(late_us: u64) -> Symptoms {
        Symptoms {
            wall_s: 1.0,
            schedule_lag: Some(lag::Quantiles {
                p50: 1,
                p99: late_us,
                max: late_us,
            }),
            latency_p99_ms: Some(100.0),
            ..Symptoms::default()
        }
    }

    fn reason(part: Part, backlog: u64, late_us: u64) -> Option<String> {
        verdict(&BOUND, 1000.0, &part, backlog, &client(late_us))
    }

    #[test]
    fn a_window_keeps_the_bound_or_says_why_not() {
        assert_eq!(reason(part(1000, 0, 19.9), 20, 100), None);
        let broken = [
            (reason(part(1000, 0, 20.1), 0, 0), "p99 was"),
            (reason(part(1000, 0, 5.0), 21, 0), "21 transactions waited"),
            (reason(part(980, 20, 5.0), 0, 0), "20 of 1000"),
            (reason(part(800, 0, 5.0), 0, 0), "800.0 per second"),
            (reason(part(1000, 0, 21.0), 0, 11_000), "11.0 ms late"),
        ];
        for (found, words) in broken {
            let found = found.unwrap();
            assert!(found.contains(words), "{found}");
        }
        assert_eq!(
            reason(part(1000, 0, 15.0), 0, 11_000),
            None,
            "late, but kept"
        );
        let full = Symptoms {
            used: Usage {
                user_s: 0.95,
                ..Usage::default()
            },
            ..client(0)
        };
        let found = verdict(&BOUND, 1000.0, &part(1000, 0, 5.0), 0, &full).unwrap();
        assert!(found.contains("95 % of a processor"), "{found}");
        let tatp = Part {
            expected: 250,
            ..part(750, 0, 5.0)
        };
        assert_eq!(reason(tatp, 0, 0), None, "a quarter fails as it should");
        let nothing = Part {
            latency: Quantiles::default(),
            ..part(0, 0, 0.0)
        };
        assert!(reason(nothing, 0, 0).unwrap().contains("no transaction"));
    }
}
