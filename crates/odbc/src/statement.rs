//! A statement that is prepared once, with parameters and columns that are bound once.

use crate::calls::{Bound, Column, Diagnostic, Handle, Shape};
use crate::cancel::Call;
use crate::frame::{Frame, Keep, Type, Value, Values};

/// A text parameter has at least this much room; longer ones are bound anew.
const TEXT: usize = 256;
/// Columns of at most this many characters are bound. If a row has a longer one, all its columns are read one by one.
const LONGEST: usize = 4096;
/// Bytes that a character can have.
const CHARACTER: usize = 4;
const CUT_SHORT: &str = "a value is longer than its column can be by the driver's words (SQLDescribeCol), as of a varchar \
    without a length in PostgreSQL: give the column a length, or the driver a larger size (MaxVarcharSize=)";
/// Beyond this, rows are only counted; see `sql_wire::Rows`.
const MOST_BYTES: usize = 16 << 20;

/// How numbers are handed over that some drivers have no 64 bits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    pub big_int_as_text: bool,
}

pub struct Prepared {
    // before what is bound to it: it is dropped first
    handle: Handle,
    parameters: Vec<Bound>,
    columns: Columns,
    scratch: Vec<u8>,
}

enum Columns {
    /// Not determined yet.
    Unknown,
    None,
    Bound(Vec<Bound>),
    /// Whether each is a whole number.
    Read(Vec<bool>),
}

impl Prepared {
    pub fn new(
        connection: &Handle,
        call: &Call,
        sql: &str,
        types: &[Type],
        habits: Habits,
    ) -> Result<Prepared, Diagnostic> {
        let handle = connection.child()?;
        call.during(handle.canceller(), || handle.prepare(sql))?;
        let bind = |(at, of): (usize, &Type)| {
            let (shape, room) = shape(*of, habits);
            Bound::parameter(&handle, at as u16 + 1, shape, room)
        };
        let parameters = types
            .iter()
            .enumerate()
            .map(bind)
            .collect::<Result<_, _>>()?;
        Ok(Prepared {
            handle,
            parameters,
            columns: Columns::Unknown,
            scratch: Vec::new(),
        })
    }

    /// Puts values in the places of the parameters.
    pub fn fill(&mut self, values: Values) -> Result<(), Diagnostic> {
        let mut count = 0;
        for (at, value) in values.enumerate() {
            self.put(at, value)?;
            count += 1;
        }
        match count == self.parameters.len() {
            true => Ok(()),
            false => Err(Diagnostic::own("values and parameters differ in number")),
        }
    }

    #[inline]
    fn put(&mut self, at: usize, value: Value) -> Result<(), Diagnostic> {
        let Some(bound) = self.parameters.get_mut(at) else {
            return Err(Diagnostic::own("values and parameters differ in number"));
        };
        match (value, bound.shape()) {
            (Value::Null, _) => bound.set_null(),
            (Value::Int(number), Shape::Int) => bound.set(&number.to_ne_bytes()),
            (Value::Int(number), Shape::BigInt) => bound.set(&i64::from(number).to_ne_bytes()),
            (Value::BigInt(number), Shape::BigInt) => bound.set(&number.to_ne_bytes()),
            (Value::Double(number), Shape::Double) => bound.set(&number.to_ne_bytes()),
            (Value::Int(number), Shape::Double) => bound.set(&f64::from(number).to_ne_bytes()),
            (Value::Text(text), Shape::Text) if text.len() <= bound.room() => bound.set(text),
            (Value::Text(text), Shape::Text) => {
                let number = at as u16 + 1;
                let room = text.len().next_power_of_two();
                *bound = Bound::parameter(&self.handle, number, Shape::Text, room)?;
                bound.set(text);
            }
            (Value::Int(number), _) => bound.set(number.to_string().as_bytes()),
            (Value::BigInt(number), Shape::TextOfNumber | Shape::Text) => {
                bound.set(number.to_string().as_bytes());
            }
            (value, shape) => {
                let message = format!("a parameter of shape {shape:?} is given {value:?}");
                return Err(Diagnostic::own(&message));
            }
        }
        Ok(())
    }

