//! What is asked of a connection's thread, and what it answers: frames of a length in four bytes, a byte that says
//! what it is, and its content. Both ends are this program's, so numbers have the machine's own order.

/// What a frame begins with: its length without these bytes.
const HEAD: usize = 4;

const OPEN: u8 = 1;
const PREPARE: u8 = 2;
const EXECUTE: u8 = 3;
const QUERY: u8 = 4;
const TRANSACTION: u8 = 5;
const QUIT: u8 = 6;
const CONNECTED: u8 = 16;
const DONE: u8 = 17;
const FAILED: u8 = 18;

const NULL: u8 = 0;
const INT: u8 = 1;
const BIG_INT: u8 = 2;
const DOUBLE: u8 = 3;
const TEXT: u8 = 4;

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    BigInt,
    Double,
    Text,
}

/// A parameter, or a field of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Int(i32),
    BigInt(i64),
    Double(f64),
    Text(&'a [u8]),
}

/// What becomes of the rows of a text's first result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// They are counted.
    Count,
    Rows,
    /// The names of the columns come first, as a row that is not counted.
    NamesAndRows,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    Begin,
    Commit,
    Rollback,
}

/// What a connection's thread is asked.
#[derive(Debug, PartialEq)]
pub enum Request<'a> {
    /// Log in; an empty password is not handed over. The options are further pairs of the connection string.
    Open {
        password: &'a str,
        options: &'a str,
    },
    /// Statement `id` is this; no answer.
    Prepare {
        id: u32,
        sql: &'a str,
        types: Vec<Type>,
    },
    /// Execute a statement that was defined before; `Values` follow.
    Execute {
        id: u32,
        keep_rows: bool,
        values: Values<'a>,
    },
    Query {
        sql: &'a str,
        keep: Keep,
    },
    /// By ODBC's own means, for servers without statements for it.
    Transaction(Transaction),
    /// Log out; no answer.
    Quit,
}

/// What a connection's thread answers.
#[derive(Debug, PartialEq)]
pub enum Answer<'a> {
    /// Logged in, to this DBMS and version.
    Connected { dbms: &'a str, version: &'a str },
    Done {
        rows: u64,
        affected: u64,
        /// Of the rows that follow, if they were to be kept.
        columns: u16,
        fields: Values<'a>,
    },
    Failed {
        state: &'a str,
        native: i32,
        /// The driver says that the connection is of no further use.
        dead: bool,
        message: &'a str,
    },
}

/// A frame that is none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonsense;

/// Values one after the other, read as they are asked for; what is cut short ends it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Values<'a>(Reader<'a>);

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        let reader = &mut self.0;
        Some(match reader.byte()? {
            NULL => Value::Null,
            INT => Value::Int(i32::from_ne_bytes(reader.array()?)),
            BIG_INT => Value::BigInt(i64::from_ne_bytes(reader.array()?)),
            DOUBLE => Value::Double(f64::from_ne_bytes(reader.array()?)),
            _ => Value::Text(reader.bytes()?),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    #[inline]
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    #[inline]
    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_ne_bytes)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(length as usize)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

/// The whole frame at the beginning of these bytes, without its head, and how long both are.
fn whole(input: &[u8]) -> Option<(Reader<'_>, usize)> {
    let mut reader = Reader(input);
    let length = reader.number()? as usize;
    Some((Reader(reader.take(length)?), HEAD + length))
}

/// The request at the beginning of these bytes, and its length; None: it has not arrived as a whole.
pub fn request(input: &[u8]) -> Result<Option<(Request<'_>, usize)>, Nonsense> {
    let Some((mut reader, length)) = whole(input) else {
        return Ok(None);
    };
    read_request(&mut reader)
        .map(|request| Some((request, length)))
        .ok_or(Nonsense)
}

fn read_request<'a>(reader: &mut Reader<'a>) -> Option<Request<'a>> {
    Some(match reader.byte()? {
        OPEN => Request::Open {
            password: reader.text()?,
            options: reader.text()?,
        },
        PREPARE => Request::Prepare {
            id: reader.number()?,
            sql: reader.text()?,
            types: reader.0.iter().map(|&byte| type_of(byte)).collect(),
        },
        EXECUTE => Request::Execute {
            id: reader.number()?,
            keep_rows: reader.byte()? != 0,
            values: Values(*reader),
        },
        QUERY => Request::Query {
            keep: match reader.byte()? {
                0 => Keep::Count,
                1 => Keep::Rows,
                _ => Keep::NamesAndRows,
            },
            sql: reader.text()?,
        },
        TRANSACTION => Request::Transaction(match reader.byte()? {
            0 => Transaction::Begin,
            1 => Transaction::Commit,
            _ => Transaction::Rollback,
        }),
        QUIT => Request::Quit,
        _ => return None,
    })
}

