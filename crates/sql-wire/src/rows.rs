//! The rows of a reply, in one flat buffer that is used again and again.

use std::borrow::Cow;

/// Beyond this, rows are only counted: no workload here looks at more, and memory must stay bounded.
const MOST_BYTES: usize = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Null,
    Int(i64),
    Float(f64),
    Text { start: u32, length: u32 },
}

/// One field as it arrived: binary protocols send numbers as numbers, text protocols everything as text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Float(f64),
    Text(&'a [u8]),
}

/// Rows of `columns` fields each. Fields outside it do not exist: every accessor answers None.
#[derive(Debug, Default)]
pub struct Rows {
    columns: usize,
    fields: Vec<Field>,
    bytes: Vec<u8>,
    /// The columns' names, end to end, and where each ends. Empty if the server sent none.
    names: Vec<u8>,
    name_ends: Vec<u32>,
}

impl Rows {
    /// Forgets all rows; the next have this many columns.
    #[inline]
    pub fn start(&mut self, columns: usize) {
        self.columns = columns;
        self.fields.clear();
        self.bytes.clear();
        self.names.clear();
        self.name_ends.clear();
    }

    /// Adds the name of the next column.
    #[inline]
    pub fn push_name(&mut self, name: &[u8]) {
        self.names.extend_from_slice(name);
        self.name_ends.push(self.names.len() as u32);
    }

    /// The names of the columns, if the server sent them.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let starts = std::iter::once(&0).chain(&self.name_ends);
        let spans = starts.zip(&self.name_ends);
        spans.map(|(&start, &end)| {
            String::from_utf8_lossy(&self.names[start as usize..end as usize])
        })
    }

    /// False when so much is held that further rows are to be dropped.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.bytes.len() + self.fields.len() * size_of::<Field>() < MOST_BYTES
    }

    #[inline]
    pub fn push_null(&mut self) {
        self.fields.push(Field::Null);
    }

    #[inline]
    pub fn push_int(&mut self, value: i64) {
        self.fields.push(Field::Int(value));
    }

    #[inline]
    pub fn push_float(&mut self, value: f64) {
        self.fields.push(Field::Float(value));
    }

    #[inline]
    pub fn push_text(&mut self, text: &[u8]) {
        self.fields.push(Field::Text {
            start: self.bytes.len() as u32,
            length: text.len() as u32,
        });
        self.bytes.extend_from_slice(text);
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.fields.len().checked_div(self.columns).unwrap_or(0)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    #[inline]
    pub fn get(&self, row: usize, column: usize) -> Option<Value<'_>> {
        if column >= self.columns {
            return None;
        }
        let field = self.fields.get(row * self.columns + column)?;
        Some(match *field {
            Field::Null => Value::Null,
            Field::Int(value) => Value::Int(value),
            Field::Float(value) => Value::Float(value),
            Field::Text { start, length } => {
                Value::Text(&self.bytes[start as usize..(start + length) as usize])
            }
        })
    }

    /// A whole number; texts are read as one. None when there is none.
    #[inline]
    pub fn int(&self, row: usize, column: usize) -> Option<i64> {
        match self.get(row, column)? {
            Value::Int(value) => Some(value),
            Value::Float(value) => Some(value as i64),
            Value::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
            Value::Null => None,
        }
    }

    /// A number; texts are read as one. None when there is none.
    #[inline]
    pub fn float(&self, row: usize, column: usize) -> Option<f64> {
        match self.get(row, column)? {
            Value::Int(value) => Some(value as f64),
            Value::Float(value) => Some(value),
            Value::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
            Value::Null => None,
        }
    }

    /// As text; numbers are written out. None for NULL.
    pub fn text(&self, row: usize, column: usize) -> Option<Cow<'_, str>> {
        match self.get(row, column)? {
            Value::Int(value) => Some(value.to_string().into()),
            Value::Float(value) => Some(value.to_string().into()),
            Value::Text(text) => Some(String::from_utf8_lossy(text)),
            Value::Null => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_what_is_asked_for() {
        let mut rows = Rows::default();
        rows.start(3);
        rows.push_int(-7);
        rows.push_text(b"0.25");
        rows.push_null();
        rows.push_text(b"42");
        rows.push_float(1.5);
        rows.push_text(b"x");
        assert_eq!(rows.len(), 2);
        assert_eq!((rows.int(0, 0), rows.int(1, 0)), (Some(-7), Some(42)));
        assert_eq!(
            (rows.float(0, 1), rows.float(1, 1)),
            (Some(0.25), Some(1.5))
        );
        assert_eq!(rows.text(0, 2), None);
        assert_eq!(rows.text(0, 0).as_deref(), Some("-7"));
        assert_eq!(
            (rows.int(1, 2), rows.get(2, 0), rows.get(0, 3)),
            (None, None, None)
        );
        rows.start(1);
        assert_eq!(rows.len(), 0);
    }
}
