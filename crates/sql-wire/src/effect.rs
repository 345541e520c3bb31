//! What a call does to the transaction on its connection, as far as accounting and routing care.

use crate::kind::Kind;

/// What a statement does, or a text of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Begin,
    Commit,
    Rollback,
    Read,
    Write,
    /// No single word describes it: a text of several statements, or a statement that commits by itself.
    Course(Course),
}

/// A call with an effect that depends on more than one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
    /// How many of its statements are of each simple effect, by `Effect::index`.
    pub counts: [u16; Effect::NAMES.len()],
    /// What it does where no transaction is open, and where one is.
    pub paths: [Path; 2],
}

/// What a call does from a given state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// A transaction is open afterwards, as far as the text shows.
    pub open: bool,
    /// Once so many of its statements are done, changes of the transaction have been committed: its own, or earlier
    /// ones. Zero: they may be committed even where none of the statements succeeded.
    pub lasts_after: Option<u16>,
    /// A statement commits explicitly. Otherwise changes last only where no transaction is open afterwards.
    pub explicit: bool,
}

impl Path {
    /// A path that commits nothing and leaves the transaction so.
    pub const fn leaving(open: bool) -> Path {
        Path {
            open,
            lasts_after: None,
            explicit: false,
        }
    }
}

/// More statements than a call of one statement can have completed: its changes last with its success alone.
const ON_SUCCESS: u16 = u16::MAX;

impl Effect {
    /// The names of the simple effects, by `index`.
    pub const NAMES: [&str; 5] = ["begin", "commit", "rollback", "read", "write"];

    /// The position of the simple effect in `NAMES`. A course that changes data is a write.
    pub fn index(self) -> usize {
        match self {
            Effect::Begin => 0,
            Effect::Commit => 1,
            Effect::Rollback => 2,
            Effect::Read => 3,
            Effect::Write => 4,
            Effect::Course(course) => {
                let order = [4, 3, 1, 2, 0];
                let counts = |index: &usize| course.counts[*index] > 0;
                order.into_iter().find(counts).unwrap_or(4)
            }
        }
    }

    /// The call changes data by itself.
    #[inline]
    pub fn writes(self) -> bool {
        self.index() == Effect::Write.index()
    }

    /// The call only reads.
    #[inline]
    pub fn is_read(self) -> bool {
        self.index() == Effect::Read.index()
    }

    /// A commit ends the call's transaction, and nothing of it rolls back.
    #[inline]
    pub fn only_commits(self) -> bool {
        match self {
            Effect::Course(course) => {
                let counts = |effect: Effect| course.counts[effect.index()];
                counts(Effect::Commit) > 0 && counts(Effect::Rollback) == 0
            }
            effect => effect == Effect::Commit,
        }
    }

    /// What the call does where a transaction is open, or none is.
    #[inline]
    pub fn path(self, open: bool, kind: Kind) -> Path {
        let lasts = |open, explicit| Path {
            open,
            lasts_after: Some(ON_SUCCESS),
            explicit,
        };
        match self {
            Effect::Read => Path::leaving(open),
            // MySQL commits an open transaction before it begins the next one.
            Effect::Begin if open && kind == Kind::Mysql => lasts(true, true),
            Effect::Begin => Path::leaving(true),
            Effect::Commit => lasts(false, true),
            Effect::Rollback => Path::leaving(false),
            Effect::Write if open => Path::leaving(true),
            Effect::Write => lasts(false, false),
            Effect::Course(course) => course.paths[usize::from(open)],
        }
    }
}

/// A session's transaction, as the server reported it with its last reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// A transaction is open.
    pub open: bool,
    /// Each statement outside a transaction commits by itself.
    pub autocommit: bool,
}

impl Standing {
    /// What the next statement changes is not committed with it.
    #[inline]
    pub fn holds_changes(self) -> bool {
        self.open || !self.autocommit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_lasts_by_itself_only_outside_a_transaction() {
        let path = |effect: Effect, open| effect.path(open, Kind::Postgres);
        assert!(path(Effect::Write, false).lasts_after.is_some());
        assert_eq!(path(Effect::Write, true), Path::leaving(true));
        assert!(path(Effect::Commit, true).explicit);
        assert_eq!(path(Effect::Rollback, true), Path::leaving(false));
    }

    #[test]
    fn a_second_begin_commits_on_mysql_alone() {
        let path = |kind| Effect::Begin.path(true, kind);
        assert!(path(Kind::Mysql).lasts_after.is_some() && path(Kind::Mysql).open);
        assert_eq!(path(Kind::Postgres), Path::leaving(true));
    }
}