/// The answer at the beginning of these bytes, as `request`.
pub fn answer(input: &[u8]) -> Result<Option<(Answer<'_>, usize)>, Nonsense> {
    let Some((mut reader, length)) = whole(input) else {
        return Ok(None);
    };
    read_answer(&mut reader)
        .map(|answer| Some((answer, length)))
        .ok_or(Nonsense)
}

fn read_answer<'a>(reader: &mut Reader<'a>) -> Option<Answer<'a>> {
    Some(match reader.byte()? {
        CONNECTED => Answer::Connected {
            dbms: reader.text()?,
            version: reader.text()?,
        },
        DONE => Answer::Done {
            rows: u64::from_ne_bytes(reader.array()?),
            affected: u64::from_ne_bytes(reader.array()?),
            columns: u16::from_ne_bytes(reader.array()?),
            fields: Values(*reader),
        },
        FAILED => Answer::Failed {
            state: reader.text()?,
            native: i32::from_ne_bytes(reader.array()?),
            dead: reader.byte()? != 0,
            message: reader.text()?,
        },
        _ => return None,
    })
}

fn type_of(byte: u8) -> Type {
    match byte {
        INT => Type::Int,
        BIG_INT => Type::BigInt,
        DOUBLE => Type::Double,
        _ => Type::Text,
    }
}

/// Writes one frame; its length is put in when it is dropped.
pub struct Frame<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
}

