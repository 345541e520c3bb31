//! How to talk to a database server: one `Session` per protocol (ODBC's calls, as frames, are one), free of sockets.
//!
//! A session turns calls into bytes and bytes into events. It owns no transport, reads no clock and
//! decides no policy: it reports facts (a reply, or a classified failure) and its user chooses what to do.
//! That keeps the protocols testable byte by byte and lets one event loop drive thousands of them.

pub mod args;
pub mod blocking;
mod der;
pub mod effect;
pub mod endpoint;
pub mod failure;
pub mod mysql;
pub mod noop;
pub mod odbc;
pub mod options;
pub mod postgres;
pub mod role;
pub mod rows;
pub mod tls;

pub use effect::{Effect, Standing};
pub use failure::{Class, Failure};
pub use rows::Rows;

use std::borrow::Cow;
use std::sync::Arc;

use crate::endpoint::Endpoint;

/// Which dialect of SQL a server speaks; and, but for an endpoint of ODBC, which protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// MariaDB and MySQL.
    Mysql,
    /// PostgreSQL.
    Postgres,
    /// solidDB, by ODBC.
    Soliddb,
    /// Oracle Database, by ODBC.
    Oracle,
    /// Microsoft SQL Server, by ODBC.
    Sqlserver,
    /// IBM Db2, by ODBC.
    Db2,
    /// No server at all: every call succeeds at once. Measures the tool's own cost.
    Noop,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mysql => "mysql",
            Kind::Postgres => "postgres",
            Kind::Soliddb => "soliddb",
            Kind::Oracle => "oracle",
            Kind::Sqlserver => "sqlserver",
            Kind::Db2 => "db2",
            Kind::Noop => "noop",
        }
    }

    /// Its name for integers of eight bytes.
    pub fn big_int(self) -> &'static str {
        match self {
            Kind::Oracle => "NUMBER(19)",
            _ => "BIGINT",
        }
    }

    /// There is no other way to it than ODBC.
    pub fn is_by_odbc_alone(self) -> bool {
        matches!(
            self,
            Kind::Soliddb | Kind::Oracle | Kind::Sqlserver | Kind::Db2
        )
    }
}

/// Who connects, and to which database. The password never appears in Debug output or messages.
#[derive(Clone)]
pub struct Credentials {
    pub user: String,
    pub password: String,
    pub database: String,
    /// The transport cannot be listened to (a unix socket), so a plain password may cross it.
    pub private_transport: bool,
    /// The conversation is with a thread that makes ODBC's calls.
    pub by_odbc: bool,
    pub tls: tls::Tls,
    pub options: options::SessionOptions,
}

impl Credentials {
    /// The same, as they apply to this endpoint: a unix socket is private and never encrypted.
    pub fn at(&self, endpoint: &Endpoint) -> Credentials {
        let mut credentials = self.clone();
        credentials.by_odbc = endpoint.is_odbc();
        if matches!(endpoint, Endpoint::Unix(_)) {
            credentials.private_transport = true;
            credentials.tls = tls::Tls::off();
        }
        credentials
    }
}

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

/// One SQL statement of a workload, with `?` placeholders already in the server's own notation.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The name under which it is counted; statements on different tables share one.
    pub name: Cow<'static, str>,
    pub effect: Effect,
    pub sql: String,
    pub types: Cow<'static, [Type]>,
    /// The names of its rows' columns are wanted with the rows.
    pub named: bool,
}

impl Statement {
    pub fn new(
        kind: Kind,
        name: impl Into<Cow<'static, str>>,
        effect: Effect,
        sql: &str,
        types: impl Into<Cow<'static, [Type]>>,
    ) -> Statement {
        let sql = match kind {
            Kind::Postgres => numbered_placeholders(sql),
            _ => sql.to_string(),
        };
        Statement {
            name: name.into(),
            effect,
            sql,
            types: types.into(),
            named: false,
        }
    }
}

fn numbered_placeholders(sql: &str) -> String {
    let mut numbered = String::with_capacity(sql.len() + 8);
    for (index, part) in sql.split('?').enumerate() {
        if index > 0 {
            numbered.push_str(&format!("${index}"));
        }
        numbered.push_str(part);
    }
    numbered
}

