//! From what a driver says of a failure to its class: first by the DBMS' own number, then by SQLSTATE.
//!
//! The code of a failure is the DBMS' own number where drivers hand it over, as with the protocols of these servers;
//! else the SQLSTATE.

use super::tables;
use crate::failure::{Class, Failure};
use crate::kind::Kind;
use crate::{mysql, postgres};

/// A failure by SQLSTATE, native number and message; `dead`: the driver says that the connection is of no use.
pub fn failure(kind: Kind, state: &str, native: i32, dead: bool, message: &str) -> Failure {
    let message = without_names(message);
    let mut failure = match kind {
        Kind::Postgres => of_postgres(state, message),
        Kind::Mysql => of_mysql(state, native, message),
        _ => of_others(kind, state, native, message),
    };
    // libmariadb tells any loss of a connection with TLS as a failure of TLS (2026), which at the log-in it may be
    if dead && (failure.session_goes_on || !failure.class.leaves_doubt()) {
        failure = Failure::new(Class::Connection, failure.code, failure.message);
    }
    failure
}

/// The same, for the answer to a COMMIT.
///
/// By MySQL a deadlock is a conflict there, see `mysql::classify::error_at`. Where neither a number nor an SQLSTATE tells
/// anything, the outcome of the commit is unknown; also if a number is not in our table of its DBMS.
pub fn failure_of_commit(
    kind: Kind,
    state: &str,
    native: i32,
    dead: bool,
    message: &str,
) -> Failure {
    let mut failure = failure(kind, state, native, dead, message);
    if kind == Kind::Mysql && failure.class == Class::Deadlock {
        failure.class = Class::Conflict;
    }
    doubted(kind, failure)
}

/// A failure of what would have been committed: in doubt where nothing tells what became of it.
pub fn doubted(kind: Kind, mut failure: Failure) -> Failure {
    failure.doubt |= match kind.is_by_odbc_alone() {
        true => failure.class == Class::Other,
        false => failure.code == "HY000",
    };
    failure
}

/// The message without the names of those who handed it on: `[unixODBC][Driver Manager]`.
pub fn without_names(mut message: &str) -> &str {
    while let Some((_, rest)) = message
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    {
        message = rest.trim_start();
    }
    message
}

/// psqlODBC hands SQLSTATEs of the server on; what happens while connecting it tells by words alone.
/// Of the server's message the first line is kept, as its protocol has it.
fn of_postgres(state: &str, message: &str) -> Failure {
    let line = message.lines().next().unwrap_or_default();
    let line = line.strip_prefix("ERROR: ").unwrap_or(line);
    // as by its protocol: the session ends with it
    let is_fatal = line.starts_with("FATAL:") || line.starts_with("PANIC:");
    let message = line.trim_end_matches(';').trim();
    let words = [
        ("authentication failed", Class::Authentication),
        ("no password supplied", Class::Authentication),
        ("pg_hba.conf", Class::Authentication),
        ("role \"", Class::Authentication),
        ("the database system is", Class::NotReady),
        ("terminating connection", Class::Shutdown),
        ("timeout expired", Class::Timeout),
    ];
    let by_words = words.iter().find(|(words, _)| message.contains(words));
    let class = match (state, by_words) {
        ("57014", None) if !is_fatal => return postgres::classify::failure(state, message, true),
        _ if message.contains("database \"") && message.contains("does not exist") => {
            Class::UnknownDatabase
        }
        ("08001" | "08004" | "08S01" | "HY000" | "57P01", Some((_, class))) => *class,
        _ => match postgres::classify::class(state, message) {
            Class::Other if is_fatal => Class::Connection,
            Class::Other => of_state(state),
            class => class,
        },
    };
    Failure::new(class, state, message)
}

/// Connector/ODBC hands the server's numbers on; those of the client library are from 2000 on.
fn of_mysql(state: &str, native: i32, message: &str) -> Failure {
    let Ok(number @ 1..) = u16::try_from(native) else {
        return Failure::new(of_state(state), state, message);
    };
    let class = match number {
        2006 | 2013 | 2014 | 2027 | 2055 => Class::Connection,
        2026 | 2054 | 2058 | 2059 | 2061 => Class::Authentication,
        _ => return mysql::classify::failure(number, message),
    };
    Failure::new(class, number.to_string(), message)
}

