//! From MySQL's and MariaDB's error numbers to classes.

use super::packet::Reader;
use crate::failure::{Class, Failure};

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
    let mut state = None;
    if text.first() == Some(&b'#') {
        state = text.get(1..6).and_then(|state| state.try_into().ok());
        text = text.get(6..).unwrap_or_default();
    }
    let mut failure = failure(number, &String::from_utf8_lossy(text));
    failure.state = state;
    failure
}

/// A failure by the server's number and message.
pub fn failure(number: u16, message: &str) -> Failure {
    let mut failure = Failure::new(class(number, message), number.to_string(), message);
    if matches!(number, 1969 | 3024) {
        failure = failure.of_server_limit(true);
    }
    failure.doubt |= leaves_doubt(number, &failure);
    if number == 3159 {
        let remedy = " (bench: --tls require; experiments: load: {tls: require})";
        failure.message.push_str(remedy);
    }
    failure
}

/// The same, for the answer to a statement of which one knows whether it is a COMMIT.
///
/// Galera says 1213 both for a deadlock on this node and for a transaction that another node's won over. No
/// row is locked by a COMMIT, so there it must be the second. Before it (a victim hears of its fate at its
/// next statement) the two look alike, unless the server's words tell, which some versions' do.
pub fn error_at(payload: &[u8], committing: bool) -> Failure {
    let mut failure = error(payload);
    if committing && failure.class == Class::Deadlock {
        failure.class = Class::Conflict;
    }
    failure
}

/// After these errors it is unknown whether the transaction was committed.
fn leaves_doubt(number: u16, failure: &Failure) -> bool {
    match number {
        // ER_ERROR_DURING_COMMIT: the engine or the cluster failed in the middle; it may have committed.
        1180 => !matches!(failure.class, Class::Conflict | Class::NotReady),
        // Vitess: the transaction was lost with its tablet, perhaps behind its commit
        1105 => failure.class == Class::NotReady,
        // ER_RUN_HOOK_ERROR: before the commit it is rolled back, after it it is not.
        3100 => !failure.message.contains("before_commit"),
        1296 | 1297 => ndb_number(&failure.message).is_some_and(|code| NDB_UNKNOWN.contains(&code)),
        _ => false,
    }
}

/// NDB's error numbers for an unknown outcome: the queried nodes have ended or do not answer.
/// Source: storage/ndb/src/ndbapi/ndberror.cpp, those of the kind UR. By that list 4010 and its like (286, 4028,
/// 4031) abort a transaction; but a row of a commit that ended with 4010 was there afterwards (seen in 9.7, the
/// site of the coordinator was cut off), so clients cannot rely on it.
const NDB_UNKNOWN: [u16; 11] = [
    286, 4007, 4008, 4009, 4010, 4012, 4013, 4028, 4031, 4115, 4116,
];

/// NDB's own numbers that tell of a data node that failed, or that none is reached.
fn is_ndb_failure(code: u16) -> bool {
    matches!(code, 157 | 286 | 4002 | 4006..=4013 | 4023..=4036 | 4115 | 4116 | 4119)
}

/// The number in "Got error 4009 'Cluster Failure' from NDBCLUSTER", as ER_GET_ERRMSG and ER_GET_TEMPORARY_ERRMSG say it.
fn ndb_number(message: &str) -> Option<u16> {
    let (_, rest) = message.split_once("error ")?;
    let end = rest.find(|one: char| !one.is_ascii_digit())?;
    message.contains("NDB").then(|| rest[..end].parse().ok())?
}

