//! The highest rate that keeps a bound on the response time: which rate to try next, and when it is known.
//!
//! One bisection doubles the rate until the bound is broken (or halves it until it is kept), then halves the
//! gap between the highest rate kept and the lowest one broken, on a logarithmic scale, until their ratio is
//! within the precision. That is the search of RFC 2544, section 26.1, with a bound on response times in place
//! of loss. As one window's verdict is random near the limit, the bisection is repeated. Each repeat begins
//! somewhere else around the mean of those before, with smaller strides, so that it asks at other rates and
//! makes its own mistakes.
//!
//! Result: the mean of the brackets' (geometric) middles, and Student's 95 % interval of that mean, widened to
//! the mean bracket where that is wider: no search knows more than its precision. A single bisection has only
//! its bracket.

use super::student;
use base::rng::Rng;

/// Rates beyond are not tried.
const LOWEST: f64 = 0.1;
const HIGHEST: f64 = 10_000_000.0;
/// Strides of the first bisection, which knows nothing, and of its repeats.
const FIRST_STRIDE: f64 = 2.0;
const NEXT_STRIDE: f64 = 1.25;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The first rate.
    pub from: f64,
    /// A bisection ends when the lowest rate broken is at most this share above the highest one kept.
    pub precision: f64,
    pub repeats: u32,
}

/// What is known of the limit: it is above `low` and below `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bracket {
    low: Option<f64>,
    high: Option<f64>,
}

/// Rates per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    pub rate: f64,
    pub low: f64,
    pub high: f64,
}

pub struct Search {
    settings: Settings,
    rng: Rng,
    bracket: Bracket,
    rate: f64,
    stride: f64,
    /// Brackets of finished bisections.
    done: Vec<(f64, f64)>,
    /// The bound is kept nowhere, or everywhere.
    hopeless: bool,
}

impl Search {
    pub fn new(settings: Settings, rng: Rng) -> Search {
        Search {
            settings,
            rng,
            bracket: Bracket::default(),
            rate: settings.from.clamp(LOWEST, HIGHEST),
            stride: FIRST_STRIDE,
            done: Vec::new(),
            hopeless: false,
        }
    }

    /// The rate of the next window; None when the search is over.
    pub fn rate(&self) -> Option<f64> {
        let over = self.hopeless || self.done.len() >= self.settings.repeats as usize;
        (!over).then_some(self.rate)
    }

    /// Whether the rate that was tried kept the bound.
    pub fn tell(&mut self, kept: bool) {
        match kept {
            true => self.bracket.low = Some(self.rate),
            false => self.bracket.high = Some(self.rate),
        }
        match (self.bracket.low, self.bracket.high) {
            (Some(low), Some(high)) if high <= low * (1.0 + self.settings.precision) => {
                self.done.push((low, high));
                self.repeat();
            }
            (Some(low), Some(high)) => self.rate = (low * high).sqrt(),
            (Some(low), None) => self.go_to(low * self.stride),
            (None, Some(high)) => self.go_to(high / self.stride),
            (None, None) => {}
        }
    }

    fn go_to(&mut self, rate: f64) {
        self.hopeless = !(LOWEST..=HIGHEST).contains(&rate);
        self.rate = rate;
    }

    /// Begins the next bisection within a stride of what the others found.
    fn repeat(&mut self) {
        let (low, high) = self.means();
        self.stride = NEXT_STRIDE;
        self.bracket = Bracket::default();
        self.rate = (low * high).sqrt() * NEXT_STRIDE.powf(2.0 * self.rng.unit() - 1.0);
    }

    fn means(&self) -> (f64, f64) {
        let count = self.done.len() as f64;
        let low: f64 = self.done.iter().map(|bracket| bracket.0).sum();
        let high: f64 = self.done.iter().map(|bracket| bracket.1).sum();
        (low / count, high / count)
    }

    /// None before a bisection is finished.
    pub fn found(&self) -> Option<Found> {
        if self.done.is_empty() {
            return None;
        }
        let (low, high) = self.means();
        let middles: Vec<f64> = self
            .done
            .iter()
            .map(|(low, high)| (low * high).sqrt())
            .collect();
        Some(match student::interval(&middles) {
            Some((rate, half)) => Found {
                rate,
                low: (rate - half).min(low).max(0.0),
                high: (rate + half).max(high),
            },
            None => Found {
                rate: middles[0],
                low,
                high,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert, proptest};

    /// Searches with a judge; returns the result and how many windows it took.
    fn search(settings: Settings, mut keeps: impl FnMut(f64) -> bool) -> (Option<Found>, u32) {
        let mut search = Search::new(settings, Rng::new(1, 0));
        let mut windows = 0;
        while let Some(rate) = search.rate() {
            search.tell(keeps(rate));
            windows += 1;
            assert!(windows < 1000, "never ends");
        }
        (search.found(), windows)
    }

    fn settings(from: f64, repeats: u32) -> Settings {
        Settings {
            from,
            precision: 0.05,
            repeats,
        }
    }

    #[test]
    fn one_bisection_has_its_bracket() {
        let (found, windows) = search(settings(100.0, 1), |rate| rate <= 1000.0);
        let found = found.unwrap();
        assert!(found.low <= 1000.0 && 1000.0 < found.high, "{found:?}");
        assert!(found.high <= found.low * 1.05);
        assert!(windows <= 10, "{windows}");
    }

    #[test]
    fn ends_where_no_rate_or_every_rate_keeps_the_bound() {
        assert_eq!(search(settings(100.0, 3), |_| false).0, None);
        assert_eq!(search(settings(100.0, 3), |_| true).0, None);
    }

    /// Verdicts are random around 1000, as windows are: the interval of most searches holds the limit.
    #[test]
    fn intervals_hold_the_limit_of_a_random_server() {
        let mut held = 0;
        for seed in 0..200 {
            let mut rng = Rng::new(seed, 1);
            let (found, _) = search(settings(50.0, 5), |rate| {
                rate * (0.9 + 0.2 * rng.unit()) <= 1000.0
            });
            let found = found.unwrap();
            held += u32::from(found.low <= 1000.0 && 1000.0 <= found.high);
        }
        assert!(held >= 180, "{held} of 200");
    }

    proptest! {
        #[test]
        fn finds_any_limit_from_anywhere(limit in 1.0f64..1e6, from in 1.0f64..1e6, repeats in 1u32..6) {
            let (found, windows) = search(settings(from, repeats), |rate| rate <= limit);
            let found = found.unwrap();
            prop_assert!(found.low <= limit * 1.0001 && limit <= found.high * 1.0001, "{:?}", found);
            prop_assert!((found.rate / limit - 1.0).abs() < 0.06, "{:?} of {}", found, limit);
            prop_assert!(windows < 30 + 12 * repeats, "{}", windows);
        }
    }
}
