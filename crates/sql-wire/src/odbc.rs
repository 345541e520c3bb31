//! ODBC's calls as a protocol: the frames of the crate `odbc`; its thread at the other end makes the calls.
//!
//! Placeholders are ODBC's `?` whatever the dialect. BEGIN, COMMIT and ROLLBACK are sent as texts where the server
//! has them; elsewhere autocommit is turned off and SQLEndTran ends the transaction.

mod classify;
mod placeholders;
mod tables;

use crate::credentials::Credentials;
use crate::effect::Effect;
use crate::failure::{Class, Failure};
use crate::kind::Kind;
use crate::parameters::{Parameters, Type, Value};
use crate::rows::Rows;
use crate::session::{Call, Event, Fed, Reply, Session};
use crate::statement::Statement;
use odbc::NoThread;
use odbc::frame::{self, Answer, Frame, Keep, Transaction};
use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::time::Duration;

pub use classify::{failure, without_names};

/// Starts a connection's thread, see `odbc::open`. What this machine lacks for it is no answer of a server.
pub fn open(connection: &str, login: Duration) -> Result<UnixStream, Failure> {
    odbc::open(connection, login).map_err(|why| {
        let code = match &why {
            NoThread::TooMany(_) => TOO_MANY_THREADS,
            NoThread::Machine(error) if error.kind() == ErrorKind::WouldBlock => NO_THREAD,
            NoThread::Machine(_) => "",
        };
        match why {
            NoThread::Machine(error) if code.is_empty() => Failure::from(error),
            why => Failure::new(Class::Other, code, why.to_string()),
        }
    })
}

/// The codes of these two: threads are not back from their driver; the kernel starts no more (EAGAIN, which by a unix
/// socket means something else).
pub const TOO_MANY_THREADS: &str = "threads";
pub const NO_THREAD: &str = "no_thread";

/// The dialect of a DBMS, by the name that its driver tells (SQL_DBMS_NAME).
pub fn dialect(dbms: &str) -> Option<Kind> {
    let name = dbms.to_ascii_lowercase();
    let known = [
        ("mariadb", Kind::Mysql),
        ("mysql", Kind::Mysql),
        ("postgresql", Kind::Postgres),
        ("solid", Kind::Soliddb),
        ("oracle", Kind::Oracle),
        ("microsoft sql server", Kind::Sqlserver),
        ("db2", Kind::Db2),
    ];
    let found = known.iter().find(|(begin, _)| name.starts_with(begin));
    found.map(|(_, kind)| *kind)
}

/// Driver keywords that make the server behave as with its own protocol, unless the user sets them.
///
/// MariaDB's and MySQL's Connector/ODBC: an UPDATE tells how many rows it found, not how many it changed
/// (FLAG_FOUND_ROWS), and how long to try to connect, which MariaDB's before 3.1.18 does not take from
/// SQL_ATTR_LOGIN_TIMEOUT (ODBC-377). psqlODBC: no SAVEPOINT before each statement of a transaction ("Level of rollback on errors"),
/// and booleans as numbers.
pub fn options(kind: Kind) -> &'static str {
    match kind {
        Kind::Mysql => "OPTION=2;CONN_TIMEOUT={login}",
        Kind::Postgres => "Protocol=7.4-0;BoolsAsChar=0",
        _ => "",
    }
}

/// What is lost, or not, with a call that fails.
#[derive(Clone, Copy)]
enum Stake {
    /// It reads, or belongs to a transaction that is given up with it.
    Nothing,
    /// It writes, and is committed by itself.
    Statement,
    /// It is a COMMIT.
    Transaction,
}

pub struct OdbcSession {
    kind: Kind,
    password: String,
    /// Statements that were sent to the thread.
    reported: Vec<bool>,
    call: Call,
    /// What a failure of the call under way may have left behind.
    stake: Stake,
    /// Between BEGIN and COMMIT.
    in_transaction: bool,
}

impl OdbcSession {
    pub fn new(kind: Kind, credentials: &Credentials) -> OdbcSession {
        OdbcSession {
            kind,
            password: credentials.password.clone(),
            reported: Vec::new(),
            call: Call::default(),
            stake: Stake::Nothing,
            in_transaction: false,
        }
    }

    /// The transaction's begin or end, where the server has no statement for it.
    fn transaction(&self, sql: &str) -> Option<Transaction> {
        match sql {
            _ if !self.kind.is_by_odbc_alone() => None,
            "BEGIN" => Some(Transaction::Begin),
            "COMMIT" => Some(Transaction::Commit),
            "ROLLBACK" => Some(Transaction::Rollback),
            _ => None,
        }
    }