    /// Executes it and writes the answer's frame.
    ///
    /// What reads the rows is not cancelled: MariaDB's driver would free them meanwhile.
    pub fn execute(
        &mut self,
        call: &Call,
        keep_rows: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostic> {
        call.during(self.handle.canceller(), || self.handle.execute())?;
        if matches!(self.columns, Columns::Unknown) {
            self.columns = bind_columns(&self.handle).inspect_err(|_| {
                // those that were bound before have no place any more, which the next row would be written to
                self.handle.unbind_columns();
                self.handle.close_cursor();
            })?;
        }
        let answered = self.answer(keep_rows, out);
        if !matches!(self.columns, Columns::None) {
            self.handle.close_cursor();
        }
        answered
    }

    fn answer(&mut self, keep_rows: bool, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let count = match &self.columns {
            Columns::Bound(columns) => columns.len() as u16,
            Columns::Read(columns) => columns.len() as u16,
            _ => {
                Frame::done(0, out).count(0, self.handle.affected());
                return Ok(());
            }
        };
        let start = out.len();
        let mut frame = Frame::done(count, out);
        let mut rows = 0;
        let fetched = 'rows: loop {
            match self.handle.fetch() {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(diagnostic) => break Err(diagnostic),
            }
            rows += 1;
            let keep = keep_rows && frame.size() < MOST_BYTES;
            match &self.columns {
                Columns::Bound(columns) if keep => {
                    for column in columns {
                        if column.is_cut_short() {
                            break 'rows Err(Diagnostic::own(CUT_SHORT));
                        }
                        frame.value(value(column));
                    }
                }
                Columns::Read(columns) => {
                    read_row(&self.handle, columns, keep, &mut self.scratch, &mut frame)?;
                }
                _ => {}
            }
        };
        frame.count(rows, 0);
        drop(frame);
        // rows that came before a failure are none
        fetched.inspect_err(|_| out.truncate(start))
    }
}

fn shape(of: Type, habits: Habits) -> (Shape, usize) {
    match of {
        Type::Int => (Shape::Int, 4),
        Type::BigInt if habits.big_int_as_text => (Shape::TextOfNumber, 20),
        Type::BigInt => (Shape::BigInt, 8),
        Type::Double => (Shape::Double, 8),
        Type::Text => (Shape::Text, TEXT),
    }
}

/// Binds the columns of the result, if it is one.
fn bind_columns(statement: &Handle) -> Result<Columns, Diagnostic> {
    let described = describe(statement)?;
    if described.is_empty() {
        return Ok(Columns::None);
    }
    let count = described.len() as u16;
    let places = described.iter().map(column_place);
    let Some(places) = places.collect::<Option<Vec<(Shape, usize)>>>() else {
        return Ok(Columns::Read(whole_numbers(&described)));
    };
    let numbered = (1..=count).zip(places);
    let bound =
        numbered.map(|(column, (shape, room))| Bound::column(statement, column, shape, room));
    Ok(Columns::Bound(bound.collect::<Result<_, _>>()?))
}

/// SQL_BIT, SQL_TINYINT, SQL_SMALLINT, SQL_INTEGER, SQL_BIGINT
const WHOLE: [i16; 5] = [-7, -6, 5, 4, -5];

/// The columns of the result; none: it is no result.
fn describe(statement: &Handle) -> Result<Vec<Column>, Diagnostic> {
    let columns = 1..=statement.columns()?;
    columns.map(|column| statement.describe(column)).collect()
}

fn whole_numbers(described: &[Column]) -> Vec<bool> {
    let whole = |column: &Column| WHOLE.contains(&column.sql_type);
    described.iter().map(whole).collect()
}

/// How a column of this type and size is read; None: it may be too long to have a place.
fn column_place(column: &Column) -> Option<(Shape, usize)> {
    /// SQL_FLOAT, SQL_REAL, SQL_DOUBLE
    const FLOATS: [i16; 3] = [6, 7, 8];
    if WHOLE.contains(&column.sql_type) {
        return Some((Shape::BigInt, 8));
    }
    if FLOATS.contains(&column.sql_type) {
        return Some((Shape::Double, 8));
    }
    // sign and point of a number, the end of a text
    (1..=LONGEST)
        .contains(&column.size)
        .then_some((Shape::Text, column.size * CHARACTER + 3))
}

