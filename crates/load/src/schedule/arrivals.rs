//! The intended starts of an open loop: constant or Poisson arrivals at a rate that changes in steps.
//!
//! Both come from one rule. Let L(t) be the number of arrivals expected until t, the integral of the rate.
//! Constant arrivals happen when L(t) = 0, 1, 2, ...; Poisson arrivals when L(t) reaches the points of a Poisson
//! process of rate 1, sums of exponential numbers. That is the time change of an inhomogeneous Poisson process
//! (Cinlar, Introduction to Stochastic Processes, 1975, section 4.7), exact also across a step's boundary.

use base::rng::Rng;
use std::rc::Rc;

const SECOND_NS: f64 = 1e9;

/// How arrivals are spread in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Process {
    /// Evenly: at a rate of 1000, one each millisecond.
    Constant,
    /// As from many users who know nothing of each other: times between arrivals are exponential.
    Poisson,
}

impl Process {
    pub fn name(self) -> &'static str {
        match self {
            Process::Constant => "constant",
            Process::Poisson => "poisson",
        }
    }
}

/// A rate per second, from a moment to another; nanoseconds from t = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    pub from_ns: u64,
    pub to_ns: u64,
    pub rate: f64,
}

/// A piece with the number of arrivals expected before it.
#[derive(Clone, Copy)]
struct Stretch {
    piece: Piece,
    before: f64,
}

impl Stretch {
    fn expected(&self) -> f64 {
        self.piece.rate * (self.piece.to_ns - self.piece.from_ns) as f64 / SECOND_NS
    }
}

/// Intended starts in order, in nanoseconds from t = 0. A clone repeats what follows.
#[derive(Clone)]
pub struct Arrivals {
    stretches: Rc<[Stretch]>,
    position: usize,
    process: Process,
    rng: Rng,
    /// L at the next arrival.
    mass: f64,
    next: Option<u64>,
    /// How many may follow the next one, if that is bounded.
    left: Option<u64>,
}

impl Arrivals {
    /// Pieces follow each other; `most` bounds the number of arrivals.
    pub fn new(pieces: &[Piece], process: Process, rng: Rng, most: Option<u64>) -> Arrivals {
        let mut before = 0.0;
        let stretches = pieces.iter().map(|&piece| {
            let stretch = Stretch { piece, before };
            before += stretch.expected();
            stretch
        });
        let mut arrivals = Arrivals {
            stretches: stretches.collect(),
            position: 0,
            process,
            rng,
            mass: 0.0,
            next: None,
            left: most,
        };
        if process == Process::Poisson {
            arrivals.mass = exponential(&mut arrivals.rng);
        }
        arrivals.next = arrivals.locate();
        arrivals
    }

    /// No arrivals at all.
    pub fn none() -> Arrivals {
        Arrivals::new(&[], Process::Constant, Rng::new(0, 0), None)
    }

    /// The next arrival.
    #[inline]
    pub fn peek(&self) -> Option<u64> {
        self.next
    }

    /// As many as were asked for have been taken.
    pub fn is_used_up(&self) -> bool {
        self.next.is_none() && self.left == Some(0)
    }

    /// When the rule reaches `mass`; None: after the last piece, or the number is used up.
    fn locate(&mut self) -> Option<u64> {
        match &mut self.left {
            Some(0) => return None,
            Some(left) => *left -= 1,
            None => {}
        }
        loop {
            let stretch = self.stretches.get(self.position)?;
            let inside = self.mass - stretch.before;
            if inside < stretch.expected() {
                let offset = inside / stretch.piece.rate * SECOND_NS;
                return Some(stretch.piece.from_ns + offset as u64);
            }
            self.position += 1;
        }
    }
}

impl Iterator for Arrivals {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let current = self.next?;
        self.mass += match self.process {
            Process::Constant => 1.0,
            Process::Poisson => exponential(&mut self.rng),
        };
        self.next = self.locate();
        Some(current)
    }
}

