//! `load.json`: everything about a run that fits into counts.

use super::client::ClientSummary;
use super::errors::Entry;
use super::file::ResultFile;
use super::{ReadCounts, Recorder, WriteCounts};
use crate::driver::Statement;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

const FORMAT: u32 = 1;

#[derive(Serialize)]
pub struct Summary<'a> {
    format: u32,
    pub workload: &'a str,
    pub driver: &'a str,
    pub connections: usize,
    pub seed: u64,
    started_monotonic_ns: u64,
    pub started_unix_ns: u64,
    pub duration_s: f64,
    transactions: WriteCounts,
    reads: ReadCounts,
    writes: WriteCounts,
    queries: u64,
    reconnects: u64,
    connects_failed: u64,
    errors: &'a [Entry],
    statements: BTreeMap<&'a str, u64>,
    probe: ProbeSummary,
    pub client: ClientSummary,
    pub endpoints: BTreeMap<String, EndpointSummary>,
}

#[derive(Serialize)]
struct ProbeSummary {
    writes: WriteCounts,
    reads: ReadCounts,
    skipped: u64,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct EndpointSummary {
    /// Connections that became usable.
    pub connects: u64,
    /// Transactions and probe operations that succeeded.
    pub ok: u64,
}

/// What the recorder does not know.
pub struct Facts<'a> {
    pub workload: &'a str,
    pub driver: &'a str,
    pub connections: usize,
    pub seed: u64,
    pub started_unix_ns: u64,
    pub duration_s: f64,
    pub client: ClientSummary,
    pub endpoints: BTreeMap<String, EndpointSummary>,
    pub statements: &'a [Statement],
}

impl<'a> Summary<'a> {
    pub fn new(recorder: &'a Recorder, facts: Facts<'a>) -> Summary<'a> {
        Summary {
            format: FORMAT,
            workload: facts.workload,
            driver: facts.driver,
            connections: facts.connections,
            seed: facts.seed,
            started_monotonic_ns: recorder.started_ns,
            started_unix_ns: facts.started_unix_ns,
            duration_s: facts.duration_s,
            transactions: recorder.load.transactions,
            reads: recorder.load.reads,
            writes: recorder.load.writes,
            queries: recorder.load.queries,
            reconnects: recorder.load.reconnects,
            connects_failed: recorder.load.connects_failed,
            errors: recorder.errors.entries(),
            statements: by_name(recorder, facts.statements),
            probe: ProbeSummary {
                writes: recorder.probe.writes,
                reads: recorder.probe.reads,
                skipped: recorder.probe_skipped,
            },
            client: facts.client,
            endpoints: facts.endpoints,
        }
    }

    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut file = ResultFile::create(folder, "load.json")?;
        serde_json::to_writer_pretty(&mut file, self)?;
        writeln!(file)?;
        file.finish()
    }
}

fn by_name<'a>(recorder: &Recorder, statements: &'a [Statement]) -> BTreeMap<&'a str, u64> {
    let mut counts = BTreeMap::from([("rollback", recorder.rollbacks)]);
    for (statement, count) in statements.iter().zip(&recorder.statements) {
        *counts.entry(statement.name).or_default() += count;
    }
    counts
}
