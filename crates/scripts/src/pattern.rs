//! Random texts by pattern, as sysbench has them: # is a digit, @ a small letter, all else stands for itself.

use base::rng::Rng;

/// Appends a text of this pattern.
pub fn fill(pattern: &[u8], rng: &mut Rng, text: &mut Vec<u8>) {
    text.reserve(pattern.len());
    let mut at = 0;
    while at < pattern.len() {
        match pattern[at] {
            b'#' => {
                let end = pattern[at..].iter().position(|&sign| sign != b'#');
                let count = end.unwrap_or(pattern.len() - at);
                rng.digits(count, text);
                at += count;
                continue;
            }
            b'@' => text.push(letter(rng)),
            other => text.push(other),
        }
        at += 1;
    }
}

pub fn letter(rng: &mut Rng) -> u8 {
    b'a' + rng.uniform(0, 25) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_become_digits_and_letters() {
        let mut text = Vec::new();
        fill(b"##-@@@-x", &mut Rng::new(1, 1), &mut text);
        assert!(text[..2].iter().all(u8::is_ascii_digit));
        assert!(text[3..6].iter().all(u8::is_ascii_lowercase));
        assert_eq!((text[2], &text[6..]), (b'-', b"-x".as_slice()));
    }
}
