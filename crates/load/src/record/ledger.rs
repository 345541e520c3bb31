//! The ledger's history: every uniquely numbered write and every read of one, as it completed.

use super::Outcome;
use super::file::ResultFile;
use crate::ledger;
use sql_wire::Rows;
use std::io::{self, Write};
use std::path::Path;

/// One completed ledger operation; times in microseconds from t = 0.
pub struct Operation<'a> {
    /// Of a read: the last acknowledged number of the client, if there is one.
    pub id: Option<i64>,
    pub client: usize,
    pub is_read: bool,
    pub endpoint: &'a str,
    pub started_us: u64,
    pub completed_us: u64,
    pub outcome: Outcome,
    /// Empty when all went well; `stale` when a read did not show the client's own acknowledged row.
    pub error_class: &'a str,
    /// The answer to a read, and the number of clients in it.
    pub seen: Option<(&'a Rows, usize)>,
}

pub struct LedgerLog {
    file: ResultFile,
}

impl LedgerLog {
    pub fn create(folder: Option<&Path>) -> io::Result<LedgerLog> {
        let mut file = ResultFile::create(folder, "ledger.csv")?;
        writeln!(
            file,
            "id,client,kind,endpoint,started_us,completed_us,outcome,error_class,seen"
        )?;
        Ok(LedgerLog { file })
    }

    pub fn add(&mut self, operation: &Operation) -> io::Result<()> {
        if let Some(id) = operation.id {
            write!(self.file, "{id}")?;
        }
        write!(
            self.file,
            ",{},{},{},{},{},{},{},",
            operation.client,
            if operation.is_read { "read" } else { "write" },
            operation.endpoint,
            operation.started_us,
            operation.completed_us,
            operation.outcome.name(),
            operation.error_class
        )?;
        if let Some((rows, clients)) = operation.seen {
            ledger::write_seen(rows, clients, &mut self.file)?;
        }
        writeln!(self.file)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.file.finish()
    }
}
