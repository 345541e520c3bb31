//! Random text at the price of copying: pieces of one long random text, as iiBench takes them.

use base::rng::Rng;

/// Small enough for the processor's cache, and many times the longest piece.
const LENGTH: usize = 64 * 1024;

/// Lower-case letters.
pub struct Letters(Vec<u8>);

impl Letters {
    /// The same text in every run: what varies is where a piece begins.
    pub fn new() -> Letters {
        let mut rng = Rng::new(0, 0);
        Letters(
            (0..LENGTH)
                .map(|_| b'a' + rng.uniform(0, 25) as u8)
                .collect(),
        )
    }

    /// Appends `length` letters, at most the whole text.
    #[inline]
    pub fn append(&self, rng: &mut Rng, length: usize, out: &mut Vec<u8>) {
        let length = length.min(LENGTH);
        let start = rng.uniform(0, (LENGTH - length) as u32) as usize;
        out.extend_from_slice(&self.0[start..start + length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_their_length_and_differ() {
        let letters = Letters::new();
        let mut rng = Rng::new(1, 1);
        let mut piece = |length| {
            let mut out = Vec::new();
            letters.append(&mut rng, length, &mut out);
            out
        };
        assert_eq!(piece(0), b"");
        assert_eq!(piece(LENGTH).len(), LENGTH);
        let (first, second) = (piece(20), piece(20));
        assert_ne!(first, second);
        assert!(first.iter().all(u8::is_ascii_lowercase));
    }
}
