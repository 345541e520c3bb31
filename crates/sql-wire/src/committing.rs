//! What a COMMIT does in a session of MySQL or MariaDB, and what commits without one.
//!
//! With `autocommit = 0` nothing commits by itself. With `completion_type = CHAIN` each COMMIT begins the next
//! transaction: a statement after it does not commit by itself either, and what rolls that transaction back undoes a
//! write that has succeeded. With RELEASE each COMMIT ends the session. The server's defaults and its init_connect decide.

use crate::failure::{Class, Failure};
use crate::rows::Rows;

/// Sent to a session whose statements do not commit by themselves.
pub const AUTOCOMMIT: &str = "SET autocommit = 1";
const NO_CHAIN: &str = "SET completion_type = 0";
const BOTH: &str = "SET autocommit = 1, completion_type = 0";

/// SHOW, as its count is of no statement that a load's statements are compared by.
pub const QUESTION: &str =
    "SHOW SESSION VARIABLES WHERE Variable_name IN ('autocommit', 'completion_type')";

/// The code of the failure of `require_plain`, which waiting does not help.
pub const CODE: &str = "completion_type";

/// How a session commits.
#[derive(Debug, Default)]
pub struct Commits {
    autocommit_off: bool,
    /// The value, where a COMMIT does more.
    completion_type: Option<String>,
}

impl Commits {
    /// Reads the answer to `QUESTION`; `by_itself` is the session's status flag.
    pub fn read(rows: &Rows, by_itself: bool) -> Commits {
        let value = |name: &str| {
            (0..rows.len())
                .find(|&row| {
                    rows.text(row, 0)
                        .is_some_and(|text| text.eq_ignore_ascii_case(name))
                })
                .and_then(|row| rows.text(row, 1))
        };
        let completion =
            value("completion_type").filter(|text| !matches!(text.as_ref(), "NO_CHAIN" | "0"));
        Commits {
            autocommit_off: !by_itself || value("autocommit").as_deref() == Some("OFF"),
            completion_type: completion.map(|text| text.into_owned()),
        }
    }
}

/// What makes each statement of such a session commit by itself, and each COMMIT do nothing else.
pub fn statement(commits: &Commits) -> Option<&'static str> {
    match (commits.autocommit_off, commits.completion_type.is_some()) {
        (false, false) => None,
        (true, false) => Some(AUTOCOMMIT),
        (false, true) => Some(NO_CHAIN),
        (true, true) => Some(BOTH),
    }
}

/// What serves the sessions of two servers.
pub fn both(one: Option<&'static str>, other: Option<&'static str>) -> Option<&'static str> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Some(BOTH),
        _ => one.or(other),
    }
}

/// Requires that a COMMIT does nothing else.
///
/// # Errors
/// It also begins a transaction or ends the session.
pub fn require_plain(commits: &Commits) -> Result<(), Failure> {
    let Some(value) = &commits.completion_type else {
        return Ok(());
    };
    let more = match value.as_str() {
        "RELEASE" | "2" => "ends the session",
        _ => "begins the next transaction",
    };
    Err(Failure::new(
        Class::Other,
        CODE,
        format!(
            "the server's completion_type is {value}, so that each COMMIT {more}, and a script gets the server as it \
             is: set it to NO_CHAIN at the server, or for each session, as by sessionVariables=completion_type=0 in a DSN"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits(by_itself: bool, pairs: &[(&str, &str)]) -> Commits {
        let mut rows = Rows::default();
        rows.start(2);
        for (name, value) in pairs {
            rows.push_text(name.as_bytes());
            rows.push_text(value.as_bytes());
        }
        Commits::read(&rows, by_itself)
    }

    #[test]
    fn sessions_get_what_they_lack() {
        let off = ("autocommit", "OFF");
        let sent = |by_itself, pairs: &[(&str, &str)]| statement(&commits(by_itself, pairs));
        assert_eq!(sent(true, &[]), None);
        let plain = ("completion_type", "NO_CHAIN");
        assert_eq!(sent(true, &[("autocommit", "ON"), plain]), None);
        assert_eq!(sent(false, &[]), Some(AUTOCOMMIT));
        assert_eq!(sent(true, &[off, plain]), Some(AUTOCOMMIT));
        assert_eq!(sent(true, &[("completion_type", "CHAIN")]), Some(NO_CHAIN));
        assert_eq!(sent(true, &[("completion_type", "2")]), Some(NO_CHAIN));
        assert_eq!(
            sent(true, &[off, ("completion_type", "RELEASE")]),
            Some(BOTH)
        );
    }

    #[test]
    fn sessions_of_two_servers_get_what_either_lacks() {
        assert_eq!(both(None, None), None);
        assert_eq!(both(Some(NO_CHAIN), None), Some(NO_CHAIN));
        assert_eq!(both(None, Some(AUTOCOMMIT)), Some(AUTOCOMMIT));
        assert_eq!(both(Some(NO_CHAIN), Some(NO_CHAIN)), Some(NO_CHAIN));
        assert_eq!(both(Some(NO_CHAIN), Some(AUTOCOMMIT)), Some(BOTH));
    }

    #[test]
    fn a_script_needs_commits_that_do_no_more() {
        assert!(require_plain(&commits(false, &[("autocommit", "OFF")])).is_ok());
        for (value, words) in [
            ("CHAIN", "each COMMIT begins the next transaction"),
            ("RELEASE", "each COMMIT ends the session"),
        ] {
            let failure = require_plain(&commits(true, &[("completion_type", value)])).unwrap_err();
            assert!(failure.message.contains(words), "{failure}");
        }
    }
}
