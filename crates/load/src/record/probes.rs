//! Tries of a fresh connection and one small write: a row for each, as it ended.

use super::file::RareFile;
use super::{Outcome, WriteCounts};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// Where a try ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Resolve,
    Connect,
    Login,
    Role,
    Write,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Resolve => "resolve",
            Stage::Connect => "connect",
            Stage::Login => "login",
            Stage::Role => "role",
            Stage::Write => "write",
        }
    }
}

/// One try; times in microseconds from t = 0.
pub struct Probe<'a> {
    pub started_us: u64,
    pub completed_us: u64,
    pub endpoint: &'a str,
    pub outcome: Outcome,
    pub stage: Stage,
    /// Empty when all went well.
    pub error_class: &'a str,
}

const HEADER: &str = "started_us,completed_us,endpoint,outcome,stage,error_class";

/// The file is there once there is a row.
pub struct ProbeLog {
    file: RareFile,
}

impl ProbeLog {
    pub fn new(folder: Option<&Path>) -> ProbeLog {
        ProbeLog {
            file: RareFile::new(folder, "probes.csv", HEADER),
        }
    }

    pub fn add(&mut self, probe: &Probe) -> io::Result<()> {
        let file = self.file.rows()?;
        writeln!(
            file,
            "{},{},{},{},{},{}",
            probe.started_us,
            probe.completed_us,
            probe.endpoint,
            probe.outcome.name(),
            probe.stage.name(),
            probe.error_class
        )
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.file.finish()
    }
}

/// What `load.json` has of the tries.
#[derive(Clone, Debug, Serialize)]
pub struct ProbesSummary {
    #[serde(flatten)]
    pub outcomes: WriteCounts,
    /// Probes skipped at an endpoint that accepts connections but does not answer.
    pub skipped: u64,
    pub every_s: f64,
    pub calm_s: f64,
    pub timeout_s: f64,
    /// From this moment on every `every_s`; null: only while something is wrong.
    pub dense_from_s: Option<f64>,
}
