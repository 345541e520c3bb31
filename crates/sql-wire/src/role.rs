//! Is this server the one that is wanted? Asked after logging in, by the load's links and the health responder.

use crate::failure::{Class, Failure};
use crate::kind::Kind;
use crate::rows::Rows;
use std::borrow::Cow;

/// What a server must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It answers.
    Readable,
    /// It takes writes now.
    Writable,
    /// It is a Galera node in the primary component with all data.
    Synced,
}

/// What an answer amounts to.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Yes,
    /// One more question decides.
    Ask(&'static str),
    No(Failure),
}

/// All that keeps a server of this family from writes. A reader of Amazon Aurora has read_only OFF, and
/// innodb_read_only ON. tx_read_only is MariaDB's name before 11.1.
const MYSQL_VARIABLES: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only', \
    'innodb_read_only', 'transaction_read_only', 'tx_read_only', 'offline_mode', 'wsrep_on', \
    'ndb_connectstring')";
/// Each of these variables, where a server has it, must be off.
const MUST_BE_OFF: [&str; 5] = [
    "super_read_only",
    "innodb_read_only",
    "transaction_read_only",
    "tx_read_only",
    "offline_mode",
];
const WSREP_READY: &str = "SHOW GLOBAL STATUS LIKE 'wsrep_ready'";
const NDB_READY: &str = "SHOW GLOBAL STATUS LIKE 'Ndb_number_of_ready_data_nodes'";
const WSREP_SYNCED: &str =
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_status', 'wsrep_local_state')";
/// Source: solidDB manual, "Using the HOTSTANDBY_STATE function", "HotStandby server states"; a server without
/// HotStandby gives an empty text or NULL.
const SOLIDDB_STATE: &str = "SELECT HOTSTANDBY_STATE()";
/// The last one is of this session, with all that the account, the database and the string set for it.
const POSTGRES_ROLE: &str = "SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only'), \
    current_setting('transaction_read_only')";

/// The first question, or None when any server will do.
pub fn question(kind: Kind, wanted: Wanted) -> Option<&'static str> {
    match (kind, wanted) {
        (Kind::Noop, _) | (_, Wanted::Readable) => None,
        (Kind::Soliddb, _) => Some(SOLIDDB_STATE),
        // no question is known that every account may ask
        (Kind::Oracle | Kind::Sqlserver | Kind::Db2, _) => None,
        (Kind::Mysql, Wanted::Writable) => Some(MYSQL_VARIABLES),
        (Kind::Mysql, Wanted::Synced) => Some(WSREP_SYNCED),
        (Kind::Postgres, _) => Some(POSTGRES_ROLE),
    }
}

/// Judges the answer to `asked`.
pub fn judge(asked: &'static str, rows: &Rows) -> Verdict {
    match asked {
        MYSQL_VARIABLES if read_only(rows).is_some() => {
            let reason = read_only(rows).unwrap_or_default();
            Verdict::No(Failure::new(Class::ReadOnly, "role", reason))
        }
        MYSQL_VARIABLES if is_on(named(rows, "wsrep_on").as_deref()) => Verdict::Ask(WSREP_READY),
        MYSQL_VARIABLES
            if !named(rows, "ndb_connectstring")
                .unwrap_or_default()
                .is_empty() =>
        {
            Verdict::Ask(NDB_READY)
        }
        MYSQL_VARIABLES => Verdict::Yes,
        NDB_READY => judge_sql_node(rows),
        WSREP_READY if is_on(named(rows, "wsrep_ready").as_deref()) => Verdict::Yes,
        WSREP_READY => Verdict::No(Failure::new(Class::NotReady, "role", "wsrep_ready is off")),
        WSREP_SYNCED => judge_synced(rows),
        SOLIDDB_STATE => judge_soliddb(rows),
        _ => judge_postgres(rows),
    }
}

/// Why a server of MySQL's family takes no writes. MariaDB 12 has words for read_only (NO_LOCK, for one), and all but
/// OFF stop writes.
fn read_only(rows: &Rows) -> Option<String> {
    let main = named(rows, "read_only");
    if !is_off(main.as_deref()) {
        return Some(match main.as_deref() {
            None => "the server does not say whether it is read_only".to_string(),
            Some("ON" | "1") => "read_only is on".to_string(),
            Some(word) => format!("read_only is {word}"),
        });
    }
    let other = MUST_BE_OFF.into_iter().find_map(|name| {
        let value = named(rows, name)?;
        (!is_off(Some(&value))).then_some((name, value))
    });
    other.map(|(name, value)| format!("read_only is off, but {name} is {value}"))
}