#[inline]
fn value(column: &Bound) -> Value<'_> {
    let number = |bytes: &[u8]| bytes.first_chunk::<8>().copied().unwrap_or_default();
    match (column.get(), column.shape()) {
        (None, _) => Value::Null,
        (Some(bytes), Shape::BigInt) => Value::BigInt(i64::from_ne_bytes(number(bytes))),
        (Some(bytes), Shape::Double) => Value::Double(f64::from_ne_bytes(number(bytes))),
        (Some(bytes), _) => Value::Text(bytes),
    }
}

/// Reads the columns of the current row in their order, as some drivers demand.
fn read_row(
    statement: &Handle,
    columns: &[bool],
    keep: bool,
    scratch: &mut Vec<u8>,
    frame: &mut Frame,
) -> Result<(), Diagnostic> {
    for (column, whole) in (1..).zip(columns) {
        scratch.clear();
        let present = statement.read(column, scratch)?;
        if keep {
            let number = || std::str::from_utf8(scratch).ok()?.trim().parse().ok();
            frame.value(match (present, whole.then(number).flatten()) {
                (false, _) => Value::Null,
                (true, Some(number)) => Value::BigInt(number),
                (true, None) => Value::Text(scratch),
            });
        }
    }
    Ok(())
}

/// Executes a text, which may be of several statements: the rows of its first result, and of all how many rows and
/// changes there were.
pub fn direct(
    statement: &Handle,
    call: &Call,
    sql: &str,
    keep: Keep,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostic> {
    call.during(statement.canceller(), || statement.execute_direct(sql))?;
    let start = out.len();
    let answered = results(statement, call, keep, out);
    statement.close_cursor();
    answered.inspect_err(|_| out.truncate(start))
}

fn results(
    statement: &Handle,
    call: &Call,
    keep: Keep,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostic> {
    let described = describe(statement)?;
    let mut columns = whole_numbers(&described);
    let mut frame = Frame::done(columns.len() as u16, out);
    let (mut rows, mut affected, mut scratch) = (0, 0, Vec::new());
    if keep == Keep::NamesAndRows {
        for column in &described {
            frame.value(Value::Text(column.name.as_bytes()));
        }
    }
    let mut is_first = true;
    loop {
        if columns.is_empty() {
            affected += statement.affected();
        } else {
            while statement.fetch()? {
                rows += 1;
                if keep != Keep::Count && is_first && frame.size() < MOST_BYTES {
                    read_row(statement, &columns, true, &mut scratch, &mut frame)?;
                }
            }
        }
        is_first = false;
        if !call.during(statement.canceller(), || statement.next_result())? {
            break;
        }
        columns = whole_numbers(&describe(statement)?);
    }
    frame.count(rows, affected);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::stand_in;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;

    /// The socket has no peer, which this test does not need.
    fn unheard() -> Arc<Call> {
        let (socket, _) = UnixStream::pair().unwrap();
        Call::new(&socket)
    }

    /// A statement with two columns, and what its execution called.
    fn executed(refused: &[&'static str]) -> (bool, Vec<String>, Prepared) {
        let connection = stand_in::handle(refused);
        let mut prepared =
            Prepared::new(&connection, &unheard(), "x", &[], Habits::default()).unwrap();
        drop(connection);
        stand_in::calls();
        let done = prepared.execute(&unheard(), true, &mut Vec::new()).is_ok();
        (done, stand_in::calls(), prepared)
    }

    #[test]
    fn columns_without_a_place_are_forgotten_and_the_cursor_closed() {
        for refused in ["SQLDescribeCol 2", "SQLBindCol 2"] {
            let (done, calls, mut prepared) = executed(&[refused]);
            assert!(!done, "{refused}");
            let [.., failed, unbound, closed] = calls.as_slice() else {
                panic!("{calls:?}")
            };
            assert_eq!(
                [failed, unbound, closed],
                [refused, "SQLFreeStmt 2", "SQLFreeStmt 0"]
            );
            // nor are they taken for known
            stand_in::refuse(&[]);
            assert!(prepared.execute(&unheard(), true, &mut Vec::new()).is_ok());
            assert!(stand_in::calls().contains(&"SQLBindCol 2".to_string()));
        }
    }

    #[test]
    fn columns_are_bound_once() {
        let (done, calls, mut prepared) = executed(&[]);
        assert!(done && calls.contains(&"SQLBindCol 2".to_string()));
        prepared.execute(&unheard(), true, &mut Vec::new()).unwrap();
        assert_eq!(stand_in::calls(), ["SQLExecute", "SQLFreeStmt 0"]);
    }
}