/// The numbers are those of MySQL 9.7 and MariaDB 10.11, from their own lists of messages. Up to 1880 the two
/// agree; above, a number of one is seldom a likely one of the other.
fn class(number: u16, message: &str) -> Class {
    match number {
        // ER_OPTION_PREVENTS_STATEMENT is returned for many options, including (super-)read-only.
        1290 if !message.contains("read-only") && !message.contains("read_only") => Class::Other,
        1036 | 1207 | 1290 | 1792 | 1836 | 1874 | 3989 => Class::ReadOnly,
        // Galera without quorum; offline mode; Group Replication that is not (or no longer) a member, or still
        // applies what an earlier primary left.
        1047 | 3032 | 3092 | 3100 | 3781 | 3782 | 3796..=3799 | 4094 | 6400 => Class::NotReady,
        1296 | 1297 if ndb_number(message).is_some_and(is_ndb_failure) => Class::NotReady,
        1213 if message.to_ascii_lowercase().contains("wsrep") => Class::Conflict,
        1213 | 1614 | 3058 | 3132 => Class::Deadlock,
        // Older Galera: "Got error 149 ... during COMMIT" is a failed certification.
        1180 if message.contains("149") || message.contains("eadlock") => Class::Conflict,
        1180 if is_galera_without_quorum(message) => Class::NotReady,
        1105 if is_vitess_without_primary(message) => Class::NotReady,
        1020 | 3101 => Class::Conflict,
        1205 | 1613 | 1689 | 3133 | 3572 => Class::LockTimeout,
        1022 | 1048 | 1062 | 1169 | 1216 | 1217 | 1451 | 1452 | 1557 | 1586 | 1761 | 1762
        | 3819 | 4025 => Class::Constraint,
        1053 | 1317 | 1927 | 3168 | 3169 => Class::Shutdown,
        // ER_UNKNOWN_STMT_HANDLER, and ER_NEED_REPREPARE once the server has given up doing so by itself.
        1243 | 1615 => Class::SessionLost,
        1044 | 1045 | 1130 | 1251 | 1275 | 1698 | 1820 | 1862 | 3118 | 3159 | 3955 | 4151 => {
            Class::Authentication
        }
        1049 => Class::UnknownDatabase,
        1146 => Class::MissingTable,
        // MaxScale, when the server behind it is lost during a statement.
        2003 if message.contains("Lost connection") => Class::Connection,
        // Proxies hand errors of the client library on: 2002, 2003 and 2005 when no server behind them is reached
        // (MySQL Router sends 2003 in place of the greeting). 9001 and 9002 are ProxySQL's for the same, 9501
        // Amazon's RDS Proxy's.
        1040 | 1042 | 1129 | 1203 | 1226 | 2002 | 2003 | 2005 | 9001 | 9002 | 9501 => {
            Class::Refused
        }
        1043 | 1152..=1161 | 1184 | 2006 | 2013 | 2027 | 2055 | 4031 => Class::Connection,
        1969 | 3024 => Class::Timeout,
        // ProxySQL, for `mysql-default_query_timeout`; a server's 1907 is another error
        1907 if message.contains("query_timeout exceeded") => Class::Timeout,
        _ => Class::Other,
    }
}

/// A COMMIT that the loss of quorum caught, in Galera's own words. Seen with MariaDB 10.11 and Galera 26.4.23: nothing was
/// committed.
fn is_galera_without_quorum(message: &str) -> bool {
    message.contains("Not connected to Primary Component")
}

