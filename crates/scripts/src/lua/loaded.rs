//! A script that was read: its interpreter, with the options it was given.

use super::ask::{self, Answer, Ask, failure, success};
use super::coroutine::Coroutine;
use super::error::message;
use super::interpreter::{Environment, Interpreter, Settings};
use super::random::{Counter, Random};
use super::{general, options};
use anyhow::{Result, anyhow};
use base::arguments::Usage;
use base::sys;
use mlua::{Table, Value};
use sql_wire::Kind;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use workloads::RunFacts;

pub struct Loaded {
    pub interpreter: Interpreter,
    /// What `sysbench.opt` is made of.
    options: Table,
    as_globals: bool,
    command: String,
    /// How long the script has kept all connections waiting.
    pub stretches: Cell<Stretches>,
}

/// A script is tried out no longer than this.
const LONGEST_TRIAL: Duration = Duration::from_secs(1);

/// Times that a script took at a stretch, in which no other connection was served.
#[derive(Clone, Copy, Default)]
pub struct Stretches {
    pub count: u64,
    pub total_ns: u64,
    pub longest_ns: u64,
}

impl Stretches {
    /// Less than this is what a script may take, as far as the coarse clock can tell.
    const LEAST_NS: u64 = 20_000_000;

    #[inline]
    fn with(self, took_ns: u64) -> Stretches {
        if took_ns < Stretches::LEAST_NS {
            return self;
        }
        Stretches {
            count: self.count + 1,
            total_ns: self.total_ns + took_ns,
            longest_ns: self.longest_ns.max(took_ns),
        }
    }
}

/// What a script is asked to do.
pub struct Order<'a> {
    pub path: &'a Path,
    pub kind: Kind,
    /// The script's own options.
    pub given: &'a BTreeMap<String, String>,
    pub seed: u64,
    /// What is known of the run; a load knows it later.
    pub facts: Option<&'a RunFacts>,
    pub counter: Counter,
    pub command: &'a str,
}

impl Loaded {
    /// Reads the script, lets it declare its options, and takes those that were given.
    pub fn new(order: &Order) -> Result<Loaded> {
        let wrong = |error: mlua::Error| Usage::error(message(&error));
        let interpreter =
            Interpreter::new(order.path, order.kind, order.counter.clone(), order.seed)
                .map_err(wrong)?;
        let table = interpreter.lua.create_table().map_err(wrong)?;
        let mut loaded = Loaded {
            options: table,
            as_globals: false,
            command: order.command.to_string(),
            stretches: Cell::default(),
            interpreter,
        };
        let interpreter = &loaded.interpreter;
        general::defaults(&interpreter.lua, &loaded.options, order.kind)
            .and_then(|()| order.facts.map_or(Ok(()), |facts| loaded.set_facts(facts)))
            .map_err(Usage::error)?;
        loaded.take_options(order)?;
        Ok(loaded)
    }

    fn take_options(&mut self, order: &Order) -> Result<()> {
        let wrong = |error: mlua::Error| Usage::error(message(&error));
        let core = &self.interpreter.core;
        let first = self.rehearse().map_err(wrong)?;
        let declared = options::declarations(&first.globals).map_err(wrong)?;
        let script = order.path.display().to_string();
        *core.help.borrow_mut() = options::help(&script, &declared);
        if order.given.contains_key("help") {
            print!("{}", core.help.borrow());
            std::process::exit(0);
        }
        let general = options::fill(&self.interpreter.lua, &self.options, &declared, order.given)
            .map_err(|message| Usage::error(format!("{script}: {message}")))?;
        *core.ignored.borrow_mut() = general.ignored;
        *core.random.borrow_mut() =
            Random::new(general.distribution, order.seed, order.counter.clone());
        self.as_globals = declared.is_none();
        Ok(())
    }

    /// What `sysbench.opt` says of the run from now on.
    pub fn set_facts(&self, facts: &RunFacts) -> Result<(), String> {
        let interpreter = &self.interpreter;
        general::of_run(
            &interpreter.lua,
            &self.options,
            interpreter.core.kind,
            facts,
        )
    }

    pub fn command(&self) -> &str {
        &self.command
    }

    pub fn environment(&self, tid: usize) -> mlua::Result<Environment> {
        self.interpreter.environment(&Settings {
            tid,
            command: &self.command,
            options: &self.options,
            as_globals: self.as_globals,
        })
    }

