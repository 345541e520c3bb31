//! A script's commands outside of a run: prepare, cleanup, prewarm and its own, and thread_done().

use super::ask::{Answer, Ask, success};
use super::coroutine::Coroutine;
use super::error::message;
use super::interpreter::Environment;
use super::loaded::{Loaded, Order};
use super::random::Counter;
use crate::effect::{Sort, sort};
use anyhow::{Result, anyhow};
use base::arguments::Usage;
use base::rng::Rng;
use mlua::{Function, Table, Value};
use sql_wire::{Failure, Kind, Parameters, Reply, Rows, blocking};
use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use workloads::RunFacts;

/// What a command has made so far: tables created, and rows that its INSERTs brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    pub tables: u64,
    pub rows: u64,
}

impl Made {
    /// Counts a statement that succeeded.
    fn count(&mut self, sort: &Sort, sql: &str, affected: u64) {
        match sort.verb.as_str() {
            "insert" | "replace" | "load" => self.rows += affected,
            "create" if creates_table(sql) => self.tables += 1,
            _ => {}
        }
    }
}

/// Whether it is a table that is created, be it temporary or only if there is none.
fn creates_table(sql: &str) -> bool {
    let words = sql.split_whitespace().skip(1);
    let mut kind = words.skip_while(|word| {
        let word = word.to_ascii_lowercase();
        ["temporary", "temp", "unlogged", "global", "local"].contains(&word.as_str())
    });
    kind.next()
        .is_some_and(|word| word.eq_ignore_ascii_case("table"))
}

/// Callback for the progress of a command.
pub type Progress<'a> = &'a (dyn Fn(Made) + Sync);

/// Between two of these.
const TOLD_EVERY: Duration = Duration::from_millis(500);

/// How commands find their server; several threads may ask.
pub type Connect<'a> = &'a (dyn Fn() -> Result<blocking::Client, Failure> + Sync);

/// A command to run.
pub struct Request<'a> {
    pub path: &'a Path,
    pub kind: Kind,
    /// The script's own options.
    pub given: &'a BTreeMap<String, String>,
    pub facts: &'a RunFacts,
    pub command: &'a str,
}

/// Runs a command of the script, in parallel when the script says that it can; what it has made.
///
/// `reported` gets the progress also during a long statement.
pub fn run(request: &Request, connect: Connect, reported: Progress) -> Result<Made> {
    let made = Mutex::new(Made::default());
    let (ended, end) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let made = &made;
        scope.spawn(move || {
            while end.recv_timeout(TOLD_EVERY) == Err(RecvTimeoutError::Timeout) {
                reported(so_far(made));
            }
        });
        let result = run_all(request, connect, made);
        drop(ended);
        result.map(|()| so_far(made))
    })
}

fn so_far(made: &Mutex<Made>) -> Made {
    *made.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run_all(request: &Request, connect: Connect, made: &Mutex<Made>) -> Result<()> {
    let counter = Counter::default();
    let one = |tid: usize, only_if_parallel: bool| -> Result<()> {
        let loaded = Loaded::new(&Order {
            path: request.path,
            kind: request.kind,
            given: request.given,
            seed: request.facts.seed,
            facts: Some(request.facts),
            counter: counter.clone(),
            command: request.command,
        })?;
        let broken = |error: mlua::Error| anyhow!(message(&error));
        let (_, parallel) = find(&loaded, &loaded.rehearse().map_err(broken)?)?;
        if only_if_parallel && !parallel {
            return Ok(());
        }
        let mut dial = || connect();
        let mut server = Server::new(&mut dial, Rng::new(request.facts.seed, tid as u64));
        server.made = Some(made);
        let environment = loaded.environment(tid).map_err(broken)?;
        let main = loaded.interpreter.main(&environment).map_err(broken)?;
        server.call(&loaded, &environment, &main, tid)?;
        let (function, _) = find(&loaded, &environment)?;
        server.call(&loaded, &environment, &function, tid)
    };
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let one = &one;
        let others: Vec<_> = (1..request.facts.clients)
            .map(|tid| scope.spawn(move || one(tid, true)))
            .collect();
        let first = one(0, false);
        let lost = || Err(anyhow!("a thread of the script broke down"));
        let others = others
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| lost()));
        std::iter::once(first).chain(others).collect()
    });
    results.into_iter().collect()
}

/// The function behind a command, and whether threads may run it at the same time.
fn find(loaded: &Loaded, environment: &Environment) -> Result<(Function, bool)> {
    let broken = |error: mlua::Error| anyhow!(message(&error));
    let sysbench: Table = environment.globals.get("sysbench").map_err(broken)?;
    let cmdline: Table = sysbench.get("cmdline").map_err(broken)?;
    let own: Option<Table> = cmdline.get("commands").map_err(broken)?;
    let name = loaded.command();
    if let Some(own) = &own
        && let Value::Table(command) = own.get::<Value>(name).map_err(broken)?
        && let Value::Function(function) = command.get::<Value>(1).map_err(broken)?
    {
        let parallel = command.get::<Value>(2).map_err(broken)? == Value::Boolean(true);
        return Ok((function, parallel));
    }
    if let Some(function) = loaded.function(environment, name) {
        return Ok((function, false));
    }
    let mut names: Vec<String> = own
        .iter()
        .flat_map(Table::pairs::<String, Value>)
        .filter_map(|pair| pair.ok().map(|(name, _)| name))
        .collect();
    names.sort();
    for usual in ["prepare", "cleanup"] {
        if loaded.function(environment, usual).is_some() && !names.iter().any(|name| name == usual)
        {
            names.push(usual.to_string());
        }
    }
    let script = loaded.interpreter.path.display();
    Err(Usage::error(match names.is_empty() {
        true => format!("{script} has no command '{name}', nor any other"),
        false => format!(
            "{script} has no command '{name}'; it has {}",
            names.join(", ")
        ),
    }))
}

