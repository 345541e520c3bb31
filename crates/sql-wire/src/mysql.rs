//! The MySQL client protocol, as MariaDB and MySQL speak it: log in, prepare, execute, text queries.
//!
//! Statements are prepared when a session first uses them (sysbench prepares all when it connects): after a
//! failover the first transaction then waits for its own statements only. What cannot be prepared (`BEGIN`
//! on MySQL, errno 1295) is sent as text from then on.

mod auth;
pub(crate) mod classify;
mod execution;
mod log_in;
mod packet;
mod preparing;
mod rows;
mod rsa;

use crate::credentials::Credentials;
use crate::effect::{Effect, Standing};
use crate::failure::Failure;
use crate::parameters::Parameters;
use crate::session::{Call, Event, Fed, LONGEST_LOG_IN_MESSAGE, Session};
use crate::statement::Statement;
use execution::execution;
use packet::{Reader, frame};

const COM_QUIT: u8 = 0x01;
const COM_STMT_PREPARE: u8 = 0x16;

const STATUS_IN_TRANSACTION: u16 = 0x0001;
const STATUS_AUTOCOMMIT: u16 = 0x0002;
const STATUS_MORE_RESULTS: u16 = 0x0008;
const ERROR_NOT_PREPARABLE: u16 = 1295;
/// A payload of this length is continued in the next packet.
const FULL_PACKET: usize = 0xff_ff_ff;

/// What the next packet from the server is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Greeting,
    /// Nothing in clear text any more: the transport is being encrypted.
    Tls,
    LogIn,
    /// The answer to the statement that the connection string wants first.
    SetUp,
    /// Nothing: no call is under way.
    Nothing,
    /// The answer to COM_STMT_PREPARE.
    Prepared,
    /// Definitions of parameters and columns after it, which are of no interest.
    Definitions {
        left: u32,
    },
    /// The first packet of the answer to a query or an execution.
    Answer,
    Columns {
        left: u64,
    },
    /// The EOF packet that older servers put between columns and rows.
    ColumnsEnd,
    Rows,
}

/// What this session knows of one statement.
#[derive(Clone, Copy)]
enum Slot {
    Unprepared,
    /// Prepared under this number; `typed` once the server has got the parameter types.
    Prepared {
        number: u32,
        typed: bool,
    },
    /// The server does not prepare such statements.
    Text,
}

pub struct MysqlSession {
    credentials: Credentials,
    expect: Expect,
    /// The running call is an execution, with binary rows.
    binary: bool,
    /// Columns of the result with kept rows.
    columns: Vec<rows::Column>,
    deprecate_eof: bool,
    /// What the server offers of several statements and several results.
    multi: u32,
    /// The packet before was full, so the next one continues it and has no separate header.
    continued: bool,
    plugin: auth::Plugin,
    challenge: Vec<u8>,
    /// The number of the next packet of the log-in.
    sequence: u8,
    /// The transport is encrypted.
    encrypted: bool,
    /// The server was asked for its public key.
    awaits_key: bool,
    /// The call under way is a COMMIT.
    committing: bool,
    slots: Vec<Slot>,
    /// The statement being prepared, and its SQL and framed execution that wait for the number.
    preparing: usize,
    deferred: Vec<u8>,
    deferred_sql: String,
    call: Call,
    /// The status flags of the server's last reply.
    status: u16,
    /// A result with rows of the call under way is complete: those of further ones are dropped.
    has_result: bool,
}

impl MysqlSession {
    pub fn new(credentials: Credentials) -> MysqlSession {
        MysqlSession {
            credentials,
            expect: Expect::Greeting,
            binary: false,
            columns: Vec::new(),
            deprecate_eof: false,
            multi: 0,
            continued: false,
            plugin: auth::Plugin::NativePassword,
            challenge: Vec::new(),
            sequence: 0,
            encrypted: false,
            awaits_key: false,
            committing: false,
            slots: Vec::new(),
            preparing: 0,
            deferred: Vec::new(),
            deferred_sql: String::new(),
            call: Call::default(),
            status: STATUS_AUTOCOMMIT,
            has_result: false,
        }
    }

