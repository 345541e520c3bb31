//! The ledger's history: every uniquely numbered write and every read of one, as it completed.

use super::Outcome;
use super::file::ResultFile;
use std::io::{self, Write};
use std::path::Path;

/// One completed ledger operation; times in microseconds from t = 0.
pub struct Operation<'a> {
    pub id: i64,
    pub client: usize,
    pub is_read: bool,
    pub endpoint: &'a str,
    pub started_us: u64,
    pub completed_us: u64,
    pub outcome: Outcome,
    /// Empty when all went well; `stale` when a read was answered without the acknowledged row.
    pub error_class: &'a str,
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
        writeln!(
            self.file,
            "{},{},{},{},{},{},{},{},",
            operation.id,
            operation.client,
            if operation.is_read { "read" } else { "write" },
            operation.endpoint,
            operation.started_us,
            operation.completed_us,
            operation.outcome.name(),
            operation.error_class
        )
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.file.finish()
    }
}
