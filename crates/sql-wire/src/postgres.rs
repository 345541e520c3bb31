//! The PostgreSQL protocol, version 3: log in, extended-query executions, simple text queries.
//!
//! A statement is prepared when a session first uses it, in the same flight of messages as its first
//! execution, so laziness costs no round trip. Results come as text and are only counted.
//! Without names each execution parses its statement anew: no server has to remember anything between two of them.

mod auth;
mod binding;
pub(crate) mod classify;
mod copy;
mod log_in;
mod message;
mod poolers;
mod preparing;
mod scram;

use crate::credentials::Credentials;
use crate::effect::{Effect, Standing};
use crate::failure::{Class, Failure};
use crate::parameters::{Parameters, Type, Value};
use crate::session::{Call, Event, Fed, LONGEST_LOG_IN_MESSAGE, LONGEST_MESSAGE, Session};
use crate::statement::Statement;
use message::frame;
use preparing::Prepared;
use std::sync::Arc;

/// SQLSTATE in_failed_sql_transaction.
const FAILED_TRANSACTION: &str = "25P02";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// One byte: whether the server encrypts.
    Encryption,
    /// Nothing in clear text any more: the transport is being encrypted.
    Tls,
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
    scram: auth::Progress,
    call: Call,
    prepared: Prepared,
    /// An error waits for the ReadyForQuery behind it.
    failure: Option<Failure>,
    /// Rows for the COPY under way, until the server asks for them.
    copying: Option<Arc<Vec<u8>>>,
    /// A transaction is open, by the last ReadyForQuery.
    open: bool,
    /// The call under way commits and does not roll back.
    committing: bool,
    /// A statement of the call under way is complete: rows that follow are of the next one, and replace those before.
    fresh: bool,
}

impl PostgresSession {
    pub fn new(credentials: Credentials) -> PostgresSession {
        PostgresSession {
            credentials,
            expect: Expect::LogIn,
            scram: auth::Progress::default(),
            call: Call::default(),
            prepared: Prepared::default(),
            failure: None,
            copying: None,
            open: false,
            committing: false,
            fresh: false,
        }
    }

    fn message(
        &mut self,
        tag: u8,
        body: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Option<Event>, Failure> {
        match tag {
            b'D' => return self.row(body).map(|()| None),
            b'C' => self.completed(body),
            b'T' => self.described(body)?,
            b'Z' => {
                self.open = body != b"I";
                return Ok(self.ready());
            }
            b'E' => return self.error(body),
            b'1' => self.prepared.parsed(),
            b'R' => auth::answer(body, &self.credentials, &mut self.scram, out)?,
            // Nothing to learn: results' shapes, completions, settings, notices, notifications, keys.
            b'2' | b'3' | b'I' | b'n' | b's' | b't' | b'S' | b'N' | b'A' | b'K' | b'v' => {}
            b'G' => match self.copying.take() {
                Some(data) => copy::send(&data, out),
                None => return Err(Failure::protocol("COPY was not asked for")),
            },
            b'W' | b'H' => return Err(Failure::protocol("COPY was not asked for")),
            _ => return Err(Failure::protocol("an unknown message type")),
        }
        Ok(None)
    }

    /// One statement of the call is done.
    fn completed(&mut self, body: &[u8]) {
        self.prepared.completed(body);
        self.call.reply.affected += message::affected(body);
        self.call.completed();
        self.fresh = true;
        if self.committing && body.starts_with(b"ROLLBACK") {
            let message = "the server answered COMMIT with ROLLBACK: a statement had failed before";
            self.failure = Some(Failure::new(Class::Other, FAILED_TRANSACTION, message));
        }
    }

    /// The columns of the rows that follow.
    fn described(&mut self, body: &[u8]) -> Result<(), Failure> {
        self.fresh = false;
        self.restart_rows();
        match !self.call.keep_rows || message::columns(body, &mut self.call.rows).is_some() {
            true => Ok(()),
            false => Err(Failure::protocol("the columns of a result")),
        }
    }

    fn restart_rows(&mut self) {
        self.call.rows.start(0);
        self.call.reply.rows = 0;
    }

    fn row(&mut self, body: &[u8]) -> Result<(), Failure> {
        if std::mem::take(&mut self.fresh) {
            self.restart_rows();
        }
        self.call.reply.rows += 1;
        match !self.call.keep_rows || message::text_row(body, &mut self.call.rows) {
            true => Ok(()),
            false => Err(Failure::protocol("a row")),
        }
    }

    fn ready(&mut self) -> Option<Event> {
        self.prepared.over();
        match std::mem::replace(&mut self.expect, Expect::Nothing) {
            Expect::LogIn => Some(Event::Authenticated),
            Expect::Answer => Some(match self.failure.take() {
                Some(failure) => Event::Refused(failure),
                None => Event::Done(self.call.reply),
            }),
            Expect::Nothing | Expect::Encryption | Expect::Tls => None,
        }
    }

    fn error(&mut self, body: &[u8]) -> Result<Option<Event>, Failure> {
        let (mut failure, fatal) = classify::error(body);
        failure.done = self.call.done;
        match self.expect {
            Expect::LogIn => Ok(Some(Event::Refused(failure))),
            // After a fatal error no ReadyForQuery follows.
            Expect::Answer if fatal => Ok(Some(Event::Refused(failure))),
            Expect::Answer => {
                self.failure = Some(failure);
                Ok(None)
            }
            Expect::Nothing | Expect::Encryption | Expect::Tls => Err(failure),
        }
    }

    /// The error of protocol 2 that these bytes are; None while its end has not arrived, which may not happen before
    /// the server closes the connection.
    fn bare_error(&mut self, words: &[u8]) -> Option<Failure> {
        let failure = classify::bare(words);
        if words.iter().any(|&byte| classify::ends_bare(byte))
            || words.len() > LONGEST_LOG_IN_MESSAGE
        {
            return Some(failure);
        }
        self.failure = Some(failure);
        None
    }

    fn start_call(&mut self, effect: Effect, keep_rows: bool) {
        self.committing = effect.only_commits();
        self.fresh = false;
        self.expect = Expect::Answer;
        self.call.begin(keep_rows);
        self.failure = None;
        self.prepared.over();
        self.copying = None;
    }
}

impl Session for PostgresSession {
    fn open(&mut self, out: &mut Vec<u8>) {
        self.begin(out);
    }

