//! Random values as TPC-C defines them: clauses 2.1.5, 2.1.6 and 4.3.2.

use base::rng::Rng;

/// The largest customer number of a district, and the number of districts of a warehouse.
pub const CUSTOMERS: u32 = 3000;
pub const DISTRICTS: u32 = 10;
/// The number of items, which is that of stock rows of a warehouse.
pub const ITEMS: u32 = 100_000;

/// The constants C of NURand, clause 2.1.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    pub last_name: u32,
    pub customer: u32,
    pub item: u32,
}

impl Constants {
    /// Those that the data was loaded with: fixed, so that every run knows them. Only last names are loaded by
    /// NURand.
    pub const LOAD: Constants = Constants {
        last_name: 157,
        customer: 0,
        item: 0,
    };

    /// Those of a run. That of last names differs from the load's by 65 to 119, but neither 96 nor 112, clause
    /// 2.1.6.1.
    pub fn of_run(seed: u64) -> Constants {
        let mut rng = Rng::new(seed, u64::MAX);
        let delta = loop {
            match rng.uniform(65, 119) {
                96 | 112 => {}
                delta => break delta,
            }
        };
        Constants {
            last_name: Constants::LOAD.last_name - delta,
            customer: rng.uniform(0, 1023),
            item: rng.uniform(0, 8191),
        }
    }

    /// The number of a last name, 0 to 999.
    pub fn pick_last_name(&self, rng: &mut Rng) -> u32 {
        nurand(rng, 255, 0, 999, self.last_name)
    }

    /// A customer of a district, 1 to 3000.
    pub fn pick_customer(&self, rng: &mut Rng) -> u32 {
        nurand(rng, 1023, 1, CUSTOMERS, self.customer)
    }

    /// An item, 1 to 100,000.
    pub fn pick_item(&self, rng: &mut Rng) -> u32 {
        nurand(rng, 8191, 1, ITEMS, self.item)
    }
}

/// NURand(A, x, y): not even, some numbers come much more often than others.
pub fn nurand(rng: &mut Rng, a: u32, low: u32, high: u32, c: u32) -> u32 {
    let mixed = rng.uniform(0, a) | rng.uniform(low, high);
    (mixed + c) % (high - low + 1) + low
}

const SYLLABLES: [&str; 10] = [
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING",
];

/// The last name of a number from 0 to 999: a syllable for each of its three digits, clause 4.3.2.3.
pub fn last_name(number: u32, out: &mut Vec<u8>) {
    for digit in [number / 100, number / 10 % 10, number % 10] {
        out.extend(SYLLABLES[digit as usize].as_bytes());
    }
}

/// Between `shortest` and `longest` letters and digits, clause 4.3.2.2.
pub fn a_string(rng: &mut Rng, shortest: u32, longest: u32, out: &mut Vec<u8>) {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    /// 62^8 is 2^48: the bias of the last letter stays below 2^-16.
    const PER_DRAW: usize = 8;
    let mut left = rng.uniform(shortest, longest) as usize;
    while left > 0 {
        let mut fraction = rng.next_u64();
        for _ in 0..left.min(PER_DRAW) {
            let product = u128::from(fraction) * LETTERS.len() as u128;
            out.push(LETTERS[(product >> 64) as usize]);
            fraction = product as u64;
        }
        left = left.saturating_sub(PER_DRAW);
    }
}

/// Letters and digits; one of ten has ORIGINAL somewhere inside, clause 4.3.3.1.
pub fn data_string(rng: &mut Rng, shortest: u32, longest: u32, out: &mut Vec<u8>) {
    const MARK: &[u8] = b"ORIGINAL";
    let start = out.len();
    a_string(rng, shortest, longest, out);
    if rng.uniform(0, 9) == 0 {
        let room = out.len() - start - MARK.len();
        let at = start + rng.uniform(0, room as u32) as usize;
        out[at..at + MARK.len()].copy_from_slice(MARK);
    }
}

