//! The table into which fresh connections write one row each. It has no part in any check: the ledger's
//! numbers stay the ledger's, and a row here may be lost or doubted without meaning.

use sql_wire::Kind;

pub const TABLE: &str = "fivenines_probes";

/// The statement that makes the table, see `ledger::create`; Galera and Group Replication want a primary key.
pub fn create(kind: Kind) -> String {
    match kind.is_by_odbc_alone() {
        true => format!(
            "CREATE TABLE {TABLE} (id {} NOT NULL PRIMARY KEY)",
            kind.big_int()
        ),
        false => format!("CREATE TABLE IF NOT EXISTS {TABLE} (id BIGINT PRIMARY KEY)"),
    }
}

/// Writes one row in autocommit mode: a separate row never waits for another's lock. As text, because a
/// prepared statement would take MySQL and MariaDB one more round trip.
pub fn insert(id: i64) -> String {
    format!("INSERT INTO {TABLE}(id) VALUES ({id})")
}