    /// Notes what is at stake with a call.
    fn begin_call(&mut self, effect: Effect, keep_rows: bool) {
        self.call.begin(keep_rows);
        let path = effect.path(self.in_transaction, self.kind);
        self.stake = match path.lasts_after {
            _ if effect == Effect::Commit => Stake::Transaction,
            Some(_) => Stake::Statement,
            None => Stake::Nothing,
        };
        self.in_transaction = path.open;
    }

    fn event(&mut self, answer: Answer) -> Event {
        match answer {
            Answer::Connected { .. } => Event::Authenticated,
            Answer::Done {
                rows,
                affected,
                columns,
                fields,
            } => {
                if self.call.keep_rows {
                    self.call.rows.start(usize::from(columns));
                    fields.for_each(|field| push(field, &mut self.call.rows));
                }
                Event::Done(Reply { rows, affected })
            }
            Answer::Failed {
                state,
                native,
                dead,
                message,
            } => {
                let failed = match self.stake {
                    Stake::Transaction => classify::failure_of_commit,
                    Stake::Statement | Stake::Nothing => failure,
                }(self.kind, state, native, dead, message);
                Event::Refused(match self.stake {
                    Stake::Statement => classify::doubted(self.kind, failed),
                    Stake::Transaction | Stake::Nothing => failed,
                })
            }
        }
    }
}

#[inline]
fn push(field: frame::Value, rows: &mut Rows) {
    match field {
        frame::Value::Null => rows.push_null(),
        frame::Value::Int(number) => rows.push_int(i64::from(number)),
        frame::Value::BigInt(number) => rows.push_int(number),
        frame::Value::Double(number) => rows.push_float(number),
        frame::Value::Text(text) => rows.push_text(text),
    }
}

fn type_of(of: Type) -> frame::Type {
    match of {
        Type::Int => frame::Type::Int,
        Type::BigInt => frame::Type::BigInt,
        Type::Double => frame::Type::Double,
        Type::Numeric | Type::Text => frame::Type::Text,
    }
}

#[inline]
fn value(value: Value, parameters: &Parameters) -> frame::Value<'_> {
    match value {
        Value::Null => frame::Value::Null,
        Value::Int(number) => frame::Value::Int(number),
        Value::BigInt(number) => frame::Value::BigInt(number),
        Value::Double(number) => frame::Value::Double(number),
        Value::Text { start, length } => frame::Value::Text(parameters.text_at(start, length)),
    }
}

impl Session for OdbcSession {
    fn open(&mut self, out: &mut Vec<u8>) {
        Frame::open(&self.password, options(self.kind), out);
    }

    fn quit(&mut self, out: &mut Vec<u8>) {
        Frame::quit(out);
    }

    fn feed(&mut self, input: &[u8], _out: &mut Vec<u8>) -> Result<Fed, Failure> {
        let read = frame::answer(input).map_err(|_| Failure::protocol("a frame of ODBC"))?;
        Ok(match read {
            None => Fed::nothing(0),
            Some((answer, consumed)) => Fed {
                consumed,
                event: Some(self.event(answer)),
            },
        })
    }

    fn secured(&mut self, _certificate: &[u8], _out: &mut Vec<u8>) -> Result<(), Failure> {
        Err(Failure::protocol("TLS is the driver's own affair"))
    }

    fn text(&mut self, sql: &[u8], effect: Effect, keep_rows: bool, out: &mut Vec<u8>) {
        self.begin_call(effect, keep_rows);
        // Drivers take texts.
        let sql = String::from_utf8_lossy(sql);
        match self.transaction(&sql) {
            Some(what) => Frame::transaction(what, out),
            None => {
                let keep = if keep_rows { Keep::Rows } else { Keep::Count };
                Frame::query(&sql, keep, out);
            }
        }
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
        // what neither has parameters nor is asked for often is not worth preparing, and MySQL cannot prepare BEGIN
        if statement.types.is_empty() {
            return self.query(&statement.sql, statement.effect, keep_rows, out);
        }
        self.begin_call(statement.effect, keep_rows);
        if self.reported.len() <= id {
            self.reported.resize(id + 1, false);
        }
        if !std::mem::replace(&mut self.reported[id], true) {
            let sql = placeholders::plain(&statement.sql, self.kind);
            let types = statement.types.iter().map(|of| type_of(*of));
            Frame::prepare(id as u32, &sql, types, out);
        }
        let mut call = Frame::execute(id as u32, keep_rows, out);
        for one in &parameters.values {
            call.value(value(*one, parameters));
        }
    }
}

#[cfg(test)]
mod tests;
