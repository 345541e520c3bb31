//! A small, fast, seedable random number generator: xoshiro256++ by Blackman and Vigna.

#[derive(Clone)]
pub struct Rng([u64; 4]);

impl Rng {
    /// Streams of one seed are independent: every connection takes its own, so that what it does
    /// depends on the seed alone and not on how connections happen to interleave.
    pub fn new(seed: u64, stream: u64) -> Rng {
        let mut state = seed ^ stream.wrapping_mul(0xd134_2543_de82_ef95);
        Rng(std::array::from_fn(|_| split_mix(&mut state)))
    }

    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let state = &mut self.0;
        let result = state[0]
            .wrapping_add(state[3])
            .rotate_left(23)
            .wrapping_add(state[0]);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1), with all 53 bits of a double.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high], both included.
    #[inline]
    pub fn uniform(&mut self, low: u32, high: u32) -> u32 {
        low + (self.unit() * (f64::from(high - low) + 1.0)) as u32
    }

    /// Appends `count` random decimal digits, taking many from each random number.
    #[inline]
    pub fn digits(&mut self, count: usize, out: &mut Vec<u8>) {
        // 2^64 holds 19 digits; using 11 leaves the bias of the last one below 2^-27.
        const PER_DRAW: usize = 11;
        let mut left = count;
        while left > 0 {
            let mut fraction = self.next_u64();
            let mut digits = left.min(PER_DRAW);
            // Two at a time: one multiplication for both.
            while digits >= 2 {
                let product = u128::from(fraction) * 100;
                out.extend_from_slice(&PAIRS[(product >> 64) as usize]);
                fraction = product as u64;
                digits -= 2;
            }
            if digits == 1 {
                out.push(b'0' + ((u128::from(fraction) * 10) >> 64) as u8);
            }
            left = left.saturating_sub(PER_DRAW);
        }
    }
}

/// "00" to "99".
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_numbers_and_streams_differ() {
        let take = |seed, stream| {
            let mut rng = Rng::new(seed, stream);
            [rng.next_u64(), rng.next_u64()]
        };
        assert_eq!(take(1, 2), take(1, 2));
        assert_ne!(take(1, 2), take(1, 3));
        assert_ne!(take(1, 2), take(2, 2));
    }

    #[test]
    fn uniform_reaches_both_ends_and_no_further() {
        let mut rng = Rng::new(7, 0);
        let mut seen = [0u32; 5];
        for _ in 0..10_000 {
            seen[rng.uniform(3, 7) as usize - 3] += 1;
        }
        assert!(seen.iter().all(|&count| count > 1800), "{seen:?}");
        assert_eq!(rng.uniform(u32::MAX, u32::MAX), u32::MAX);
    }

    #[test]
    fn digits_are_those_of_the_random_numbers_as_fractions() {
        let (mut rng, mut same) = (Rng::new(4, 2), Rng::new(4, 2));
        let mut text = Vec::new();
        rng.digits(16, &mut text);
        let mut expected = Vec::new();
        for count in [11, 5] {
            let mut fraction = same.next_u64();
            for _ in 0..count {
                let product = u128::from(fraction) * 10;
                expected.push(b'0' + (product >> 64) as u8);
                fraction = product as u64;
            }
        }
        assert_eq!(text, expected);
    }

    #[test]
    fn digits_are_digits_and_even() {
        let mut rng = Rng::new(9, 0);
        let mut text = Vec::new();
        rng.digits(100_000, &mut text);
        assert_eq!(text.len(), 100_000);
        let mut seen = [0u32; 10];
        for digit in text {
            seen[usize::from(digit - b'0')] += 1;
        }
        assert!(
            seen.iter().all(|&count| (9_500..10_500).contains(&count)),
            "{seen:?}"
        );
    }
}
