//! Money in whole cents: amounts must add up exactly, or the consistency conditions break.

use std::io::Write;

/// Cents of a decimal number with at most two places, as servers send DECIMAL(n,2): "-10.5" is -1050.
pub fn cents(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let point = digits.iter().position(|&byte| byte == b'.');
    let (whole, places) = match point {
        Some(at) => (&digits[..at], &digits[at + 1..]),
        None => (digits, &[][..]),
    };
    if whole.is_empty() || places.len() > 2 || (point.is_some() && places.is_empty()) {
        return None;
    }
    let padding = b"00"[places.len()..].iter();
    let mut value: i64 = 0;
    for &byte in whole.iter().chain(places).chain(padding) {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    Some(sign * value)
}

/// Writes cents as a decimal number with two places.
pub fn write_cents(cents: i64, out: &mut Vec<u8>) {
    let sign = if cents < 0 { "-" } else { "" };
    let size = cents.unsigned_abs();
    // Writing to a Vec cannot fail.
    let _ = write!(out, "{sign}{}.{:02}", size / 100, size % 100);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_servers_send() {
        for (text, value) in [
            ("0", 0),
            ("1.5", 150),
            ("100.00", 10_000),
            ("-0.05", -5),
            ("007.10", 710),
        ] {
            assert_eq!(cents(text.as_bytes()), Some(value), "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "1.234",
            "1e3",
            "1,5",
            "1.2.3",
            "--1",
            "99999999999999999999",
        ] {
            assert_eq!(cents(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(value in -1_000_000_000_000i64..1_000_000_000_000) {
            let mut text = Vec::new();
            write_cents(value, &mut text);
            prop_assert_eq!(cents(&text), Some(value));
        }

        #[test]
        fn survives_any_text(text in prop::collection::vec(any::<u8>(), 0..30)) {
            cents(&text);
        }
    }
}
