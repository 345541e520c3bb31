//! The user's own scripts: SQL files with parameters, and sysbench's Lua scripts.

mod effect;
mod lua;
mod options;
mod pattern;
mod pieces;
mod sql;

pub use lua::command::Made;
pub use options::ScriptOptions;

use anyhow::Result;
use base::arguments::Usage;
use sql::Value;
use sql_wire::{Failure, Kind, blocking};
use std::rc::Rc;
use workloads::mix::{Mix, Part};
use workloads::registry::Family;
use workloads::{RunFacts, Workload};

pub const NAMES: &[&str] = &["script"];

pub const FAMILIES: &[Family] = &[Family {
    names: NAMES,
    make: |asked, kind| make(kind, &asked.read()?, asked.as_texts),
    data: None,
}];

/// The workload of all files that were given, picked by weight. With `as_texts`, SQL files prepare nothing.
pub fn make(kind: Kind, options: &ScriptOptions, as_texts: bool) -> Result<Rc<dyn Workload>> {
    let mut parts = Vec::new();
    for file in &options.files {
        let workload: Rc<dyn Workload> = match file.is_lua() {
            true => Rc::new(lua::load(&file.path, kind, &options.options)?),
            false => Rc::new(sql::load(&file.path, kind, &defined(options), as_texts)?),
        };
        parts.push(Part {
            workload,
            weight: file.weight,
        });
    }
    if parts.len() == 1 {
        return Ok(parts.remove(0).workload);
    }
    Ok(Rc::new(Mix::new(parts)))
}

fn defined(options: &ScriptOptions) -> Vec<(String, Value)> {
    let all = options.define.iter();
    all.map(|(name, value)| (name.clone(), Value::read(value)))
        .collect()
}

/// Runs a command of a Lua script, as `prepare`; what it has made.
pub fn command(
    name: &str,
    kind: Kind,
    options: &ScriptOptions,
    facts: &RunFacts,
    connect: &(dyn Fn() -> Result<blocking::Client, Failure> + Sync),
    reported: &(dyn Fn(Made) + Sync),
) -> Result<Made> {
    let [file] = options.files.as_slice() else {
        return Err(Usage::error(format!("`{name}` takes one script")));
    };
    if !file.is_lua() {
        return Err(Usage::error(format!(
            "{}: a SQL file has no command `{name}`; make its tables with the server's own client",
            file.path.display()
        )));
    }
    let request = lua::command::Request {
        path: &file.path,
        kind,
        given: &options.options,
        facts,
        command: name,
    };
    lua::command::run(&request, connect, reported)
}
