//! What a node is asked about itself, and what its answers say.
//!
//! The questions must cost the server next to nothing, as they are asked a hundred times a second. Galera's
//! status variables cost it 190 us each time (all of them are collected for any); the row of its own table
//! `mysql.wsrep_cluster` costs 35 us and has the same number of the view; a look at any other table is refused
//! outside the primary component, which is the other thing to know.

use super::tables::State;
use sql_wire::{Class, Effect, Failure, Kind, Rows, Statement};

/// What is to be asked next, or was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// What kind of server it is: once a session.
    Kind,
    /// Whether it takes writes now.
    Role,
    /// What it holds of the ledger.
    Seen,
}

/// The kind of server behind a session, as far as questions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    Unknown,
    /// MariaDB or MySQL, alone or in replication.
    Plain,
    Galera,
    /// A member of MySQL's Group Replication.
    Group,
    Postgres,
}

/// What is known of a node at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub state: State,
    /// The view of Galera or Group Replication, or PostgreSQL's time line; empty where there is none.
    pub epoch: String,
}

impl Answer {
    /// It takes itself for writable, but its group has gone on without it.
    ///
    /// A member of Group Replication that had no majority, and is reached again, sees all members for some
    /// seconds until it learns that it was expelled. No commit of it can succeed meanwhile.
    pub fn is_left_behind<'a>(
        &self,
        known: Option<&Answer>,
        mut nodes: impl Iterator<Item = &'a Answer>,
    ) -> bool {
        let blocked = known.is_some_and(|known| {
            known.state == State::Refusing && !known.epoch.is_empty() && known.epoch == self.epoch
        });
        let view = |answer: &Answer| answer.epoch.parse::<u64>().unwrap_or(0);
        blocked
            && self.state == State::Writable
            && nodes.any(|other| other.state == State::Writable && view(other) > view(self))
    }
}

const KIND_OF_MYSQL: &str = "SHOW GLOBAL VARIABLES \
    WHERE Variable_name IN ('wsrep_on', 'group_replication_group_name')";
/// A reader of Amazon Aurora may not be read-only, but its InnoDB is. MariaDB 12 answers with words, of which all but
/// OFF stop writes; as a number each of them would be 0.
const PLAIN_ROLE: &str =
    "SELECT CONCAT(@@global.read_only) NOT IN ('0', 'OFF') OR @@global.innodb_read_only";
/// Outside the primary component Galera refuses tables, but not its own: hence the look at another one.
const GALERA_ROLE: &str = "SELECT CONCAT(@@global.read_only) NOT IN ('0', 'OFF'), view_id, \
    (SELECT 1 FROM mysql.innodb_table_stats LIMIT 1) FROM mysql.wsrep_cluster";
/// A member that is not read-only also says its view, and whether it is ONLINE and reaches more than half of
/// the members: without them its commits wait for ever. It costs 90 us of CPU, of a read-only member 30 us.
const GROUP_ROLE: &str = "SELECT @@global.read_only, IF(@@global.read_only, NULL, \
    (SELECT SUBSTRING_INDEX(VIEW_ID, ':', -1) FROM performance_schema.replication_group_member_stats \
    WHERE MEMBER_ID = @@server_uuid)), IF(@@global.read_only, NULL, \
    (SELECT SUM(MEMBER_STATE = 'UNREACHABLE') * 2 < COUNT(*) \
    AND SUM(MEMBER_ID = @@server_uuid AND MEMBER_STATE = 'ONLINE') \
    FROM performance_schema.replication_group_members))";
/// The time line: of a primary that of its next record; of a standby that which it receives, else that which
/// it must have replayed.
const POSTGRES_ROLE: &str = "SELECT pg_is_in_recovery(), \
    current_setting('default_transaction_read_only'), CASE WHEN pg_is_in_recovery() \
    THEN COALESCE((SELECT received_tli FROM pg_stat_get_wal_receiver()), \
    (SELECT min_recovery_end_timeline FROM pg_control_recovery())) \
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END";

impl Server {
    /// What is known before the server was asked.
    pub fn of(kind: Kind) -> Server {
        match kind {
            Kind::Postgres => Server::Postgres,
            _ => Server::Unknown,
        }
    }

    /// The first question of a session.
    pub fn first(self) -> Asked {
        match self {
            Server::Unknown => Asked::Kind,
            _ => Asked::Role,
        }
    }

    /// The statement about its role; about its kind, when that is not known.
    pub fn role(self) -> Statement {
        let (kind, sql) = match self {
            Server::Unknown => (Kind::Mysql, KIND_OF_MYSQL),
            Server::Plain => (Kind::Mysql, PLAIN_ROLE),
            Server::Galera => (Kind::Mysql, GALERA_ROLE),
            Server::Group => (Kind::Mysql, GROUP_ROLE),
            Server::Postgres => (Kind::Postgres, POSTGRES_ROLE),
        };
        Statement::new(kind, "role", Effect::Read, sql, &[])
    }

    /// The answer to what kind of MySQL or MariaDB it is.
    pub fn learn(rows: &Rows) -> Server {
        let named = |name| {
            let row = (0..rows.len()).find(|&row| rows.text(row, 0).as_deref() == Some(name));
            row.and_then(|row| rows.text(row, 1)).unwrap_or_default()
        };
        match (
            named("wsrep_on").as_ref(),
            named("group_replication_group_name").as_ref(),
        ) {
            ("ON" | "1", _) => Server::Galera,
            (_, "") => Server::Plain,
            _ => Server::Group,
        }
    }

