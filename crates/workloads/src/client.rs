//! How a transaction talks to its server: a `Client` is one connection as the workload sees it.
//!
//! A transaction is an async function. What it awaits is not a socket but the worker that polls it: a call
//! leaves a `Request` in the `Exchange` and suspends; the worker sends it, and polls again once the reply is
//! there. Only one transaction is polled at a time, so that all clients of a run share one exchange: filling
//! in parameters and reading rows allocates nothing.

use crate::history::Operation;
use base::rng::Rng;
use sql_wire::{Class, Effect, Failure, Kind, Parameters, Reply as Counts, Rows, Statement};
use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell, RefMut};
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

/// Statements that every workload has, before its own.
pub const BEGIN: usize = 0;
pub const COMMIT: usize = 1;
pub const ROLLBACK: usize = 2;
const OWN: usize = 3;

/// What a transaction wants done before it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Execute this statement with the parameters of the exchange.
    Execute { id: usize, keep_rows: bool },
    /// Send the text of the exchange.
    Text {
        effect: Effect,
        keep_rows: bool,
        /// The statement as which it is counted, if it is one of the workload's.
        counted: Option<usize>,
    },
    /// Send nothing for so many nanoseconds.
    Pause(u64),
    /// Leave the server and connect again.
    Reconnect,
    /// Answered at once: this is about the sessions to come, or about the time of the transaction.
    Note(Note),
}

/// What a transaction says of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// Run the text of the exchange first in each new session of this client, too.
    KeepSetting,
    /// Run none of the kept texts any more.
    ForgetSettings,
    /// The session is as the client wants it: the transaction's time counts from here.
    SetUp,
}

/// What transactions and the workers that poll them pass to each other.
pub struct Exchange {
    pub kind: Kind,
    pub statements: RefCell<Vec<Statement>>,
    pub parameters: RefCell<Parameters>,
    pub sql: RefCell<Vec<u8>>,
    pub rows: RefCell<Rows>,
    request: Cell<Option<Request>>,
    reply: RefCell<Option<Result<Counts, Failure>>>,
    fatal: RefCell<Option<Failure>>,
    now: Cell<u64>,
    /// There are no rows: a field of a reply is zero or empty.
    without_server: Cell<bool>,
    /// Measures that transactions took themselves: transaction type, nanoseconds.
    pub marks: RefCell<Vec<(usize, u64)>>,
    /// Rows that the transaction under way has inserted.
    row_count: Cell<u64>,
}

impl Exchange {
    /// `own` are the workload's statements; BEGIN, COMMIT and ROLLBACK come before them.
    pub fn new(kind: Kind, own: Vec<Statement>) -> Rc<Exchange> {
        let standard = |name, effect, sql| Statement::new(kind, name, effect, sql, &[]);
        let mut statements = vec![
            standard("begin", Effect::Begin, kind.begin()),
            standard("commit", Effect::Commit, "COMMIT"),
            standard("rollback", Effect::Rollback, "ROLLBACK"),
        ];
        statements.extend(own);
        Rc::new(Exchange {
            kind,
            statements: RefCell::new(statements),
            parameters: RefCell::default(),
            sql: RefCell::default(),
            rows: RefCell::default(),
            request: Cell::new(None),
            reply: RefCell::new(None),
            fatal: RefCell::new(None),
            now: Cell::new(0),
            without_server: Cell::new(kind == Kind::Noop),
            marks: RefCell::default(),
            row_count: Cell::new(0),
        })
    }

    /// What the transaction that was just polled waits for.
    #[inline]
    pub fn take_request(&self) -> Option<Request> {
        self.request.take()
    }

    /// What a transaction found so wrong that the run must end.
    #[inline]
    pub fn take_fatal(&self) -> Option<Failure> {
        self.fatal.take()
    }

    /// The answer to the request, for the transaction that is polled next.
    #[inline]
    pub fn answer(&self, reply: Result<Counts, Failure>) {
        *self.reply.borrow_mut() = Some(reply);
    }

    /// Number of rows that the transaction reported as inserted.
    #[inline]
    pub fn take_row_count(&self) -> u64 {
        self.row_count.take()
    }

    /// A server that does not answer, for any protocol.
    pub fn do_without_server(&self) {
        self.without_server.set(true);
    }

    #[inline]
    pub fn set_now(&self, now: u64) {
        self.now.set(now);
    }
}

/// One connection: its number, its stream of random numbers, and calls to its server.
pub struct Client {
    pub number: usize,
    exchange: Rc<Exchange>,
    rng: RefCell<Rng>,
    /// Where the statements and the transaction types of the workload under way begin.
    first: Cell<usize>,
    first_type: Cell<usize>,
    /// What the transaction under way has to tell of itself.
    operations: RefCell<Vec<Operation>>,
}

