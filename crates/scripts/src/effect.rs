//! What a user's SQL does: each of its statements by its keywords, then all of them as one call.

mod functions;
mod statement;

use super::pieces::{self, Words};
use sql_wire::Kind;
use sql_wire::effect::{Course, Effect, Path};
use statement::Action;

/// What is to be known of a text before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Its first keyword, in small letters: the name under which it is counted.
    pub verb: String,
    pub effect: Effect,
    /// It belongs to a server that takes writes, as SELECT ... FOR UPDATE does.
    pub needs_writable: bool,
}

pub fn sort(sql: &str, kind: Kind) -> Sort {
    let verb = Words::of(sql, kind).next().map(|word| word.text);
    let all = pieces::statements(sql, kind);
    let locks = all.iter().any(|one| statement::locks(one, kind));
    let effect = effect(sql, kind);
    Sort {
        verb: verb.unwrap_or("empty").to_lowercase(),
        effect,
        needs_writable: locks || effect.writes(),
    }
}

/// The effect of a text of SQL as one call.
pub fn effect(sql: &str, kind: Kind) -> Effect {
    if pieces::is_one_statement(sql) {
        return alone(statement::action(sql, kind), kind);
    }
    let all = pieces::statements(sql, kind);
    match all.as_slice() {
        [] => Effect::Read,
        [one] => alone(statement::action(one, kind), kind),
        several => {
            let actions: Vec<Action> = several
                .iter()
                .map(|one| statement::action(one, kind))
                .collect();
            course(&actions, kind)
        }
    }
}

/// The effect of a statement that consists of one call.
fn alone(action: Action, kind: Kind) -> Effect {
    match action {
        Action::Read => Effect::Read,
        Action::Write => Effect::Write,
        Action::Begin => Effect::Begin,
        Action::Commit { chain: false } => Effect::Commit,
        Action::Rollback { chain: false } => Effect::Rollback,
        other => course(&[other], kind),
    }
}

fn course(actions: &[Action], kind: Kind) -> Effect {
    let mut counts = [0; Effect::NAMES.len()];
    for action in actions {
        counts[action.counted().index()] += 1;
    }
    Effect::Course(Course {
        counts,
        paths: [false, true].map(|open| walk(actions, open, kind)),
    })
}

/// Follows the statements of a text from a state of its connection.
///
/// PostgreSQL runs a text of several statements as one transaction where it does not begin one itself. MySQL
/// commits each statement of it.
fn walk(actions: &[Action], open: bool, kind: Kind) -> Path {
    let as_one = kind == Kind::Postgres && actions.len() > 1;
    let mut path = Path::leaving(open);
    // Changes that a commit would make last: of before, or of this text.
    let mut pending = open;
    for (before, action) in (0..).zip(actions) {
        let after = before + 1;
        let held = path.open || as_one;
        match action {
            Action::Read => {}
            Action::Write if held => pending = true,
            Action::Write => lasts(&mut path, after, false),
            Action::Begin => {
                if pending && kind == Kind::Mysql {
                    lasts(&mut path, after, true);
                    pending = false;
                }
                path.open = true;
            }
            Action::Commit { chain } => {
                if pending || actions.len() == 1 {
                    lasts(&mut path, after, true);
                }
                pending = false;
                path.open = *chain;
            }
            Action::Rollback { chain } => {
                pending = false;
                path.open = *chain;
            }
            Action::Prepare => {
                pending = false;
                path.open = false;
            }
            // The open transaction is committed before the statement is tried.
            Action::Define => {
                lasts(&mut path, if pending { before } else { after }, true);
                pending = false;
                path.open = false;
            }
            Action::EndsOpen => {
                if pending {
                    lasts(&mut path, before, true);
                }
                pending = false;
                path.open = false;
            }
            Action::Anything => lasts(&mut path, if actions.len() > 1 { 0 } else { after }, false),
            Action::CommitPrepared => lasts(&mut path, after, true),
        }
    }
    if as_one && !path.open && pending {
        // The commit comes behind the last statement, and may fail.
        lasts(&mut path, actions.len() as u16 + 1, true);
    }
    path
}

fn lasts(path: &mut Path, after: u16, explicit: bool) {
    path.lasts_after = Some(path.lasts_after.map_or(after, |known| known.min(after)));
    path.explicit |= explicit;
}

#[cfg(test)]
#[path = "effect_tests.rs"]
mod tests;
