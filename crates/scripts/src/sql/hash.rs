//! Hashes and permutations of whole numbers, with the results of pgbench 18.

const MURMUR: u64 = 0xc6a4_a793_5bd1_e995;
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// MurmurHash2 of the eight bytes (Austin Appleby's 64-bit variant A).
pub fn murmur2(number: i64, seed: i64) -> i64 {
    let mix = |word: u64| word ^ (word >> 47);
    let word = mix((number as u64).wrapping_mul(MURMUR)).wrapping_mul(MURMUR);
    let start = seed as u64 ^ MURMUR.wrapping_mul(8);
    let hash = (start ^ word).wrapping_mul(MURMUR);
    mix(mix(hash).wrapping_mul(MURMUR)) as i64
}

/// FNV-1a of the eight bytes, the lowest first (Fowler, Noll and Vo).
pub fn fnv1a(number: i64, seed: i64) -> i64 {
    let bytes = number.to_le_bytes();
    let hash = bytes.iter().fold(FNV_OFFSET ^ seed as u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    });
    hash as i64
}

/// A pseudorandom permutation of 0 to `size` - 1, which must be above 0: six rounds, each of a bijection of the lower
/// numbers, one of the upper numbers, and an offset.
pub fn permute(number: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    let size = size as u64;
    let mut place = number as u64 % size;
    let mut stream = Stream::seeded(seed as u64);
    let width = size.ilog2();
    let mask = (1 << width) - 1;
    // A multiplication by an odd number, an exclusive or, and a rotation, all modulo the power of two.
    let scramble = |place: u64, factor: u64, flip: u64| {
        let mixed = (place.wrapping_mul(factor) ^ flip) & mask;
        ((mixed << 1) & mask) | (mixed >> (width - 1))
    };
    for _ in 0..6 {
        for upper in [false, true] {
            let (factor, flip) = (stream.next() & mask | 1, stream.next() & mask);
            let distance = if upper { size - 1 - place } else { place };
            if distance <= mask {
                let moved = scramble(distance, factor, flip);
                place = if upper { size - 1 - moved } else { moved };
            }
        }
        let offset = stream.up_to(size - 1);
        place = ((u128::from(place) + u128::from(offset)) % u128::from(size)) as u64;
    }
    place as i64
}

/// PostgreSQL's generator: xoroshiro128** (Blackman and Vigna), seeded by splitmix64.
struct Stream([u64; 2]);

impl Stream {
    fn seeded(mut seed: u64) -> Stream {
        let mut next = || {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let first = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let second = (first ^ (first >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            second ^ (second >> 31)
        };
        Stream([next(), next()])
    }

    fn next(&mut self) -> u64 {
        let [first, second] = self.0;
        let mixed = second ^ first;
        self.0 = [
            first.rotate_left(24) ^ mixed ^ (mixed << 16),
            mixed.rotate_left(37),
        ];
        first.wrapping_mul(5).rotate_left(7).wrapping_mul(9)
    }

    /// Uniform from 0 to `last`, by the fewest bits and rejection.
    fn up_to(&mut self, last: u64) -> u64 {
        loop {
            let number = self.next() >> last.leading_zeros();
            if number <= last {
                return number;
            }
        }
    }
}
