//! Think times: the pause of a connection of a closed loop between its transactions.

use super::arrivals::exponential;
use base::rng::Rng;
use std::time::Duration;

/// How think times are spread around their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Distribution {
    /// Always the same.
    Constant,
    /// Exponential: short ones often, long ones seldom.
    Exponential,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinkTime {
    pub mean: Duration,
    pub distribution: Distribution,
}

impl ThinkTime {
    /// The pause before the first transaction. A constant one begins anywhere within it: connections that
    /// started together would otherwise stay in step for ever.
    pub fn first(&self, rng: &mut Rng) -> Duration {
        match self.distribution {
            Distribution::Constant => self.mean.mul_f64(rng.unit()),
            Distribution::Exponential => self.next(rng),
        }
    }

    /// The pause after a transaction.
    pub fn next(&self, rng: &mut Rng) -> Duration {
        match self.distribution {
            Distribution::Constant => self.mean,
            Distribution::Exponential => self.mean.mul_f64(exponential(rng)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_ms(distribution: Distribution, draw: fn(&ThinkTime, &mut Rng) -> Duration) -> f64 {
        let think = ThinkTime {
            mean: Duration::from_millis(10),
            distribution,
        };
        let mut rng = Rng::new(1, 0);
        let sum: Duration = (0..10_000).map(|_| draw(&think, &mut rng)).sum();
        sum.as_secs_f64() / 10.0
    }

    /// The standard error of the mean of 10 000 exponential numbers is 1 %, of uniform ones 0.6 %.
    #[test]
    fn means_are_as_set() {
        assert_eq!(mean_ms(Distribution::Constant, ThinkTime::next), 10.0);
        let exponential = mean_ms(Distribution::Exponential, ThinkTime::next);
        assert!((exponential - 10.0).abs() < 0.5, "{exponential}");
        let first = mean_ms(Distribution::Constant, ThinkTime::first);
        assert!((first - 5.0).abs() < 0.15, "{first}");
    }
}
