//! sysbench's Lua scripts, unchanged: event() is a transaction, run as a coroutine that yields at statements.

mod ask;
pub mod command;
mod core;
mod coroutine;
mod error;
mod files;
mod general;
mod interpreter;
mod loaded;
mod natives;
mod option_value;
mod options;
mod random;
mod settings;

use crate::effect::effect;
use anyhow::{Context, Result, anyhow};
use ask::{Answer, Ask};
use base::arguments::Usage;
use base::rng::Rng;
use core::COUNTERS;
use coroutine::Coroutine;
use interpreter::Environment;
use loaded::{Loaded, Order};
use random::Counter;
use sql_wire::blocking;
use sql_wire::{Effect, Failure, Kind, Statement};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use workloads::client::{Call, Reply};
use workloads::{Client, End, HeldUp, LeftOpen, RunFacts, Running, TransactionType, Workload};

/// A connection of the run.
struct Lane {
    environment: Environment,
    thread: Rc<Coroutine>,
    /// The coroutine was resumed before.
    started: bool,
    /// A statement is under way; when a transaction finds it so, the one before was lost.
    waiting: bool,
    /// event() asked for the end.
    stopped: bool,
}

pub struct LuaScript {
    loaded: Loaded,
    name: String,
    types: [TransactionType; 1],
    lanes: RefCell<Vec<Option<Lane>>>,
    /// The workload's number of each prepared statement, in the order of the script's numbers.
    prepared: RefCell<Vec<usize>>,
    seed: Cell<u64>,
    /// One of several loads of a run has the first number.
    load_number: Cell<usize>,
    /// The script has init() or done(), which belong to no connection.
    acts_outside: bool,
    /// Where they run.
    outside: RefCell<Option<Environment>>,
}

/// Reads a script for a run.
pub fn load(path: &Path, kind: Kind, given: &BTreeMap<String, String>) -> Result<LuaScript> {
    let order = Order {
        path,
        kind,
        given,
        seed: 1,
        facts: None,
        counter: Counter::default(),
        command: "run",
    };
    let loaded = Loaded::new(&order)?;
    let first = loaded.rehearse();
    let first = first.map_err(|error| Usage::error(error::message(&error)))?;
    if loaded.function(&first, "event").is_none() {
        let message = format!("{}: the script has no function event()", path.display());
        return Err(Usage::error(message));
    }
    let stem = path.file_stem().unwrap_or_default();
    let name = stem.to_string_lossy().into_owned();
    Ok(LuaScript {
        types: [TransactionType::new(name.clone(), !loaded.only_reads())],
        acts_outside: ["init", "done"]
            .iter()
            .any(|name| loaded.function(&first, name).is_some()),
        loaded,
        name,
        lanes: RefCell::default(),
        prepared: RefCell::default(),
        seed: Cell::new(1),
        load_number: Cell::new(0),
        outside: RefCell::default(),
    })
}

/// What to do next for a transaction.
enum Next {
    Done(End),
    Ask(Ask),
}

impl LuaScript {
    /// The connection's coroutine, and what to resume it with.
    fn enter(&self, client: &Client) -> mlua::Result<(Rc<Coroutine>, Answer)> {
        let interpreter = &self.loaded.interpreter;
        let mut lanes = self.lanes.borrow_mut();
        if lanes.len() <= client.number {
            lanes.resize_with(client.number + 1, || None);
        }
        let slot = &mut lanes[client.number];
        let lane = match slot {
            Some(lane) => lane,
            None => slot.insert(Lane {
                environment: self.loaded.environment(client.number)?,
                thread: Rc::new(interpreter.driver()?),
                started: false,
                waiting: false,
                stopped: false,
            }),
        };
        let lost = std::mem::take(&mut lane.waiting);
        if lost {
            lane.thread = Rc::new(interpreter.driver()?);
            lane.started = false;
        }
        let answer = match std::mem::replace(&mut lane.started, true) {
            true => Answer::Nothing,
            false => interpreter.driving(&lane.environment, lost)?,
        };
        Ok((Rc::clone(&lane.thread), answer))
    }

    /// Calls init() or done(), where the script has it.
    fn call_outside(&self, server: &mut command::Server, name: &str) -> Result<()> {
        if let Some(environment) = self.outside.borrow().as_ref()
            && let Some(function) = self.loaded.function(environment, name)
        {
            server.call_any(&self.loaded, environment, &function, 0)?;
        }
        Ok(())
    }