impl<'a> Frame<'a> {
    fn new(kind: u8, out: &'a mut Vec<u8>) -> Frame<'a> {
        let start = out.len();
        out.extend_from_slice(&[0; HEAD]);
        out.push(kind);
        Frame { out, start }
    }

    pub fn open(password: &str, options: &str, out: &'a mut Vec<u8>) {
        let mut frame = Frame::new(OPEN, out);
        frame.put(password.as_bytes());
        frame.put(options.as_bytes());
    }

    pub fn prepare(id: u32, sql: &str, types: impl Iterator<Item = Type>, out: &'a mut Vec<u8>) {
        let mut frame = Frame::new(PREPARE, out);
        frame.out.extend_from_slice(&id.to_ne_bytes());
        frame.put(sql.as_bytes());
        frame.out.extend(types.map(|of| match of {
            Type::Int => INT,
            Type::BigInt => BIG_INT,
            Type::Double => DOUBLE,
            Type::Text => TEXT,
        }));
    }

    /// A call; its values follow.
    #[inline]
    pub fn execute(id: u32, keep_rows: bool, out: &'a mut Vec<u8>) -> Frame<'a> {
        let frame = Frame::new(EXECUTE, out);
        frame.out.extend_from_slice(&id.to_ne_bytes());
        frame.out.push(u8::from(keep_rows));
        frame
    }

    pub fn query(sql: &str, keep: Keep, out: &'a mut Vec<u8>) {
        let mut frame = Frame::new(QUERY, out);
        frame.out.push(keep as u8);
        frame.put(sql.as_bytes());
    }

    pub fn transaction(what: Transaction, out: &'a mut Vec<u8>) {
        Frame::new(TRANSACTION, out).out.push(what as u8);
    }

    pub fn quit(out: &'a mut Vec<u8>) {
        Frame::new(QUIT, out);
    }

    pub fn connected(dbms: &str, version: &str, out: &'a mut Vec<u8>) {
        let mut frame = Frame::new(CONNECTED, out);
        frame.put(dbms.as_bytes());
        frame.put(version.as_bytes());
    }

    pub fn failed(state: &str, native: i32, dead: bool, message: &str, out: &'a mut Vec<u8>) {
        let mut frame = Frame::new(FAILED, out);
        frame.put(state.as_bytes());
        frame.out.extend_from_slice(&native.to_ne_bytes());
        frame.out.push(u8::from(dead));
        frame.put(message.as_bytes());
    }

    /// An answer whose rows follow, if they were to be kept; `count` says at the end how many there were.
    pub fn done(columns: u16, out: &'a mut Vec<u8>) -> Frame<'a> {
        let frame = Frame::new(DONE, out);
        frame.out.extend_from_slice(&[0; 16]);
        frame.out.extend_from_slice(&columns.to_ne_bytes());
        frame
    }

    pub fn count(&mut self, rows: u64, affected: u64) {
        let at = self.start + HEAD + 1;
        self.out[at..at + 8].copy_from_slice(&rows.to_ne_bytes());
        self.out[at + 8..at + 16].copy_from_slice(&affected.to_ne_bytes());
    }

    /// Bytes of the frame so far.
    pub fn size(&self) -> usize {
        self.out.len() - self.start
    }

    #[inline]
    pub fn value(&mut self, value: Value) {
        let out = &mut *self.out;
        match value {
            Value::Null => out.push(NULL),
            Value::Int(number) => {
                out.push(INT);
                out.extend_from_slice(&number.to_ne_bytes());
            }
            Value::BigInt(number) => {
                out.push(BIG_INT);
                out.extend_from_slice(&number.to_ne_bytes());
            }
            Value::Double(number) => {
                out.push(DOUBLE);
                out.extend_from_slice(&number.to_ne_bytes());
            }
            Value::Text(text) => {
                out.push(TEXT);
                out.extend_from_slice(&(text.len() as u32).to_ne_bytes());
                out.extend_from_slice(text);
            }
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        let length = bytes.len() as u32;
        self.out.extend_from_slice(&length.to_ne_bytes());
        self.out.extend_from_slice(bytes);
    }
}

impl Drop for Frame<'_> {
    #[inline]
    fn drop(&mut self) {
        let length = (self.out.len() - self.start - HEAD) as u32;
        self.out[self.start..self.start + HEAD].copy_from_slice(&length.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Owned, as the reader's are borrowed.
    #[derive(Clone, Debug)]
    enum Any {
        Null,
        Int(i32),
        BigInt(i64),
        Double(f64),
        Text(Vec<u8>),
    }

    impl Any {
        fn value(&self) -> Value<'_> {
            match self {
                Any::Null => Value::Null,
                Any::Int(number) => Value::Int(*number),
                Any::BigInt(number) => Value::BigInt(*number),
                Any::Double(number) => Value::Double(*number),
                Any::Text(text) => Value::Text(text),
            }
        }
    }

    fn any_value() -> impl Strategy<Value = Any> {
        prop_oneof![
            Just(Any::Null),
            any::<i32>().prop_map(Any::Int),
            any::<i64>().prop_map(Any::BigInt),
            (-1e300..1e300).prop_map(Any::Double),
            prop::collection::vec(any::<u8>(), 0..80).prop_map(Any::Text),
        ]
    }

    proptest! {
        #[test]
        fn a_call_is_read_as_it_was_written(
            id in any::<u32>(), keep in any::<bool>(), values in prop::collection::vec(any_value(), 0..12)
        ) {
            let mut out = Vec::new();
            let mut frame = Frame::execute(id, keep, &mut out);
            values.iter().for_each(|value| frame.value(value.value()));
            drop(frame);
            for cut in 0..out.len() {
                prop_assert_eq!(request(&out[..cut]), Ok(None));
            }
            let Ok(Some((Request::Execute { id: read, keep_rows, values: found }, length))) = request(&out)
            else { panic!() };
            prop_assert_eq!((read, keep_rows, length), (id, keep, out.len()));
            prop_assert!(found.eq(values.iter().map(Any::value)));
        }

        #[test]
        fn an_answer_is_read_as_it_was_written(
            rows in any::<u64>(), affected in any::<u64>(), values in prop::collection::vec(any_value(), 0..12)
        ) {
            let mut out = b"before".to_vec();
            let mut frame = Frame::done(3, &mut out);
            values.iter().for_each(|value| frame.value(value.value()));
            frame.count(rows, affected);
            drop(frame);
            let Ok(Some((Answer::Done { rows: r, affected: a, columns, fields }, length))) = answer(&out[6..])
            else { panic!() };
            prop_assert_eq!((r, a, columns, length), (rows, affected, 3, out.len() - 6));
            prop_assert!(fields.eq(values.iter().map(Any::value)));
        }

        #[test]
        fn texts_come_through(sql in ".{0,60}", state in "[0-9A-Z]{5}", native in any::<i32>(), dead in any::<bool>()) {
            let mut out = Vec::new();
            Frame::open(&sql, "A=1", &mut out);
            Frame::query(&sql, Keep::NamesAndRows, &mut out);
            Frame::prepare(7, &sql, [Type::Int, Type::Text].into_iter(), &mut out);
            Frame::transaction(Transaction::Commit, &mut out);
            Frame::quit(&mut out);
            let expected = [
                Request::Open { password: &sql, options: "A=1" },
                Request::Query { sql: &sql, keep: Keep::NamesAndRows },
                Request::Prepare { id: 7, sql: &sql, types: vec![Type::Int, Type::Text] },
                Request::Transaction(Transaction::Commit),
                Request::Quit,
            ];
            let mut at = 0;
            for expected in expected {
                let (found, length) = request(&out[at..]).unwrap().unwrap();
                prop_assert_eq!(found, expected);
                at += length;
            }
            prop_assert_eq!(at, out.len());
            let mut out = Vec::new();
            Frame::failed(&state, native, dead, &sql, &mut out);
            let (found, _) = answer(&out).unwrap().unwrap();
            prop_assert_eq!(found, Answer::Failed { state: &state, native, dead, message: &sql });
        }

        #[test]
        fn nonsense_is_refused_and_never_read_beyond(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut framed = (bytes.len() as u32).to_ne_bytes().to_vec();
            framed.extend(&bytes);
            if let Ok(Some((Request::Execute { values, .. }, _))) = request(&framed) {
                prop_assert!(values.count() <= bytes.len());
            }
            if let Ok(Some((Answer::Done { fields, .. }, _))) = answer(&framed) {
                prop_assert!(fields.count() <= bytes.len());
            }
        }
    }
}
