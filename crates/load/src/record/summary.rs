//! `load.json`: everything about a run that fits into counts.

use super::bounds::BoundsSummary;
use super::client::ClientSummary;
use super::errors::Entry;
use super::file::ResultFile;
use super::probes::ProbesSummary;
use super::schedule::{
    Connects, ConnectsSummary, ScheduleSummary, SearchSummary, StepSummary, TurnSummary,
};
use super::work::WorkSummary;
use super::{ReadCounts, Recorder, TypeCounts, WriteCounts};
use serde::Serialize;
use sql_wire::{Effect, Statement};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

const FORMAT: u32 = 2;

#[derive(Serialize)]
pub struct Summary<'a> {
    format: u32,
    pub workload: &'a str,
    pub driver: &'a str,
    pub connections: usize,
    /// Those that met failures and never a success.
    pub connections_without_success: usize,
    pub seed: u64,
    started_monotonic_ns: u64,
    pub started_unix_ns: u64,
    pub duration_s: f64,
    /// When it stopped beginning transactions; what was under way then may have taken until `duration_s`.
    pub stopped_s: f64,
    transactions: WriteCounts,
    expected: u64,
    retries: u64,
    types: &'a [TypeCounts],
    /// Rows inserted, and how many each second, of workloads that count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<RowSummary>,
    reads: ReadCounts,
    writes: WriteCounts,
    queries: u64,
    reconnects: u64,
    connects_ok: u64,
    connects_failed: u64,
    connects: ConnectsSummary,
    schedule: ScheduleSummary,
    /// Of fixed work: `done`, `completed`, `cut`, `total_s`.
    #[serde(flatten)]
    work: Option<WorkSummary>,
    bounds: BoundsSummary,
    steps: &'a [StepSummary],
    search: Option<SearchSummary>,
    /// Of a load that takes turns with others.
    #[serde(skip_serializing_if = "Option::is_none")]
    windows: Option<&'a [TurnSummary]>,
    errors: &'a [Entry],
    statements: BTreeMap<&'a str, u64>,
    /// What a script counted itself (sysbench's `sb_counter_inc`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    script_counters: BTreeMap<&'static str, u64>,
    ledger: LedgerSummary,
    alongside: SideSummary,
    /// null: there were none.
    probes: Option<ProbesSummary>,
    pub client: ClientSummary,
    pub endpoints: BTreeMap<String, EndpointSummary>,
}

#[derive(Serialize)]
struct RowSummary {
    inserted: u64,
    per_second: f64,
}

impl RowSummary {
    fn new(types: &[TypeCounts], duration_s: f64) -> Option<RowSummary> {
        let inserted: u64 = types.iter().map(|of| of.rows).sum();
        (inserted > 0 && duration_s > 0.0).then(|| RowSummary {
            inserted,
            per_second: (inserted as f64 / duration_s * 10.0).round() / 10.0,
        })
    }
}

#[derive(Serialize)]
struct LedgerSummary {
    writes: WriteCounts,
    reads: ReadCounts,
    skipped: u64,
}

/// The side workloads.
pub type SideSummary = BTreeMap<String, SideCounts>;

#[derive(Serialize)]
pub struct SideCounts {
    transactions: WriteCounts,
    skipped: u64,
}

impl From<(WriteCounts, u64)> for SideCounts {
    fn from((transactions, skipped): (WriteCounts, u64)) -> SideCounts {
        SideCounts {
            transactions,
            skipped,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct EndpointSummary {
    /// Connections that became usable.
    pub connects: u64,
    /// Transactions and ledger operations that succeeded.
    pub ok: u64,
    /// The version of TLS of the last connection, `TLSv1.3` for example; null: not encrypted.
    pub tls: Option<&'static str>,
}

/// What the recorder does not know.
pub struct Facts<'a> {
    pub workload: &'a str,
    pub driver: &'a str,
    pub connections: usize,
    /// Those that met failures and never a success.
    pub connections_without_success: usize,
    pub seed: u64,
    pub started_unix_ns: u64,
    pub duration_s: f64,
    pub stopped_s: f64,
    pub schedule: ScheduleSummary,
    pub work: Option<WorkSummary>,
    pub bounds: BoundsSummary,
    pub burst_ms: Option<f64>,
    pub steps: &'a [StepSummary],
    pub search: Option<SearchSummary>,
    pub windows: Option<&'a [TurnSummary]>,
    pub client: ClientSummary,
    pub endpoints: BTreeMap<String, EndpointSummary>,
    pub statements: &'a [Statement],
    pub script_counters: BTreeMap<&'static str, u64>,
    pub alongside: SideSummary,
    pub probes: Option<ProbesSummary>,
}

impl<'a> Summary<'a> {
    pub fn new(recorder: &'a Recorder, facts: Facts<'a>) -> Summary<'a> {
        Summary {
            format: FORMAT,
            workload: facts.workload,
            driver: facts.driver,
            connections: facts.connections,
            connections_without_success: facts.connections_without_success,
            seed: facts.seed,
            started_monotonic_ns: recorder.started_ns,
            started_unix_ns: facts.started_unix_ns,
            duration_s: facts.duration_s,
            stopped_s: facts.stopped_s,
            transactions: recorder.load.transactions,
            expected: recorder.load.expected,
            retries: recorder.load.retries,
            types: &recorder.types,
            rows: RowSummary::new(&recorder.types, facts.duration_s),
            reads: recorder.load.reads,
            writes: recorder.load.writes,
            queries: recorder.load.queries,
            reconnects: recorder.load.reconnects,
            connects_ok: recorder.load.connects_ok,
            connects_failed: recorder.load.connects_failed,
            connects: ConnectsSummary {
                all: Connects::new(recorder.load.connects(), recorder.latency.connects()),
                burst_ms: facts.burst_ms,
            },
            schedule: facts.schedule,
            work: facts.work,
            bounds: facts.bounds,
            steps: facts.steps,
            search: facts.search,
            windows: facts.windows,
            errors: recorder.errors.entries(),
            statements: by_name(recorder, facts.statements),
            script_counters: facts.script_counters,
            ledger: LedgerSummary {
                writes: recorder.ledger.writes,
                reads: recorder.ledger.reads,
                skipped: recorder.ledger_skipped,
            },
            alongside: facts.alongside,
            probes: facts.probes,
            client: facts.client,
            endpoints: facts.endpoints,
        }
    }

    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut file = ResultFile::create(Some(folder), "load.json")?;
        serde_json::to_writer_pretty(&mut file, self)?;
        writeln!(file)?;
        file.finish()
    }
}

fn by_name<'a>(recorder: &Recorder, statements: &'a [Statement]) -> BTreeMap<&'a str, u64> {
    let mut counts = BTreeMap::from([("rollback", recorder.rollbacks)]);
    for (statement, count) in statements.iter().zip(&recorder.statements) {
        *counts.entry(&statement.name).or_default() += count;
    }
    for (name, &count) in Effect::NAMES.iter().zip(&recorder.texts) {
        if count > 0 {
            *counts.entry(name).or_default() += count;
        }
    }
    counts
}
