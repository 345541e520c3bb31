//! How to talk to a database server: one `Session` per protocol, free of sockets.
//!
//! A session turns calls into bytes and bytes into events. It owns no transport, reads no clock and
//! decides no policy: it reports facts (a reply, or a classified failure) and its user chooses what to do.
//! That keeps the protocols testable byte by byte and lets one event loop drive thousands of them.

pub mod blocking;
pub mod failure;
pub mod mysql;
pub mod noop;
pub mod postgres;
pub mod role;

pub use failure::{Class, Failure};

/// Which protocol a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// MariaDB and MySQL.
    Mysql,
    /// PostgreSQL.
    Postgres,
    /// No server at all: every call succeeds at once. Measures the tool's own cost.
    Noop,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mysql => "mysql",
            Kind::Postgres => "postgres",
            Kind::Noop => "noop",
        }
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
}

/// The type of one statement parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    BigInt,
    Text,
}

/// The value of one statement parameter; texts live in `Parameters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Int(i32),
    BigInt(i64),
    Text { start: u32, length: u32 },
}

/// Parameter values of one call. Reused for all calls, so that filling it allocates nothing.
#[derive(Default)]
pub struct Parameters {
    pub values: Vec<Value>,
    texts: Vec<u8>,
}

impl Parameters {
    pub fn clear(&mut self) {
        self.values.clear();
        self.texts.clear();
    }

    pub fn int(&mut self, value: u32) {
        self.values.push(Value::Int(value as i32));
    }

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

    pub fn text_at(&self, start: u32, length: u32) -> &[u8] {
        &self.texts[start as usize..(start + length) as usize]
    }
}

/// What a statement does, as far as accounting and routing care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Begin,
    Commit,
    Read,
    Write,
}

/// One SQL statement of a workload, with `?` placeholders already in the server's own notation.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The name under which it is counted; statements on different tables share one.
    pub name: &'static str,
    pub effect: Effect,
    pub sql: String,
    pub types: &'static [Type],
}

impl Statement {
    pub fn new(
        kind: Kind,
        name: &'static str,
        effect: Effect,
        sql: &str,
        types: &'static [Type],
    ) -> Statement {
        let sql = match kind {
            Kind::Postgres => numbered_placeholders(sql),
            _ => sql.to_string(),
        };
        Statement {
            name,
            effect,
            sql,
            types,
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

/// A row of text values, kept only for `Session::query`.
pub type Row = Vec<Option<String>>;

/// A statement's success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub rows: u64,
}

/// What the server's bytes amounted to.
#[derive(Debug)]
pub enum Event {
    /// The server let us in; calls may follow.
    Authenticated,
    /// The last call succeeded.
    Done(Reply),
    /// The server refused the last call (or the log-in) and said why.
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

/// One conversation with a server, as a pure state machine over bytes. One call at a time.
pub trait Session {
    /// The transport is open. Protocols in which the client speaks first write their greeting.
    fn open(&mut self, out: &mut Vec<u8>);

    /// Takes bytes from the server; writes to `out` what the protocol itself wants answered.
    ///
    /// Consumes whole messages only and stops after the first event; the caller keeps the rest and offers
    /// it again with more behind it. An `Err` means the stream makes no sense: drop the connection.
    fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Fed, Failure>;

    /// Sends text SQL and keeps the rows of the answer for `rows`. For the cold path.
    fn query(&mut self, sql: &str, out: &mut Vec<u8>);

    /// The rows of the last `query`, at most a few dozen.
    fn rows(&self) -> &[Row];

    /// Executes statement number `id`, preparing it first when this session has not done so yet.
    fn execute(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
        out: &mut Vec<u8>,
    );
}

/// A fresh session that has not spoken yet.
pub fn session(kind: Kind, credentials: &Credentials) -> Box<dyn Session> {
    match kind {
        Kind::Mysql => Box::new(mysql::MysqlSession::new(credentials.clone())),
        Kind::Postgres => Box::new(postgres::PostgresSession::new(credentials.clone())),
        Kind::Noop => Box::new(noop::NoopSession),
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
