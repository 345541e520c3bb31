//! `prepare`: create a workload's schema and load its data.
//!
//! Rows are loaded in chunks by several connections, with COPY on PostgreSQL and multi-row INSERTs
//! elsewhere. A load that was interrupted, on either side, is resumed by the same command; see `control`.

mod args;
mod control;
mod loader;
mod progress;
mod queue;
mod server;

pub use args::Args;

use crate::WORKLOADS;
use crate::facts;
use anyhow::{Context, Result, bail};
use base::arguments::Usage;
use base::sys;
use control::{Claim, Control};
use loader::{Loader, patiently};
use progress::print;
use scripts::{Made, ScriptOptions};
use serde_json::json;
use server::Server;
use sql_wire::{Credentials, Kind};
use std::collections::HashMap;
use std::time::Instant;
use workloads::RunFacts;
use workloads::dataset::{DataSet, Encoder, Table};

pub fn main(args: &Args) -> Result<()> {
    let credentials = args.server.login.credentials()?;
    args.server
        .endpoint()
        .check(args.server.driver)
        .map_err(Usage::error)?;
    WORKLOADS.check(&args.workload, args.server.driver)?;
    let started = Instant::now();
    if scripts::NAMES.contains(&args.workload.workload.as_str()) {
        return by_script(args, &credentials, started);
    }
    let set = WORKLOADS.data_set(&args.workload)?;
    let tables = set.tables();
    let (rows, already) = if args.server.driver == Kind::Noop {
        (make_only(set.as_ref(), &tables, args.seed), false)
    } else {
        load(args, &credentials, set.as_ref(), &tables)
            .with_context(|| args.server.endpoint().to_string())?
    };
    if already {
        print(&json!({"event": "already_loaded", "message": "already loaded"}));
    }
    print_done(tables.len() as u64, rows, started);
    Ok(())
}

/// Runs a script's command, as one that creates the data; the amount is unknown in advance.
fn by_script(args: &Args, credentials: &Credentials, started: Instant) -> Result<()> {
    let options: ScriptOptions = args.workload.read()?;
    sys::keep_output()?;
    let facts = RunFacts {
        clients: args.threads as usize,
        seed: args.seed,
        account: facts::account(Some(&args.server.endpoint()), credentials),
        ..RunFacts::default()
    };
    let connect = || server::client(args, credentials);
    let reported = |made: Made| {
        print(&json!({"event": "progress", "done": made.rows, "tables": made.tables}));
    };
    let made = scripts::command(
        &args.command,
        args.server.driver,
        &options,
        &facts,
        &connect,
        &reported,
    )?;
    print_done(made.tables, made.rows, started);
    Ok(())
}

fn print_done(tables: u64, rows: u64, started: Instant) {
    print(&json!({
        "event": "done",
        "tables": tables,
        "rows": rows,
        "seconds": (started.elapsed().as_secs_f64() * 1e3).round() / 1e3,
    }));
}

/// Loads missing data; returns the number of rows, and whether the data set was complete before.
fn load(
    args: &Args,
    credentials: &Credentials,
    set: &dyn DataSet,
    tables: &[Table],
) -> Result<(u64, bool)> {
    let control = Control {
        set,
        tables,
        description: format!(
            "{} seed={} chunk={}",
            set.description(),
            args.seed,
            queue::CHUNK_ROWS
        ),
    };
    let mut server = Server::connect(args, credentials)?;
    if args.drop {
        patiently(&mut server, |server| control.discard(server))?;
    }
    let load = match patiently(&mut server, |server| control.claim(server))? {
        Claim::Complete { load } => {
            let counts = control::row_counts(&mut server, load)?;
            return Ok((counts.values().sum(), true));
        }
        Claim::Loading { load } => load,
    };
    let finished = control::finished(&mut server, load)?;
    let loader = Loader {
        args,
        credentials,
        control: &control,
        load,
    };
    loader.run(&finished)?;
    let counts = control::row_counts(&mut server, load)?;
    check_counts(set, tables, &counts)?;
    patiently(&mut server, |server| Ok(control.complete(server, load)?))?;
    Ok((counts.values().sum(), false))
}

/// Checks that the number of rows of each table is within its population rules.
fn check_counts(set: &dyn DataSet, tables: &[Table], counts: &HashMap<String, u64>) -> Result<()> {
    for (at, table) in tables.iter().enumerate() {
        let count = counts.get(&table.name).copied().unwrap_or(0);
        let bounds = set.row_bounds(at, table);
        if !bounds.contains(&count) {
            bail!(
                "table {} has {count} rows instead of {} to {}: reload it with --drop",
                table.name,
                bounds.start(),
                bounds.end()
            );
        }
    }
    Ok(())
}

/// Generates the rows without a server, to measure their cost.
fn make_only(set: &dyn DataSet, tables: &[Table], seed: u64) -> u64 {
    let mut made = 0;
    for (position, table) in tables.iter().enumerate() {
        for chunk in queue::cut(position, table, seed) {
            let mut rows = Encoder::copy();
            set.fill(&chunk, &mut rows);
            made += rows.count();
        }
    }
    made
}
