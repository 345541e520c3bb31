//! What a transaction of this workload costs without a server, measured before each run.
//!
//! The workload is made a second time and run through the same code for a moment, with the noop driver and a
//! recorder that writes no files. Nothing of it is kept but the cost: the run itself begins with fresh state and
//! the seed's first number.

use super::args::Args;
use super::run::{Frame, Run};
use crate::WORKLOADS;
use crate::record::Recorder;
use anyhow::Result;
use sql_wire::{Credentials, Kind};
use workloads::RunFacts;

/// Processor time per transaction in nanoseconds; None where none succeeds without a server.
pub fn noop_ns(args: &Args, credentials: &Credentials) -> Option<f64> {
    // A workload that cannot do without a server has no such cost; the run itself says what is wrong with it.
    calibrate(args, credentials).ok().flatten()
}

fn calibrate(args: &Args, credentials: &Credentials) -> Result<Option<f64>> {
    let frame = Frame::calibration(args);
    let workload = WORKLOADS.make(&args.described(), Kind::Noop)?;
    workload.expect(&RunFacts {
        clients: frame.connections as usize,
        rehearsal: true,
        ..args.facts(credentials)
    });
    let recorder = Recorder::create(None, workload.transactions())?;
    let mut run = Run::new(args, frame, credentials.clone(), workload, recorder, 0)?;
    run.drive()?;
    let counts = &run.load.shared.recorder.load;
    let succeeded = counts.transactions.ok + counts.expected;
    Ok((succeeded > 0).then(|| (run.watch.cpu_s() * 1e9 / succeeded as f64).round()))
}
