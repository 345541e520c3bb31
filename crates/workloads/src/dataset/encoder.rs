//! Rows on their way to a server: as lines of PostgreSQL's COPY, or as multi-row INSERT statements.
//!
//! Sources: PostgreSQL manual, "COPY", text format; MySQL manual, "String Literals" (the loader's sessions
//! run without NO_BACKSLASH_ESCAPES).

use super::table::Table;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Copy,
    /// Backslashes escape.
    Insert,
    /// Backslashes are characters like any other, and a quote is written twice.
    PlainInsert,
}

/// Collects the rows of one chunk: `begin`, one call per value, `end`.
pub struct Encoder {
    format: Format,
    /// How an INSERT statement begins.
    head: String,
    /// A statement is closed when it has this many bytes.
    limit: usize,
    /// The next value is the first of its row.
    first: bool,
    current: Vec<u8>,
    finished: Vec<Vec<u8>>,
    count: u64,
}

impl Encoder {
    /// Rows for `COPY … FROM STDIN` in text format; `take` gives one piece.
    pub fn copy() -> Encoder {
        Encoder::new(Format::Copy, String::new(), usize::MAX)
    }

    /// Rows for a MySQL-protocol server: INSERT statements of at least `limit` bytes, but for the last, and
    /// of at most one row more.
    pub fn inserts(table: &Table, limit: usize) -> Encoder {
        let head = format!("INSERT INTO {}({}) VALUES", table.name, table.columns);
        Encoder::new(Format::Insert, head, limit)
    }

    /// The same for servers that read texts as SQL's standard has it; `limit` 0: a statement for each row.
    pub fn plain_inserts(table: &Table, limit: usize) -> Encoder {
        Encoder {
            format: Format::PlainInsert,
            ..Encoder::inserts(table, limit)
        }
    }

    fn new(format: Format, head: String, limit: usize) -> Encoder {
        Encoder {
            format,
            head,
            limit,
            first: true,
            current: Vec::new(),
            finished: Vec::new(),
            count: 0,
        }
    }

    /// How many rows there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Begins a row.
    pub fn begin(&mut self) -> &mut Encoder {
        self.first = true;
        if self.format != Format::Copy {
            if self.current.is_empty() {
                self.current.reserve(self.limit + self.limit / 8);
                self.current.extend(self.head.as_bytes());
            } else {
                self.current.push(b',');
            }
            self.current.push(b'(');
        }
        self
    }

    /// Ends a row.
    pub fn end(&mut self) {
        self.count += 1;
        self.current.push(match self.format {
            Format::Copy => b'\n',
            Format::Insert | Format::PlainInsert => b')',
        });
        if self.current.len() >= self.limit {
            self.finished.push(std::mem::take(&mut self.current));
        }
    }

    /// A whole number.
    pub fn int(&mut self, value: impl Into<i64>) -> &mut Encoder {
        self.separate();
        let value = value.into();
        if value < 0 {
            self.current.push(b'-');
        }
        append_number(value.unsigned_abs(), &mut self.current);
        self
    }

    /// A fixed-point number of `scale` decimals, given in its smallest unit: 1999 with 2 decimals is 19.99.
    pub fn decimal(&mut self, value: i64, scale: u32) -> &mut Encoder {
        self.separate();
        if value < 0 {
            self.current.push(b'-');
        }
        let (unit, magnitude) = (10u64.pow(scale), value.unsigned_abs());
        append_number(magnitude / unit, &mut self.current);
        if scale > 0 {
            self.current.push(b'.');
            append_padded(magnitude % unit, scale as usize, &mut self.current);
        }
        self
    }

    /// NULL.
    pub fn null(&mut self) -> &mut Encoder {
        self.separate();
        self.current.extend(match self.format {
            Format::Copy => b"\\N" as &[u8],
            Format::Insert | Format::PlainInsert => b"NULL",
        });
        self
    }

    /// Any text in UTF-8. PostgreSQL stores no zero bytes and refuses them.
    pub fn text(&mut self, text: &str) -> &mut Encoder {
        self.separate();
        self.quote();
        let mut rest = text.as_bytes();
        while let Some(at) = rest.iter().position(|&byte| is_special(byte)) {
            self.current.extend_from_slice(&rest[..at]);
            match (rest[at], self.format) {
                (b'\'', Format::Copy) => self.current.push(b'\''),
                (b'\'', Format::PlainInsert) => self.current.extend(b"''"),
                (other, Format::PlainInsert) => self.current.push(other),
                (special, _) => {
                    self.current.push(b'\\');
                    self.current.push(escaped(special));
                }
            }
            rest = &rest[at + 1..];
        }
        self.current.extend_from_slice(rest);
        self.quote();
        self
    }

    /// A text that `write` appends, of letters, digits and other characters that nowhere need escaping.
    pub fn plain(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> &mut Encoder {
        self.separate();
        self.quote();
        let start = self.current.len();
        write(&mut self.current);
        debug_assert!(!self.current[start..].iter().copied().any(is_special));
        self.quote();
        self
    }

    /// A date and time of day, given in seconds since 1970 without a time zone.
    pub fn timestamp(&mut self, seconds: i64) -> &mut Encoder {
        self.plain(|out| append_timestamp(seconds, out))
    }

    /// The pieces to be sent, and none is left: the data of one COPY, or INSERT statements.
    pub fn take(&mut self) -> Vec<Vec<u8>> {
        if !self.current.is_empty() {
            self.finished.push(std::mem::take(&mut self.current));
        }
        self.count = 0;
        std::mem::take(&mut self.finished)
    }

    fn separate(&mut self) {
        if !std::mem::replace(&mut self.first, false) {
            self.current.push(match self.format {
                Format::Copy => b'\t',
                Format::Insert | Format::PlainInsert => b',',
            });
        }
    }

    fn quote(&mut self) {
        if self.format != Format::Copy {
            self.current.push(b'\'');
        }
    }
}

/// Needs care in one of the two formats at least.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'\\' | b'\'' | b'\t' | b'\n' | b'\r' | 0)
}

/// What follows the backslash; both servers read these alike.
fn escaped(byte: u8) -> u8 {
    match byte {
        b'\t' => b't',
        b'\n' => b'n',
        b'\r' => b'r',
        0 => b'0',
        other => other,
    }
}

/// Appends a number in decimal.
pub fn append_number(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut left = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number in decimal, with zeros in front up to `width` digits.
pub fn append_padded(number: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = 1;
    let mut left = number / 10;
    while left > 0 {
        digits += 1;
        left /= 10;
    }
    out.resize(out.len() + width.saturating_sub(digits), b'0');
    append_number(number, out);
}

/// Appends YYYY-MM-DD HH:MM:SS for the seconds since 1970, by the Gregorian calendar.
///
/// Days are counted from 0000-03-01, so that a leap day ends its year.
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
pub fn append_timestamp(seconds: i64, out: &mut Vec<u8>) {
    let (days, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let parts = [
        (year, 4, b'-'),
        (month, 2, b'-'),
        (day, 2, b' '),
        (time / 3600, 2, b':'),
        (time / 60 % 60, 2, b':'),
        (time % 60, 2, 0),
    ];
    for (value, width, behind) in parts {
        append_padded(value.unsigned_abs(), width, out);
        if behind != 0 {
            out.push(behind);
        }
    }
}

#[cfg(test)]
mod tests;