/// Without data nodes an SQL node of NDB Cluster takes sessions, and no statements.
fn judge_sql_node(rows: &Rows) -> Verdict {
    match named(rows, "Ndb_number_of_ready_data_nodes").as_deref() {
        None | Some("0") => {
            let message = "no data node of the cluster is ready";
            Verdict::No(Failure::new(Class::NotReady, "role", message))
        }
        Some(_) => Verdict::Yes,
    }
}

fn judge_synced(rows: &Rows) -> Verdict {
    let status = named(rows, "wsrep_cluster_status").unwrap_or("absent".into());
    let state = named(rows, "wsrep_local_state").unwrap_or("absent".into());
    if status == "Primary" && state == "4" {
        return Verdict::Yes;
    }
    let message = format!("wsrep_cluster_status is {status}, wsrep_local_state is {state}");
    Verdict::No(Failure::new(Class::NotReady, "role", message))
}

/// PRIMARY UNCERTAIN takes transactions and leaves their commits pending.
fn judge_soliddb(rows: &Rows) -> Verdict {
    let state = rows.text(0, 0).unwrap_or_default().to_uppercase();
    match state.trim() {
        "" | "STANDALONE" | "PRIMARY ACTIVE" | "PRIMARY ALONE" => Verdict::Yes,
        state => {
            let class = match state.starts_with("SECONDARY") {
                true => Class::NotPrimary,
                false => Class::NotReady,
            };
            let message = format!("the server is {state}");
            Verdict::No(Failure::new(class, "role", message))
        }
    }
}

fn judge_postgres(rows: &Rows) -> Verdict {
    // by ODBC a boolean is a number
    if !matches!(rows.text(0, 0).as_deref(), Some("f" | "0")) {
        let message = "the server is in recovery";
        return Verdict::No(Failure::new(Class::NotPrimary, "role", message));
    }
    if rows.text(0, 1).as_deref() != Some("off") {
        let message = "the server is not in recovery, but default_transaction_read_only is on";
        return Verdict::No(Failure::new(Class::ReadOnly, "role", message));
    }
    if rows.text(0, 2).is_some_and(|value| value != "off") {
        let message = "the server is not in recovery, but transaction_read_only is on";
        return Verdict::No(Failure::new(Class::ReadOnly, "role", message));
    }
    Verdict::Yes
}

/// The value in a two-column SHOW result.
fn named<'a>(rows: &'a Rows, name: &str) -> Option<Cow<'a, str>> {
    (0..rows.len())
        .find(|&row| rows.text(row, 0).as_deref() == Some(name))
        .and_then(|row| rows.text(row, 1))
}

fn is_on(value: Option<&str>) -> bool {
    matches!(value, Some("ON" | "1"))
}

