//! From SQLSTATEs to classes.

use super::message::error_field;
use crate::failure::{Class, Failure};

/// Reads an ErrorResponse; true when the server ends the session with it.
pub fn error(body: &[u8]) -> (Failure, bool) {
    let code = error_field(body, b'C').unwrap_or("XX000".into());
    let message = error_field(body, b'M').unwrap_or_default();
    let fatal = is_fatal(body);
    let failure = Failure::new(class(&code, &message), code, message);
    match fatal {
        true => (ending(failure), true),
        false => (failure, false),
    }
}

/// An error of protocol 2, which is nothing but its words: so speaks a server that cannot start a process for us, and
/// Pgpool-II 4.3 when it has lost its servers.
pub fn bare(body: &[u8]) -> Failure {
    let words = body.split(|&byte| byte == 0 || byte == b'\n').next();
    let words = String::from_utf8_lossy(words.unwrap_or_default());
    let words = words.trim();
    let class = by_words(words).unwrap_or(Class::Refused);
    Failure::new(class, "no_sqlstate", words)
}

/// The same failure, of which it turned out that the session ended with it.
pub fn ending(failure: Failure) -> Failure {
    match failure.class {
        Class::Other => Failure::new(Class::Connection, failure.code, failure.message),
        _ => failure,
    }
}

/// V is the severity that is never translated. Poolers (PgBouncer 1.18, Pgpool-II 4.3, Odyssey 1.5) and servers
/// before 9.6 send S alone, which a server translates.
fn is_fatal(body: &[u8]) -> bool {
    let severity = error_field(body, b'V').or_else(|| error_field(body, b'S'));
    severity.is_some_and(|word| FATAL.contains(&word.as_ref()))
}

/// FATAL and PANIC in the languages of PostgreSQL's own translations. A word that is missing here costs nothing
/// but time: the failure is kept until the server closes the connection (`Session::ended`).
const FATAL: [&str; 16] = [
    "FATAL",
    "PANIC",
    "PANIK",
    "FATALE",
    "PANICO",
    "P\u{c1}NICO",
    "P\u{c2}NICO",
    "FATALT",
    "KATASTROFALNY",
    "PANIKA",
    "\u{412}\u{410}\u{416}\u{41d}\u{41e}",
    "\u{41f}\u{410}\u{41d}\u{418}\u{41a}\u{410}",
    "\u{4e25}\u{91cd}\u{9519}\u{8bef}",
    "\u{81f4}\u{547d}\u{9519}\u{8bef}",
    "\u{81f4}\u{547d}\u{7684}\u{30a8}\u{30e9}\u{30fc}",
    "\u{ce58}\u{ba85}\u{c801}\u{c624}\u{b958}",
];

/// What poolers say under SQLSTATEs that tell little: PgBouncer has 08P01 for nearly everything.
/// Sources: PgBouncer 1.18 and 1.24, `src/client.c`, `src/objects.c`, `src/janitor.c`; Pgpool-II 4.3, `src/protocol`.
const POOLERS: [(&str, Class); 20] = [
    ("no such database", Class::UnknownDatabase),
    ("no such user", Class::Authentication),
    ("authentication failed", Class::Authentication),
    ("auth failed", Class::Authentication),
    ("login rejected", Class::Authentication),
    ("no more connections allowed", Class::Refused),
    // nothing of the statement has reached a server
    ("query_wait_timeout", Class::Refused),
    ("cannot connect to server", Class::Refused),
    ("connect failed", Class::Refused),
    ("login failed", Class::Refused),
    ("login has been failing", Class::Refused),
    ("unsupported startup parameter", Class::Refused),
    ("backend nodes are down", Class::Refused),
    ("failed to create a backend", Class::Refused),
    ("not accepting any new connections", Class::NotReady),
    ("failover or failback is in progress", Class::NotReady),
    ("shutting down", Class::Shutdown),
    ("query_timeout", Class::Timeout),
    ("query timeout", Class::Timeout),
    ("idle_transaction_timeout", Class::Timeout),
];

/// The class that a pooler's words tell.
fn by_words(message: &str) -> Option<Class> {
    let reported = POOLERS.iter().find(|(words, _)| message.contains(words));
    reported.map(|(_, class)| *class)
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
        // By the standard, the outcome of the statement is unknown.
        "40003" => Class::Connection,
        "55P03" => Class::LockTimeout,
        // statement_timeout, transaction_timeout, idle_in_transaction_session_timeout
        "57014" | "25P03" | "25P04" => Class::Timeout,
        "3D000" | "57P04" => Class::UnknownDatabase,
        "42P01" => Class::MissingTable,
        // A prepared statement is not there, or one of another session is: the server behind the connection is
        // another one, or another client discarded the session's state.
        "26000" | "42P05" => Class::SessionLost,
        // The table was altered under a prepared statement, which only preparing it again heals.
        "0A000" if message.contains("cached plan") => Class::SessionLost,
        "53300" | "08001" | "08004" => Class::Refused,
        "08P01" | "08000" | "08006" | "58000" | "XX000" if by_words(message).is_some() => {
            by_words(message).unwrap_or(Class::Connection)
        }
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
    fn poolers_tell_their_severity_by_s_alone() {
        let said = [
            ("FATAL", "08P01", "query_wait_timeout", Class::Refused),
            (
                "FATAL",
                "08P01",
                "no such database: x",
                Class::UnknownDatabase,
            ),
            (
                "FATAL",
                "08P01",
                "no more connections allowed (max_client_conn)",
                Class::Refused,
            ),
            (
                "FATAL",
                "08P01",
                "pgbouncer cannot connect to server",
                Class::Refused,
            ),
            (
                "FATAL",
                "08P01",
                "server login has been failing, try again later (server_login_retry)",
                Class::Refused,
            ),
            (
                "FATAL",
                "08P01",
                "SASL authentication failed",
                Class::Authentication,
            ),
            ("FATAL", "08P01", "server conn crashed?", Class::Connection),
            (
                "FATAL",
                "57P01",
                "the database system is shutting down",
                Class::Shutdown,
            ),
            ("ВАЖНО", "57P01", "завершение подключения", Class::Shutdown),
            ("PANIK", "XX000", "weg", Class::Connection),
            (
                "FATAL",
                "XX000",
                "all backend nodes are down, pgpool requires at least one valid node",
                Class::Refused,
            ),
        ];
        for (severity, code, message, class) in said {
            let body = format!("S{severity}\0C{code}\0M{message}\0\0");
            let (failure, fatal) = error(body.as_bytes());
            assert!(fatal, "{severity} {message}");
            assert_eq!(failure.class, class, "{message}");
            assert_eq!(failure.message, message);
        }
        assert!(!error("SFEHLER\0C42601\0Mnein\0\0".as_bytes()).1);
        assert!(!error(b"SFATAL\0VERROR\0C42601\0Mno\0\0").1, "V counts");
    }

    #[test]
    fn an_error_of_protocol_2_is_its_words() {
        let failure = bare(b"could not fork new process for connection: Out of memory\n\0");
        assert_eq!(failure.class, Class::Refused);
        assert!(failure.message.ends_with("Out of memory"));
    }

    #[test]
    fn words_in_another_encoding_are_still_words() {
        let (failure, _) = error(b"SFEHLER\0C42P01\0MRelation \xbbt\xab fehlt\0\0");
        assert_eq!(failure.class, Class::MissingTable);
        assert!(failure.message.contains("fehlt"));
    }

    #[test]
    fn an_empty_error_is_still_one() {
        let (failure, fatal) = error(b"");
        assert!(!fatal);
        assert_eq!(failure.class, Class::Other);
    }
}
