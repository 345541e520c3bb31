//! The ledger's table: how it is made, written and read. The load does it through endpoints, the watch on
//! every node itself.
//!
//! `id` is `1 + client + n * clients`, so that a row's number tells its client; `executed_us` is the server's
//! own clock (microseconds since 1970) at the moment it executed the INSERT.

use sql_wire::{Effect, Kind, Rows, Statement, Type};
use std::io::{self, Write};

pub const TABLE: &str = "fivenines_ledger";

/// Statements that make the table; where it is missing alone, but for those DBMS that cannot say that.
pub fn create(kind: Kind, table: &str) -> Vec<String> {
    let columns = "id BIGINT PRIMARY KEY, client INT NOT NULL, executed_us BIGINT NOT NULL";
    match kind {
        Kind::Postgres => vec![
            format!("CREATE TABLE IF NOT EXISTS {table} ({columns})"),
            format!("CREATE INDEX IF NOT EXISTS {table}_client ON {table} (client, id)"),
        ],
        _ if kind.is_by_odbc_alone() => vec![
            format!(
                "CREATE TABLE {table} (id {} NOT NULL PRIMARY KEY, client INTEGER NOT NULL)",
                kind.big_int()
            ),
            format!("CREATE INDEX {table}_client ON {table} (client, id)"),
        ],
        _ => vec![format!(
            "CREATE TABLE IF NOT EXISTS {table} ({columns}, INDEX {table}_client (client, id))"
        )],
    }
}

/// The greatest number that is in use; NULL in an empty table.
pub fn greatest(table: &str) -> String {
    format!("SELECT MAX(id) FROM {table}")
}

/// Writes one row; its parameters are `id` and `client`.
pub fn insert(kind: Kind, table: &str) -> Statement {
    let types = &[Type::BigInt, Type::Int];
    if kind.is_by_odbc_alone() {
        // External servers have separate clocks, which are not measured.
        let sql = format!("INSERT INTO {table}(id, client) VALUES (?, ?)");
        return Statement::new(kind, "ledger_write", Effect::Write, &sql, types);
    }
    // SYSDATE and clock_timestamp are the moment of execution, NOW that of the statement's or
    // transaction's begin.
    let clock = match kind {
        Kind::Postgres => "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::BIGINT",
        _ => "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)",
    };
    let sql = format!("INSERT INTO {table}(id, client, executed_us) VALUES (?, ?, {clock})");
    Statement::new(kind, "ledger_write", Effect::Write, &sql, types)
}

/// Reads one row: for each client the greatest id that is there. Each is one look at the end of an index.
pub fn seen(kind: Kind, table: &str, clients: usize) -> Statement {
    let sql = match kind.is_by_odbc_alone() {
        true => seen_in_tables(table, clients),
        false => {
            let greatest =
                |client| format!("(SELECT MAX(id) FROM {table} WHERE client = {client})");
            let columns: Vec<String> = (0..clients).map(greatest).collect();
            format!("SELECT {}", columns.join(", "))
        }
    };
    Statement::new(kind, "ledger_read", Effect::Read, &sql, &[])
}

/// The same where a SELECT needs a FROM, which has another word for "nothing" at each DBMS.
fn seen_in_tables(table: &str, clients: usize) -> String {
    let columns: Vec<String> = (0..clients).map(|client| format!("s{client}.m")).collect();
    let sources: Vec<String> = (0..clients)
        .map(|client| {
            format!("(SELECT MAX(id) AS m FROM {table} WHERE client = {client}) s{client}")
        })
        .collect();
    format!("SELECT {} FROM {}", columns.join(", "), sources.join(", "))
}

/// The answer to `seen` as a field of a CSV file: "[17,22,NULL,20]".
pub fn write_seen(rows: &Rows, clients: usize, out: &mut impl Write) -> io::Result<()> {
    for client in 0..clients {
        let before = if client == 0 { "\"[" } else { "," };
        match rows.int(0, client) {
            Some(id) => write!(out, "{before}{id}")?,
            None => write!(out, "{before}NULL")?,
        }
    }
    out.write_all(b"]\"")
}

/// Returns a client's first number after all numbers in the table.
pub fn first_id(client: usize, clients: usize, greatest: i64) -> i64 {
    let clients = clients as i64;
    // rounded up: a turn that others have begun is theirs
    let turns = (greatest.max(0) + clients - 1) / clients;
    1 + client as i64 + turns * clients
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_their_clients_and_are_new() {
        for greatest in 0..50 {
            for clients in 1..6 {
                for client in 0..clients {
                    let id = first_id(client, clients, greatest);
                    assert!(id > greatest && id <= greatest + 2 * clients as i64);
                    assert_eq!((id - 1) as usize % clients, client);
                }
            }
        }
        assert_eq!(first_id(0, 4, 0), 1);
    }

    #[test]
    fn what_was_seen_is_a_list_with_gaps() {
        let mut rows = Rows::default();
        rows.start(3);
        rows.push_text(b"17");
        rows.push_null();
        rows.push_int(20);
        let mut out = Vec::new();
        write_seen(&rows, 3, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\"[17,NULL,20]\"");
    }

    #[test]
    fn one_statement_asks_for_all_clients() {
        let statement = seen(Kind::Mysql, "t", 2);
        assert_eq!(
            statement.sql,
            "SELECT (SELECT MAX(id) FROM t WHERE client = 0), (SELECT MAX(id) FROM t WHERE client = 1)"
        );
        assert!(
            insert(Kind::Postgres, "t")
                .sql
                .contains("VALUES ($1, $2, (")
        );
        assert_eq!(create(Kind::Postgres, "t").len(), 2);
    }

    #[test]
    fn other_dbms_get_plain_sql() {
        assert_eq!(
            create(Kind::Oracle, "t")[0],
            "CREATE TABLE t (id NUMBER(19) NOT NULL PRIMARY KEY, client INTEGER NOT NULL)"
        );
        assert_eq!(
            insert(Kind::Db2, "t").sql,
            "INSERT INTO t(id, client) VALUES (?, ?)"
        );
        assert_eq!(
            seen(Kind::Oracle, "t", 2).sql,
            "SELECT s0.m, s1.m FROM (SELECT MAX(id) AS m FROM t WHERE client = 0) s0, \
             (SELECT MAX(id) AS m FROM t WHERE client = 1) s1"
        );
    }
}