    /// Runs the main chunk without a server, in an environment that shows what it declares. What it asks has one row of
    /// zeros as its answer; with an error behind such an answer the chunk counts as far as it came.
    pub fn rehearse(&self) -> mlua::Result<Environment> {
        let interpreter = &self.interpreter;
        let environment = self.environment(0)?;
        let main = interpreter.main(&environment)?;
        let thread = interpreter.caller()?;
        let mut answer = interpreter.calling(&environment, &main, 0)?;
        let mut asked = false;
        let quiet = interpreter.core.quiet.replace(true);
        let ended = loop {
            match thread.resume(&interpreter.lua, answer) {
                Ask::LuaFailed(message) if !asked => break Err(mlua::Error::runtime(message)),
                Ask::Ended(_) | Ask::LuaFailed(_) | Ask::SqlFailed => break Ok(()),
                Ask::Query | Ask::Execute(_) => asked = true,
                Ask::Reconnect | Ask::Pause(_) | Ask::Forget | Ask::SetUp => {}
            }
            answer = ask::zeros(&interpreter.lua)?;
        };
        interpreter.core.quiet.set(quiet);
        ended.map(|()| environment)
    }

    /// Tries the script out without a server: whether its events only read. When in doubt they write, also where they
    /// take long by themselves.
    pub fn only_reads(&self) -> bool {
        const EVENTS: usize = 20;
        let core = &self.interpreter.core;
        let random = core.random.borrow().rng.clone();
        core.quiet.set(true);
        core.tries.set(true);
        let reads = self.try_out(EVENTS).unwrap_or(false);
        core.quiet.set(false);
        core.tries.set(false);
        core.random.borrow_mut().rng = random;
        reads
    }

    fn try_out(&self, events: usize) -> mlua::Result<bool> {
        use crate::effect::sort;
        let interpreter = &self.interpreter;
        let environment = self.environment(0)?;
        let thread = interpreter.driver()?;
        let mut answer = interpreter.driving(&environment, false)?;
        let (mut done, mut asked, mut reads) = (0, 0, 0);
        let until = Instant::now() + LONGEST_TRIAL;
        while done < events && asked < 10_000 {
            if Instant::now() >= until {
                return Ok(false);
            }
            asked += 1;
            match thread.resume(&interpreter.lua, answer) {
                Ask::Query => {
                    let kind = interpreter.core.kind;
                    let sort = thread.with_words(|sql| sort(sql, kind));
                    if sort.needs_writable {
                        return Ok(false);
                    }
                    reads += usize::from(sort.effect.is_read());
                }
                Ask::Execute(_) | Ask::Reconnect | Ask::Pause(_) | Ask::Forget | Ask::SetUp => {}
                Ask::Ended(true) => break,
                Ask::Ended(false) => done += 1,
                Ask::SqlFailed | Ask::LuaFailed(_) => return Ok(false),
            }
            answer = success(&interpreter.lua, 0, 0, None)?;
        }
        for statement in interpreter.core.statements.borrow().iter() {
            if sort(&statement.sql, interpreter.core.kind).needs_writable {
                return Ok(false);
            }
            reads += usize::from(statement.effect.is_read());
        }
        Ok(reads > 0)
    }

    /// Resumes a coroutine, which sees `rng` as its random numbers.
    #[inline]
    pub fn resume(&self, thread: &Coroutine, answer: Answer, rng: &mut base::rng::Rng) -> Ask {
        let random = &self.interpreter.core.random;
        std::mem::swap(&mut random.borrow_mut().rng, rng);
        let before = sys::coarse_ns();
        let ask = thread.resume(&self.interpreter.lua, answer);
        self.stretches
            .set(self.stretches.get().with(sys::coarse_ns() - before));
        std::mem::swap(&mut random.borrow_mut().rng, rng);
        ask
    }

    /// sysbench's driver of PostgreSQL rolls back by itself after an error that it ignores, so that a script which
    /// catches it can go on.
    pub fn rolls_back(&self, problem: &sql_wire::Failure) -> bool {
        let core = &self.interpreter.core;
        core.kind == Kind::Postgres && core.ignored.borrow().holds(core.kind, problem)
    }

    /// Returns a failed statement in the form for the coroutine.
    pub fn tell(&self, problem: &sql_wire::Failure) -> Result<Answer> {
        let core = &self.interpreter.core;
        let ignored = core.ignored.borrow();
        failure(&self.interpreter.lua, core.kind, problem, &ignored)
            .map_err(|error| anyhow!(message(&error)))
    }

    /// A global function of the script.
    pub fn function(&self, environment: &Environment, name: &str) -> Option<mlua::Function> {
        match environment.globals.get(name) {
            Ok(Value::Function(function)) => Some(function),
            _ => None,
        }
    }
}
