//! `load`: drive a database with a workload through whatever happens to its servers.

mod cli;
mod link;
mod live;
mod probe;
mod run;
mod shared;
mod start;
mod transport;
mod worker;

pub use cli::Args;

use crate::args::Usage;
use crate::record::Recorder;
use crate::record::summary::{EndpointSummary, Facts, Summary};
use crate::sys;
use anyhow::{Context, Result, bail};
use run::Run;
use std::collections::BTreeMap;

pub fn main(args: &Args) -> Result<()> {
    let credentials = args.login.credentials()?;
    let workload = args.make_workload();
    if !workload.does_something() {
        return Err(Usage::error(
            "a transaction of this workload has no statements: raise one of the counts",
        ));
    }
    sys::raise_descriptor_limit();
    let probe_base = start::check(args, &credentials, workload.as_ref())?;
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot create {}", args.out.display()))?;
    let recorder = Recorder::create(&args.out, workload.statements().len())
        .with_context(|| format!("cannot write results into {}", args.out.display()))?;
    let mut run = Run::new(args, credentials, workload, recorder, probe_base)?;
    run.drive()?;
    summarise(args, &run)?;
    run.done();
    if let Some(failure) = &run.shared.fatal {
        bail!("stopped by an error: {failure}");
    }
    Ok(())
}

fn summarise(args: &Args, run: &Run) -> Result<()> {
    let shared = &run.shared;
    let duration_s = (shared.now - shared.recorder.started_ns) as f64 / 1e9;
    let facts = Facts {
        workload: shared.workload.name(),
        driver: args.driver.name(),
        connections: run.workers.len(),
        seed: args.seed,
        started_unix_ns: run.started_unix_ns,
        duration_s,
        client: run.watch.summary(duration_s),
        endpoints: endpoints(run),
        statements: shared.workload.statements(),
    };
    Summary::new(&shared.recorder, facts)
        .write(&args.out)
        .context("cannot write load.json")
}

/// An endpoint that serves both roles is counted once.
fn endpoints(run: &Run) -> BTreeMap<String, EndpointSummary> {
    let mut all = BTreeMap::<String, EndpointSummary>::new();
    for target in run.shared.writers.iter().chain(&run.shared.readers) {
        let entry = all.entry(target.name.clone()).or_default();
        entry.connects += target.counts.connects;
        entry.ok += target.counts.ok;
    }
    all
}

#[cfg(test)]
mod tests;