    /// What the answer about its role says.
    pub fn judge(self, rows: &Rows) -> Answer {
        let writable = match self {
            Server::Postgres => {
                rows.text(0, 0).as_deref() == Some("f") && rows.text(0, 1).as_deref() == Some("off")
            }
            // Galera's table is empty while a node joins.
            Server::Galera if rows.is_empty() => {
                return Answer {
                    state: State::Refusing,
                    epoch: String::new(),
                };
            }
            _ => rows.int(0, 0) == Some(0),
        };
        let column = match self {
            Server::Postgres => 2,
            _ => 1,
        };
        let epoch = rows.int(0, column).filter(|&number| number > 0);
        let alone = self == Server::Group && rows.int(0, 2) != Some(1);
        Answer {
            state: match writable {
                true if alone => State::Refusing,
                true => State::Writable,
                false => State::ReadOnly,
            },
            epoch: epoch.map(|number| number.to_string()).unwrap_or_default(),
        }
    }
}

/// What it means that a question, a connect or a log-in failed; None: nothing.
pub fn judge_failure(asked: Option<Asked>, failure: &Failure) -> Option<Answer> {
    let state = match (asked, failure.class) {
        // Galera outside the primary component; PostgreSQL that starts or recovers.
        (Some(Asked::Role) | None, Class::NotReady) => State::Refusing,
        (None, Class::Shutdown) => State::Refusing,
        // There is no room for us: that says nothing about the others.
        (None, Class::Refused) if !failure.code.starts_with("os") => {
            return None;
        }
        (_, Class::Connection | Class::Shutdown | Class::Timeout | Class::Refused) => State::Away,
        _ => return None,
    };
    Some(Answer {
        state,
        epoch: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(fields: &[&str]) -> Rows {
        let mut rows = Rows::default();
        rows.start(fields.len());
        for field in fields {
            rows.push_text(field.as_bytes());
        }
        rows
    }

    fn answer(state: State, epoch: &str) -> Answer {
        Answer {
            state,
            epoch: epoch.to_string(),
        }
    }

    #[test]
    fn kinds_of_mysql_are_told_apart() {
        assert_eq!(Server::learn(&rows(&["wsrep_on", "ON"])), Server::Galera);
        assert_eq!(Server::learn(&rows(&["wsrep_on", "OFF"])), Server::Plain);
        assert_eq!(Server::learn(&Rows::default()), Server::Plain);
        let name = "group_replication_group_name";
        assert_eq!(Server::learn(&rows(&[name, "9f1e"])), Server::Group);
        assert_eq!(Server::learn(&rows(&[name, ""])), Server::Plain);
        assert_eq!(Server::of(Kind::Mysql).first(), Asked::Kind);
        assert_eq!(Server::of(Kind::Postgres).first(), Asked::Role);
    }

    #[test]
    fn roles_are_read_from_the_answers() {
        use State::{ReadOnly, Refusing, Writable};
        let postgres = |fields: &[&str]| Server::Postgres.judge(&rows(fields));
        assert_eq!(postgres(&["f", "off", "2"]), answer(Writable, "2"));
        assert_eq!(postgres(&["t", "off", "1"]), answer(ReadOnly, "1"));
        assert_eq!(postgres(&["f", "on", "3"]), answer(ReadOnly, "3"));
        let galera = |fields: &[&str]| Server::Galera.judge(&rows(fields));
        assert_eq!(galera(&["0", "7"]), answer(Writable, "7"));
        assert_eq!(galera(&["1", "7"]), answer(ReadOnly, "7"));
        assert_eq!(galera(&[]), answer(Refusing, ""));
        assert_eq!(Server::Plain.judge(&rows(&["0"])), answer(Writable, ""));
        assert_eq!(Server::Plain.judge(&rows(&["1"])), answer(ReadOnly, ""));
        let group = |fields: &[&str]| Server::Group.judge(&rows(fields));
        assert_eq!(group(&["0", "7", "1"]), answer(Writable, "7"));
        assert_eq!(group(&["0", "7", "0"]), answer(Refusing, "7"));
        assert_eq!(group(&["1"]), answer(ReadOnly, ""));
    }

    #[test]
    fn a_blocked_member_whose_group_went_on_stays_so_until_it_has_the_new_view() {
        use State::{ReadOnly, Refusing, Writable};
        let back = answer(Writable, "9");
        let blocked = answer(Refusing, "9");
        let left =
            |known: Option<&Answer>, others: &[Answer]| back.is_left_behind(known, others.iter());
        assert!(left(Some(&blocked), &[answer(Writable, "10")]));
        // The others are not in a newer view, or take no writes, or it was never blocked.
        assert!(!left(
            Some(&blocked),
            &[blocked.clone(), answer(Writable, "9")]
        ));
        assert!(!left(Some(&blocked), &[answer(ReadOnly, "10")]));
        assert!(!left(
            Some(&answer(Writable, "9")),
            &[answer(Writable, "10")]
        ));
        assert!(!left(
            Some(&answer(Refusing, "")),
            &[answer(Writable, "10")]
        ));
        assert!(!left(None, &[answer(Writable, "10")]));
    }

    #[test]
    fn failures_say_away_refusing_or_nothing() {
        let said = |asked, class, code: &str| {
            judge_failure(asked, &Failure::new(class, code, "")).map(|answer| answer.state)
        };
        let role = Some(Asked::Role);
        assert_eq!(said(role, Class::NotReady, "1047"), Some(State::Refusing));
        assert_eq!(said(None, Class::NotReady, "57P03"), Some(State::Refusing));
        assert_eq!(said(Some(Asked::Seen), Class::NotReady, "1047"), None);
        assert_eq!(said(Some(Asked::Seen), Class::MissingTable, "1146"), None);
        assert_eq!(said(None, Class::Refused, "1040"), None);
        assert_eq!(said(None, Class::Refused, "os2"), Some(State::Away));
        assert_eq!(said(role, Class::Connection, "eof"), Some(State::Away));
    }
}
