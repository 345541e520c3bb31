//! From SQLSTATEs to classes.

use super::message::error_field;
use super::poolers;
use crate::failure::{Class, Failure};

/// Reads an ErrorResponse; true when the server ends the session with it.
pub fn error(body: &[u8]) -> (Failure, bool) {
    let code = error_field(body, b'C').unwrap_or("XX000".into());
    let message = error_field(body, b'M').unwrap_or_default();
    let fatal = is_fatal(body);
    let failure = failure(&code, &message, !fatal);
    match fatal {
        true => (ending(failure), true),
        false => (failure, false),
    }
}

/// A failure by SQLSTATE and message. PostgreSQL reports its own time limits before it commits anything: a limit that
/// ends the wait for a synchronous standby is a warning, and the commit succeeds.
pub fn failure(code: &str, message: &str, session_goes_on: bool) -> Failure {
    let failure = Failure::new(class(code, message), code, message);
    match code {
        "57014" => failure.of_server_limit(session_goes_on),
        "25P03" | "25P04" => failure.of_server_limit(false),
        _ => failure,
    }
}

/// An error of protocol 2, which is nothing but its words: so speaks a server that cannot start a process for us, and
/// Pgpool-II 4.3 when it has lost its servers.
pub fn bare(body: &[u8]) -> Failure {
    let words = body.split(|&byte| ends_bare(byte)).next();
    let words = String::from_utf8_lossy(words.unwrap_or_default());
    let words = words.trim();
    let class = poolers::class(words).unwrap_or(Class::Refused);
    Failure::new(class, "no_sqlstate", words)
}

/// Whether the words of an error of protocol 2 end with this byte.
pub fn ends_bare(byte: u8) -> bool {
    matches!(byte, 0 | b'\n')
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

/// How the names of statements begin that the load prepares by itself.
const OWN_NAME: &str = "\"f9_";

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
        // another one, or another client discarded the session's state. A name of the user's own is there twice where
        // a script prepares it in each transaction.
        "42P05" if message.contains('"') && !message.contains(OWN_NAME) => Class::Other,
        "26000" | "42P05" => Class::SessionLost,
        "53300" => Class::Refused,
        // The table was altered under a prepared statement, which only preparing it again heals.
        "0A000" if message.contains("cached plan") => Class::SessionLost,
        _ if poolers::use_it(code) => by_words(code, message),
        _ if code.starts_with("23") => Class::Constraint,
        _ if code.starts_with("28") => Class::Authentication,
        _ => Class::Other,
    }
}

