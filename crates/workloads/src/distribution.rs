//! How rows are picked: the five distributions of sysbench, value for value the same mathematics.

use base::rng::Rng;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    Special,
    Uniform,
    Pareto,
    Gaussian,
    Zipfian,
}

impl Shape {
    /// The one that sysbench calls so.
    pub fn named(text: &str) -> Option<Shape> {
        let name: StrDeserializer<'_, serde::de::value::Error> = text.into_deserializer();
        Shape::deserialize(name).ok()
    }
}

/// Parameters with sysbench's names and defaults.
#[derive(Clone, Copy, Debug)]
pub struct DistributionOptions {
    /// How rows are picked.
    pub distribution: Shape,
    /// Uniform numbers averaged for one of `special` or `gaussian`.
    pub rand_spec_iter: u32,
    /// Percentage of the rows that are `special`.
    pub rand_spec_pct: u32,
    /// Percentage of picks that go to the `special` rows.
    pub rand_spec_res: u32,
    /// Shape h of `pareto`: a share 1-h of the picks goes to a share h of the rows.
    pub rand_pareto_h: f64,
    /// Exponent of `zipfian`.
    pub rand_zipfian_exp: f64,
}

impl Default for DistributionOptions {
    fn default() -> DistributionOptions {
        DistributionOptions {
            distribution: Shape::Special,
            rand_spec_iter: 12,
            rand_spec_pct: 1,
            rand_spec_res: 75,
            rand_pareto_h: 0.2,
            rand_zipfian_exp: 0.8,
        }
    }
}

impl DistributionOptions {
    /// The shape with the parameters that it has; nothing for the default.
    pub fn describes(&self) -> String {
        let (iterations, share) = (self.rand_spec_iter, self.rand_spec_pct);
        match self.distribution {
            Shape::Special if (iterations, share, self.rand_spec_res) == (12, 1, 75) => {
                String::new()
            }
            Shape::Special => format!(
                "distribution=special iter={iterations} pct={share} res={}",
                self.rand_spec_res
            ),
            Shape::Uniform => "distribution=uniform".to_string(),
            Shape::Pareto => format!("distribution=pareto h={}", self.rand_pareto_h),
            Shape::Gaussian => format!("distribution=gaussian iter={iterations}"),
            Shape::Zipfian => format!("distribution=zipfian exp={}", self.rand_zipfian_exp),
        }
    }
}

/// A distribution with its constants worked out.
#[derive(Clone, Copy, Debug)]
pub struct Distribution {
    options: DistributionOptions,
    pareto_power: f64,
    zipf: Zipf,
}

impl Distribution {
    pub fn new(options: DistributionOptions) -> Distribution {
        let h = options.rand_pareto_h;
        Distribution {
            options,
            pareto_power: h.ln() / (1.0 - h).ln(),
            zipf: Zipf::new(options.rand_zipfian_exp),
        }
    }

    /// One row number in [low, high].
    #[inline]
    pub fn pick(&self, rng: &mut Rng, low: u32, high: u32) -> u32 {
        match self.options.distribution {
            Shape::Special => self.special(rng, low, high),
            Shape::Uniform => rng.uniform(low, high),
            Shape::Pareto => {
                let width = f64::from(high - low) + 1.0;
                low + (width * rng.unit().powf(self.pareto_power)) as u32
            }
            Shape::Gaussian => low + (self.bell(rng) * (f64::from(high - low) + 1.0)) as u32,
            Shape::Zipfian => {
                let count = high - low + 1;
                low + self.zipf.pick(rng, count) - 1
            }
        }
    }

    /// The mean of a few uniform numbers: nearly a bell curve over [0, 1).
    fn bell(&self, rng: &mut Rng) -> f64 {
        let count = self.options.rand_spec_iter;
        (0..count).map(|_| rng.unit()).sum::<f64>() / f64::from(count)
    }

    /// A share of picks is uniform over a small middle part; the rest is bell-shaped over everything.
    fn special(&self, rng: &mut Rng, low: u32, high: u32) -> u32 {
        let width = f64::from(high - low);
        let unit = rng.unit();
        let stretched = width * (100.0 / (100.0 - f64::from(self.options.rand_spec_res)));
        if unit * stretched < width {
            return low + (self.bell(rng) * width) as u32;
        }
        let share = f64::from(self.options.rand_spec_pct) / 100.0;
        let middle = unit * (width * share + 1.0) + width / 2.0 - width * share / 2.0;
        low + middle as u32
    }
}

