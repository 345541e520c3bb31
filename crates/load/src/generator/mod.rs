//! `load`: drive a database with a workload through whatever happens to its servers.
//!
//! From the top down:
//! - `run`: the event loop, and how a run is put together; `calibration` runs it without a server;
//! - `profile`: what changes when: steps, a search, windows; `preflight`: checks before the run; `args`: the flags;
//! - `worker`: the load's connections, each running transactions; `alongside`: ledger, probes, side workloads;
//! - `connection`: the way to a usable server and back;
//! - `shared`: what all clients share: clock, sessions, sockets, timers, results; `endpoints`: servers and their names.

mod alongside;
mod args;
mod calibration;
mod connection;
mod endpoints;
mod preflight;
mod profile;
mod run;
mod shared;
mod show;
mod worker;

pub use args::Args;

use crate::WORKLOADS;
use crate::record::Recorder;
use crate::record::client::Remarks;
use crate::record::schedule::ScheduleSummary;
use crate::record::summary::{EndpointSummary, Facts, Summary};
use crate::record::work::WorkSummary;
use anyhow::{Context, Result, bail};
use base::sys;
use profile::{LoadProfile, Windows};
use run::{Frame, Run};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use workloads::Workload;

/// With fewer connections, what each takes is lost in what the program takes.
const CONNECTIONS_WORTH_WEIGHING: u32 = 100;

pub fn main(args: &Args) -> Result<()> {
    args.check()?;
    if let Some(count) = args.show {
        return show::show(args, count, &mut std::io::stdout().lock());
    }
    sys::keep_output()?;
    let credentials = args.login.credentials()?;
    let workload = WORKLOADS.make(&args.described(), args.driver)?;
    workload.one_of(args.one_of.index, args.one_of.count);
    workload.expect(&args.facts(&credentials));
    preflight::check_limits(args)?;
    let alongside = side_workloads(args)?;
    let greatest = preflight::check_servers(args, &credentials, workload.as_ref(), &alongside)?;
    workload.begin(&mut || preflight::connect(args, &credentials))?;
    let out = args.out.as_deref().unwrap_or(Path::new("."));
    std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    let noop_ns = calibration::noop_ns(args, &credentials);
    let mut recorder = Recorder::create(Some(out), workload.transactions())
        .with_context(|| format!("cannot write results into {}", out.display()))?;
    if args.tick.is_some() {
        recorder.ticks.open(out).context("cannot write ticks.csv")?;
    }
    let rss_before = sys::rss_kib();
    let frame = Frame::real(args, workload.as_ref());
    let finishing = credentials.clone();
    let mut run = Run::new(
        args,
        frame,
        credentials,
        workload,
        recorder,
        greatest.ledger,
    )?;
    run.load.shared.sessions.commit_each = greatest.commit_each;
    run.add_side_workloads(args, alongside);
    run.add_probes(args, greatest.probes);
    run.drive()?;
    let remarks = Remarks {
        noop_ns,
        connection_kib: connection_kib(args, rss_before),
        ..Remarks::default()
    };
    summarise(args, out, &mut run, remarks)?;
    run.done();
    let mut connect = || preflight::connect(args, &finishing);
    if let Err(error) = run.load.workload.finish(&mut connect) {
        eprintln!("fivenines-core: after the run: {error:#}");
    }
    if let Some(failure) = &run.load.shared.fatal {
        bail!("stopped by an error: {failure}");
    }
    Ok(())
}

/// Returns the side workloads with their rates.
fn side_workloads(args: &Args) -> Result<Vec<(Rc<dyn Workload>, f64)>> {
    let all = args.alongside.iter();
    all.map(|alongside| {
        let workload = WORKLOADS.make(&alongside.workload, args.driver)?;
        workload.one_of(args.one_of.index, args.one_of.count);
        Ok((workload, alongside.rate))
    })
    .collect()
}

