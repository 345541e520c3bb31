//! From SQLSTATEs to classes.

use super::message::error_field;
use crate::{Class, Failure};

/// Reads an ErrorResponse; true when the server ends the session with it.
pub fn error(body: &[u8]) -> (Failure, bool) {
    let code = error_field(body, b'C').unwrap_or("XX000");
    let message = error_field(body, b'M').unwrap_or_default();
    // V is the severity that is never translated.
    let severity = error_field(body, b'V').unwrap_or_default();
    let fatal = matches!(severity, "FATAL" | "PANIC");
    let mut class = class(code, message);
    if fatal && class == Class::Other {
        class = Class::Connection;
    }
    (Failure::new(class, code, message), fatal)
}

/// SQLSTATEs are listed in PostgreSQL's manual, appendix A.
pub fn class(code: &str, message: &str) -> Class {
    match code {
        // "cannot execute ... during recovery": a standby, and not only a session that may not write.
        "25006" if message.contains("recovery") => Class::NotPrimary,
        "25006" => Class::ReadOnly,
        "57P01" | "57P02" | "57P05" => Class::Shutdown,
        "57P03" => Class::NotReady,
        "40P01" => Class::Deadlock,
        "40001" | "40002" => Class::Conflict,
        // Nobody can tell whether the statement took place, says the standard.
        "40003" => Class::Connection,
        "55P03" => Class::LockTimeout,
        // statement_timeout, transaction_timeout, idle_in_transaction_session_timeout
        "57014" | "25P03" | "25P04" => Class::Timeout,
        "3D000" | "57P04" => Class::UnknownDatabase,
        "42P01" => Class::MissingTable,
        // A prepared statement is not there, or one of another session is: the server behind the connection is
        // another one, or somebody discarded what the session had.
        "26000" | "42P05" => Class::SessionLost,
        // The table was altered under a prepared statement, which only preparing it again heals.
        "0A000" if message.contains("cached plan") => Class::SessionLost,
        "53300" | "08001" | "08004" => Class::Refused,
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
    fn sqlstates_have_their_classes() {
        let table: [(Class, &[(&str, &str)]); 14] = [
            (
                Class::ReadOnly,
                &[("25006", "cannot execute INSERT in a read-only transaction")],
            ),
            (
                Class::NotPrimary,
                &[("25006", "cannot execute nextval() during recovery")],
            ),
            (
                Class::Shutdown,
                &[("57P01", ""), ("57P02", ""), ("57P05", "")],
            ),
            (
                Class::NotReady,
                &[("57P03", "the database system is starting up")],
            ),
            (Class::Deadlock, &[("40P01", "deadlock detected")]),
            (
                Class::Conflict,
                &[
                    (
                        "40001",
                        "could not serialize access due to concurrent update",
                    ),
                    ("40001", "canceling statement due to conflict with recovery"),
                ],
            ),
            (
                Class::LockTimeout,
                &[("55P03", "canceling statement due to lock timeout")],
            ),
            (
                Class::Timeout,
                &[
                    ("57014", "canceling statement due to statement timeout"),
                    (
                        "25P03",
                        "terminating connection due to idle-in-transaction timeout",
                    ),
                    ("25P04", "terminating connection due to transaction timeout"),
                ],
            ),
            (Class::UnknownDatabase, &[("3D000", ""), ("57P04", "")]),
            (Class::MissingTable, &[("42P01", "")]),
            (
                Class::Refused,
                &[("53300", "sorry, too many clients already"), ("08004", "")],
            ),
            (
                Class::Connection,
                &[("08006", ""), ("08P01", ""), ("40003", "")],
            ),
            (
                Class::Constraint,
                &[("23505", ""), ("23503", ""), ("23514", ""), ("23P01", "")],
            ),
            (Class::Authentication, &[("28000", ""), ("28P01", "")]),
        ];
        for (class, errors) in table {
            for (code, message) in errors {
                let body = format!("VERROR\0C{code}\0M{message}\0\0");
                let (failure, _) = error(body.as_bytes());
                assert_eq!(failure.class, class, "{code} {message}");
                assert_eq!(failure.code, *code);
            }
        }
        assert_eq!(error(b"VERROR\0C42601\0Msyntax\0\0").0.class, Class::Other);
    }

    #[test]
    fn a_server_that_lacks_what_the_session_prepared_has_lost_the_session() {
        let missing = "prepared statement \"f9_1\" does not exist";
        let plan = "cached plan must not change result type";
        for (code, message) in [
            ("26000", missing),
            ("42P05", "already exists"),
            ("0A000", plan),
        ] {
            assert_eq!(class(code, message), Class::SessionLost, "{code}");
        }
        assert_eq!(class("0A000", "cross-database references"), Class::Other);
        assert!(Class::SessionLost.ends_session() && !Class::SessionLost.leaves_doubt());
    }

    #[test]
    fn an_empty_error_is_still_one() {
        let (failure, fatal) = error(b"");
        assert!(!fatal);
        assert_eq!(failure.class, Class::Other);
    }
}