/// A statement's success: rows that it returned, rows that it changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub rows: u64,
    pub affected: u64,
}

/// What the server's bytes amounted to.
#[derive(Debug)]
pub enum Event {
    /// What was written so far must reach the server as it is; then encrypt the transport and call
    /// `secured`. Bytes behind those that were consumed would be an intruder's.
    StartTls,
    /// The server let us in; calls may follow.
    Authenticated,
    /// The last call succeeded.
    Done(Reply),
    /// The server refused the last call (or the login) with an error message.
    Refused(Failure),
}

/// The result of feeding bytes: how many were used up, and what they meant, if they completed anything.
#[derive(Debug)]
pub struct Fed {
    pub consumed: usize,
    pub event: Option<Event>,
}

/// A message longer than this is taken for nonsense rather than buffered.
pub const LONGEST_MESSAGE: usize = 64 << 20;

/// No message before the log-in's end is nearly as long as this; strangers get no more room.
pub const LONGEST_LOG_IN_MESSAGE: usize = 64 << 10;

/// One conversation with a server, as a pure state machine over bytes. One call at a time.
pub trait Session: Send {
    /// The transport is open. Protocols in which the client speaks first write their greeting.
    fn open(&mut self, out: &mut Vec<u8>);

    /// Ends the session; no call follows.
    fn quit(&mut self, out: &mut Vec<u8>);

    /// Takes bytes from the server; writes to `out` what the protocol itself wants answered.
    ///
    /// Consumes whole messages only and stops after the first event; the caller keeps the rest and offers
    /// it again with more behind it. An `Err` means the stream makes no sense: drop the connection.
    fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Fed, Failure>;

    /// The server has closed the connection, with its error message if it sent one.
    fn ended(&mut self) -> Failure {
        Failure::lost()
    }

    /// The client encrypts before either side has spoken: after `open` comes the handshake, then `secured`.
    fn encrypts_first(&self) -> bool {
        false
    }

    /// The transport is encrypted now; the server showed this certificate (DER).
    fn secured(&mut self, certificate: &[u8], out: &mut Vec<u8>) -> Result<(), Failure>;

    /// Sends text SQL. `keep_rows`: keep the first result's rows for `rows`; else they are only counted.
    fn query(&mut self, sql: &str, effect: Effect, keep_rows: bool, out: &mut Vec<u8>);

    /// The session's transaction, where the server reports it.
    fn standing(&self) -> Option<Standing> {
        None
    }

    /// How many statements of the last call were done before it ended, where the server reports each.
    fn done(&self) -> u16 {
        0
    }

    /// The rows of the last call, if it was to keep them. May be swapped for another buffer.
    fn rows(&mut self) -> &mut Rows;

    /// Sends COPY ... FROM STDIN, and the data when the server asks for it. Only PostgreSQL does.
    fn copy(&mut self, sql: &str, _data: Arc<Vec<u8>>, out: &mut Vec<u8>) {
        self.query(sql, Effect::Write, false, out);
    }

    /// Statements get no names from now on, for poolers that change the server between two transactions. Only
    /// PostgreSQL's protocol can execute a statement without one.
    fn without_names(&mut self) {}

    /// Executes statement number `id`, preparing it first when this session has not done so yet.
    fn execute(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
        keep_rows: bool,
        out: &mut Vec<u8>,
    );
}

/// A fresh session that has not spoken yet.
pub fn session(kind: Kind, credentials: &Credentials) -> Box<dyn Session> {
    match kind {
        Kind::Noop => Box::new(noop::NoopSession::default()),
        _ if credentials.by_odbc => Box::new(odbc::OdbcSession::new(kind, credentials)),
        Kind::Mysql => Box::new(mysql::MysqlSession::new(credentials.clone())),
        Kind::Postgres => Box::new(postgres::PostgresSession::new(credentials.clone())),
        // never spoken to: `args` refuses other endpoints than those of ODBC
        Kind::Soliddb | Kind::Oracle | Kind::Sqlserver | Kind::Db2 => {
            Box::new(odbc::OdbcSession::new(kind, credentials))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered() {
        assert_eq!(numbered_placeholders("a=? AND b=?"), "a=$1 AND b=$2");
        assert_eq!(numbered_placeholders("BEGIN"), "BEGIN");
    }

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