impl Client {
    pub fn new(number: usize, exchange: Rc<Exchange>, rng: Rng) -> Rc<Client> {
        Rc::new(Client {
            number,
            exchange,
            rng: RefCell::new(rng),
            first: Cell::new(OWN),
            first_type: Cell::new(0),
            operations: RefCell::default(),
        })
    }

    pub fn kind(&self) -> Kind {
        self.exchange.kind
    }

    /// This connection's own random numbers. Do not hold it across an await.
    pub fn rng(&self) -> RefMut<'_, Rng> {
        self.rng.borrow_mut()
    }

    /// The time of the event being handled, CLOCK_MONOTONIC nanoseconds: after an await, that of the reply.
    pub fn now(&self) -> u64 {
        self.exchange.now.get()
    }

    /// From now on statement 0 and type 0 are these: a mix runs several workloads on a client.
    pub fn set_first(&self, statement: usize, transaction_type: usize) {
        self.first.set(OWN + statement);
        self.first_type.set(transaction_type);
    }

    /// Adds a statement while the run goes on; its number is for `call`.
    pub fn add_statement(&self, statement: Statement) -> usize {
        let mut statements = self.exchange.statements.borrow_mut();
        statements.push(statement);
        statements.len() - 1 - self.first.get()
    }

    /// Records a measure of the workload's own under the name of this transaction type.
    pub fn mark(&self, which: usize, nanoseconds: u64) {
        self.exchange
            .marks
            .borrow_mut()
            .push((self.first_type.get() + which, nanoseconds));
    }

    /// The transaction does this, or will; it is recorded with the outcome of the whole.
    pub fn note(&self, operation: Operation) {
        self.operations.borrow_mut().push(operation);
    }

    /// What was noted since the last call; empty for most workloads.
    #[inline]
    pub fn operations(&self) -> RefMut<'_, Vec<Operation>> {
        self.operations.borrow_mut()
    }

    /// Reports rows that the transaction inserts, counted once it has succeeded, for workloads that measure
    /// rows per second.
    pub fn count_rows(&self, rows: u64) {
        let counted = &self.exchange.row_count;
        counted.set(counted.get() + rows);
    }

    /// Calls statement `id` of the workload; add its parameters in order, then await it.
    #[inline]
    pub fn call(&self, id: usize) -> Call<'_> {
        self.call_at(self.first.get() + id)
    }

    #[inline]
    fn call_at(&self, id: usize) -> Call<'_> {
        self.exchange.parameters.borrow_mut().clear();
        Call {
            client: self,
            id,
            keep_rows: false,
        }
    }

    pub fn begin(&self) -> Answer<'_> {
        self.call_at(BEGIN).into_future()
    }

    pub fn commit(&self) -> Answer<'_> {
        self.call_at(COMMIT).into_future()
    }

    /// Undoes the transaction under way because it was meant to be undone.
    pub fn rollback(&self) -> Answer<'_> {
        self.call_at(ROLLBACK).into_future()
    }

    /// Sends SQL as text. Rows are kept when `keep_rows`.
    pub fn text(&self, sql: impl AsRef<[u8]>, effect: Effect, keep_rows: bool) -> Answer<'_> {
        self.send_text(sql.as_ref(), effect, keep_rows, None)
    }

    /// Sends SQL as text in place of statement `id` of the workload, as which it is counted.
    pub fn text_of(&self, id: usize, sql: &str, keep_rows: bool) -> Answer<'_> {
        let id = self.first.get() + id;
        let effect = self.exchange.statements.borrow()[id].effect;
        self.send_text(sql.as_bytes(), effect, keep_rows, Some(id))
    }

    fn send_text(
        &self,
        sql: &[u8],
        effect: Effect,
        keep_rows: bool,
        counted: Option<usize>,
    ) -> Answer<'_> {
        let mut held = self.exchange.sql.borrow_mut();
        held.clear();
        held.extend_from_slice(sql);
        self.ask(Request::Text {
            effect,
            keep_rows,
            counted,
        })
    }

    /// Sends nothing for a while, within the transaction.
    pub fn pause(&self, time: Duration) -> Answer<'_> {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.ask(Request::Pause(nanoseconds))
    }

    /// Leaves the server and connects again; what the session held is gone.
    pub fn reconnect(&self) -> Answer<'_> {
        self.ask(Request::Reconnect)
    }

    /// Each new session of this client runs this text first, too.
    pub fn keep_setting(&self, sql: &str) -> Answer<'_> {
        let mut held = self.exchange.sql.borrow_mut();
        held.clear();
        held.extend_from_slice(sql.as_bytes());
        self.ask(Request::Note(Note::KeepSetting))
    }

    pub fn forget_settings(&self) -> Answer<'_> {
        self.ask(Request::Note(Note::ForgetSettings))
    }

    /// What came before was no part of the transaction; its time counts from here.
    pub fn is_set_up(&self) -> Answer<'_> {
        self.ask(Request::Note(Note::SetUp))
    }

    /// Ends the run with this message, and gives the failure to end the transaction with.
    #[cold]
    pub fn stop_run(&self, message: String) -> Failure {
        let failure = Failure::new(Class::Other, "script", message);
        *self.exchange.fatal.borrow_mut() = Some(failure.clone());
        failure
    }

    fn ask(&self, request: Request) -> Answer<'_> {
        Answer {
            client: self,
            request: Some(request),
        }
    }
}

