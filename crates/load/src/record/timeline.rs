//! Successes and failures in slots of 10 ms, one row per slot and source in which anything happened.

use super::Source;
use super::file::ResultFile;
use std::io::{self, Write};
use std::path::Path;

const SLOT_NS: u64 = 10_000_000;
const HEADER: &str = "slot_ms,source,reads_ok,reads_failed,writes_ok,writes_failed,writes_in_doubt,\
                      transactions_ok,queries_ok,connects_failed,connects_ok,timeouts";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    pub reads_ok: u32,
    pub reads_failed: u32,
    pub writes_ok: u32,
    pub writes_failed: u32,
    pub writes_in_doubt: u32,
    pub transactions_ok: u32,
    pub queries_ok: u32,
    pub connects_failed: u32,
    pub connects_ok: u32,
    /// Operations and connects that a bound of the client ended.
    pub timeouts: u32,
}

pub struct Timeline {
    file: ResultFile,
    started_ns: u64,
    slot: u64,
    slot_ends_ns: u64,
    cells: [Cell; 2],
    /// The first write error; reported when the second is closed, as the hot path cannot stop.
    broken: Option<io::Error>,
}

impl Timeline {
    pub fn create(folder: Option<&Path>) -> io::Result<Timeline> {
        let mut file = ResultFile::create(folder, "timeline.csv")?;
        writeln!(file, "{HEADER}")?;
        Ok(Timeline {
            file,
            started_ns: 0,
            slot: 0,
            slot_ends_ns: u64::MAX,
            cells: [Cell::default(); 2],
            broken: None,
        })
    }

    /// Everything before the start, failed connects at most, goes to the first slot.
    pub fn start(&mut self, now: u64) {
        self.started_ns = now;
        self.slot_ends_ns = now + SLOT_NS;
    }

    #[inline]
    pub fn cell(&mut self, now: u64, source: Source) -> &mut Cell {
        if now >= self.slot_ends_ns {
            self.advance(now);
        }
        &mut self.cells[source as usize]
    }

    #[cold]
    fn advance(&mut self, now: u64) {
        self.write_slot();
        self.slot = (now - self.started_ns) / SLOT_NS;
        self.slot_ends_ns = self.started_ns + (self.slot + 1) * SLOT_NS;
    }

    fn write_slot(&mut self) {
        for source in [Source::Load, Source::Ledger] {
            let cell = std::mem::take(&mut self.cells[source as usize]);
            if cell == Cell::default() {
                continue;
            }
            let written = writeln!(
                self.file,
                "{},{},{},{},{},{},{},{},{},{},{},{}",
                self.slot * 10,
                source.name(),
                cell.reads_ok,
                cell.reads_failed,
                cell.writes_ok,
                cell.writes_failed,
                cell.writes_in_doubt,
                cell.transactions_ok,
                cell.queries_ok,
                cell.connects_failed,
                cell.connects_ok,
                cell.timeouts
            );
            if let Err(error) = written {
                self.broken.get_or_insert(error);
            }
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        match self.broken.take() {
            Some(error) => Err(error),
            None => self.file.flush(),
        }
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.write_slot();
        self.flush()?;
        self.file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::folder;
    use super::*;

    #[test]
    fn rows_are_sparse_and_sorted() {
        let folder = folder("timeline");
        let mut timeline = Timeline::create(Some(&folder)).unwrap();
        timeline.cell(5, Source::Load).connects_failed += 1;
        timeline.start(1_000);
        timeline.cell(1_000, Source::Load).reads_ok += 2;
        timeline
            .cell(1_000 + 35 * 1_000_000, Source::Ledger)
            .writes_ok += 1;
        timeline.finish().unwrap();
        let text = std::fs::read_to_string(folder.join("timeline.csv")).unwrap();
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            rows,
            [
                "0,load,2,0,0,0,0,0,0,1,0,0",
                "30,ledger,0,0,1,0,0,0,0,0,0,0"
            ]
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
