//! One Lua interpreter (LuaJIT) with a script, and an environment for each connection.
//!
//! Environments instead of separate interpreters: a connection then costs what its script's tables cost, and
//! compiled code is shared. A script's functions see their environment as their globals.

use super::ask::Answer;
use super::core::Core;
use super::coroutine::Coroutine;
use super::files;
use super::natives;
use super::random::Counter;
use crate::pattern;
use base::sys;
use mlua::{Function, IntoLua, Lua, LuaOptions, StdLib, Table, Value};
use sql_wire::Kind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use workloads::distribution::Shape;

const PRELUDE: &str = include_str!("prelude.lua");
/// Lua's own libraries as scripts see them.
const LIBRARIES: &str = include_str!("libraries.lua");
/// Functions that sleep.
const SLEEPING: &str = include_str!("sleeping.lua");
/// What sysbench exports to scripts below its Lua API.
const C_API: &str = include_str!("c_api.lua");
pub struct Interpreter {
    pub lua: Lua,
    pub core: Rc<Core>,
    pub path: PathBuf,
    environment: Function,
    drive: Function,
    once: Function,
    main: Function,
    chunk: Function,
}

/// What a script sees as its globals, and what the prelude knows of its connection.
#[derive(Clone)]
pub struct Environment {
    pub globals: Table,
    state: Table,
}

impl Environment {
    /// Whether the script has replaced sysbench's loop over events, `thread_run()`.
    pub fn has_own_loop(&self) -> bool {
        let now: mlua::Result<Value> = self.globals.raw_get("thread_run");
        let usual: mlua::Result<Value> = self.state.raw_get("loop");
        matches!((now, usual), (Ok(now), Ok(usual)) if now != usual)
    }
}

/// The data for a new environment.
pub struct Settings<'a> {
    pub tid: usize,
    pub command: &'a str,
    pub options: &'a Table,
    /// Options as globals too, as old scripts want them.
    pub as_globals: bool,
}

impl Interpreter {
    pub fn new(path: &Path, kind: Kind, counter: Counter, seed: u64) -> mlua::Result<Interpreter> {
        // The default keeps Lua's own pcall(), through which a coroutine can yield.
        let options = LuaOptions::new();
        // SAFETY: the scripts are the user's own programs; sysbench gives them all libraries, FFI included.
        let lua = unsafe { Lua::unsafe_new_with(StdLib::ALL, options) };
        let core = Rc::new(Core::new(kind, counter, seed));
        let functions = functions(&lua, &core)?;
        files::register(&lua, &core, path, &functions)?;
        let part = |source, name| lua.load(source).set_name(name).into_function();
        let (environment, drive, once, main) = lua.load(PRELUDE).set_name("=prelude").call((
            functions,
            part(LIBRARIES, "=libraries")?,
            part(SLEEPING, "=sleeping")?,
            part(C_API, "=c_api")?,
        ))?;
        let Some(chunk) = files::factory(&lua, &core, path)? else {
            let message = format!("cannot read {}: there is no such file", path.display());
            return Err(mlua::Error::runtime(message));
        };
        Ok(Interpreter {
            lua,
            core,
            path: path.to_path_buf(),
            environment,
            drive,
            once,
            main,
            chunk,
        })
    }

    /// A new environment, in which the script's main chunk has still to run.
    pub fn environment(&self, settings: &Settings) -> mlua::Result<Environment> {
        let table = self.lua.create_table()?;
        table.raw_set("tid", settings.tid)?;
        table.raw_set("command", settings.command)?;
        table.raw_set("path", self.path.display().to_string())?;
        table.raw_set("opt", settings.options)?;
        if settings.as_globals {
            table.raw_set("globals", settings.options)?;
        }
        let (globals, state) = self.environment.call(table)?;
        Ok(Environment { globals, state })
    }

    /// The script's main chunk, as a function to call in a coroutine.
    pub fn main(&self, environment: &Environment) -> mlua::Result<Function> {
        self.main
            .call((&environment.globals, &environment.state, &self.chunk))
    }

    /// A coroutine that will run event() for ever, to be resumed first with what `driving` gives.
    pub fn driver(&self) -> mlua::Result<Coroutine> {
        let thread = self.lua.create_thread(self.drive.clone())?;
        Ok(Coroutine::new(thread))
    }

    /// A coroutine that will call one function, to be resumed first with what `calling` gives.
    pub fn caller(&self) -> mlua::Result<Coroutine> {
        let thread = self.lua.create_thread(self.once.clone())?;
        Ok(Coroutine::new(thread))
    }

    pub fn driving(&self, environment: &Environment, lost: bool) -> mlua::Result<Answer> {
        let lost = match lost {
            true => {
                let description = self.lua.create_table()?;
                description.raw_set("sql_errno", 2013)?;
                description.raw_set("sql_state", "08006")?;
                description.raw_set("sql_errmsg", "the connection was lost")?;
                description.into_lua(&self.lua)?
            }
            false => mlua::Value::Nil,
        };
        let values = (&environment.globals, &environment.state, &self.chunk, lost);
        self.lua.pack_multi(values).map(Answer::Values)
    }