    fn mark(&self, client: &Client, change: impl FnOnce(&mut Lane)) {
        if let Some(Some(lane)) = self.lanes.borrow_mut().get_mut(client.number) {
            change(lane);
        }
    }

    async fn event(&self, client: &Client) -> Result<End, Failure> {
        let lua = |error: mlua::Error| client.stop_run(error::message(&error));
        let (thread, mut answer) = self.enter(client).map_err(lua)?;
        let mut last = None;
        loop {
            let ask = match self.next(client, &thread, answer, &mut last)? {
                Next::Done(end) => return Ok(end),
                Next::Ask(ask) => ask,
            };
            self.mark(client, |lane| lane.waiting = true);
            let reply = self.send(client, &thread, &ask).await;
            match &reply {
                Ok(_) => self.keep_setting(client, &thread, &ask).await?,
                Err(failure) if self.loaded.rolls_back(failure) => {
                    client.text("ROLLBACK", Effect::Rollback, false).await?;
                }
                Err(_) => {}
            }
            self.mark(client, |lane| lane.waiting = false);
            let keep = self.loaded.interpreter.core.fetches.get();
            answer = match reply {
                Ok(reply) => ask::reply(&self.loaded.interpreter.lua, &reply, keep).map_err(lua)?,
                Err(failure) => {
                    let reported = self.loaded.tell(&failure);
                    last = Some(failure);
                    reported.map_err(|error| client.stop_run(error.to_string()))?
                }
            };
        }
    }

    /// Lets the script go on to its next statement, or to the end of the event.
    fn next(
        &self,
        client: &Client,
        thread: &Coroutine,
        answer: Answer,
        last: &mut Option<Failure>,
    ) -> Result<Next, Failure> {
        let ask = self.loaded.resume(thread, answer, &mut client.rng());
        match ask {
            Ask::Ended(stop) => {
                if stop {
                    self.mark(client, |lane| lane.stopped = true);
                }
                Ok(Next::Done(End::Committed))
            }
            Ask::SqlFailed => Err(last
                .take()
                .unwrap_or_else(|| client.stop_run("an error came again".to_string()))),
            Ask::LuaFailed(message) => Err(client.stop_run(message)),
            ask => Ok(Next::Ask(ask)),
        }
    }

    async fn send<'a>(
        &self,
        client: &'a Client,
        thread: &Coroutine,
        ask: &Ask,
    ) -> Result<Reply<'a>, Failure> {
        let keep = self.loaded.interpreter.core.fetches.get();
        match ask {
            Ask::Query => {
                let send = |sql: &[u8]| {
                    let effect = effect(&String::from_utf8_lossy(sql), client.kind());
                    client.text(sql, effect, keep)
                };
                thread.with_query(send).await
            }
            Ask::Execute(number) => {
                let call = client.call(self.statement(client, *number));
                let mut call = self.bind(call, *number, thread);
                if keep {
                    call = call.rows();
                }
                call.await
            }
            Ask::Pause(seconds) => client.pause(Duration::from_secs_f64(*seconds)).await,
            Ask::Forget => client.forget_settings().await,
            Ask::SetUp => client.is_set_up().await,
            _ => client.reconnect().await,
        }
    }

    /// Statements of thread_init(), which each new session repeats.
    async fn keep_setting(
        &self,
        client: &Client,
        thread: &Coroutine,
        ask: &Ask,
    ) -> Result<(), Failure> {
        let kept = match ask {
            Ask::Query if thread.is_setting_up() => thread
                .with_words(|sql| settings::lasts(sql, client.kind()).then(|| sql.to_string())),
            Ask::Execute(number) => {
                let statements = self.loaded.interpreter.core.statements.borrow();
                let statement = &statements[*number];
                let lasts = statement.types.is_empty()
                    && thread.is_setting_up()
                    && settings::lasts(&statement.sql, client.kind());
                lasts.then(|| statement.sql.to_string())
            }
            _ => None,
        };
        if let Some(sql) = kept {
            client.keep_setting(&sql).await?;
        }
        Ok(())
    }

    fn bind<'a>(&self, call: Call<'a>, number: usize, thread: &Coroutine) -> Call<'a> {
        let statements = self.loaded.interpreter.core.statements.borrow();
        let types = &statements[number].types;
        call.with_all(|parameters| thread.parameters(types, parameters))
    }

    /// The workload's number of the script's statement.
    fn statement(&self, client: &Client, number: usize) -> usize {
        let mut prepared = self.prepared.borrow_mut();
        while prepared.len() <= number {
            let statement =
                self.loaded.interpreter.core.statements.borrow()[prepared.len()].clone();
            prepared.push(client.add_statement(statement));
        }
        prepared[number]
    }
}

