//! sysbench's random numbers, from the stream of the current connection.

use base::rng::Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use workloads::distribution::{Distribution, DistributionOptions, Shape};

/// Numbers that come once each, also when several interpreters ask.
pub type Counter = Arc<AtomicU32>;

pub struct Random {
    pub rng: Rng,
    shapes: [Distribution; 5],
    default: Shape,
    counter: Counter,
    offset: u32,
}

const SHAPES: [Shape; 5] = [
    Shape::Special,
    Shape::Uniform,
    Shape::Pareto,
    Shape::Gaussian,
    Shape::Zipfian,
];

impl Random {
    pub fn new(options: DistributionOptions, seed: u64, counter: Counter) -> Random {
        let shapes = SHAPES.map(|distribution| {
            Distribution::new(DistributionOptions {
                distribution,
                ..options
            })
        });
        let mut random = Random {
            offset: 0,
            rng: Rng::new(seed, 0),
            shapes,
            default: options.distribution,
            counter,
        };
        random.seed_unique(seed);
        random
    }

    /// Where the numbers that come once begin.
    pub fn seed_unique(&mut self, seed: u64) {
        self.offset = Rng::new(seed, u64::MAX - 1).next_u64() as u32;
    }

    /// The distribution that `--rand-type` names.
    pub fn default(&mut self, low: f64, high: f64) -> f64 {
        self.pick(self.default, low, high)
    }

    /// Lua's numbers are cut to 32 bits as sysbench does; an empty range gives its beginning.
    pub fn pick(&mut self, shape: Shape, low: f64, high: f64) -> f64 {
        let (low, high) = (low as u32, high as u32);
        if low >= high {
            return f64::from(low);
        }
        f64::from(self.shapes[shape as usize].pick(&mut self.rng, low, high))
    }

    /// The next number of a permutation of all 32-bit numbers.
    pub fn unique(&mut self) -> f64 {
        let index = self.counter.fetch_add(1, Ordering::Relaxed);
        let mixed = permute(index).wrapping_add(self.offset) ^ 0x5bf0_3635;
        f64::from(permute(mixed))
    }
}

/// Quadratic residues of a prime p with p mod 4 = 3 permute the numbers below it (Preshing, 2012).
fn permute(number: u32) -> u32 {
    const PRIME: u64 = 4_294_967_291;
    let wide = u64::from(number);
    if wide >= PRIME {
        return number;
    }
    let residue = wide * wide % PRIME;
    let mapped = match wide <= PRIME / 2 {
        true => residue,
        false => PRIME - residue,
    };
    mapped as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn unique_numbers_come_once_from_all_interpreters() {
        let counter = Counter::default();
        let options = DistributionOptions::default();
        let mut all: Vec<Random> = (0..2)
            .map(|_| Random::new(options, 7, Arc::clone(&counter)))
            .collect();
        let mut seen = HashSet::new();
        for index in 0..100_000 {
            let number = all[index % 2].unique();
            assert!((0.0..=4_294_967_295.0).contains(&number) && seen.insert(number as u32));
        }
    }

    #[test]
    fn unique_numbers_depend_on_the_seed() {
        let first = |seed| {
            let mut random = Random::new(DistributionOptions::default(), 1, Counter::default());
            random.seed_unique(seed);
            random.unique()
        };
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }

    #[test]
    fn shapes_are_at_their_places() {
        for (index, shape) in SHAPES.iter().enumerate() {
            assert_eq!(*shape as usize, index);
        }
        let mut random = Random::new(DistributionOptions::default(), 1, Counter::default());
        assert_eq!(random.pick(Shape::Uniform, 5.0, 2.0), 5.0);
        assert!((2.0..=5.0).contains(&random.default(2.9, 5.9)));
    }
}
