//! Just enough of ASN.1's distinguished encoding to find a field in a certificate or a public key.

pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OBJECT: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;

/// Takes one element with this tag off the front; None when it is another or cut short.
pub fn take<'a>(tag: u8, bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (&[found, first], mut rest) = bytes.split_first_chunk::<2>()?;
    if found != tag {
        return None;
    }
    let length = match first {
        0..=0x7f => usize::from(first),
        // Up to three bytes of length: nothing here is larger than 16 MB.
        0x81..=0x83 => {
            let (digits, behind) = rest.split_at_checked(usize::from(first & 0x7f))?;
            rest = behind;
            digits
                .iter()
                .fold(0, |length, &digit| length << 8 | usize::from(digit))
        }
        _ => return None,
    };
    let (content, behind) = rest.split_at_checked(length)?;
    *bytes = behind;
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn takes_short_and_long_elements() {
        let mut bytes: &[u8] = &[0x02, 1, 7, 0x30, 0x81, 2, 5, 6, 9];
        assert_eq!(take(INTEGER, &mut bytes), Some(&[7][..]));
        assert_eq!(take(INTEGER, &mut bytes), None, "another tag");
        assert_eq!(take(SEQUENCE, &mut bytes), Some(&[5, 6][..]));
        assert_eq!(bytes, [9]);
        assert_eq!(take(SEQUENCE, &mut &[0x30, 0x82, 1, 0, 1][..]), None);
    }

    proptest! {
        #[test]
        fn never_takes_more_than_there_is(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut rest = &bytes[..];
            if let Some(&tag) = bytes.first()
                && let Some(content) = take(tag, &mut rest)
            {
                prop_assert!(content.len() + rest.len() + 2 <= bytes.len());
            }
        }
    }
}