    fn quit(&mut self, out: &mut Vec<u8>) {
        frame(out, b'X', |_| {});
    }

    fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Fed, Failure> {
        if self.expect == Expect::Encryption {
            return self.encryption(input, out);
        }
        let longest = match self.expect {
            Expect::Tls => return Err(Failure::protocol("clear text after the request for TLS")),
            Expect::LogIn => LONGEST_LOG_IN_MESSAGE,
            _ => LONGEST_MESSAGE,
        };
        Fed::messages(input, |input| {
            let [tag, a, b, c, d, ..] = *input else {
                return Ok(None);
            };
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            if tag == b'E' && self.expect == Expect::LogIn && length > LONGEST_LOG_IN_MESSAGE {
                // Words that arrive in pieces are read as a whole: they decide the class.
                return self.bare_error(&input[1..]).map_or(Ok(None), Err);
            }
            if !(4..=longest).contains(&length) {
                return Err(Failure::protocol("a message's length"));
            }
            let Some(body) = input.get(5..1 + length) else {
                return Ok(None);
            };
            Ok(Some((1 + length, self.message(tag, body, out)?)))
        })
    }

    fn encrypts_first(&self) -> bool {
        self.expect == Expect::Tls
    }

    /// A pooler's last words may look like an error that the session survives: severity ERROR, or a word of
    /// another language.
    fn ended(&mut self) -> Failure {
        self.failure
            .take()
            .map_or_else(Failure::lost, classify::ending)
    }

    fn secured(&mut self, certificate: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        self.scram.bind_to(certificate);
        self.start_up(out);
        Ok(())
    }

    fn standing(&self) -> Option<Standing> {
        Some(Standing {
            open: self.open,
            autocommit: true,
        })
    }

    fn text(&mut self, sql: &[u8], effect: Effect, keep_rows: bool, out: &mut Vec<u8>) {
        self.start_call(effect, keep_rows);
        frame(out, b'Q', |out| {
            out.extend(sql);
            out.push(0);
        });
    }

    fn copy(&mut self, sql: &str, data: Arc<Vec<u8>>, out: &mut Vec<u8>) {
        self.query(sql, Effect::Write, false, out);
        self.copying = Some(data);
    }

    fn call(&mut self) -> &mut Call {
        &mut self.call
    }

    fn without_names(&mut self) {
        self.prepared.without_names();
    }

    fn execute(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
        keep_rows: bool,
        out: &mut Vec<u8>,
    ) {
        self.start_call(statement.effect, keep_rows);
        self.prepared.parse_if_new(id, statement, out);
        frame(out, b'B', |out| {
            out.push(0); // the unnamed portal
            out.extend(self.prepared.name(id));
            bind(&statement.types, parameters, out);
        });
        if statement.named && keep_rows {
            // Describe the unnamed portal.
            out.extend(b"D\0\0\0\x06P\0");
        }
        // Execute the unnamed portal without a row limit, then Sync.
        out.extend(b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04");
    }
}

/// The end of a Bind message: binary numbers and texts in, text results out.
fn bind(types: &[Type], parameters: &Parameters, out: &mut Vec<u8>) {
    out.extend((types.len() as i16).to_be_bytes());
    for parameter in types {
        let is_binary = !matches!(parameter, Type::Text | Type::Numeric);
        out.extend(i16::from(is_binary).to_be_bytes());
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
            Value::Double(value) => {
                out.extend(8i32.to_be_bytes());
                out.extend(value.to_be_bytes());
            }
            Value::Null => out.extend((-1i32).to_be_bytes()),
            Value::Text { start, length } => {
                out.extend(length.to_be_bytes());
                out.extend_from_slice(parameters.text_at(start, length));
            }
        }
    }
    out.extend([0, 0]);
}

#[cfg(test)]
mod tests;
