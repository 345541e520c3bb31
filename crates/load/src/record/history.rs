//! What transactions that test isolation did, operation by operation: history.csv, one row each.

use super::Outcome;
use super::file::RareFile;
use std::io::{self, Write};
use std::path::Path;
use workloads::history::Operation;

const HEADER: &str =
    "txn,client,source,started_us,completed_us,outcome,position,kind,key,value,list";

/// Begun with the first transaction that has something to tell: most workloads have nothing.
pub struct HistoryLog {
    file: RareFile,
    transactions: u64,
}

impl HistoryLog {
    /// Without a folder nothing is written.
    pub fn new(folder: Option<&Path>) -> HistoryLog {
        HistoryLog {
            file: RareFile::new(folder, "history.csv", HEADER),
            transactions: 0,
        }
    }

    /// A transaction of this client is over; times in microseconds from t = 0.
    pub fn add(
        &mut self,
        client: usize,
        operations: &[Operation],
        (started_us, completed_us): (u64, u64),
        outcome: Outcome,
    ) -> io::Result<()> {
        if self.file.is_thrown_away() {
            return Ok(());
        }
        self.transactions += 1;
        let txn = self.transactions;
        let file = self.file.rows()?;
        for (position, operation) in operations.iter().enumerate() {
            write!(
                file,
                "{txn},{client},{},{started_us},{completed_us},{},{position},",
                operation.source(),
                outcome.name()
            )?;
            operation.write(file)?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::folder;
    use super::*;

    #[test]
    fn every_operation_is_a_row() {
        let folder = folder("history");
        let mut log = HistoryLog::new(Some(&folder));
        log.finish().unwrap();
        assert!(!folder.join("history.csv").exists(), "no client had a row");
        let lists = [
            Operation::Append { key: 1, value: 5 },
            Operation::Read {
                key: 2,
                list: Some("3,4".to_string()),
            },
            Operation::Read { key: 3, list: None },
        ];
        let bank = [
            Operation::Transfer {
                account: 1,
                value: -2,
            },
            Operation::Balance {
                account: 1,
                value: 98,
            },
        ];
        let registers = [
            Operation::Write { key: 1, value: 7 },
            Operation::Value {
                key: 1,
                value: Some(7),
            },
            Operation::Value {
                key: 2,
                value: None,
            },
        ];
        log.add(0, &lists, (10, 20), Outcome::Ok).unwrap();
        log.add(3, &bank, (11, 21), Outcome::InDoubt).unwrap();
        log.add(4, &registers, (12, 22), Outcome::Ok).unwrap();
        log.finish().unwrap();
        let text = std::fs::read_to_string(folder.join("history.csv")).unwrap();
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            rows,
            [
                "1,0,lists,10,20,ok,0,append,1,5,",
                "1,0,lists,10,20,ok,1,read,2,,\"3,4\"",
                "1,0,lists,10,20,ok,2,read,3,,",
                "2,3,bank,11,21,in_doubt,0,add,1,-2,",
                "2,3,bank,11,21,in_doubt,1,read,1,98,",
                "3,4,registers,12,22,ok,0,write,1,7,",
                "3,4,registers,12,22,ok,1,read,1,7,",
                "3,4,registers,12,22,ok,2,read,2,,",
            ]
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
