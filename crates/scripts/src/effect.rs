//! What a statement of the user's does, by its first keyword.

use super::pieces::{Piece, piece};
use sql_wire::{Effect, Kind};

/// Words after which a statement only reads, or changes nothing that lasts.
const READS: [&str; 14] = [
    "select",
    "show",
    "values",
    "table",
    "explain",
    "describe",
    "desc",
    "set",
    "use",
    "reset",
    "savepoint",
    "release",
    "fetch",
    "analyze",
];
const CHANGES: [&str; 4] = ["insert", "update", "delete", "merge"];

/// What is to be known of a statement before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Its first keyword, in small letters: the name under which it is counted.
    pub verb: String,
    pub effect: Effect,
    /// It belongs to a server that takes writes, as SELECT ... FOR UPDATE does.
    pub needs_writable: bool,
}

pub fn sort(sql: &str, kind: Kind) -> Sort {
    let verb = words(sql, kind).next().unwrap_or("empty");
    let effect = effect(sql, kind);
    Sort {
        verb: verb.to_lowercase(),
        effect,
        needs_writable: effect == Effect::Write || (is(verb, "select") && locks(sql, kind)),
    }
}

/// Looks at no more of the statement than its kind needs.
pub fn effect(sql: &str, kind: Kind) -> Effect {
    let mut words = words(sql, kind);
    let first = words.next().unwrap_or_default();
    let any_of = |word: &str, all: &[&str]| all.iter().any(|&other| is(word, other));
    if any_of(first, &READS) {
        return Effect::Read;
    }
    match first.to_ascii_lowercase().as_str() {
        "begin" => Effect::Begin,
        "start" if words.next().is_some_and(|word| is(word, "transaction")) => Effect::Begin,
        "commit" | "end" => Effect::Commit,
        // Back to a savepoint leaves the transaction open.
        "rollback" | "abort" => match words.any(|word| is(word, "to")) {
            true => Effect::Read,
            false => Effect::Rollback,
        },
        "with" if !words.any(|word| any_of(word, &CHANGES)) => Effect::Read,
        _ => Effect::Write,
    }
}

fn locks(sql: &str, kind: Kind) -> bool {
    let after_for = words(sql, kind).skip_while(|word| !is(word, "for")).skip(1);
    after_for
        .into_iter()
        .any(|word| is(word, "update") || is(word, "share"))
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}

/// The words outside quotes and comments.
fn words(sql: &str, kind: Kind) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < sql.len() {
            let (found, end) = piece(sql, at, kind);
            let text = &sql[at..end];
            at = end;
            if found == Piece::Word {
                return Some(text);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_keyword_tells() {
        let expected = [
            ("SELECT 1", "select", Effect::Read),
            (" -- x\n(select 1)", "select", Effect::Read),
            ("/* a */ Update t SET a=1", "update", Effect::Write),
            ("BEGIN", "begin", Effect::Begin),
            ("START TRANSACTION READ ONLY", "start", Effect::Begin),
            ("END", "end", Effect::Commit),
            ("ROLLBACK", "rollback", Effect::Rollback),
            ("ROLLBACK TO SAVEPOINT a", "rollback", Effect::Read),
            ("WITH x AS (SELECT 1) SELECT * FROM x", "with", Effect::Read),
            (
                "WITH x AS (DELETE FROM t RETURNING *) SELECT 1",
                "with",
                Effect::Write,
            ),
            ("CALL p(1)", "call", Effect::Write),
            ("CREATE TABLE t (a INT)", "create", Effect::Write),
            ("SET @a = 1", "set", Effect::Read),
            ("", "empty", Effect::Write),
        ];
        for (sql, verb, effect) in expected {
            let sort = super::sort(sql, Kind::Postgres);
            assert_eq!((sort.verb.as_str(), sort.effect), (verb, effect), "{sql}");
        }
    }

    #[test]
    fn locking_reads_need_a_server_that_takes_writes() {
        assert!(sort("SELECT a FROM t WHERE b=1 FOR UPDATE", Kind::Mysql).needs_writable);
        assert!(!sort("SELECT 'for update' FROM t", Kind::Mysql).needs_writable);
    }
}