/// An exponential number of mean 1, by inversion.
pub fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.unit()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop, prop_assert, prop_compose, proptest};

    const SECOND: u64 = 1_000_000_000;

    fn piece(from_s: u64, to_s: u64, rate: f64) -> Piece {
        Piece {
            from_ns: from_s * SECOND,
            to_ns: to_s * SECOND,
            rate,
        }
    }

    fn all(pieces: &[Piece], process: Process, seed: u64) -> Vec<u64> {
        Arrivals::new(pieces, process, Rng::new(seed, 0), None).collect()
    }

    #[test]
    fn constant_arrivals_are_even_and_steps_change_at_their_boundary() {
        let times = all(&[piece(0, 2, 2.0), piece(2, 3, 4.0)], Process::Constant, 1);
        let halves = [0, 500, 1000, 1500, 2000, 2250, 2500, 2750];
        assert_eq!(times, halves.map(|ms: u64| ms * 1_000_000));
    }

    #[test]
    fn a_rate_of_zero_is_a_pause() {
        let pieces = [piece(0, 1, 10.0), piece(1, 5, 0.0), piece(5, 6, 10.0)];
        let times = all(&pieces, Process::Constant, 1);
        assert_eq!(times.len(), 20);
        assert!(!times.iter().any(|at| (SECOND..5 * SECOND).contains(at)));
    }

    /// 100 000 arrivals: the relative standard error of their mean is 1/316, that of the variance 2/316 or so
    /// (an exponential number has kurtosis 9); five of each are allowed.
    #[test]
    fn poisson_arrivals_have_exponential_gaps() {
        let times = all(&[piece(0, 100, 1000.0)], Process::Poisson, 7);
        let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let count = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / count;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count;
        assert!((mean / 1e6 - 1.0).abs() < 5.0 / 316.0, "{mean}");
        assert!((variance / 1e12 - 1.0).abs() < 15.0 / 316.0, "{variance}");
    }

    /// Numbers of arrivals in disjoint seconds: mean and variance of a Poisson number are its rate.
    #[test]
    fn poisson_counts_have_variance_like_their_mean() {
        let times = all(&[piece(0, 2000, 50.0)], Process::Poisson, 3);
        let mut counts = vec![0f64; 2000];
        for at in times {
            counts[(at / SECOND) as usize] += 1.0;
        }
        let mean = counts.iter().sum::<f64>() / 2000.0;
        let variance = counts.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / 2000.0;
        assert!(
            (mean - 50.0).abs() < 5.0 * (50f64 / 2000.0).sqrt(),
            "{mean}"
        );
        assert!((variance / 50.0 - 1.0).abs() < 5.0 * (2f64 / 2000.0).sqrt());
    }

    #[test]
    fn depends_on_the_seed_only() {
        let pieces = [piece(0, 3, 100.0)];
        assert_eq!(
            all(&pieces, Process::Poisson, 5),
            all(&pieces, Process::Poisson, 5)
        );
        assert_ne!(
            all(&pieces, Process::Poisson, 5),
            all(&pieces, Process::Poisson, 6)
        );
    }

    #[test]
    fn no_more_than_asked_for() {
        let pieces = [piece(0, 10, 100.0)];
        let some = Arrivals::new(&pieces, Process::Poisson, Rng::new(1, 0), Some(7));
        assert_eq!(some.count(), 7);
        assert_eq!(Arrivals::none().count(), 0);
    }

    prop_compose! {
        fn steps()(steps in prop::collection::vec((1u64..5, 0.0f64..500.0), 1..5)) -> Vec<Piece> {
            let mut from = 0;
            steps.into_iter().map(|(seconds, rate)| {
                let this = piece(from, from + seconds, rate);
                from += seconds;
                this
            }).collect()
        }
    }

    proptest! {
        #[test]
        fn arrivals_are_in_order_and_inside_the_pieces(pieces in steps(), seed in any::<u64>()) {
            for process in [Process::Constant, Process::Poisson] {
                let times = all(&pieces, process, seed);
                prop_assert!(times.is_sorted());
                for at in times {
                    let inside = pieces.iter().find(|p| (p.from_ns..p.to_ns.max(1)).contains(&at));
                    prop_assert!(inside.is_some_and(|p| p.rate > 0.0), "{at}");
                }
            }
        }

        /// Each step has its rate times its length, give or take the arrivals at its two ends.
        #[test]
        fn constant_steps_have_their_number(pieces in steps()) {
            let times = all(&pieces, Process::Constant, 0);
            for p in &pieces {
                let count = times.iter().filter(|&&at| at >= p.from_ns && at < p.to_ns).count() as f64;
                let expected = p.rate * (p.to_ns - p.from_ns) as f64 / 1e9;
                prop_assert!((count - expected).abs() <= 1.0 + 1e-6, "{count} of {expected}");
            }
        }
    }
}