/// A zip code: four digits, then 11111, clause 4.3.2.7.
pub fn zip(rng: &mut Rng, out: &mut Vec<u8>) {
    rng.digits(4, out);
    out.extend(b"11111");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::text;
    use proptest::prelude::{any, prop_assert, proptest};

    #[test]
    fn last_names_are_the_specifications() {
        assert_eq!(text(|out| last_name(371, out)), "PRICALLYOUGHT");
        assert_eq!(text(|out| last_name(40, out)), "BARPRESBAR");
        assert_eq!(text(|out| last_name(999, out)), "EINGEINGEING");
        let longest = (0..1000).map(|n| text(|out| last_name(n, out)).len()).max();
        assert!(longest <= Some(16));
    }

    #[test]
    fn the_constants_of_load_and_run_are_as_far_apart_as_they_must() {
        let mut seen = std::collections::HashSet::new();
        for seed in 0..2000 {
            let run = Constants::of_run(seed);
            let delta = run.last_name.abs_diff(Constants::LOAD.last_name);
            assert!((65..=119).contains(&delta) && delta != 96 && delta != 112);
            assert!(run.last_name <= 255 && run.customer <= 1023 && run.item <= 8191);
            seen.insert(delta);
        }
        assert_eq!(seen.len(), 53);
    }

    /// The most frequent value of NURand(255, 0, 999, C) is 255 + C: bits that are 1 in either number.
    #[test]
    fn nurand_prefers_numbers_with_many_bits() {
        let mut rng = Rng::new(1, 1);
        let mut seen = [0u32; 1000];
        for _ in 0..200_000 {
            seen[nurand(&mut rng, 255, 0, 999, 0) as usize] += 1;
        }
        let exact = |value: u32| -> f64 {
            let ways = (0..256u32)
                .flat_map(|a| (0..1000u32).map(move |b| a | b))
                .filter(|&mixed| mixed % 1000 == value)
                .count();
            ways as f64 / 256_000.0
        };
        for value in [0, 1, 255, 511, 767, 999] {
            let share = f64::from(seen[value as usize]) / 200_000.0;
            let expected = exact(value);
            let deviation = (expected / 200_000.0).sqrt();
            assert!(
                (share - expected).abs() < 5.0 * deviation + 1e-9,
                "{value}: {share} {expected}"
            );
        }
        assert!(seen[255] > 20 * seen[0].max(1));
    }

    #[test]
    fn a_tenth_of_data_strings_is_original() {
        let mut rng = Rng::new(2, 1);
        let marked = (0..20_000)
            .filter(|_| text(|out| data_string(&mut rng, 26, 50, out)).contains("ORIGINAL"))
            .count();
        assert!((1800..2200).contains(&marked), "{marked}");
    }

    #[test]
    fn letters_are_even() {
        let mut out = Vec::new();
        a_string(&mut Rng::new(3, 1), 620_000, 620_000, &mut out);
        let mut seen = [0u32; 256];
        out.iter().for_each(|&byte| seen[usize::from(byte)] += 1);
        let counts: Vec<u32> = seen.into_iter().filter(|&count| count > 0).collect();
        assert_eq!(counts.len(), 62);
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)));
    }

    proptest! {
        #[test]
        fn nurand_stays_within_bounds(seed in any::<u64>(), a in 0u32..10_000, low in 0u32..10, width in 0u32..100_000, c in 0u32..10_000) {
            let value = nurand(&mut Rng::new(seed, 0), a, low, low + width, c);
            prop_assert!((low..=low + width).contains(&value));
        }

        #[test]
        fn strings_have_their_lengths(seed in any::<u64>(), shortest in 8u32..40, more in 0u32..500) {
            let mut rng = Rng::new(seed, 0);
            let lengths = shortest as usize..=(shortest + more) as usize;
            prop_assert!(lengths.contains(&text(|out| a_string(&mut rng, shortest, shortest + more, out)).len()));
            prop_assert!(lengths.contains(&text(|out| data_string(&mut rng, shortest, shortest + more, out)).len()));
            let zip = text(|out| zip(&mut rng, out));
            prop_assert!(zip.len() == 9 && zip.ends_with("11111"));
        }
    }
}
