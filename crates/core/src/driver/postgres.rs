//! The PostgreSQL protocol, version 3: log in, extended-query executions, simple text queries.
//!
//! A statement is prepared when a session first uses it, in the same flight of messages as its first
//! execution, so laziness costs no round trip. Results come as text and are only counted.

mod auth;
mod classify;
mod message;

use super::{
    Credentials, Event, Failure, Fed, LONGEST_MESSAGE, Parameters, Reply, Row, Session, Statement,
    Type, Value,
};
use message::{append_number, frame, frame_untagged};

const PROTOCOL_VERSION: i32 = 3 << 16;
const ROWS_KEPT: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// Authentication messages, then settings, then ReadyForQuery.
    LogIn,
    /// No call is under way; notices may still arrive.
    Nothing,
    /// Replies of a call up to ReadyForQuery.
    Answer,
}

pub struct PostgresSession {
    credentials: Credentials,
    expect: Expect,
    scram: Option<auth::Scram>,
    keep_rows: bool,
    /// Which statements the server has prepared for us.
    prepared: Vec<bool>,
    /// The statement whose Parse is under way.
    preparing: Option<usize>,
    reply: Reply,
    rows: Vec<Row>,
    /// An error waits for the ReadyForQuery behind it.
    failure: Option<Failure>,
}

impl PostgresSession {
    pub fn new(credentials: Credentials) -> PostgresSession {
        PostgresSession {
            credentials,
            expect: Expect::LogIn,
            scram: None,
            keep_rows: false,
            prepared: Vec::new(),
            preparing: None,
            reply: Reply::default(),
            rows: Vec::new(),
            failure: None,
        }
    }

    fn message(
        &mut self,
        tag: u8,
        body: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Option<Event>, Failure> {
        match tag {
            b'D' => self.row(body),
            b'Z' => return Ok(self.ready()),
            b'E' => return self.error(body),
            b'1' => self.parsed(),
            b'R' => auth::answer(body, &self.credentials, &mut self.scram, out)?,
            // Nothing to learn: results' shapes, completions, settings, notices, notifications, keys.
            b'2' | b'3' | b'C' | b'I' | b'n' | b's' | b't' | b'T' | b'S' | b'N' | b'A' | b'K'
            | b'v' => {}
            b'G' | b'W' | b'H' => return Err(Failure::protocol("COPY was not asked for")),
            _ => return Err(Failure::protocol("an unknown message type")),
        }
        Ok(None)
    }

    fn row(&mut self, body: &[u8]) {
        self.reply.rows += 1;
        if self.keep_rows && self.rows.len() < ROWS_KEPT {
            self.rows.push(message::text_row(body));
        }
    }

    fn parsed(&mut self) {
        if let Some(id) = self.preparing.take() {
            self.prepared[id] = true;
        }
    }

    fn ready(&mut self) -> Option<Event> {
        self.preparing = None;
        match std::mem::replace(&mut self.expect, Expect::Nothing) {
            Expect::LogIn => Some(Event::Authenticated),
            Expect::Answer => Some(match self.failure.take() {
                Some(failure) => Event::Refused(failure),
                None => Event::Done(self.reply),
            }),
            Expect::Nothing => None,
        }
    }

    fn error(&mut self, body: &[u8]) -> Result<Option<Event>, Failure> {
        let (failure, fatal) = classify::error(body);
        match self.expect {
            Expect::LogIn => Ok(Some(Event::Refused(failure))),
            // After a fatal error no ReadyForQuery follows.
            Expect::Answer if fatal => Ok(Some(Event::Refused(failure))),
            Expect::Answer => {
                self.failure = Some(failure);
                Ok(None)
            }
            Expect::Nothing => Err(failure),
        }
    }

    fn start_call(&mut self, keep_rows: bool) {
        self.expect = Expect::Answer;
        self.keep_rows = keep_rows;
        self.reply = Reply::default();
        self.failure = None;
        self.preparing = None;
    }

    fn parse_if_new(&mut self, id: usize, statement: &Statement, out: &mut Vec<u8>) {
        if self.prepared.len() <= id {
            self.prepared.resize(id + 1, false);
        }
        if self.prepared[id] {
            return;
        }
        self.preparing = Some(id);
        frame(out, b'P', |out| {
            statement_name(id, out);
            out.extend(statement.sql.as_bytes());
            out.push(0);
            out.extend((statement.types.len() as i16).to_be_bytes());
            for parameter in statement.types {
                out.extend(type_oid(*parameter).to_be_bytes());
            }
        });
    }
}

impl Session for PostgresSession {
    fn open(&mut self, out: &mut Vec<u8>) {
        frame_untagged(out, |out| {
            out.extend(PROTOCOL_VERSION.to_be_bytes());
            let settings = [
                ("user", self.credentials.user.as_str()),
                ("database", self.credentials.database.as_str()),
                ("application_name", "fivenines"),
            ];
            for (name, value) in settings.iter().filter(|(_, value)| !value.is_empty()) {
                out.extend(name.as_bytes());
                out.push(0);
                out.extend(value.as_bytes());
                out.push(0);
            }
            out.push(0);
        });
    }

    fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Fed, Failure> {
        let mut consumed = 0;
        while let [tag, a, b, c, d, ..] = input[consumed..] {
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            if !(4..=LONGEST_MESSAGE).contains(&length) {
                return Err(Failure::protocol("a message's length"));
            }
            let Some(body) = input.get(consumed + 5..consumed + 1 + length) else {
                break;
            };
            consumed += 1 + length;
            if let Some(event) = self.message(tag, body, out)? {
                return Ok(Fed {
                    consumed,
                    event: Some(event),
                });
            }
        }
        Ok(Fed {
            consumed,
            event: None,
        })
    }

    fn query(&mut self, sql: &str, out: &mut Vec<u8>) {
        self.start_call(true);
        self.rows.clear();
        frame(out, b'Q', |out| {
            out.extend(sql.as_bytes());
            out.push(0);
        });
    }

    fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn execute(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
        out: &mut Vec<u8>,
    ) {
        self.start_call(false);
        self.parse_if_new(id, statement, out);
        frame(out, b'B', |out| {
            out.push(0); // the unnamed portal
            statement_name(id, out);
            bind(statement.types, parameters, out);
        });
        // Execute the unnamed portal without a row limit, then Sync.
        out.extend(b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04");
    }
}

fn statement_name(id: usize, out: &mut Vec<u8>) {
    out.push(b's');
    append_number(id, out);
    out.push(0);
}

/// The end of a Bind message: binary numbers and texts in, text results out.
fn bind(types: &[Type], parameters: &Parameters, out: &mut Vec<u8>) {
    out.extend((types.len() as i16).to_be_bytes());
    for parameter in types {
        out.extend(i16::from(*parameter != Type::Text).to_be_bytes());
    }
    out.extend((types.len() as i16).to_be_bytes());
    for value in &parameters.values {
        match *value {
            Value::Int(value) => {
                out.extend(4i32.to_be_bytes());
                out.extend(value.to_be_bytes());
            }
            Value::BigInt(value) => {
                out.extend(8i32.to_be_bytes());
                out.extend(value.to_be_bytes());
            }
            Value::Text { start, length } => {
                out.extend(length.to_be_bytes());
                out.extend_from_slice(parameters.text_at(start, length));
            }
        }
    }
    out.extend([0, 0]);
}

/// Texts are left for the server to infer, as CHAR(n) columns have a type of their own.
fn type_oid(parameter: Type) -> i32 {
    match parameter {
        Type::Int => 23,
        Type::BigInt => 20,
        Type::Text => 0,
    }
}

#[cfg(test)]
mod tests;