fn is_off(value: Option<&str>) -> bool {
    matches!(value, Some("OFF" | "0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(pairs: &[(&str, &str)]) -> Rows {
        let mut rows = Rows::default();
        rows.start(2);
        for (name, value) in pairs {
            rows.push_text(name.as_bytes());
            rows.push_text(value.as_bytes());
        }
        rows
    }

    fn class(verdict: Verdict) -> Option<Class> {
        match verdict {
            Verdict::No(failure) => Some(failure.class),
            _ => None,
        }
    }

    #[test]
    fn mysql_without_galera_needs_one_answer() {
        let asked = question(Kind::Mysql, Wanted::Writable).unwrap();
        assert_eq!(judge(asked, &show(&[("read_only", "OFF")])), Verdict::Yes);
        assert_eq!(
            class(judge(asked, &show(&[("read_only", "ON")]))),
            Some(Class::ReadOnly)
        );
        assert_eq!(class(judge(asked, &Rows::default())), Some(Class::ReadOnly));
    }

    #[test]
    fn signs_that_disagree_are_named() {
        let asked = question(Kind::Mysql, Wanted::Writable).unwrap();
        let said = [
            (
                &[("read_only", "OFF"), ("innodb_read_only", "ON")][..],
                "read_only is off, but innodb_read_only is ON",
            ),
            (
                &[("read_only", "0"), ("super_read_only", "1")],
                "read_only is off, but super_read_only is 1",
            ),
            (
                &[("read_only", "OFF"), ("transaction_read_only", "ON")],
                "read_only is off, but transaction_read_only is ON",
            ),
            (
                &[("read_only", "OFF"), ("offline_mode", "ON")],
                "read_only is off, but offline_mode is ON",
            ),
            (&[("read_only", "NO_LOCK")], "read_only is NO_LOCK"),
            (
                &[("read_only", "NO_LOCK_NO_ADMIN")],
                "read_only is NO_LOCK_NO_ADMIN",
            ),
        ];
        for (variables, reason) in said {
            let Verdict::No(failure) = judge(asked, &show(variables)) else {
                panic!("{reason}")
            };
            assert_eq!(failure.class, Class::ReadOnly);
            assert_eq!(failure.message, reason);
        }
        let all_off = [
            ("read_only", "OFF"),
            ("super_read_only", "OFF"),
            ("innodb_read_only", "OFF"),
            ("transaction_read_only", "OFF"),
            ("offline_mode", "OFF"),
        ];
        assert_eq!(judge(asked, &show(&all_off)), Verdict::Yes);
    }

    #[test]
    fn a_session_that_may_not_write_is_no_primary() {
        let asked = question(Kind::Postgres, Wanted::Writable).unwrap();
        let mut rows = Rows::default();
        rows.start(3);
        for value in ["f", "off", "on"] {
            rows.push_text(value.as_bytes());
        }
        let Verdict::No(failure) = judge(asked, &rows) else {
            panic!()
        };
        assert_eq!(failure.class, Class::ReadOnly);
        assert!(failure.message.contains("transaction_read_only"));
    }

    #[test]
    fn galera_must_also_be_ready() {
        let asked = question(Kind::Mysql, Wanted::Writable).unwrap();
        let rows = show(&[("read_only", "OFF"), ("wsrep_on", "ON")]);
        let Verdict::Ask(next) = judge(asked, &rows) else {
            panic!()
        };
        assert_eq!(judge(next, &show(&[("wsrep_ready", "ON")])), Verdict::Yes);
        assert_eq!(
            class(judge(next, &show(&[("wsrep_ready", "OFF")]))),
            Some(Class::NotReady)
        );
    }

    #[test]
    fn a_node_of_ndb_must_reach_data_nodes() {
        let asked = question(Kind::Mysql, Wanted::Writable).unwrap();
        let rows = show(&[("read_only", "OFF"), ("ndb_connectstring", "10.0.0.1")]);
        let Verdict::Ask(next) = judge(asked, &rows) else {
            panic!()
        };
        let ready = |number| show(&[("Ndb_number_of_ready_data_nodes", number)]);
        assert_eq!(judge(next, &ready("2")), Verdict::Yes);
        assert_eq!(class(judge(next, &ready("0"))), Some(Class::NotReady));
        assert_eq!(class(judge(next, &Rows::default())), Some(Class::NotReady));
    }

    #[test]
    fn synced_is_primary_and_state_4() {
        let asked = question(Kind::Mysql, Wanted::Synced).unwrap();
        let status = |state| {
            show(&[
                ("wsrep_cluster_status", "Primary"),
                ("wsrep_local_state", state),
            ])
        };
        assert_eq!(judge(asked, &status("4")), Verdict::Yes);
        assert_eq!(class(judge(asked, &status("2"))), Some(Class::NotReady));
        assert_eq!(class(judge(asked, &Rows::default())), Some(Class::NotReady));
    }

    #[test]
    fn a_standby_is_not_the_primary() {
        let asked = question(Kind::Postgres, Wanted::Writable).unwrap();
        assert_eq!(judge(asked, &show(&[("f", "off")])), Verdict::Yes);
        assert_eq!(
            class(judge(asked, &show(&[("t", "off")]))),
            Some(Class::NotPrimary)
        );
        assert_eq!(
            class(judge(asked, &show(&[("f", "on")]))),
            Some(Class::ReadOnly)
        );
    }
}
