//! `load`: drive a database with a workload through whatever happens to its servers.

mod binding;
mod bounds;
mod build;
mod calibration;
mod cli;
mod connection;
mod connection_pair;
mod connector;
mod drive;
mod frame;
mod kept_settings;
mod ledger;
mod live;
mod pace;
mod prober;
mod profile;
mod rate_search;
mod reconnect;
mod resolver;
mod resources;
mod retry;
mod run;
mod shared;
mod show;
mod side_workloads;
mod start;
mod target;
mod timers;
mod together;
pub mod transport;
mod windows;
mod worker;

pub use cli::Args;

use crate::WORKLOADS;
use crate::record::Recorder;
use crate::record::client::Remarks;
use crate::record::schedule::ScheduleSummary;
use crate::record::summary::{EndpointSummary, Facts, Summary};
use crate::record::work::WorkSummary;
use anyhow::{Context, Result, bail};
use base::sys;
use frame::Frame;
use profile::LoadProfile;
use run::Run;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use windows::Windows;
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
    let workload = WORKLOADS.make(&args.workload, args.driver)?;
    workload.one_of(args.one_of.index, args.one_of.count);
    workload.expect(&args.facts(&credentials));
    resources::check(args)?;
    let alongside = side_workloads(args)?;
    let greatest = start::check(args, &credentials, workload.as_ref(), &alongside)?;
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
    run.shared.autocommit_off = greatest.autocommit_off;
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
    let mut connect = || start::connect(args, &finishing);
    if let Err(error) = run.shared.workload.finish(&mut connect) {
        eprintln!("fivenines-core: after the run: {error:#}");
    }
    if let Some(failure) = &run.shared.fatal {
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
    let shared = &run.shared;
    let duration_s = (shared.now - shared.recorder.started_ns) as f64 / 1e9;
    let remarks = Remarks {
        schedule_lag: shared.lag.total(),
        latency_p99_ms: shared.recorder.latency.whole().p99,
        waited: shared.recorder.latency.waited(),
        exhausted: shared.exhausted.clone(),
        held_up: shared.workload.held_up(),
        ..remarks
    };
    let facts = Facts {
        workload: shared.workload.name(),
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
        statements: &shared.exchange.statements.borrow(),
        script_counters: shared.workload.counted(),
        alongside: run.side_workloads.summary(),
        probes: run.probes.as_ref().map(|probes| probes.summary()),
    };
    Summary::new(&shared.recorder, facts)
        .write(out)
        .context("cannot write load.json")
}

fn schedule(args: &Args, run: &Run) -> ScheduleSummary {
    let (drive, schedule) = (&args.drive, &run.shared.schedule);
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
    described.with_counts(schedule.counts(), run.shared.lag.total())
}

/// What became of fixed work; None: the load was of a time.
fn work(args: &Args, run: &Run) -> Option<WorkSummary> {
    let shared = &run.shared;
    let goal = args.drive.goal(shared.workload.ends_itself())?;
    let connections = u64::from(args.drive.most_connections());
    let completed = match goal.transactions(connections) {
        Some(count) => shared.work.done >= count,
        None => shared.started && run.has_finished(),
    };
    let span = shared.work.span(shared.schedule.opens_at());
    let origin = shared.recorder.started_ns;
    Some(WorkSummary::new(
        goal,
        &shared.work,
        completed,
        span,
        origin,
    ))
}

/// An endpoint that serves both roles is counted once.
fn endpoints(run: &Run) -> BTreeMap<String, EndpointSummary> {
    let mut all = BTreeMap::<String, EndpointSummary>::new();
    for target in run.shared.writers.iter().chain(&run.shared.readers) {
        let entry = all.entry(target.name.clone()).or_default();
        entry.connects += target.counts.connects;
        entry.ok += target.counts.ok;
        entry.tls = target.counts.tls.or(entry.tls);
    }
    all
}

#[cfg(test)]
mod tests;
