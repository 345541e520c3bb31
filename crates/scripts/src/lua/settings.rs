//! Which statements of thread_init() belong to the session, and so to each new one.
//!
//! A setting changes the session's later statements and no data: repeated in a new session, also on another server,
//! it has the same effect. Statements that change data or the server itself are never repeated.

use crate::pieces::{Piece, piece};
use sql_wire::Kind;

/// After `SET`: of an account, or of a transaction or statement alone.
const OTHERS: [&str; 5] = [
    "transaction",
    "password",
    "constraints",
    "default",
    "statement",
];
/// Anywhere behind `SET`: of the server.
const SERVERS: [&str; 3] = ["global", "persist", "persist_only"];

/// Whether all statements of the text are settings of their session.
pub fn lasts(sql: &str, kind: Kind) -> bool {
    let mut statements = statements(sql, kind).into_iter().peekable();
    statements.peek().is_some() && statements.all(|words| is_setting(&words, kind))
}

fn is_setting(words: &[String], kind: Kind) -> bool {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let second = rest.first().map(String::as_str).unwrap_or_default();
    match first.as_str() {
        "set" => is_of_session(rest, kind),
        "use" | "reset" | "prepare" | "deallocate" | "listen" | "unlisten" => true,
        "load" => kind == Kind::Postgres,
        "alter" => second == "session",
        "drop" => second == "prepare",
        "create" => matches!(second, "temporary" | "temp") && has("table"),
        "select" => {
            has("set_config") || kind == Kind::Mysql && has("@") && (has(":=") || has("into"))
        }
        _ => false,
    }
}

fn is_of_session(rest: &[String], kind: Kind) -> bool {
    let first = rest.first().map(String::as_str).unwrap_or_default();
    // MySQL says LOCAL for the session.
    let of_transaction = first == "local" && kind != Kind::Mysql;
    let of_server = rest.iter().any(|word| SERVERS.contains(&word.as_str()));
    !OTHERS.contains(&first) && !of_transaction && !of_server
}

/// The words of each statement, in small letters, and what makes a variable of MySQL's: `@` and `:=`.
fn statements(sql: &str, kind: Kind) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while at < sql.len() {
        let (found, end) = piece(sql, at, kind);
        let text = &sql[at..end];
        let now = all.last_mut().expect("there is one from the beginning");
        match (found, text) {
            (Piece::Word, _) => now.push(text.to_lowercase()),
            (Piece::Symbol, ";") => all.push(Vec::new()),
            (Piece::Symbol, "@") => now.push("@".to_string()),
            (Piece::Symbol, ":") if sql[end..].starts_with('=') => now.push(":=".to_string()),
            _ => {}
        }
        at = end;
    }
    all.retain(|words| !words.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_session_last() {
        let mysql = [
            "SET SESSION sql_mode = ''",
            "set names utf8mb4",
            "SET @@session.sql_log_bin=0, autocommit = DEFAULT",
            "SET LOCAL max_execution_time = 5",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SET @a = 1; SET @b = 2;",
            "USE other",
            "PREPARE p FROM 'SELECT 1'",
            "SELECT @a := 5",
            "SELECT MAX(id) INTO @a FROM t",
            "CREATE TEMPORARY TABLE t (a INT)",
            "/* first */ SET x = 'GLOBAL'",
        ];
        for sql in mysql {
            assert!(lasts(sql, Kind::Mysql), "{sql}");
        }
        let postgres = [
            "SET search_path = public, pg_temp",
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "SET ROLE app",
            "SET statement_timeout TO DEFAULT",
            "SELECT pg_catalog.set_config('work_mem', '1MB', false)",
            "PREPARE p AS SELECT 1",
            "RESET ALL",
            "LISTEN news",
            "SET TIME ZONE LOCAL",
        ];
        for sql in postgres {
            assert!(lasts(sql, Kind::Postgres), "{sql}");
        }
    }

    #[test]
    fn data_and_the_server_are_left_alone() {
        let neither = [
            "",
            "INSERT INTO t VALUES (1)",
            "SELECT 1",
            "SET GLOBAL x = 1",
            "SET SESSION a = 1, GLOBAL b = 2",
            "SET @@global.x = 1",
            "SET PERSIST x = 1",
            "SET PASSWORD = 'x'",
            "SET STATEMENT max_statement_time = 1 FOR SELECT 1",
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "SET x = 1; DELETE FROM t",
            "CREATE TABLE t (a INT)",
            "BEGIN",
            "LOAD DATA INFILE 'x' INTO TABLE t",
            "CALL p()",
        ];
        for sql in neither {
            assert!(!lasts(sql, Kind::Mysql), "{sql}");
        }
        assert!(!lasts("SET LOCAL work_mem = '1MB'", Kind::Postgres));
        assert!(!lasts("SELECT lock_timeout FROM t", Kind::Postgres));
    }
}