/// The class of a SQLSTATE that says little by itself.
fn by_words(code: &str, message: &str) -> Class {
    poolers::class(message).unwrap_or(match code {
        "08001" | "08004" => Class::Refused,
        _ if code.starts_with("08") => Class::Connection,
        _ => Class::Other,
    })
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
        let own = "prepared statement \"f9_0000000000000001\" already exists";
        let of_script = "prepared statement \"p\" already exists";
        assert_eq!(class("42P05", own), Class::SessionLost);
        assert_eq!(class("42P05", of_script), Class::Other);
        assert!(Class::SessionLost.ends_session() && !Class::SessionLost.leaves_doubt());
    }

    #[test]
    fn a_time_limit_of_the_server_leaves_no_doubt() {
        for (severity, code, ends) in [
            ("ERROR", "57014", false),
            ("FATAL", "57014", true),
            ("FATAL", "25P03", true),
            ("FATAL", "25P04", true),
        ] {
            let body = format!("V{severity}\0C{code}\0Mtimeout\0\0");
            let (failure, _) = error(body.as_bytes());
            assert_eq!(
                (failure.class, failure.doubt, failure.ends_session()),
                (Class::Timeout, false, ends),
                "{severity} {code}"
            );
        }
        let pooler = error(b"SFATAL\0C08P01\0Mtransaction timeout\0\0").0;
        assert!(pooler.doubt && pooler.ends_session());
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

    /// Code, words, class, and whether the outcome of what was sent is unknown.
    type OfAPooler = (&'static str, &'static str, Class, bool);

    const OF_POOLERS: &[OfAPooler] = &[
        // PgBouncer
        (
            "08P01",
            "client connections exceeded (max_db_client_connections)",
            Class::Refused,
            false,
        ),
        (
            "08P01",
            "client_login_timeout (server down)",
            Class::Refused,
            false,
        ),
        ("08P01", "idle transaction timeout", Class::Timeout, true),
        ("08P01", "transaction timeout", Class::Timeout, true),
        ("08P01", "SSL required", Class::Authentication, false),
        (
            "08P01",
            "database \"shop\" is disabled",
            Class::Refused,
            false,
        ),
        (
            "08P01",
            "prepared statement did not exist",
            Class::SessionLost,
            false,
        ),
        (
            "08P01",
            "prepared statement name is already in use",
            Class::SessionLost,
            false,
        ),
        ("08P01", "admin forced disconnect", Class::Shutdown, true),
        ("08P01", "server conn crashed?", Class::Connection, true),
        // Odyssey
        (
            "08006",
            "odyssey: c1: failed to get remote server connection",
            Class::Refused,
            false,
        ),
        (
            "08006",
            "failed to connect to remote server s8a7b",
            Class::Refused,
            false,
        ),
        (
            "08006",
            "can't find suitable host for tsa 'read-write' of user shop.app",
            Class::NotReady,
            false,
        ),
        (
            "08006",
            "Odyssey is gracefully shutting down",
            Class::Shutdown,
            true,
        ),
        (
            "08006",
            "Odyssey has dropped the connection",
            Class::Shutdown,
            true,
        ),
        (
            "08006",
            "remote server read/write error s8a7b: (null)",
            Class::Connection,
            true,
        ),
        ("53200", "soft out of memory", Class::Refused, false),
        (
            "3D000",
            "route for 'shop.app' is not found",
            Class::UnknownDatabase,
            false,
        ),
        // PgCat
        (
            "58000",
            "could not get connection from the pool - AllServersDown",
            Class::Refused,
            false,
        ),
        (
            "58000",
            "Pool down for database: \"shop\", user: \"app\"",
            Class::Refused,
            false,
        ),
        (
            "58000",
            "No pool configured for database: \"shop\", user: \"app\"",
            Class::UnknownDatabase,
            false,
        ),
        (
            "58000",
            "checkout failure limit reached (3 / 3)",
            Class::Refused,
            false,
        ),
        ("58000", "pool statement timeout", Class::Timeout, true),
        ("58000", "idle transaction timeout", Class::Timeout, true),
        (
            "58000",
            "terminating connection due to administrator command",
            Class::Shutdown,
            true,
        ),
        (
            "58000",
            "prepared statement \"f9_1\" does not exist",
            Class::SessionLost,
            false,
        ),
        (
            "58000",
            "error receiving data from server: SocketError",
            Class::Connection,
            true,
        ),
        // Supavisor
        (
            "XX000",
            "(EMAXCONN) max client connections reached, limit: 200",
            Class::Refused,
            false,
        ),
        (
            "XX000",
            "MaxClientsInSessionMode: max clients reached - in Session mode",
            Class::Refused,
            false,
        ),
        (
            "XX000",
            "(ECHECKOUTTIMEOUT) unable to check out connection from the pool after 60000ms in Transaction mode",
            Class::Refused,
            false,
        ),
        (
            "XX000",
            "Tenant or user not found",
            Class::Authentication,
            false,
        ),
        (
            "XX000",
            "(ENOTFOUND) tenant/user app.ref not found",
            Class::Authentication,
            false,
        ),
        (
            "08006",
            "Failed to connect to database: {:error, :econnrefused}",
            Class::Refused,
            false,
        ),
        (
            "XX000",
            "(EDBHANDLEREXITED) connection to database closed. Check logs for more information",
            Class::Connection,
            true,
        ),
        // Pgpool-II
        (
            "08S01",
            "pgpool is not accepting any new connections",
            Class::NotReady,
            false,
        ),
        (
            "57000",
            "connection terminated due to online recovery",
            Class::Shutdown,
            true,
        ),
        // PgDog
        (
            "58000",
            "connection pool for user \"app\" and database \"shop\" is down",
            Class::Refused,
            false,
        ),
        (
            "08004",
            "only TLS connections are allowed",
            Class::Authentication,
            false,
        ),
        ("58000", "no primary", Class::NotReady, false),
        ("58000", "checkout timeout", Class::Refused, false),
    ];

    #[test]
    fn words_of_poolers_have_their_classes() {
        for &(code, message, class, doubt) in OF_POOLERS {
            let body = format!("SFATAL\0C{code}\0M{message}\0\0");
            let (failure, _) = error(body.as_bytes());
            assert_eq!((failure.class, failure.doubt), (class, doubt), "{message}");
        }
    }

    #[test]
    fn errors_of_servers_are_not_read_as_a_pooler_s() {
        let lost = class("40P01", "deadlock detected while shutting down");
        assert_eq!(lost, Class::Deadlock);
        let (failure, fatal) = error(b"SERROR\0C53200\0Mout of memory\0\0");
        assert_eq!((failure.class, fatal), (Class::Other, false));
        assert_eq!(class("08001", "could not connect"), Class::Refused);
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