/// By how much this process grew for each connection.
fn connection_kib(args: &Args, before: Option<u64>) -> Option<f64> {
    let connections = args.drive.most_connections();
    let grown = sys::usage().max_rss_kib.checked_sub(before?)?;
    (connections >= CONNECTIONS_WORTH_WEIGHING)
        .then(|| (grown as f64 / f64::from(connections) * 10.0).round() / 10.0)
}

fn summarise(args: &Args, out: &Path, run: &mut Run, remarks: Remarks) -> Result<()> {
    let load = &run.load;
    let duration_s = (load.now() - load.shared.recorder.started_ns) as f64 / 1e9;
    let remarks = Remarks {
        schedule_lag: load.lateness.lag.total(),
        latency_p99_ms: load.shared.recorder.latency.whole().p99,
        waited: load.shared.recorder.latency.waited(),
        exhausted: load.shared.sockets.exhausted.clone(),
        held_up: load.workload.held_up(),
        ..remarks
    };
    let facts = Facts {
        workload: load.workload.name(),
        driver: args.driver.name(),
        connections: run.workers.len(),
        connections_without_success: run
            .workers
            .iter()
            .filter(|worker| worker.is_without_success())
            .count(),
        seed: args.seed,
        started_unix_ns: run.started_unix_ns,
        duration_s,
        stopped_s: run.stopped_s().min(duration_s),
        schedule: schedule(args, run),
        work: work(args, run),
        bounds: args.bounds.summary(),
        burst_ms: run.connector.burst_ms(),
        steps: &run.steps,
        search: run
            .profile
            .rate_search()
            .map(|rate_search| rate_search.summary()),
        windows: run.profile.windows().map(Windows::done),
        client: run.watch.summary(duration_s, remarks),
        endpoints: endpoints(run),
        statements: &load.exchange.statements.borrow(),
        script_counters: load.workload.counted(),
        alongside: run.side_workloads.summary(),
        probes: run.probes.as_ref().map(|probes| probes.summary()),
    };
    Summary::new(&load.shared.recorder, facts)
        .write(out)
        .context("cannot write load.json")
}

fn schedule(args: &Args, run: &Run) -> ScheduleSummary {
    let (drive, schedule) = (&args.drive, &run.load.turns.schedule);
    let kind = match (&run.profile, schedule.is_open()) {
        (LoadProfile::RateSearch(_), _) => "search",
        (_, true) => "open",
        (_, false) => "closed",
    };
    let described = ScheduleSummary {
        kind,
        rate: drive.rate.as_ref().map(|steps| steps.first()),
        arrivals: schedule.is_open().then(|| drive.arrivals.name()),
        burst: drive.burst,
        think_ms: drive.think_time.map(|mean| mean.as_secs_f64() * 1000.0),
        ..ScheduleSummary::default()
    };
    described.with_counts(schedule.counts(), run.load.lateness.lag.total())
}

/// What became of fixed work; None: the load was of a time.
fn work(args: &Args, run: &Run) -> Option<WorkSummary> {
    let load = &run.load;
    let goal = args.drive.goal(load.workload.ends_itself())?;
    let connections = u64::from(args.drive.most_connections());
    let completed = match goal.transactions(connections) {
        Some(count) => load.turns.work.done >= count,
        None => load.shared.clock.started && run.has_finished(),
    };
    let span = load.turns.work.span(load.turns.schedule.opens_at());
    let origin = load.shared.recorder.started_ns;
    Some(WorkSummary::new(
        goal,
        &load.turns.work,
        completed,
        span,
        origin,
    ))
}

/// An endpoint that serves both roles is counted once.
fn endpoints(run: &Run) -> BTreeMap<String, EndpointSummary> {
    let mut all = BTreeMap::<String, EndpointSummary>::new();
    for target in run
        .load
        .shared
        .endpoints
        .writers
        .iter()
        .chain(&run.load.shared.endpoints.readers)
    {
        let entry = all.entry(target.name.clone()).or_default();
        entry.connects += target.counts.connects;
        entry.ok += target.counts.ok;
        entry.tls = target.counts.tls.or(entry.tls);
    }
    all
}

#[cfg(test)]
mod tests;