/// Vitess has its own codes in the text of ER_UNKNOWN_ERROR. Seen with 24.0: a transaction that a reparent caught gets
/// VT15001, and VT09032 until its ROLLBACK.
fn is_vitess_without_primary(message: &str) -> bool {
    [
        "VT15001",
        "VT09032",
        "NOT_SERVING",
        "not serving",
        "no healthy tablet",
    ]
    .iter()
    .any(|words| message.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(number: u16, message: &str) -> Vec<u8> {
        let mut packet = vec![0xff];
        packet.extend(number.to_le_bytes());
        packet.extend(b"#HY000");
        packet.extend(message.as_bytes());
        packet
    }

    #[test]
    fn reads_number_and_message_past_the_sqlstate() {
        let failure = error(b"\xff\x15\x04#28000Access denied");
        assert_eq!(failure.code, "1045");
        assert_eq!(failure.class, Class::Authentication);
        assert_eq!(failure.message, "Access denied");
        assert_eq!(failure.state, Some(*b"28000"));
    }

    #[test]
    fn what_proxies_say_has_its_class() {
        let said = [
            (
                2003,
                "Can't connect to remote MySQL server for client connected to '0.0.0.0:6446'",
                Class::Refused,
            ),
            (
                2003,
                "Lost connection to backend server: connection closed by peer",
                Class::Connection,
            ),
            (
                2013,
                "Lost connection to server during query",
                Class::Connection,
            ),
            (
                9001,
                "Max connect timeout reached while reaching hostgroup 10 after 10001ms",
                Class::Refused,
            ),
            (
                9002,
                "Max connect failure while reaching hostgroup 10",
                Class::Refused,
            ),
            (
                9501,
                "Timed-out waiting to acquire database connection",
                Class::Refused,
            ),
            (
                1907,
                "Query execution was interrupted, query_timeout exceeded",
                Class::Timeout,
            ),
            (1907, "Tablespace is corrupt", Class::Other),
            (
                1045,
                "ProxySQL Error: Access denied for user 'x'@'127.0.0.1' (using password: YES)",
                Class::Authentication,
            ),
            (
                1105,
                "VT15001: transaction error, issue ROLLBACK.",
                Class::NotReady,
            ),
            (1105, "Unknown error", Class::Other),
        ];
        for (number, message, class) in said {
            assert_eq!(error(&packet(number, message)).class, class, "{message}");
        }
    }

    #[test]
    fn a_commit_without_quorum_is_not_ready_and_not_in_doubt() {
        let words = "Error while appending streaming replication fragment(provider status: Not connected to Primary \
                     Component)";
        let lost = error(&packet(1180, words));
        assert_eq!((lost.class, lost.doubt), (Class::NotReady, false));
        let failed = error(&packet(
            1180,
            "Got error 64 \"Machine is not on the network\" during COMMIT",
        ));
        assert_eq!((failed.class, failed.doubt), (Class::Other, true));
    }

    #[test]
    fn a_time_limit_of_the_server_ends_a_statement_alone() {
        for number in [1969, 3024] {
            let failure = error(&packet(number, "Query execution was interrupted"));
            assert_eq!((failure.class, failure.doubt), (Class::Timeout, false));
            assert!(!failure.ends_session());
        }
        let proxy = error(&packet(1907, "query_timeout exceeded"));
        assert!(proxy.doubt && proxy.ends_session());
    }

    #[test]
    fn reads_ndbs_own_number() {
        let lost = error(&packet(
            1296,
            "Got error 4009 'Cluster Failure' from NDBCLUSTER",
        ));
        assert_eq!((lost.class, lost.doubt), (Class::NotReady, true));
        let aborted =
            "Got temporary error 4010 'Node failure caused abort of transaction' from NDBCLUSTER";
        let aborted = error(&packet(1297, aborted));
        assert_eq!((aborted.class, aborted.doubt), (Class::NotReady, true));
        let full = error(&packet(
            1297,
            "Got temporary error 410 'REDO log files overloaded' from NDB",
        ));
        assert_eq!((full.class, full.doubt), (Class::Other, false));
        let other = error(&packet(
            1296,
            "Got error 4009 'something' from another engine",
        ));
        assert_eq!((other.class, other.doubt), (Class::Other, false));
    }

    #[test]
    fn reads_an_error_without_sqlstate_and_a_cut_one() {
        assert_eq!(error(b"\xff\x10\x04Too many").class, Class::Refused);
        assert_eq!(error(b"\xff").code, "0");
    }

    #[test]
    fn numbers_have_their_classes() {
        let table: [(Class, &[(u16, &str)]); 14] = [
            (
                Class::Connection,
                &[
                    (1043, "Bad handshake"),
                    (1158, "Got an error reading communication packets"),
                    (
                        4031,
                        "The client was disconnected by the server because of inactivity",
                    ),
                ],
            ),
            (
                Class::Refused,
                &[
                    (1040, "Too many connections"),
                    (
                        1203,
                        "User already has more than 'max_user_connections' active connections",
                    ),
                    (
                        9001,
                        "Max connect timeout reached while reaching hostgroup 0 after 10000ms",
                    ),
                ],
            ),
            (
                Class::Timeout,
                &[
                    (
                        1969,
                        "Query execution was interrupted (max_statement_time exceeded)",
                    ),
                    (3024, "maximum statement execution time exceeded"),
                ],
            ),
            (
                Class::ReadOnly,
                &[
                    (
                        1290,
                        "The MySQL server is running with the --super-read-only option",
                    ),
                    (
                        1290,
                        "The MariaDB server is running with the --read-only option",
                    ),
                    (1792, "Cannot execute statement in a READ ONLY transaction"),
                    (1836, "Running in read-only mode"),
                    (3989, "Schema is in read only mode"),
                ],
            ),
            (
                Class::NotReady,
                &[
                    (1047, "WSREP has not yet prepared node for application use"),
                    (3032, "The server is currently in offline mode"),
                    (
                        3092,
                        "The server is not configured properly to be an active member of the group",
                    ),
                    (
                        3100,
                        "Error on observer while running replication hook 'before_commit'.",
                    ),
                    (
                        3781,
                        "Timeout exceeded for held statement while new primary is applying backlog",
                    ),
                    (
                        3796,
                        "Option group_replication_consistency cannot be used on the current state",
                    ),
                    (3797, "Error while waiting for group transactions commit"),
                    (6400, "The server is currently in offline mode"),
                ],
            ),
            (
                Class::Deadlock,
                &[
                    (
                        1213,
                        "Deadlock found when trying to get lock; try restarting transaction",
                    ),
                    (1614, "XA_RBDEADLOCK"),
                ],
            ),
            (
                Class::Conflict,
                &[
                    (
                        3101,
                        "Plugin instructed the server to rollback the current transaction.",
                    ),
                    (1020, "Record has changed since last read in table 't'"),
                    (
                        1213,
                        "WSREP detected deadlock/conflict and aborted the transaction",
                    ),
                    (1213, "Deadlock: wsrep aborted transaction"),
                    (
                        1180,
                        "Got error 149 \"Lock deadlock; Retry transaction\" during COMMIT",
                    ),
                ],
            ),
            (
                Class::LockTimeout,
                &[
                    (
                        1205,
                        "Lock wait timeout exceeded; try restarting transaction",
                    ),
                    (
                        3572,
                        "Statement aborted because lock(s) could not be acquired immediately",
                    ),
                ],
            ),
            (
                Class::Constraint,
                &[
                    (1062, ""),
                    (1451, ""),
                    (1452, ""),
                    (1048, ""),
                    (3819, ""),
                    (4025, ""),
                ],
            ),
            (
                Class::Shutdown,
                &[(1053, ""), (1317, ""), (1927, ""), (3169, "")],
            ),
            (
                Class::SessionLost,
                &[
                    (1243, "Unknown prepared statement handler"),
                    (1615, "needs to be re-prepared"),
                ],
            ),
            (
                Class::Authentication,
                &[(1045, ""), (1130, ""), (1698, ""), (3118, ""), (3159, "")],
            ),
            (Class::UnknownDatabase, &[(1049, "")]),
            (
                Class::Other,
                &[
                    (1064, "You have an error in your SQL syntax"),
                    (
                        1290,
                        "The server is running with the --secure-file-priv option",
                    ),
                ],
            ),
        ];
        for (class, errors) in table {
            for &(number, message) in errors {
                let failure = error(&packet(number, message));
                assert_eq!(failure.class, class, "{number} {message}");
                assert_eq!(failure.code, number.to_string());
            }
        }
    }

    #[test]
    fn a_deadlock_at_commit_is_a_failed_certification() {
        let deadlock = packet(1213, "Deadlock found when trying to get lock");
        assert_eq!(error_at(&deadlock, true).class, Class::Conflict);
        assert_eq!(error_at(&deadlock, false).class, Class::Deadlock);
        assert_eq!(error_at(&deadlock, true).code, "1213");
    }

    #[test]
    fn a_commit_that_failed_in_the_middle_leaves_doubt() {
        for (number, message, doubt) in [
            (
                1180,
                "Got error 5 \"Input/output error\" during COMMIT",
                true,
            ),
            (1180, "Got error 149 \"Lock deadlock\" during COMMIT", false),
            (1213, "Deadlock", false),
            (3100, "replication hook 'before_commit'.", false),
            (3100, "replication hook 'after_commit'.", true),
            (3101, "rollback", false),
            (1053, "Server shutdown in progress", true),
        ] {
            assert_eq!(
                error(&packet(number, message)).doubt,
                doubt,
                "{number} {message}"
            );
        }
    }
}