    fn packet(
        &mut self,
        payload: &[u8],
        sequence: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<Event>, Failure> {
        match self.expect {
            Expect::Rows => self.row(payload),
            Expect::Answer => self.answer(payload),
            Expect::Columns { left } => {
                if self.call.keep_rows {
                    let (column, name) = rows::column(payload)
                        .ok_or_else(|| Failure::protocol("a column's definition"))?;
                    self.columns.push(column);
                    self.call.rows.push_name(name);
                }
                self.expect = match (left, self.deprecate_eof) {
                    (1, true) => Expect::Rows,
                    (1, false) => Expect::ColumnsEnd,
                    _ => Expect::Columns { left: left - 1 },
                };
                Ok(None)
            }
            Expect::ColumnsEnd => {
                self.expect = Expect::Rows;
                Ok(None)
            }
            Expect::Prepared => self.prepared(payload, out),
            Expect::Definitions { left } => {
                self.definition(left, out);
                Ok(None)
            }
            Expect::Tls => Err(Failure::protocol("clear text after the request for TLS")),
            Expect::Greeting => self.greeting(payload, sequence, out),
            Expect::LogIn => self.log_in(payload, sequence, out),
            Expect::SetUp => self.set_up(payload),
            Expect::Nothing if payload.first() == Some(&0xff) => Err(classify::error(payload)),
            Expect::Nothing => Err(Failure::protocol("a reply to no call")),
        }
    }

    fn answer(&mut self, payload: &[u8]) -> Result<Option<Event>, Failure> {
        match payload.first() {
            Some(0x00) => {
                let (affected, status) = Reader::new(&payload[1..])
                    .ok()
                    .ok_or_else(|| Failure::protocol("an OK packet"))?;
                self.call.reply.affected += affected;
                Ok(self.finish(status))
            }
            Some(0xff) => {
                let failure = classify::error_at(payload, self.committing);
                Ok(Some(self.refused(failure)))
            }
            Some(0xfb) => Err(Failure::protocol("LOCAL INFILE was not asked for")),
            _ => {
                let left = Reader::new(payload)
                    .length()
                    .filter(|&count| count > 0)
                    .ok_or_else(|| Failure::protocol("a result's column count"))?;
                self.columns.clear();
                if self.call.keep_rows {
                    self.call
                        .rows
                        .start(usize::try_from(left).unwrap_or(usize::MAX));
                }
                self.expect = Expect::Columns { left };
                Ok(None)
            }
        }
    }

    fn row(&mut self, payload: &[u8]) -> Result<Option<Event>, Failure> {
        match payload.first() {
            Some(0xfe)
                if payload.len() < 9 || (self.deprecate_eof && payload.len() < FULL_PACKET) =>
            {
                let mut reader = Reader::new(&payload[1..]);
                let status = if self.deprecate_eof {
                    reader.ok().map(|(_, status)| status)
                } else {
                    reader.status_of_eof()
                };
                self.call.keep_rows = false;
                self.has_result = true;
                Ok(self.finish(status.ok_or_else(|| Failure::protocol("the end of rows"))?))
            }
            Some(0xff) => Ok(Some(self.refused(classify::error(payload)))),
            _ => {
                if self.has_result {
                    return Ok(None);
                }
                self.call.reply.rows += 1;
                if self.call.keep_rows {
                    self.keep(payload)?;
                }
                Ok(None)
            }
        }
    }

    fn keep(&mut self, payload: &[u8]) -> Result<(), Failure> {
        if !self.call.rows.has_room() {
            return Ok(());
        }
        let whole = match self.binary {
            true => rows::binary_row(payload, &self.columns, &mut self.call.rows),
            false => rows::text_row(payload, self.columns.len(), &mut self.call.rows),
        };
        match whole {
            true => Ok(()),
            false => Err(Failure::protocol("a row")),
        }
    }

    /// One result is complete; another may follow in the same reply.
    fn finish(&mut self, status: u16) -> Option<Event> {
        self.status = status;
        self.call.completed();
        if status & STATUS_MORE_RESULTS != 0 {
            self.expect = Expect::Answer;
            return None;
        }
        self.expect = Expect::Nothing;
        Some(Event::Done(self.call.reply))
    }

    /// The call ends with an error, whatever it did before.
    fn refused(&mut self, failure: Failure) -> Event {
        self.expect = Expect::Nothing;
        Event::Refused(Failure {
            done: self.call.done,
            ..failure
        })
    }

    fn is_logging_in(&self) -> bool {
        matches!(self.expect, Expect::Greeting | Expect::Tls | Expect::LogIn)
    }

    fn start_call(&mut self, effect: Effect, keep_rows: bool, binary: bool) {
        self.call.begin(keep_rows);
        self.binary = binary;
        self.committing = effect == Effect::Commit;
        self.has_result = false;
        self.expect = Expect::Answer;
    }
}

impl Session for MysqlSession {
    fn open(&mut self, _out: &mut Vec<u8>) {}

    fn quit(&mut self, out: &mut Vec<u8>) {
        frame(out, 0, |out| out.push(COM_QUIT));
    }

    fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Fed, Failure> {
        Fed::messages(input, |input| {
            let [low, middle, high, sequence, ..] = *input else {
                return Ok(None);
            };
            let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
            if length > LONGEST_LOG_IN_MESSAGE && self.is_logging_in() {
                return Err(Failure::protocol("the length of a packet during log-in"));
            }
            let Some(payload) = input.get(4..4 + length) else {
                return Ok(None);
            };
            let continues = std::mem::replace(&mut self.continued, length == FULL_PACKET);
            let event = match continues {
                true => None,
                false => self.packet(payload, sequence, out)?,
            };
            Ok(Some((4 + length, event)))
        })
    }

    fn secured(&mut self, _certificate: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        self.encrypted = true;
        self.log_in_request(out)
    }

    fn standing(&self) -> Option<Standing> {
        Some(Standing {
            open: self.status & STATUS_IN_TRANSACTION != 0,
            autocommit: self.status & STATUS_AUTOCOMMIT != 0,
        })
    }

    fn text(&mut self, sql: &[u8], effect: Effect, keep_rows: bool, out: &mut Vec<u8>) {
        self.start_call(effect, keep_rows, false);
        packet::query(sql, out);
    }

    fn call(&mut self) -> &mut Call {
        &mut self.call
    }

    fn execute(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
        keep_rows: bool,
        out: &mut Vec<u8>,
    ) {
        self.start_call(statement.effect, keep_rows, true);
        match self.slots.get_mut(id) {
            Some(Slot::Prepared { number, typed }) => {
                execution(*number, *typed, &statement.types, parameters, out);
                *typed = true;
            }
            Some(Slot::Text) => {
                self.binary = false;
                packet::query(&statement.sql, out);
            }
            _ => self.prepare(id, statement, parameters, out),
        }
    }
}

#[cfg(test)]
mod tests;
