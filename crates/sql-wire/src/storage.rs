//! Has a table transactions? In MySQL and MariaDB that is up to its storage engine, and a server's default can be one
//! without (MyISAM, Aria): ROLLBACK then changes nothing and succeeds, so that no figure on transactions, isolation or
//! lost rows would be true.

use crate::blocking::Client;
use crate::failure::{Class, Failure};
use crate::kind::Kind;

/// The code of these failures, which waiting does not help.
pub const CODE: &str = "engine";

/// Requires transactions of a table, or, where it is missing, of new tables.
///
/// # Errors
/// It has none, or the connection was lost.
pub fn require_transactions(client: &mut Client, kind: Kind, table: &str) -> Result<(), Failure> {
    if kind != Kind::Mysql {
        return Ok(());
    }
    let question = format!(
        "SELECT e.engine, t.table_name FROM information_schema.engines e \
         LEFT JOIN information_schema.tables t ON t.table_schema = DATABASE() AND t.table_name = '{table}' \
         WHERE e.transactions = 'NO' AND e.engine = COALESCE(t.engine, @@default_storage_engine)"
    );
    match client.query(&question) {
        Ok(_) => {}
        Err(failure) if failure.ends_session() => return Err(failure),
        // A server that only speaks the protocol may lack these views.
        Err(_) => return Ok(()),
    }
    let rows = client.rows();
    let Some(engine) = rows.text(0, 0) else {
        return Ok(());
    };
    let why = "which has no transactions";
    let message = match rows.text(0, 1) {
        None => format!(
            "new tables would have the storage engine {engine}, {why}: set default_storage_engine to InnoDB on the \
             server"
        ),
        Some(table) => format!(
            "the table {table} has the storage engine {engine}, {why}: drop it, or convert it by ALTER TABLE {table} \
             ENGINE = InnoDB, and set default_storage_engine to InnoDB on the server"
        ),
    };
    Err(Failure::new(Class::Other, CODE, message))
}