/// Rejection-inversion sampling of a bounded Zipf distribution (Hörmann and Derflinger, 1996).
#[derive(Clone, Copy, Debug)]
struct Zipf {
    exponent: f64,
    /// Below this distance the acceptance test is certain to pass.
    shortcut: f64,
    /// The hat's integral at its left end.
    left: f64,
}

impl Zipf {
    fn new(exponent: f64) -> Zipf {
        let mut zipf = Zipf {
            exponent,
            shortcut: 0.0,
            left: 0.0,
        };
        zipf.left = zipf.integral(1.5) - 1.0;
        zipf.shortcut = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    fn pick(&self, rng: &mut Rng, count: u32) -> u32 {
        let right = self.integral(f64::from(count) + 0.5);
        loop {
            let area = right + rng.unit() * (self.left - right);
            let position = self.inverse(area);
            let rank = (position + 0.5).clamp(1.0, f64::from(count)).floor();
            let accepted = rank - position <= self.shortcut
                || area >= self.integral(rank + 0.5) - self.density(rank);
            if accepted {
                return rank as u32;
            }
        }
    }

    fn density(&self, x: f64) -> f64 {
        (-self.exponent * x.ln()).exp()
    }

    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        expm1_over((1.0 - self.exponent) * log) * log
    }

    fn inverse(&self, area: f64) -> f64 {
        let scaled = (area * (1.0 - self.exponent)).max(-1.0);
        (log1p_over(scaled) * area).exp()
    }
}

/// (e^x - 1) / x, also near 0.
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.exp_m1() / x
    } else {
        1.0 + x / 2.0
    }
}

/// ln(1 + x) / x, also near 0.
fn log1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.ln_1p() / x
    } else {
        1.0 - x / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop_assert, proptest};

    fn share(shape: Shape, inside: impl Fn(u32) -> bool) -> f64 {
        let distribution = Distribution::new(DistributionOptions {
            distribution: shape,
            ..DistributionOptions::default()
        });
        let mut rng = Rng::new(1, 1);
        let hits = (0..200_000)
            .filter(|_| inside(distribution.pick(&mut rng, 1, 10_000)))
            .count();
        hits as f64 / 200_000.0
    }

    fn near(value: f64, expected: f64) {
        assert!(
            (value - expected).abs() < 0.01,
            "{value} is not near {expected}"
        );
    }

    // The shares of special, pareto and gaussian are what sysbench 1.0.20 itself gave for 200,000 picks of 1..10000.

    #[test]
    fn special_puts_three_quarters_into_the_middle_percent() {
        near(
            share(Shape::Special, |row| (4950..=5051).contains(&row)),
            0.762,
        );
    }

    #[test]
    fn pareto_follows_the_80_20_rule() {
        near(share(Shape::Pareto, |row| row <= 2000), 0.801);
    }

    #[test]
    fn gaussian_is_a_bell() {
        // Standard deviation of the mean of 12 uniform numbers: 1/12 of the range.
        near(
            share(Shape::Gaussian, |row| row.abs_diff(5000) < 833),
            0.680,
        );
    }

    #[test]
    fn zipfian_ranks_fall_off_with_the_exponent() {
        let total: f64 = (1..=10_000).map(|rank| f64::from(rank).powf(-0.8)).sum();
        near(share(Shape::Zipfian, |row| row == 1), 1.0 / total);
        let top: f64 = (1..=100).map(|rank| f64::from(rank).powf(-0.8)).sum();
        near(share(Shape::Zipfian, |row| row <= 100), top / total);
    }

    proptest! {
        #[test]
        fn stays_within_bounds(
            seed in any::<u64>(),
            low in 1u32..1000,
            width in 0u32..2_000_000_000,
            exponent in 0.0f64..3.0,
            iterations in 1u32..20,
            percent in 0u32..=100,
            res in 0u32..=99,
        ) {
            let shapes = [Shape::Special, Shape::Uniform, Shape::Pareto, Shape::Gaussian, Shape::Zipfian];
            for shape in shapes {
                let distribution = Distribution::new(DistributionOptions {
                    distribution: shape,
                    rand_zipfian_exp: exponent,
                    rand_spec_iter: iterations,
                    rand_spec_pct: percent,
                    rand_spec_res: res,
                    ..DistributionOptions::default()
                });
                let mut rng = Rng::new(seed, 0);
                for _ in 0..20 {
                    let row = distribution.pick(&mut rng, low, low + width);
                    prop_assert!((low..=low + width).contains(&row), "{shape:?} {row}");
                }
            }
        }
    }
}