/// A server that is connected to when it is first needed.
pub struct Server<'a> {
    connect: &'a mut (dyn FnMut() -> Result<blocking::Client, Failure> + 'a),
    /// Of each connection of the script, by number.
    clients: HashMap<usize, blocking::Client>,
    rng: Rng,
    parameters: Parameters,
    rows: Rows,
    /// Counter of created rows, if progress is reported.
    made: Option<&'a Mutex<Made>>,
}

impl<'a> Server<'a> {
    pub fn new(
        connect: &'a mut (dyn FnMut() -> Result<blocking::Client, Failure> + 'a),
        rng: Rng,
    ) -> Server<'a> {
        Server {
            connect,
            clients: HashMap::new(),
            rng,
            parameters: Parameters::default(),
            rows: Rows::default(),
            made: None,
        }
    }

    /// Calls a function of the script to its end.
    pub fn call(
        &mut self,
        loaded: &Loaded,
        environment: &Environment,
        function: &Function,
        tid: usize,
    ) -> Result<()> {
        match self.call_any(loaded, environment, function, tid)? {
            true => Err(anyhow!("the script's function returned false")),
            false => Ok(()),
        }
    }

    /// The same for a function whose result means nothing; whether it returned false.
    pub fn call_any(
        &mut self,
        loaded: &Loaded,
        environment: &Environment,
        function: &Function,
        tid: usize,
    ) -> Result<bool> {
        let broken = |error: mlua::Error| anyhow!(message(&error));
        let interpreter = &loaded.interpreter;
        let thread = interpreter.caller().map_err(broken)?;
        let first = interpreter.calling(environment, function, tid);
        self.go_on(loaded, &thread, first.map_err(broken)?)
    }

    /// Lets a coroutine go on to the end of its call, or of its event; whether it wants no more.
    pub fn go_on(&mut self, loaded: &Loaded, thread: &Coroutine, first: Answer) -> Result<bool> {
        let broken = |error: mlua::Error| anyhow!(message(&error));
        let interpreter = &loaded.interpreter;
        let mut answer = first;
        let mut last: Option<Failure> = None;
        loop {
            let ask = loaded.resume(thread, answer, &mut self.rng);
            let reply = match ask {
                Ask::Ended(stop) => return Ok(stop),
                Ask::LuaFailed(message) => return Err(anyhow!(message)),
                Ask::SqlFailed => {
                    return Err(match last {
                        Some(failure) => anyhow!("{failure}"),
                        None => anyhow!("an error came again"),
                    });
                }
                ask => self.ask(loaded, thread, &ask),
            };
            answer = match reply {
                Ok(reply) => {
                    let kept = interpreter.core.fetches.get().then_some(&self.rows);
                    success(&interpreter.lua, reply.rows, reply.affected, kept).map_err(broken)?
                }
                Err(failure) => {
                    if loaded.rolls_back(&failure) {
                        self.roll_back(loaded)?;
                    }
                    let reported = loaded.tell(&failure)?;
                    last = Some(failure);
                    reported
                }
            };
        }
    }

    fn roll_back(&mut self, loaded: &Loaded) -> Result<(), Failure> {
        let session = loaded.interpreter.core.session.get();
        if let Some(client) = self.clients.get_mut(&session) {
            client.query("ROLLBACK")?;
        }
        Ok(())
    }

    fn ask(&mut self, loaded: &Loaded, thread: &Coroutine, ask: &Ask) -> Result<Reply, Failure> {
        self.rows.start(0);
        let core = &loaded.interpreter.core;
        match ask {
            Ask::Pause(seconds) => std::thread::sleep(Duration::from_secs_f64(*seconds)),
            Ask::Reconnect => drop(self.clients.remove(&core.session.get())),
            _ => {}
        }
        if core.kind == Kind::Noop || matches!(ask, Ask::Pause(_) | Ask::Forget | Ask::SetUp) {
            return Ok(Reply::default());
        }
        let client = match self.clients.entry(core.session.get()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert((self.connect)()?),
        };
        let reply = match ask {
            Ask::Query => thread.with_query(|sql| client.text(sql))?,
            Ask::Execute(number) => {
                let statements = core.statements.borrow();
                let statement = &statements[*number];
                thread.parameters(&statement.types, &mut self.parameters);
                client.execute(*number, statement, &self.parameters)?
            }
            _ => return Ok(Reply::default()),
        };
        std::mem::swap(client.rows_mut(), &mut self.rows);
        self.count(loaded, thread, ask, reply);
        Ok(reply)
    }

    fn count(&self, loaded: &Loaded, thread: &Coroutine, ask: &Ask, reply: Reply) {
        let Some(made) = self.made else { return };
        let kind = loaded.interpreter.core.kind;
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        match ask {
            Ask::Query => {
                thread.with_words(|sql| made.count(&sort(sql, kind), sql, reply.affected));
            }
            Ask::Execute(number) => {
                let statements = loaded.interpreter.core.statements.borrow();
                let sql = statements[*number].sql.as_ref();
                made.count(&sort(sql, kind), sql, reply.affected);
            }
            _ => {}
        }
    }
}
