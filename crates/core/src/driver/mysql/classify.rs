//! From MySQL's and MariaDB's error numbers to classes.

use super::packet::Reader;
use crate::driver::{Class, Failure};

/// The number of an error packet; 0 when it is cut short.
pub fn number(payload: &[u8]) -> u16 {
    Reader::new(payload.get(1..).unwrap_or_default())
        .u16()
        .unwrap_or(0)
}

/// Reads an error packet.
pub fn error(payload: &[u8]) -> Failure {
    let number = number(payload);
    let mut text = payload.get(3..).unwrap_or_default();
    if text.first() == Some(&b'#') {
        text = text.get(6..).unwrap_or_default();
    }
    let mut failure = Failure::new(
        class(number),
        number.to_string(),
        String::from_utf8_lossy(text).into_owned(),
    );
    // ER_ERROR_DURING_COMMIT: the engine or the cluster failed in the middle; it may have committed.
    failure.doubt |= number == 1180;
    if number == 3159 {
        failure
            .message
            .push_str(" (the server insists on TLS, which this program does not speak yet)");
    }
    failure
}

fn class(number: u16) -> Class {
    match number {
        1290 | 1792 | 1836 => Class::ReadOnly,
        1047 => Class::NotReady,
        1213 | 1614 => Class::Deadlock,
        1020 | 3101 => Class::Conflict,
        1205 | 3572 => Class::LockTimeout,
        1022 | 1048 | 1062 | 1169 | 1216 | 1217 | 1451 | 1452 | 1557 | 1586 | 3819 | 4025 => {
            Class::Constraint
        }
        1053 | 1317 | 1927 | 3168 | 3169 => Class::Shutdown,
        1044 | 1045 | 1130 | 1251 | 1275 | 1698 | 1862 | 3118 | 3159 | 4151 => {
            Class::Authentication
        }
        1049 => Class::UnknownDatabase,
        1146 => Class::MissingTable,
        1040 | 1129 | 1203 | 1226 => Class::Refused,
        1152..=1161 | 1184 | 4031 => Class::Connection,
        1969 | 3024 => Class::Timeout,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_number_and_message_past_the_sqlstate() {
        let failure = error(b"\xff\x15\x04#28000Access denied");
        assert_eq!(failure.code, "1045");
        assert_eq!(failure.class, Class::Authentication);
        assert_eq!(failure.message, "Access denied");
    }

    #[test]
    fn reads_an_error_without_sqlstate_and_a_cut_one() {
        assert_eq!(error(b"\xff\x10\x04Too many").class, Class::Refused);
        assert_eq!(error(b"\xff").code, "0");
    }

    #[test]
    fn failed_commit_leaves_doubt() {
        assert!(error(b"\xff\x9c\x04#HY000Got error 5").doubt);
        assert!(!error(b"\xff\xbd\x04#40001Deadlock").doubt);
    }
}