    pub fn calling(
        &self,
        environment: &Environment,
        function: &Function,
        tid: usize,
    ) -> mlua::Result<Answer> {
        let values = (&environment.globals, &environment.state, function, tid);
        self.lua.pack_multi(values).map(Answer::Values)
    }
}

/// The functions that the prelude calls `core`.
fn functions(lua: &Lua, core: &Rc<Core>) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    randoms(lua, core, &table)?;
    table.raw_set(
        "driver",
        match core.kind {
            Kind::Postgres => "pgsql",
            _ => "mysql",
        },
    )?;
    table.raw_set(
        "version",
        concat!(
            "fivenines ",
            env!("CARGO_PKG_VERSION"),
            " (API of sysbench 1.0.20)"
        ),
    )?;
    let held = Rc::clone(core);
    let statement = move |_: &Lua, (sql, letters): (String, String)| Ok(held.intern(sql, letters));
    table.raw_set("statement", lua.create_function(statement)?)?;
    let held = Rc::clone(core);
    let print = move |lua: &Lua, values: mlua::Variadic<mlua::Value>| {
        if !held.quiet.get() {
            let texts: Vec<String> = values
                .iter()
                .map(|value| match lua.coerce_string(value.clone())? {
                    Some(text) => Ok(text.to_string_lossy()),
                    None => value.to_string(),
                })
                .collect::<mlua::Result<_>>()?;
            // Standard output has lines of JSON.
            eprintln!("{}", texts.join("\t"));
        }
        Ok(())
    };
    table.raw_set("print", lua.create_function(print)?)?;
    let held = Rc::clone(core);
    let options = move |_: &Lua, ()| {
        eprint!("{}", held.help.borrow());
        Ok(())
    };
    table.raw_set("print_options", lua.create_function(options)?)?;
    counters(lua, core, &table)?;
    Ok(table)
}

/// What a script counts itself, and whether the run is over.
fn counters(lua: &Lua, core: &Rc<Core>, table: &Table) -> mlua::Result<()> {
    let held = Rc::clone(core);
    let count = move |_: &Lua, which: usize| {
        let mut counted = held.counted.get();
        let Some(counter) = counted.get_mut(which) else {
            let message = format!("sb_counter_inc: there is no counter {which}");
            return Err(mlua::Error::runtime(message));
        };
        *counter += 1;
        held.counted.set(counted);
        Ok(())
    };
    table.raw_set("count", lua.create_function(count)?)?;
    let held = Rc::clone(core);
    let over = move |_: &Lua, ()| Ok(held.over.get());
    table.raw_set("over", lua.create_function(over)?)?;
    let held = Rc::clone(core);
    let tries = move |_: &Lua, ()| Ok(held.tries.get());
    table.raw_set("tries", lua.create_function(tries)?)?;
    let held = Rc::clone(core);
    let quiet = move |_: &Lua, ()| Ok(held.quiet.get());
    table.raw_set("quiet", lua.create_function(quiet)?)?;
    let held = Rc::clone(core);
    let holds = move |_: &Lua, name: String| {
        held.held_by.borrow_mut().insert(name);
        Ok(())
    };
    table.raw_set("holds", lua.create_function(holds)?)?;
    let held = Rc::clone(core);
    let using = move |_: &Lua, number: usize| {
        held.session.set(number);
        Ok(())
    };
    table.raw_set("use", lua.create_function(using)?)?;
    let clock = |_: &Lua, clock: i32| Ok(sys::clock_ns(clock) as f64 / 1e9);
    table.raw_set("clock", lua.create_function(clock)?)
}

fn randoms(lua: &Lua, core: &Rc<Core>, table: &Table) -> mlua::Result<()> {
    natives::register(lua, core, table)?;
    let held = Rc::clone(core);
    let unique = move |_: &Lua, ()| Ok(held.random.borrow_mut().unique());
    table.raw_set("unique", lua.create_function(unique)?)?;
    let held = Rc::clone(core);
    let double = move |_: &Lua, ()| Ok(held.random.borrow_mut().rng.unit());
    table.raw_set("double", lua.create_function(double)?)?;
    let held = Rc::clone(core);
    let halves = move |_: &Lua, ()| {
        let number = held.random.borrow_mut().rng.next_u64();
        Ok(((number >> 32) as f64, (number & 0xffff_ffff) as f64))
    };
    table.raw_set("halves", lua.create_function(halves)?)?;
    let held = Rc::clone(core);
    let varstring = move |lua: &Lua, (low, high): (f64, f64)| {
        let mut random = held.random.borrow_mut();
        // A text beyond 16 MiB would not fit into a packet.
        let length = random.pick(Shape::Uniform, low, high.min(16_777_216.0)) as usize;
        let text: Vec<u8> = (0..length)
            .map(|_| pattern::letter(&mut random.rng))
            .collect();
        lua.create_string(text)
    };
    table.raw_set("varstring", lua.create_function(varstring)?)
}
