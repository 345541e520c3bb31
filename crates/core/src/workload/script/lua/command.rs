//! A script's commands outside of a run: prepare, cleanup, prewarm and its own, and thread_done().

use super::ask::{Ask, success};
use super::coroutine::Coroutine;
use super::interpreter::Environment;
use super::loaded::{Loaded, Order, message};
use super::random::Counter;
use crate::args::Usage;
use crate::driver::{Failure, Kind, Parameters, Reply, Rows, blocking};
use crate::rng::Rng;
use anyhow::{Result, anyhow};
use mlua::{Function, Table, Value};
use std::path::Path;

/// How commands find their server; several threads may ask.
pub type Connect<'a> = &'a (dyn Fn() -> Result<blocking::Client, Failure> + Sync);

/// A command to run, from the command line.
pub struct Request<'a> {
    pub path: &'a Path,
    pub kind: Kind,
    pub words: &'a [String],
    pub seed: u64,
    pub threads: usize,
    /// The command when the words name none.
    pub command: &'a str,
}

/// Runs a command of the script, in parallel when the script says that it can.
pub fn run(request: &Request, connect: Connect) -> Result<()> {
    let counter = Counter::default();
    let one = |tid: usize, only_if_parallel: bool| -> Result<()> {
        let loaded = Loaded::new(&Order {
            path: request.path,
            kind: request.kind,
            words: request.words,
            seed: request.seed,
            threads: request.threads,
            counter: counter.clone(),
            command: request.command,
        })?;
        let environment = loaded
            .environment(tid)
            .map_err(|error| anyhow!(message(&error)))?;
        let (function, parallel) = find(&loaded, &environment)?;
        if only_if_parallel && !parallel {
            return Ok(());
        }
        let mut dial = || connect();
        let mut server = Server::new(&mut dial, Rng::new(request.seed, tid as u64));
        server.call(&loaded, &environment, &function, tid)
    };
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let one = &one;
        let others: Vec<_> = (1..request.threads)
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
    client: Option<blocking::Client>,
    rng: Rng,
    parameters: Parameters,
    rows: Rows,
}

impl<'a> Server<'a> {
    pub fn new(
        connect: &'a mut (dyn FnMut() -> Result<blocking::Client, Failure> + 'a),
        rng: Rng,
    ) -> Server<'a> {
        Server {
            connect,
            client: None,
            rng,
            parameters: Parameters::default(),
            rows: Rows::default(),
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
        let broken = |error: mlua::Error| anyhow!(message(&error));
        let interpreter = &loaded.interpreter;
        let thread = interpreter.caller().map_err(broken)?;
        let first = interpreter.calling(environment, function, tid);
        let mut answer = first.map_err(broken)?;
        let mut last: Option<Failure> = None;
        loop {
            let ask = loaded.resume(&thread, answer, &mut self.rng);
            let reply = match ask {
                Ask::Ended(false) => return Ok(()),
                Ask::Ended(true) => return Err(anyhow!("the script's function returned false")),
                Ask::LuaFailed(message) => return Err(anyhow!(message)),
                Ask::SqlFailed => {
                    return Err(match last {
                        Some(failure) => anyhow!("{failure}"),
                        None => anyhow!("an error came again"),
                    });
                }
                ask => self.ask(loaded, &thread, &ask),
            };
            answer = match reply {
                Ok(reply) => {
                    let kept = interpreter.core.fetches.get().then_some(&self.rows);
                    success(&interpreter.lua, reply.rows, reply.affected, kept).map_err(broken)?
                }
                Err(failure) => {
                    let told = loaded.tell(&failure)?;
                    last = Some(failure);
                    told
                }
            };
        }
    }

    fn ask(&mut self, loaded: &Loaded, thread: &Coroutine, ask: &Ask) -> Result<Reply, Failure> {
        self.rows.start(0);
        if loaded.interpreter.core.kind == Kind::Noop {
            return Ok(Reply::default());
        }
        if matches!(ask, Ask::Reconnect) {
            self.client = None;
        }
        let client = match &mut self.client {
            Some(client) => client,
            None => self.client.insert((self.connect)()?),
        };
        let reply = match ask {
            Ask::Query => thread.with_query(|sql| client.query(sql))?,
            Ask::Execute(number) => {
                let statements = loaded.interpreter.core.statements.borrow();
                let statement = &statements[*number];
                thread.parameters(&statement.types, &mut self.parameters);
                client.execute(*number, statement, &self.parameters)?
            }
            _ => return Ok(Reply::default()),
        };
        std::mem::swap(client.rows_mut(), &mut self.rows);
        Ok(reply)
    }
}
