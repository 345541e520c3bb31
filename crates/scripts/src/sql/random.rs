//! The random functions of expressions, with pgbench's mathematics.

use base::rng::Rng;
use std::f64::consts::PI;

/// Uniform in [low, high].
pub fn uniform(rng: &mut Rng, low: i64, high: i64) -> i64 {
    let width = u128::from(high.abs_diff(low)) + 1;
    // The upper half of the product is uniform to within 2^-64 of the width.
    let offset = (u128::from(rng.next_u64()) * width) >> 64;
    low.wrapping_add_unsigned(offset as u64)
}

/// A truncated exponential distribution: low numbers are the most frequent.
pub fn exponential(rng: &mut Rng, low: i64, high: i64, parameter: f64) -> i64 {
    let cut = (-parameter).exp();
    let unit = 1.0 - rng.unit();
    let position = -(cut + (1.0 - cut) * unit).ln() / parameter;
    place(low, high, position)
}

/// A normal distribution around the middle, cut at `parameter` standard deviations on both sides.
pub fn gaussian(rng: &mut Rng, low: i64, high: i64, parameter: f64) -> i64 {
    loop {
        let (first, second) = (1.0 - rng.unit(), 1.0 - rng.unit());
        let deviation = (-2.0 * first.ln()).sqrt() * (2.0 * PI * second).sin();
        if (-parameter..parameter).contains(&deviation) {
            return place(low, high, (deviation + parameter) / (2.0 * parameter));
        }
    }
}

/// A bounded Zipf distribution with exponent s > 1 (Devroye 1986, X.6.1).
pub fn zipfian(rng: &mut Rng, low: i64, high: i64, exponent: f64) -> i64 {
    let count = high.abs_diff(low) as f64 + 1.0;
    let power = exponent - 1.0;
    let bound = 2f64.powf(power);
    loop {
        let (u, v) = (1.0 - rng.unit(), rng.unit());
        let x = u.powf(-1.0 / power).floor();
        let t = (1.0 + 1.0 / x).powf(power);
        if x <= count && v * x * (t - 1.0) / (bound - 1.0) <= t / bound {
            return low.saturating_add((x - 1.0) as i64).min(high);
        }
    }
}

/// The number at this share of the way from low to high.
fn place(low: i64, high: i64, share: f64) -> i64 {
    let width = high.abs_diff(low) as f64 + 1.0;
    let offset = (width * share).max(0.0) as u64;
    low.wrapping_add_unsigned(offset.min(high.abs_diff(low)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;
    use proptest::prelude::*;

    fn share(pick: impl Fn(&mut Rng) -> i64, inside: impl Fn(i64) -> bool) -> f64 {
        let mut rng = Rng::new(3, 0);
        let hits = (0..100_000).filter(|_| inside(pick(&mut rng))).count();
        hits as f64 / 100_000.0
    }

    #[test]
    fn shapes_are_those_of_their_formulas() {
        // Exponential: the first tenth has 1 - e^-0.5 of what the cut leaves of 1, for parameter 5.
        let expected = (1.0 - (-0.5f64).exp()) / (1.0 - (-5.0f64).exp());
        let found = share(|rng| exponential(rng, 1, 1000, 5.0), |value| value <= 100);
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
        // Gaussian: one of 2.5 standard deviations, so 68.27 % of 98.76 % within a fifth of the width.
        let found = share(
            |rng| gaussian(rng, 1, 1000, 2.5),
            |value| (301..=700).contains(&value),
        );
        assert!((found - 0.6827 / 0.9876).abs() < 0.01, "{found}");
        let total: f64 = (1..=1000).map(|rank| f64::from(rank).powf(-1.5)).sum();
        let found = share(|rng| zipfian(rng, 1, 1000, 1.5), |value| value == 1);
        assert!((found - 1.0 / total).abs() < 0.01, "{found}");
    }

    proptest! {
        #[test]
        fn all_stay_within_bounds(a in any::<i64>(), b in any::<i64>(), seed in any::<u64>()) {
            let (low, high) = (a.min(b), a.max(b));
            let mut rng = Rng::new(seed, 0);
            for pick in [
                uniform(&mut rng, low, high),
                exponential(&mut rng, low, high, 3.0),
                gaussian(&mut rng, low, high, 2.0),
                zipfian(&mut rng, low, high, 1.2),
            ] {
                prop_assert!((low..=high).contains(&pick));
            }
        }
    }
}