impl Workload for LuaScript {
    fn name(&self) -> &str {
        &self.name
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    /// Added when first used: what a script prepares shows only when it runs.
    fn statements(&self) -> Vec<Statement> {
        Vec::new()
    }

    fn required_table(&self) -> Option<&str> {
        None
    }

    fn expect(&self, facts: &RunFacts) {
        self.seed.set(facts.seed);
        let core = &self.loaded.interpreter.core;
        core.random.borrow_mut().seed_unique(facts.seed);
        // what it counted while it was tried out
        core.counted.set(Default::default());
        core.held_by.take();
        core.quiet.set(facts.rehearsal);
        core.tries.set(facts.rehearsal);
        // A plain table takes any field; without memory for it there is nothing left to save.
        let _ = self.loaded.set_facts(facts);
    }

    fn held_up(&self) -> Option<HeldUp> {
        let stretches = self.loaded.stretches.get();
        let by = self.loaded.interpreter.core.held_by.borrow();
        (stretches.count > 0).then(|| HeldUp {
            script: self.loaded.interpreter.path.display().to_string(),
            by: by.iter().cloned().collect(),
            count: stretches.count,
            total_ns: stretches.total_ns,
            longest_ns: stretches.longest_ns,
        })
    }

    /// As with sysbench and pgbench.
    fn relies_on_autocommit(&self) -> bool {
        false
    }

    /// sysbench leaves it to the next event, as with autocommit off and a commit in every tenth event.
    fn left_open(&self, _which: usize, _client: &Client) -> LeftOpen {
        LeftOpen::Kept
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        let lanes = self.lanes.borrow();
        match lanes.get(client.number) {
            Some(Some(lane)) if lane.stopped => None,
            _ => Some(0),
        }
    }

    fn run(self: Rc<Self>, _which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move { self.event(&client).await })
    }

    fn counted(&self) -> BTreeMap<&'static str, u64> {
        let counted = self.loaded.interpreter.core.counted.get();
        let all = COUNTERS.into_iter().zip(counted);
        all.filter(|(_, count)| *count > 0).collect()
    }

    fn one_of(&self, index: usize, _count: usize) {
        self.load_number.set(index);
    }

    /// init() runs once, before all connections.
    fn begin(&self, connect: &mut dyn FnMut() -> Result<blocking::Client, Failure>) -> Result<()> {
        if self.load_number.get() > 0 || !self.acts_outside {
            return Ok(());
        }
        let rehearsed = self.loaded.rehearse();
        let environment = rehearsed.map_err(|error| anyhow!(error::message(&error)))?;
        self.outside.replace(Some(environment));
        let mut server = command::Server::new(connect, Rng::new(self.seed.get(), u64::MAX - 3));
        self.call_outside(&mut server, "init").context("init()")
    }

    /// Loops of the script's own come to their end, then thread_done() of every connection, and done() at last: what
    /// they send goes over a separate connection.
    fn finish(&self, connect: &mut dyn FnMut() -> Result<blocking::Client, Failure>) -> Result<()> {
        let mut server = command::Server::new(connect, Rng::new(self.seed.get(), u64::MAX - 2));
        self.loaded.interpreter.core.over.set(true);
        for (tid, lane) in self.lanes.borrow_mut().drain(..).enumerate() {
            let Some(lane) = lane else { continue };
            let in_loop = lane.started && !lane.waiting && !lane.stopped;
            if in_loop && lane.environment.has_own_loop() {
                server.go_on(&self.loaded, &lane.thread, Answer::Nothing)?;
            }
            if let Some(done) = self.loaded.function(&lane.environment, "thread_done") {
                server.call(&self.loaded, &lane.environment, &done, tid)?;
            }
        }
        self.call_outside(&mut server, "done")
    }
}

#[cfg(test)]
mod tests;
