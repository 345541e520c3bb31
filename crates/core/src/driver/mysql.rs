//! The MySQL client protocol, as MariaDB and MySQL speak it: log in, prepare, execute, text queries.
//!
//! Statements are prepared when a session first uses them (sysbench prepares all when it connects): after a
//! failover the first transaction then waits for its own statements only. What cannot be prepared (`BEGIN`
//! on MySQL, errno 1295) is sent as text from then on.

mod auth;
mod classify;
mod execution;
mod log_in;
mod packet;

use super::{Credentials, Event, Failure, Fed, Parameters, Reply, Row, Session, Statement};
use execution::execution;
use packet::{Reader, frame};

const COM_QUERY: u8 = 0x03;
const COM_STMT_PREPARE: u8 = 0x16;

const STATUS_MORE_RESULTS: u16 = 0x0008;
const ERROR_NOT_PREPARABLE: u16 = 1295;
const ROWS_KEPT: usize = 64;
/// A payload of this length is continued in the next packet.
const FULL_PACKET: usize = 0xff_ff_ff;

/// What the next packet from the server is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Greeting,
    LogIn,
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
    /// Prepared under this number; `typed` once the server has been told the parameter types.
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
    /// Rows of a text query are kept, those of executions are only counted.
    keep_rows: bool,
    deprecate_eof: bool,
    /// The packet before was full, so the next one continues it and has no header of its own to look at.
    continued: bool,
    plugin: auth::Plugin,
    slots: Vec<Slot>,
    /// The statement being prepared, and its SQL and framed execution that wait for the number.
    preparing: usize,
    deferred: Vec<u8>,
    deferred_sql: String,
    reply: Reply,
    rows: Vec<Row>,
}

impl MysqlSession {
    pub fn new(credentials: Credentials) -> MysqlSession {
        MysqlSession {
            credentials,
            expect: Expect::Greeting,
            keep_rows: false,
            deprecate_eof: false,
            continued: false,
            plugin: auth::Plugin::NativePassword,
            slots: Vec::new(),
            preparing: 0,
            deferred: Vec::new(),
            deferred_sql: String::new(),
            reply: Reply::default(),
            rows: Vec::new(),
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
            Expect::Greeting => self.greeting(payload, sequence, out),
            Expect::LogIn => self.log_in(payload, sequence, out),
            Expect::Nothing if payload.first() == Some(&0xff) => Err(classify::error(payload)),
            Expect::Nothing => Err(Failure::protocol("a reply to no call")),
        }
    }

    fn answer(&mut self, payload: &[u8]) -> Result<Option<Event>, Failure> {
        match payload.first() {
            Some(0x00) => {
                let status = Reader::new(&payload[1..]).status_of_ok();
                Ok(self.finish(status.ok_or_else(|| Failure::protocol("an OK packet"))?))
            }
            Some(0xff) => {
                self.expect = Expect::Nothing;
                Ok(Some(Event::Refused(classify::error(payload))))
            }
            Some(0xfb) => Err(Failure::protocol("LOCAL INFILE was not asked for")),
            _ => {
                let left = Reader::new(payload)
                    .length()
                    .filter(|&count| count > 0)
                    .ok_or_else(|| Failure::protocol("a result's column count"))?;
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
                    reader.status_of_ok()
                } else {
                    reader.status_of_eof()
                };
                Ok(self.finish(status.ok_or_else(|| Failure::protocol("the end of rows"))?))
            }
            Some(0xff) => {
                self.expect = Expect::Nothing;
                Ok(Some(Event::Refused(classify::error(payload))))
            }
            _ => {
                self.reply.rows += 1;
                if self.keep_rows && self.rows.len() < ROWS_KEPT {
                    self.rows.push(Reader::new(payload).text_row());
                }
                Ok(None)
            }
        }
    }

    /// One result is complete; another may follow in the same reply.
    fn finish(&mut self, status: u16) -> Option<Event> {
        if status & STATUS_MORE_RESULTS != 0 {
            self.expect = Expect::Answer;
            return None;
        }
        self.expect = Expect::Nothing;
        Some(Event::Done(self.reply))
    }

    fn prepared(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<Option<Event>, Failure> {
        if payload.first() == Some(&0xff) {
            return Ok(self.not_prepared(payload, out));
        }
        let (number, columns, parameters) = Reader::new(payload)
            .prepare_ok()
            .ok_or_else(|| Failure::protocol("the reply to PREPARE"))?;
        self.slots[self.preparing] = Slot::Prepared {
            number,
            typed: true,
        };
        // The number goes where the framed execution left room: after header and command byte.
        self.deferred[5..9].copy_from_slice(&number.to_le_bytes());
        let ends = if self.deprecate_eof {
            0
        } else {
            u32::from(columns > 0) + u32::from(parameters > 0)
        };
        let left = u32::from(columns) + u32::from(parameters) + ends;
        self.expect = Expect::Definitions { left };
        if left == 0 {
            self.send_deferred(out);
        }
        Ok(None)
    }

    fn not_prepared(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Option<Event> {
        let failure = classify::error(payload);
        let textual = classify::number(payload) == ERROR_NOT_PREPARABLE;
        if !textual {
            self.expect = Expect::Nothing;
            return Some(Event::Refused(failure));
        }
        self.slots[self.preparing] = Slot::Text;
        frame(out, 0, |out| {
            out.push(COM_QUERY);
            out.extend(self.deferred_sql.as_bytes());
        });
        self.expect = Expect::Answer;
        None
    }

    fn definition(&mut self, left: u32, out: &mut Vec<u8>) {
        self.expect = Expect::Definitions { left: left - 1 };
        if left == 1 {
            self.send_deferred(out);
        }
    }

    fn send_deferred(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.deferred);
        self.expect = Expect::Answer;
    }

    fn prepare(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
        out: &mut Vec<u8>,
    ) {
        if self.slots.len() <= id {
            self.slots.resize(id + 1, Slot::Unprepared);
        }
        self.preparing = id;
        self.deferred.clear();
        execution(0, false, statement.types, parameters, &mut self.deferred);
        self.deferred_sql.clone_from(&statement.sql);
        frame(out, 0, |out| {
            out.push(COM_STMT_PREPARE);
            out.extend(statement.sql.as_bytes());
        });
        self.expect = Expect::Prepared;
    }

    fn start_call(&mut self, keep_rows: bool) {
        self.keep_rows = keep_rows;
        self.reply = Reply::default();
        self.expect = Expect::Answer;
    }
}

impl Session for MysqlSession {
    fn open(&mut self, _out: &mut Vec<u8>) {}

    fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Fed, Failure> {
        let mut consumed = 0;
        loop {
            let rest = &input[consumed..];
            let [low, middle, high, sequence, ..] = *rest else {
                break;
            };
            let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
            let Some(payload) = rest.get(4..4 + length) else {
                break;
            };
            consumed += 4 + length;
            let continues = std::mem::replace(&mut self.continued, length == FULL_PACKET);
            if continues {
                continue;
            }
            if let Some(event) = self.packet(payload, sequence, out)? {
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
        frame(out, 0, |out| {
            out.push(COM_QUERY);
            out.extend(sql.as_bytes());
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
        match self.slots.get_mut(id) {
            Some(Slot::Prepared { number, typed }) => {
                execution(*number, *typed, statement.types, parameters, out);
                *typed = true;
            }
            Some(Slot::Text) => frame(out, 0, |out| {
                out.push(COM_QUERY);
                out.extend(statement.sql.as_bytes());
            }),
            _ => self.prepare(id, statement, parameters, out),
        }
    }
}

#[cfg(test)]
mod tests;
