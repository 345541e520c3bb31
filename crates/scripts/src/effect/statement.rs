//! What one statement does, by its keywords.

use super::functions;
use crate::pieces::Words;
use sql_wire::Kind;
use sql_wire::effect::Effect;

/// What one statement does to the transaction on its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It only reads, or changes nothing that lasts.
    Read,
    Write,
    Begin,
    Commit {
        chain: bool,
    },
    Rollback {
        chain: bool,
    },
    /// It leaves a transaction to be committed later: PREPARE TRANSACTION, XA PREPARE.
    Prepare,
    /// It commits a transaction that was prepared, in whatever session.
    CommitPrepared,
    /// MySQL commits the open transaction, then executes the statement and commits again.
    Define,
    /// MySQL commits the open transaction; nothing else changes.
    EndsOpen,
    /// It may do all of that: a procedure, on MySQL.
    Anything,
}

impl Action {
    /// The simple effect under which a text counts it.
    pub fn counted(self) -> Effect {
        match self {
            Action::Read | Action::EndsOpen => Effect::Read,
            Action::Begin => Effect::Begin,
            Action::Commit { .. } | Action::CommitPrepared => Effect::Commit,
            Action::Rollback { .. } => Effect::Rollback,
            Action::Write | Action::Prepare | Action::Define | Action::Anything => Effect::Write,
        }
    }
}

const CHANGES: [&str; 5] = ["insert", "update", "delete", "merge", "replace"];

/// The action of a statement, which has no other behind it.
pub fn action(sql: &str, kind: Kind) -> Action {
    let mut words = Words::of(sql, kind);
    let Some(first) = words.next() else {
        return Action::Read;
    };
    match kind {
        Kind::Mysql => mysql(first.text, words, sql),
        _ => standard(first.text, words, sql, kind),
    }
}

/// PostgreSQL, and what its statements have in common with those of other servers.
fn standard(first: &str, mut words: Words, sql: &str, kind: Kind) -> Action {
    let second = words.clone().next().map_or("", |word| word.text);
    match first.to_ascii_lowercase().as_str() {
        "select" | "values" | "table" => query(sql, kind),
        "show" | "describe" | "desc" | "set" | "use" | "reset" | "savepoint" | "release"
        | "fetch" | "move" | "declare" | "close" | "listen" | "unlisten" | "discard"
        | "deallocate" | "load" | "checkpoint" => Action::Read,
        "prepare" if is(second, "transaction") => Action::Prepare,
        "prepare" => Action::Read,
        "lock" => Action::Read,
        "begin" => Action::Begin,
        "start" if is(second, "transaction") => Action::Begin,
        "commit" | "rollback" if is(second, "prepared") => match is(first, "commit") {
            true => Action::CommitPrepared,
            false => Action::Read,
        },
        "commit" | "end" => Action::Commit {
            chain: chains(words),
        },
        "rollback" | "abort" => undone(words),
        "with" => with(words, sql, kind),
        "explain" => explained(words, sql, kind),
        "copy" => match words.any(|word| is(word.text, "to") && word.depth == 0) {
            true => Action::Read,
            false => Action::Write,
        },
        _ => Action::Write,
    }
}

fn mysql(first: &str, mut words: Words, sql: &str) -> Action {
    let second = words.clone().next().map_or("", |word| word.text);
    let second_is = |names: &[&str]| names.iter().any(|name| is(second, name));
    match first.to_ascii_lowercase().as_str() {
        "select" | "values" | "table" | "do" => query(sql, Kind::Mysql),
        "show" | "use" | "savepoint" | "help" | "handler" | "kill" | "prepare" | "deallocate"
        | "signal" | "resignal" | "get" | "checksum" | "binlog" | "shutdown" | "restart"
        | "clone" | "change" | "purge" => Action::Read,
        "describe" | "desc" | "explain" => explained(words, sql, Kind::Mysql),
        "set" => set(words),
        // `ANALYZE UPDATE ...` of MariaDB executes the statement.
        "analyze" => match words.find(|word| !analyze_option(word.text)) {
            Some(word) if is(word.text, "table") => Action::Define,
            Some(word) => action(&sql[word.at..], Kind::Mysql),
            None => Action::Define,
        },
        "begin" if second_is(&["not"]) => Action::Anything,
        "begin" => Action::Begin,
        "start" if second_is(&["transaction"]) => Action::Begin,
        "start" | "stop" | "flush" | "cache" | "check" | "repair" | "optimize" | "install"
        | "uninstall" | "reset" => Action::EndsOpen,
        "lock" | "unlock" => Action::EndsOpen,
        "commit" => Action::Commit {
            chain: chains(words),
        },
        "rollback" => undone(words),
        "release" => Action::Read,
        "xa" => xa(second, words),
        "with" => with(words, sql, Kind::Mysql),
        "create" | "drop" if second_is(&["temporary"]) => Action::Write,
        "create" | "drop" | "alter" | "rename" | "truncate" | "grant" | "revoke" => Action::Define,
        "call" | "execute" => Action::Anything,
        // Compound statements of MariaDB's, with others in them.
        "if" | "case" | "loop" | "repeat" | "while" | "for" => Action::Anything,
        _ => Action::Write,
    }
}

