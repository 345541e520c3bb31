//! Runs a transaction without a server and says what it called: for the workloads' own tests.

use super::client::{Client, Exchange, Request};
use super::dataset::{Chunk, DataSet, Encoder};
use super::document::Document;
use super::{End, Workload};
use base::rng::Rng;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use sql_wire::{Effect, Failure, Kind, Reply, Rows, Statement, Value};
use std::ops::Range;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Default settings of the Python models by workload; tests there compare them.
const SETTINGS: &str = include_str!("testing/settings.json");

/// The document of a workload with these changes, each as `NAME=VALUE`.
pub fn document(workload: &str, changes: &[&str]) -> String {
    let mut all: Json = serde_json::from_str(SETTINGS).unwrap();
    let mut document = all[workload].take();
    document["workload"] = workload.into();
    for (name, text) in changes.iter().map(|change| change.split_once('=').unwrap()) {
        document[name] = serde_json::from_str(text).unwrap_or_else(|_| text.into());
    }
    document.to_string()
}

/// The settings of a workload with these changes.
pub fn settings<T: DeserializeOwned>(workload: &str, changes: &[&str]) -> T {
    let document: Document = document(workload, changes).parse().unwrap();
    document.read().unwrap()
}

/// What `write` appends to an empty text.
pub fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

/// The fields of the rows that `prepare` loads for these units of a table.
pub fn rows_of(set: &dyn DataSet, table: usize, units: Range<u64>, seed: u64) -> Vec<Vec<String>> {
    let mut rows = Encoder::copy();
    let chunk = Chunk {
        table,
        first: units.start,
        count: units.end - units.start,
        seed,
    };
    set.fill(&chunk, &mut rows);
    let lines = String::from_utf8(rows.take().concat()).unwrap();
    let fields = |line: &str| line.split('\t').map(str::to_string).collect();
    lines.lines().map(fields).collect()
}

/// A client without a server, to ask a workload what it would pick.
pub fn client(workload: &dyn Workload, seed: u64) -> Rc<Client> {
    let exchange = Exchange::new(Kind::Noop, workload.statements());
    Client::new(0, exchange, Rng::new(seed, 0))
}

/// One call with its parameters; texts are in the order of their parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    pub statement: Statement,
    pub values: Vec<Value>,
    pub texts: Vec<String>,
}

/// What a server would say to a call: the reply, with rows of fields as text.
pub type Answered = Result<(Reply, Vec<Vec<&'static str>>), Failure>;

/// Runs one transaction to its end; `answer` plays the server.
pub fn play(
    workload: Rc<dyn Workload>,
    which: usize,
    seed: u64,
    answer: impl FnMut(&Called) -> Answered,
) -> (Vec<Called>, Result<End, Failure>) {
    play_on(Kind::Noop, workload, which, seed, answer)
}

/// The same with a server of this kind that answers with the fields that the transaction needs.
pub fn play_on(
    kind: Kind,
    workload: Rc<dyn Workload>,
    which: usize,
    seed: u64,
    mut answer: impl FnMut(&Called) -> Answered,
) -> (Vec<Called>, Result<End, Failure>) {
    let exchange = Exchange::new(kind, workload.statements());
    let client = Client::new(0, Rc::clone(&exchange), Rng::new(seed, 0));
    let mut running = workload.run(which, client);
    let mut all = Vec::new();
    loop {
        let context = &mut Context::from_waker(Waker::noop());
        if let Poll::Ready(result) = running.as_mut().poll(context) {
            return (all, result);
        }
        let Some(called) = called(&exchange) else {
            exchange.answer(Ok(Reply::default()));
            continue;
        };
        let answered = answer(&called);
        all.push(called);
        exchange.answer(answered.map(|(reply, fields)| {
            fill(&mut exchange.rows.borrow_mut(), &fields);
            reply
        }));
    }
}

/// What a transaction calls when every call changes or returns one row, with fields that are zero or empty.
pub fn calls(workload: Rc<dyn Workload>, which: usize, seed: u64) -> Vec<Called> {
    let (all, result) = play(workload, which, seed, |_| Ok((one_row(), Vec::new())));
    assert!(result.is_ok(), "{result:?}");
    all
}

/// The reply of a statement that returned or changed one row.
pub fn one_row() -> Reply {
    Reply {
        rows: 1,
        affected: 1,
    }
}

/// The text of a call to the server; None: it is for later sessions. A pause has a separate text.
fn called(exchange: &Exchange) -> Option<Called> {
    let text = |sql: &str| Called {
        statement: Statement::new(Kind::Noop, "text", Effect::Read, sql, &[]),
        values: Vec::new(),
        texts: Vec::new(),
    };
    let parameters = exchange.parameters.borrow();
    Some(match exchange.take_request().expect("a call") {
        Request::Note(_) => return None,
        Request::Text { .. } | Request::Reconnect => {
            text(&String::from_utf8_lossy(&exchange.sql.borrow()))
        }
        Request::Pause(nanoseconds) => text(&format!("pause for {nanoseconds} ns")),
        Request::Execute { id, .. } => Called {
            statement: exchange.statements.borrow()[id].clone(),
            values: parameters.values.clone(),
            texts: parameters
                .values
                .iter()
                .filter_map(|value| match *value {
                    Value::Text { start, length } => Some(
                        String::from_utf8_lossy(parameters.text_at(start, length)).into_owned(),
                    ),
                    _ => None,
                })
                .collect(),
        },
    })
}

fn fill(rows: &mut Rows, fields: &[Vec<&str>]) {
    rows.start(fields.first().map_or(0, Vec::len));
    for field in fields.iter().flatten() {
        rows.push_text(field.as_bytes());
    }
}
