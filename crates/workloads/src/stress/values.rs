//! The values of columns.

use crate::letters::Letters;
use base::rng::Rng;

/// The year that all dates are in, 2015, has so many days.
pub const DAYS: u32 = 365;
const MONTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// Lengths of texts, as in the original.
const B: usize = 99;
const C: usize = 199;
const TYPE: usize = 2;
const OPERATION: usize = 240;
/// The highest partition.
const PARTITIONS: u32 = 20;

/// A row of a parent table, without its texts.
pub struct Parent {
    pub a: i32,
    pub counter: i64,
    pub partition: i32,
    pub day: u32,
}

impl Parent {
    /// The day comes first: children draw it again.
    pub fn draw(rng: &mut Rng) -> Parent {
        let day = day(rng);
        Parent {
            day,
            a: a(rng),
            counter: i64::from(a(rng)) * i64::from(rng.uniform(0, PARTITIONS)),
            partition: partition(rng),
        }
    }
}

/// Anything that a number of 31 bits can be.
pub fn a(rng: &mut Rng) -> i32 {
    (rng.next_u64() >> 33) as i32
}

pub fn day(rng: &mut Rng) -> u32 {
    rng.uniform(0, DAYS - 1)
}

pub fn partition(rng: &mut Rng) -> i32 {
    rng.uniform(0, PARTITIONS) as i32
}

/// The texts of rows.
pub struct Texts(Letters);

impl Texts {
    pub fn new() -> Texts {
        Texts(Letters::new())
    }

    pub fn b(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        self.0.append(rng, B, out);
    }

    pub fn c(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        self.0.append(rng, C, out);
    }

    pub fn record_type(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        self.0.append(rng, TYPE, out);
    }

    pub fn operation(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        self.0.append(rng, OPERATION, out);
    }
}

/// YYYY-MM-DD of a day of the year, from 0.
pub fn date(day: u32, out: &mut Vec<u8>) {
    let (mut month, mut left) = (0, day % DAYS);
    while left >= MONTHS[month] {
        left -= MONTHS[month];
        month += 1;
    }
    let digits = |number: u32| [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
    out.extend_from_slice(b"2015-");
    out.extend(digits(month as u32 + 1));
    out.push(b'-');
    out.extend(digits(left + 1));
}

/// The random numbers of the UUID of a row that `prepare` loads: known to readers, whatever the seeds.
pub fn uuid_stream(parent: u32, number: u32) -> Rng {
    Rng::new(u64::from(number), u64::from(parent))
}

/// A random UUID (version 4) in its 36 characters.
pub fn uuid(rng: &mut Rng, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let (high, low) = (rng.next_u64(), rng.next_u64());
    let high = high & !0xf000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    for position in 0..32 {
        if matches!(position, 8 | 12 | 16 | 20) {
            out.push(b'-');
        }
        let half = if position < 16 { high } else { low };
        out.push(HEX[(half >> (60 - position % 16 * 4) & 15) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::text;

    #[test]
    fn days_are_those_of_the_calendar() {
        let of = |day| text(|out| date(day, out));
        assert_eq!(of(0), "2015-01-01");
        assert_eq!(of(31 + 28), "2015-03-01");
        assert_eq!(of(DAYS - 1), "2015-12-31");
    }

    #[test]
    fn uuids_are_random_ones_of_version_4() {
        let mut rng = Rng::new(1, 1);
        let first = text(|out| uuid(&mut rng, out));
        let second = text(|out| uuid(&mut rng, out));
        assert_ne!(first, second);
        let parts: Vec<usize> = first.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(first.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&first.as_bytes()[19]));
    }
}
