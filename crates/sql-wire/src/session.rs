//! What all protocols have in common: the calls of a session, what its bytes amount to, and what it keeps of a call.

use crate::effect::{Effect, Standing};
use crate::failure::Failure;
use crate::parameters::Parameters;
use crate::rows::Rows;
use crate::statement::Statement;
use std::sync::Arc;

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

impl Fed {
    /// So much was used up and completed nothing.
    pub fn nothing(consumed: usize) -> Fed {
        Fed {
            consumed,
            event: None,
        }
    }

    /// Takes messages up to the first event. `message` returns the length of the message that `input` begins with,
    /// and what it meant; None where the message is incomplete.
    #[inline]
    pub fn messages(
        input: &[u8],
        mut message: impl FnMut(&[u8]) -> Result<Option<(usize, Option<Event>)>, Failure>,
    ) -> Result<Fed, Failure> {
        let mut consumed = 0;
        while let Some((length, event)) = message(&input[consumed..])? {
            consumed += length;
            if event.is_some() {
                return Ok(Fed { consumed, event });
            }
        }
        Ok(Fed::nothing(consumed))
    }
}

/// What every protocol keeps of the call under way, or of the last one.
#[derive(Default)]
pub struct Call {
    /// Rows are wanted; else they are only counted.
    pub keep_rows: bool,
    pub reply: Reply,
    pub rows: Rows,
    /// Its statements that are complete, where the server reports each.
    pub done: u16,
}

impl Call {
    pub fn begin(&mut self, keep_rows: bool) {
        self.keep_rows = keep_rows;
        self.reply = Reply::default();
        self.rows.start(0);
        self.done = 0;
    }

    /// One statement more is complete.
    pub fn completed(&mut self) {
        self.done = self.done.saturating_add(1);
    }
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
    fn text(&mut self, sql: &[u8], effect: Effect, keep_rows: bool, out: &mut Vec<u8>);

    fn query(&mut self, sql: &str, effect: Effect, keep_rows: bool, out: &mut Vec<u8>) {
        self.text(sql.as_bytes(), effect, keep_rows, out);
    }

    /// The session's transaction, where the server reports it.
    fn standing(&self) -> Option<Standing> {
        None
    }

    /// The call under way, or the last one.
    fn call(&mut self) -> &mut Call;

    /// How many statements of the last call were done before it ended, where the server reports each.
    fn done(&mut self) -> u16 {
        self.call().done
    }

    /// The rows of the last call, if it was to keep them. May be swapped for another buffer.
    fn rows(&mut self) -> &mut Rows {
        &mut self.call().rows
    }

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
