//! One connection of a loader, and what differs between the two kinds of server.

use super::args::Args;
use sql_wire::blocking::Client;
use sql_wire::{Class, Credentials, Failure, Kind, Rows, storage};
use std::sync::Arc;
use std::time::Duration;
use workloads::dataset::{Encoder, Table};

/// A statement of a load may take this long, for example an index on a large table.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Bytes of an INSERT statement: large enough that one more byte costs what it costs the server to read, and
/// below `max_allowed_packet` everywhere.
const STATEMENT: usize = 500_000;

/// The same if the server's limit is unknown.
const STANDARD: usize = 50_000;

/// MySQL's numbers for "it is there already": table, index, several primary keys, procedure, foreign key.
const EXISTS: [&str; 5] = ["1050", "1061", "1068", "1304", "1826"];

pub struct Server {
    client: Client,
    pub kind: Kind,
    by_odbc: bool,
    statement: usize,
}

/// The connect is bounded, the statements after it may take their time.
pub fn client(args: &Args, credentials: &Credentials) -> Result<Client, Failure> {
    let timeout = args.connect_timeout;
    let mut client = Client::connect(
        args.server.driver,
        &args.server.endpoint(),
        credentials,
        timeout,
    )?;
    client.commit_each(args.server.driver)?;
    client.set_timeout(PATIENCE)?;
    Ok(client)
}

impl Server {
    pub fn connect(args: &Args, credentials: &Credentials) -> Result<Server, Failure> {
        let mut server = Server {
            client: client(args, credentials)?,
            kind: args.server.driver,
            by_odbc: args.server.endpoint().is_odbc(),
            statement: STATEMENT,
        };
        server.known_session()?;
        Ok(server)
    }

    /// Settings that any user may make: how texts are escaped, strictness, no bounds on time, and on MySQL no
    /// looking for parents, since children may come first.
    fn known_session(&mut self) -> Result<(), Failure> {
        if self.kind == Kind::Postgres {
            return self.run(
                // Older servers lack some of the limits.
                "SET standard_conforming_strings = on; SET client_encoding = 'UTF8'; \
                 SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('statement_timeout', \
                 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout', \
                 'idle_session_timeout')",
            );
        }
        if self.kind.is_by_odbc_alone() {
            return Ok(());
        }
        self.run(
            "SET SESSION sql_mode = \
             'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO', \
             /*!50708 SESSION max_execution_time = 0, */ /*M!100101 SESSION max_statement_time = 0, */ \
             /*M!100300 SESSION idle_transaction_timeout = 0, SESSION idle_write_transaction_timeout = 0, */ \
             SESSION wait_timeout = 28800, SESSION foreign_key_checks = 0",
        )?;
        let packet = self.number("SELECT @@max_allowed_packet")?;
        self.statement = STATEMENT.min(packet as usize / 2);
        Ok(())
    }

    /// A commit of PostgreSQL need not wait for the disk, as long as the last one does: chunks and the notes
    /// about them are lost together.
    pub fn relax_commits(&mut self) -> Result<(), Failure> {
        match self.kind {
            Kind::Postgres => self.run("SET synchronous_commit = off"),
            _ => Ok(()),
        }
    }

    pub fn run(&mut self, sql: &str) -> Result<(), Failure> {
        self.client.query(sql).map(drop)
    }

    /// Requires transactions of a table, or, where it is missing, of new ones.
    pub fn require_transactions(&mut self, table: &str) -> Result<(), Failure> {
        storage::require_transactions(&mut self.client, self.kind, table)
    }

    /// Runs a statement that creates an object; on a server with DDL outside transactions it can be
    /// there already, from an attempt that was interrupted.
    pub fn make(&mut self, sql: &str) -> Result<(), Failure> {
        match self.run(sql) {
            Err(failure) if self.kind == Kind::Mysql && is_there(&failure) => Ok(()),
            result => result,
        }
    }

