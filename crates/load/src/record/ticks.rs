//! A line every so often for those who watch: what was counted so far, and the response times since the last line.
//!
//! It goes to a separate file, one short write per line, and needs no reader. So a live display costs
//! the load what they would cost it as any other process of the machine, and nothing more.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

pub const FILE: &str = "ticks.csv";
const HEADER: &str = "t_ms,ok,failed,in_doubt,ledger_ok,errors,mean_us,max_us\n";

/// Counts since the start.
pub struct Tick {
    pub t_ms: u64,
    pub ok: u64,
    pub failed: u64,
    pub in_doubt: u64,
    pub ledger_ok: u64,
    pub errors: u64,
}

#[derive(Default)]
pub struct Ticks {
    file: Option<File>,
    line: String,
    count: u64,
    sum_ns: u64,
    max_ns: u64,
}

impl Ticks {
    /// From now on lines are written into this folder.
    pub fn open(&mut self, folder: &Path) -> io::Result<()> {
        let mut file = File::create(folder.join(FILE))?;
        file.write_all(HEADER.as_bytes())?;
        self.file = Some(file);
        Ok(())
    }

    /// A transaction has succeeded after so long.
    #[inline]
    pub fn answered(&mut self, nanoseconds: u64) {
        self.count += 1;
        self.sum_ns += nanoseconds;
        self.max_ns = self.max_ns.max(nanoseconds);
    }

    /// Writes a line. A line that cannot be written is only missing in live displays.
    pub fn write(&mut self, tick: &Tick) {
        let Some(file) = &mut self.file else {
            return;
        };
        let times = match self.count {
            0 => String::from(","),
            count => format!("{},{}", self.sum_ns / count / 1000, self.max_ns / 1000),
        };
        self.line.clear();
        // Writing into a string cannot fail.
        let _ = writeln!(
            self.line,
            "{},{},{},{},{},{},{times}",
            tick.t_ms, tick.ok, tick.failed, tick.in_doubt, tick.ledger_ok, tick.errors
        );
        let _ = file.write_all(self.line.as_bytes());
        (self.count, self.sum_ns, self.max_ns) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::folder;
    use super::*;

    #[test]
    fn a_line_has_the_times_since_the_last_one() {
        let folder = folder("ticks");
        let mut ticks = Ticks::default();
        let tick = |t_ms| Tick {
            t_ms,
            ok: 2,
            failed: 1,
            in_doubt: 0,
            ledger_ok: 7,
            errors: 3,
        };
        // Without --tick there are no lines.
        ticks.write(&tick(50));
        ticks.open(&folder).unwrap();
        ticks.answered(1_000_000);
        ticks.answered(3_000_000);
        ticks.write(&tick(100));
        ticks.write(&tick(200));
        let text = std::fs::read_to_string(folder.join(FILE)).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines, ["100,2,1,0,7,3,2000,3000", "200,2,1,0,7,3,,"]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