fn analyze_option(word: &str) -> bool {
    [
        "format",
        "json",
        "traditional",
        "local",
        "no_write_to_binlog",
    ]
    .iter()
    .any(|option| is(word, option))
}

/// SET of MySQL: autocommit turned on commits; accounts and passwords do so too.
fn set(words: Words) -> Action {
    let mut names = words.map(|word| word.text).peekable();
    let Some(first) = names.peek() else {
        return Action::Read;
    };
    if ["password", "role", "default"]
        .iter()
        .any(|name| is(first, name))
    {
        return Action::EndsOpen;
    }
    while let Some(name) = names.next() {
        let value = names.peek().copied().unwrap_or_default();
        if is(name, "autocommit")
            && ["1", "on", "true", "default"]
                .iter()
                .any(|on| is(value, on))
        {
            return Action::EndsOpen;
        }
    }
    Action::Read
}

fn xa(second: &str, mut words: Words) -> Action {
    match second.to_ascii_lowercase().as_str() {
        "start" | "begin" => Action::Begin,
        "prepare" => Action::Prepare,
        "commit" => match words.any(|word| is(word.text, "phase")) {
            true => Action::Commit { chain: false },
            false => Action::CommitPrepared,
        },
        "rollback" => Action::Rollback { chain: false },
        _ => Action::Read,
    }
}

/// A query writes where it makes a table, or calls a function that is not known to only read.
fn query(sql: &str, kind: Kind) -> Action {
    let into = |sql| match kind {
        // MySQL's INTO fills variables or files.
        Kind::Mysql => false,
        _ => Words::of(sql, kind).any(|word| word.depth == 0 && is(word.text, "into")),
    };
    match into(sql) || functions::may_write(sql, kind) {
        true => Action::Write,
        false => Action::Read,
    }
}

/// A statement behind common tables, any of which may change data in turn.
fn with(mut words: Words, sql: &str, kind: Kind) -> Action {
    let changes = |word: &str| CHANGES.iter().any(|change| is(word, change));
    // A column or a function may have such a name, but it does not begin a query.
    match words.any(|word| word.begins && changes(word.text)) {
        true => Action::Write,
        false => query(sql, kind),
    }
}

/// EXPLAIN executes the statement with the option ANALYZE.
fn explained(words: Words, sql: &str, kind: Kind) -> Action {
    let mut analyzes = false;
    let mut previous = "";
    for word in words {
        let option = word.depth > 0 || explain_option(word.text);
        if !option {
            return match analyzes {
                true => action(&sql[word.at..], kind),
                false => Action::Read,
            };
        }
        analyzes |= is(word.text, "analyze") || is(word.text, "analyse");
        let off = ["false", "off", "0"].iter().any(|no| is(word.text, no));
        if off && (is(previous, "analyze") || is(previous, "analyse")) {
            analyzes = false;
        }
        previous = word.text;
    }
    Action::Read
}

fn explain_option(word: &str) -> bool {
    [
        "analyze",
        "analyse",
        "verbose",
        "extended",
        "partitions",
        "format",
        "json",
        "tree",
        "traditional",
        "for",
        "schema",
    ]
    .iter()
    .any(|option| is(word, option))
}

/// ROLLBACK: to a savepoint it leaves the transaction open.
fn undone(mut words: Words) -> Action {
    match words.clone().any(|word| is(word.text, "to")) {
        true => Action::Read,
        false => Action::Rollback {
            chain: chains(&mut words),
        },
    }
}

/// COMMIT AND CHAIN begins the next transaction at once.
fn chains<'a>(words: impl IntoIterator<Item = crate::pieces::Word<'a>>) -> bool {
    let mut previous = "";
    for word in words {
        if is(word.text, "chain") {
            return !is(previous, "no");
        }
        previous = word.text;
    }
    false
}

/// A query that locks rows belongs to a server that takes writes.
pub fn locks(sql: &str, kind: Kind) -> bool {
    let mut words = Words::of(sql, kind);
    let reads = [
        "select", "with", "table", "values", "explain", "declare", "lock",
    ];
    let first = words.next().map_or("", |word| word.text);
    if !reads.iter().any(|read| is(first, read)) {
        return false;
    }
    if is(first, "lock") {
        return true;
    }
    let mut last = "";
    for word in words {
        let strength = ["update", "share", "no", "key"]
            .iter()
            .any(|how| is(word.text, how));
        if is(last, "for") && strength || is(last, "lock") && is(word.text, "in") {
            return true;
        }
        last = word.text;
    }
    false
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}