/// A call that is being put together.
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<'a> {
    client: &'a Client,
    id: usize,
    keep_rows: bool,
}

impl<'a> Call<'a> {
    #[inline]
    fn with(self, add: impl FnOnce(&mut Parameters)) -> Call<'a> {
        add(&mut self.client.exchange.parameters.borrow_mut());
        self
    }

    #[inline]
    pub fn int(self, value: i32) -> Call<'a> {
        self.with(|parameters| parameters.int(value))
    }

    #[inline]
    pub fn big_int(self, value: i64) -> Call<'a> {
        self.with(|parameters| parameters.big_int(value))
    }

    #[inline]
    pub fn double(self, value: f64) -> Call<'a> {
        self.with(|parameters| parameters.double(value))
    }

    #[inline]
    pub fn null(self) -> Call<'a> {
        self.with(Parameters::null)
    }

    #[inline]
    pub fn text(self, text: impl AsRef<[u8]>) -> Call<'a> {
        self.with(|parameters| parameters.text(|out| out.extend_from_slice(text.as_ref())))
    }

    /// A text that is written straight into the parameter.
    #[inline]
    pub fn text_by(self, write: impl FnOnce(&mut Vec<u8>)) -> Call<'a> {
        self.with(|parameters| parameters.text(write))
    }

    /// All parameters at once.
    #[inline]
    pub fn with_all(self, fill: impl FnOnce(&mut Parameters)) -> Call<'a> {
        self.with(fill)
    }

    /// The rows of the reply are wanted, not only their number.
    #[inline]
    pub fn rows(mut self) -> Call<'a> {
        self.keep_rows = true;
        self
    }
}

impl<'a> IntoFuture for Call<'a> {
    type Output = Result<Reply<'a>, Failure>;
    type IntoFuture = Answer<'a>;

    #[inline]
    fn into_future(self) -> Answer<'a> {
        self.client.ask(Request::Execute {
            id: self.id,
            keep_rows: self.keep_rows,
        })
    }
}

/// The answer to come.
pub struct Answer<'a> {
    client: &'a Client,
    /// Not yet asked for.
    request: Option<Request>,
}

impl<'a> Future for Answer<'a> {
    type Output = Result<Reply<'a>, Failure>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let exchange = &self.client.exchange;
        if let Some(request) = self.request.take() {
            self.client.exchange.request.set(Some(request));
            return Poll::Pending;
        }
        match exchange.reply.borrow_mut().take() {
            None => Poll::Pending,
            Some(Err(failure)) => Poll::Ready(Err(failure)),
            Some(Ok(counts)) => Poll::Ready(Ok(Reply {
                client: self.client,
                rows: counts.rows,
                affected: counts.affected,
            })),
        }
    }
}

/// A statement succeeded. Its fields can be read until the next call.
#[derive(Clone, Copy)]
pub struct Reply<'a> {
    client: &'a Client,
    /// Rows returned.
    pub rows: u64,
    /// Rows changed (matched by an UPDATE, whether or not the values differ).
    pub affected: u64,
}

impl<'a> Reply<'a> {
    /// All rows, if the call asked for them.
    pub fn all(&self) -> Ref<'a, Rows> {
        self.client.exchange.rows.borrow()
    }

    /// A whole number that must be there; without a server it is 0.
    pub fn int(&self, row: usize, column: usize) -> Result<i64, Failure> {
        self.field(self.all().int(row, column), 0, row, column)
    }

    /// A number that must be there; without a server it is 0.
    pub fn float(&self, row: usize, column: usize) -> Result<f64, Failure> {
        self.field(self.all().float(row, column), 0.0, row, column)
    }

    /// A text that must be there; without a server it is empty.
    pub fn text(&self, row: usize, column: usize) -> Result<String, Failure> {
        let text = self.all().text(row, column).map(Cow::into_owned);
        self.field(text, String::new(), row, column)
    }

    fn field<T>(&self, found: Option<T>, zero: T, row: usize, column: usize) -> Result<T, Failure> {
        match found {
            Some(value) => Ok(value),
            None if self.client.exchange.without_server.get() => Ok(zero),
            None => Err(Failure::new(
                Class::Other,
                "field",
                format!("the reply has no such value in row {row}, column {column}"),
            )),
        }
    }
}