    /// Whether a statement that inserts one row did so; not, when its key is there.
    pub fn insert(&mut self, sql: &str) -> Result<bool, Failure> {
        match self.run(sql) {
            Ok(()) => Ok(true),
            Err(failure) if failure.class == Class::Constraint => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    pub fn begin(&mut self) -> Result<(), Failure> {
        self.run(self.kind.begin())
    }

    pub fn commit(&mut self) -> Result<(), Failure> {
        self.run("COMMIT")
    }

    /// Ends a transaction that failed; a lost connection has done that by itself.
    pub fn roll_back(&mut self) {
        let _ = self.run("ROLLBACK");
    }

    /// The rows of an answer.
    pub fn rows(&mut self, sql: &str) -> Result<&Rows, Failure> {
        self.client.query(sql)?;
        Ok(self.client.rows())
    }

    /// The one number that a query gives; NULL is 0.
    pub fn number(&mut self, sql: &str) -> Result<u64, Failure> {
        let number = self.rows(sql)?.int(0, 0).unwrap_or(0);
        u64::try_from(number).map_err(|_| Failure::protocol(&format!("{number} is below 0")))
    }

    /// How many of these tables exist in the database (PostgreSQL: in the schema where new tables go), and
    /// the name of one of them.
    pub fn existing(&mut self, tables: &[&str]) -> Result<(usize, String), Failure> {
        if self.kind.is_by_odbc_alone() {
            return self.present(tables);
        }
        let names: Vec<String> = tables.iter().map(|name| self.literal(name)).collect();
        // PostgreSQL's information_schema hides the tables of others.
        let (column, source, schema) = match self.kind {
            Kind::Postgres => (
                "relname",
                "pg_class JOIN pg_namespace n ON n.oid = relnamespace",
                "nspname = current_schema()",
            ),
            _ => (
                "table_name",
                "information_schema.tables",
                "table_schema = DATABASE()",
            ),
        };
        let rows = self.rows(&format!(
            "SELECT COUNT(*), MIN({column}) FROM {source} WHERE {schema} AND {column} IN ({})",
            names.join(", ")
        ))?;
        let name = rows.text(0, 1).unwrap_or_default().into_owned();
        Ok((rows.int(0, 0).unwrap_or(0) as usize, name))
    }

    /// The same without a catalogue to look into: a table that is missing says so.
    fn present(&mut self, tables: &[&str]) -> Result<(usize, String), Failure> {
        let mut found = Vec::new();
        for table in tables {
            match self.run(&format!("SELECT 1 FROM {table} WHERE 1 = 0")) {
                Ok(()) => found.push(*table),
                Err(failure) if failure.class == Class::MissingTable => {}
                Err(failure) => return Err(failure),
            }
        }
        let first = found.first().copied().unwrap_or_default();
        Ok((found.len(), first.to_string()))
    }

    /// Drops a table if it is there.
    pub fn drop_table(&mut self, name: &str) -> Result<(), Failure> {
        if !self.kind.is_by_odbc_alone() {
            return self.run(&format!("DROP TABLE IF EXISTS {name}"));
        }
        match self.present(&[name])? {
            (0, _) => Ok(()),
            _ => self.run(&format!("DROP TABLE {name}")),
        }
    }

    /// A text as SQL. Backslashes mean nothing in PostgreSQL's and must be doubled in MySQL's.
    pub fn literal(&self, text: &str) -> String {
        let quoted = text.replace('\'', "''");
        match self.kind {
            // to Oracle an empty text is NULL
            Kind::Oracle if text.is_empty() => "' '".to_string(),
            Kind::Mysql | Kind::Noop => format!("'{}'", quoted.replace('\\', "\\\\")),
            _ => format!("'{quoted}'"),
        }
    }

    /// An encoder for rows of a table.
    pub fn encoder(&self, table: &Table) -> Encoder {
        match self.kind {
            Kind::Postgres if self.by_odbc => Encoder::plain_inserts(table, self.statement),
            Kind::Postgres => Encoder::copy(),
            Kind::Db2 => Encoder::plain_inserts(table, self.statement.min(STANDARD)),
            // not every server takes several rows at a time
            Kind::Soliddb | Kind::Oracle | Kind::Sqlserver => Encoder::plain_inserts(table, 0),
            _ => Encoder::inserts(table, self.statement),
        }
    }

    /// Sends what the encoder made.
    pub fn send(&mut self, table: &Table, pieces: &[Arc<Vec<u8>>]) -> Result<(), Failure> {
        for piece in pieces {
            if self.kind == Kind::Postgres && !self.by_odbc {
                let sql = format!("COPY {}({}) FROM STDIN", table.name, table.columns);
                self.client.copy(&sql, Arc::clone(piece))?;
            } else {
                let sql = std::str::from_utf8(piece)
                    .map_err(|_| Failure::protocol("rows that are not UTF-8"))?;
                self.client.query(sql)?;
            }
        }
        Ok(())
    }
}

/// Error 1005 is what MariaDB says about a second foreign key of the same name.
fn is_there(failure: &Failure) -> bool {
    EXISTS.contains(&failure.code.as_str())
        || (failure.code == "1005" && failure.message.contains("errno: 121"))
}
