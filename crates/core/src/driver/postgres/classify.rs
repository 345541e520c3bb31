//! From SQLSTATEs to classes.

use super::message::error_field;
use crate::driver::{Class, Failure};

/// Reads an ErrorResponse; true when the server ends the session with it.
pub fn error(body: &[u8]) -> (Failure, bool) {
    let code = error_field(body, b'C').unwrap_or("XX000");
    let message = error_field(body, b'M').unwrap_or_default();
    // V is the severity that is never translated.
    let severity = error_field(body, b'V').unwrap_or_default();
    let fatal = matches!(severity, "FATAL" | "PANIC");
    let mut class = class(code);
    if fatal && class == Class::Other {
        class = Class::Connection;
    }
    (Failure::new(class, code, message), fatal)
}

fn class(code: &str) -> Class {
    match code {
        "25006" => Class::ReadOnly,
        "57P01" | "57P02" | "57P05" => Class::Shutdown,
        "57P03" => Class::NotReady,
        "40P01" => Class::Deadlock,
        "40001" => Class::Conflict,
        "55P03" => Class::LockTimeout,
        "57014" => Class::Timeout,
        "3D000" => Class::UnknownDatabase,
        "42P01" => Class::MissingTable,
        "53300" => Class::Refused,
        _ if code.starts_with("08") => Class::Connection,
        _ if code.starts_with("23") => Class::Constraint,
        _ if code.starts_with("28") => Class::Authentication,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_code_severity_and_message() {
        let (failure, fatal) = error(b"SFATAL\0VFATAL\0C57P01\0Mterminating\0\0");
        assert!(fatal);
        assert_eq!(failure.class, Class::Shutdown);
        assert_eq!(failure.message, "terminating");
        assert!(failure.doubt);
    }

    #[test]
    fn an_empty_error_is_still_one() {
        let (failure, fatal) = error(b"");
        assert!(!fatal);
        assert_eq!(failure.class, Class::Other);
    }
}