fn of_others(kind: Kind, state: &str, native: i32, message: &str) -> Failure {
    let number = tables::number(kind, native, message);
    let class = match number.and_then(|number| tables::class(kind, number, message)) {
        Some(class) => class,
        None => of_state(state),
    };
    let code = number.map_or_else(|| state.to_string(), |number| number.to_string());
    Failure::new(class, code, message)
}

/// SQLSTATEs of ODBC 3 and of the SQL standard, from the driver or the server.
///
/// Source: Microsoft, ODBC Programmer's Reference, appendix A; ISO 9075-2, subclause 24.1.
pub fn of_state(state: &str) -> Class {
    match state {
        "08001" | "08004" => Class::Refused,
        // the driver is not there, or no data source of this name is: waiting does not help
        "IM001" | "IM002" | "IM003" | "IM004" | "IM005" | "IM010" | "IM012" => {
            Class::UnknownDatabase
        }
        "HYT00" | "HYT01" | "S1T00" | "HY008" => Class::Timeout,
        "25006" => Class::ReadOnly,
        "40001" | "40002" => Class::Conflict,
        // the outcome of the statement, or of the transaction, is not known
        "40003" | "25S01" | "HY117" => Class::Connection,
        "3D000" | "3F000" => Class::UnknownDatabase,
        "42S02" | "S0002" => Class::MissingTable,
        _ if state.starts_with("08") => Class::Connection,
        _ if state.starts_with("23") => Class::Constraint,
        _ if state.starts_with("28") => Class::Authentication,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn class(kind: Kind, state: &str, native: i32, message: &str) -> Class {
        failure(kind, state, native, false, message).class
    }

    #[test]
    fn names_of_those_who_hand_a_message_on_are_left_out() {
        let message = "[unixODBC][Driver Manager]Data source name not found";
        assert_eq!(without_names(message), "Data source name not found");
        assert_eq!(without_names("[x] a [y]"), "a [y]");
        assert_eq!(without_names("[x"), "[x");
    }

    #[test]
    fn numbers_of_mysql_are_those_of_its_protocol() {
        let cases = [
            ("40001", 1213, "Deadlock", Class::Deadlock),
            ("23000", 1062, "Duplicate", Class::Constraint),
            ("HY000", 2013, "Lost connection", Class::Connection),
            ("HY000", 2002, "Can't connect", Class::Refused),
            // MySQL Router's own, and MaxScale's for a server that it lost during a statement
            (
                "HY000",
                2003,
                "Can't connect to remote MySQL server",
                Class::Refused,
            ),
            (
                "HY000",
                2003,
                "Lost connection to backend server",
                Class::Connection,
            ),
        ];
        for (state, number, message, expected) in cases {
            assert_eq!(
                class(Kind::Mysql, state, number, message),
                expected,
                "{message}"
            );
        }
        let failure = failure(
            Kind::Mysql,
            "HY000",
            1205,
            false,
            "[ma-3.1]Lock wait timeout",
        );
        assert_eq!(
            (failure.class, failure.code.as_str()),
            (Class::LockTimeout, "1205")
        );
    }

    #[test]
    fn what_postgres_says_while_connecting_is_told_by_its_words() {
        let said = [
            (
                "FATAL:  password authentication failed for user \"x\"",
                Class::Authentication,
            ),
            (
                "FATAL:  database \"x\" does not exist",
                Class::UnknownDatabase,
            ),
            (
                "FATAL:  the database system is starting up",
                Class::NotReady,
            ),
            (
                "connection to server at ... failed: Connection refused",
                Class::Refused,
            ),
            ("FATAL:  sorry, too many clients already", Class::Refused),
            (
                "connection to server at ... failed: timeout expired",
                Class::Timeout,
            ),
        ];
        for (message, expected) in said {
            assert_eq!(
                class(Kind::Postgres, "08001", 101, message),
                expected,
                "{message}"
            );
        }
        assert_eq!(
            class(Kind::Postgres, "40P01", 1, "deadlock detected"),
            Class::Deadlock
        );
        assert_eq!(
            class(Kind::Postgres, "08S01", 35, "server closed"),
            Class::Connection
        );
    }

    #[test]
    fn of_a_message_of_postgres_the_servers_own_words_are_kept() {
        let said = "ERROR: relation \"t\" does not exist;\nError while preparing parameters";
        let missing = failure(Kind::Postgres, "42P01", 1, false, said);
        assert_eq!(missing.message, "relation \"t\" does not exist");
        assert_eq!(missing.class, Class::MissingTable);
    }

    #[test]
    fn a_dead_connection_is_one_whatever_was_said() {
        let failure = failure(Kind::Oracle, "HY000", 0, true, "something");
        assert_eq!(failure.class, Class::Connection);
        assert!(failure.doubt);
    }

    #[test]
    fn a_connection_with_tls_that_is_lost_is_no_refused_log_in() {
        let tls = |dead| failure(Kind::Mysql, "HY000", 2026, dead, "TLS/SSL error");
        assert_eq!(tls(false).class, Class::Authentication);
        assert_eq!(tls(true).class, Class::Connection);
        assert!(tls(true).doubt);
    }

    #[test]
    fn what_ends_a_session_of_postgres_leaves_doubt_whatever_its_state() {
        for said in [
            "PANIC:  could not write to file \"pg_wal/x\"",
            "FATAL:  out of it",
        ] {
            let failure = failure_of_commit(Kind::Postgres, "53100", 1, false, said);
            assert_eq!(failure.class, Class::Connection);
            assert!(failure.doubt);
        }
        let full = "ERROR:  could not extend file \"x\"";
        let failure = failure_of_commit(Kind::Postgres, "53100", 1, false, full);
        assert_eq!((failure.class, failure.doubt), (Class::Other, false));
    }

    #[test]
    fn an_outcome_that_is_not_known_leaves_doubt() {
        for (kind, state, native, message) in [
            (Kind::Db2, "40003", 0, "x"),
            (Kind::Sqlserver, "25S01", 0, "x"),
            (Kind::Soliddb, "HY117", 0, "x"),
            (Kind::Oracle, "HY000", 25405, "x"),
            (Kind::Oracle, "HY000", 0, "ORA-25409: failover happened"),
        ] {
            let failure = failure(kind, state, native, false, message);
            assert!(failure.doubt && failure.class.ends_session(), "{failure}");
        }
    }

    #[test]
    fn a_time_limit_of_the_server_ends_a_session_that_is_dead_alone() {
        for (kind, state, native) in [(Kind::Postgres, "57014", 0), (Kind::Mysql, "HY000", 1969)] {
            let of = |dead| failure(kind, state, native, dead, "x");
            assert!(!of(false).doubt && !of(false).ends_session());
            assert!(of(true).doubt && of(true).ends_session());
        }
    }

    #[test]
    fn of_a_commit_a_failure_without_a_reason_leaves_doubt() {
        let commit = |state, native| failure_of_commit(Kind::Soliddb, state, native, false, "x");
        assert!(commit("HY000", 0).doubt);
        assert!(!commit("HY000", 10006).doubt);
        // a number that is not in the table
        assert!(commit("HY000", 14529).doubt);
        assert!(!commit("40001", 0).doubt);
        assert!(!failure(Kind::Soliddb, "HY000", 0, false, "x").doubt);
    }

    #[test]
    fn a_deadlock_at_commit_is_a_conflict_as_by_mysqls_protocol() {
        let commit = |kind, native| failure_of_commit(kind, "40001", native, false, "x").class;
        assert_eq!(commit(Kind::Mysql, 1213), Class::Conflict);
        assert_eq!(commit(Kind::Sqlserver, 1205), Class::Deadlock);
    }

    proptest! {
        #[test]
        fn every_state_has_a_class_by_its_beginning(rest in "[0-9A-Z]{3}", kind in 0..5) {
            let kind = [Kind::Soliddb, Kind::Oracle, Kind::Sqlserver, Kind::Db2, Kind::Postgres][kind as usize];
            for (start, expected) in [
                ("23", vec![Class::Constraint]),
                ("28", vec![Class::Authentication]),
                ("08", vec![Class::Connection, Class::Refused]),
            ] {
                let failure = failure(kind, &format!("{start}{rest}"), 0, false, "x");
                prop_assert!(expected.contains(&failure.class), "{}", failure);
            }
        }

        #[test]
        fn nothing_is_taken_for_what_it_is_not(state in "[0-9A-Z]{5}", native in any::<i32>(), message in ".{0,40}") {
            for kind in [Kind::Mysql, Kind::Postgres, Kind::Soliddb, Kind::Oracle, Kind::Sqlserver, Kind::Db2] {
                let alive = failure(kind, &state, native, false, &message);
                let dead = failure(kind, &state, native, true, &message);
                prop_assert!(!alive.code.is_empty());
                prop_assert!(dead.class.ends_session());
                prop_assert_eq!(alive.code, dead.code);
            }
        }
    }
}
