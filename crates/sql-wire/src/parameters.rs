//! Parameters of statements: their types, and the values of one call.

/// The type of one statement parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    BigInt,
    Double,
    /// A number in digits, which the values hold as a text: exact where the server has such a type.
    Numeric,
    Text,
}

/// The value of one statement parameter; texts live in `Parameters`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Null,
    Int(i32),
    BigInt(i64),
    Double(f64),
    Text { start: u32, length: u32 },
}

/// Parameter values of one call. Reused for all calls, so that filling it allocates nothing.
#[derive(Default)]
pub struct Parameters {
    pub values: Vec<Value>,
    texts: Vec<u8>,
}

impl Parameters {
    #[inline]
    pub fn clear(&mut self) {
        self.values.clear();
        self.texts.clear();
    }

    #[inline]
    pub fn null(&mut self) {
        self.values.push(Value::Null);
    }

    #[inline]
    pub fn int(&mut self, value: i32) {
        self.values.push(Value::Int(value));
    }

    #[inline]
    pub fn double(&mut self, value: f64) {
        self.values.push(Value::Double(value));
    }

    #[inline]
    pub fn big_int(&mut self, value: i64) {
        self.values.push(Value::BigInt(value));
    }

    /// Adds the text that `write` appends to the buffer it is given.
    pub fn text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.texts.len();
        write(&mut self.texts);
        self.values.push(Value::Text {
            start: start as u32,
            length: (self.texts.len() - start) as u32,
        });
    }

    #[inline]
    pub fn text_at(&self, start: u32, length: u32) -> &[u8] {
        &self.texts[start as usize..(start + length) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_keep_texts_apart() {
        let mut parameters = Parameters::default();
        parameters.text(|out| out.extend(b"abc"));
        parameters.text(|out| out.extend(b"de"));
        assert_eq!(
            parameters.values[1],
            Value::Text {
                start: 3,
                length: 2
            }
        );
        assert_eq!(parameters.text_at(3, 2), b"de");
    }
}
