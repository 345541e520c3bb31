//! Side workloads: a few connections that run bank, append or registers at a small steady rate, whatever the load
//! itself does.
//!
//! Their operations go to the history, not to the load's figures. A turn that finds all connections busy or
//! without a server is skipped and counted. As with the ledger, a connection tries again 10 ms after a failure
//! instead of waiting for its turn.

mod runner;

use super::pace::Pace;
use crate::generator::connection::Connection;
use crate::generator::shared::Shared;
use crate::record::summary::SideSummary;
use base::rng::Rng;
use runner::Runner;
use sql_wire::{Failure, Kind};
use std::rc::Rc;
use workloads::Workload;
use workloads::client::{Client, Exchange};

/// What is to run: a workload at a rate, over these connections.
pub struct Plan {
    pub workload: Rc<dyn Workload>,
    pub rate: f64,
    pub connections: Vec<Connection>,
    pub seed: u64,
}

/// One workload with its connections.
struct Group {
    name: String,
    pace: Pace,
    runners: Vec<Runner>,
    skipped: u64,
}

#[derive(Default)]
pub struct SideWorkloads {
    groups: Vec<Group>,
}

impl SideWorkloads {
    pub fn add(&mut self, plan: Plan, kind: Kind) {
        let exchange = Exchange::new(kind, plan.workload.statements());
        let runners = plan
            .connections
            .into_iter()
            .enumerate()
            .map(|(number, connection)| {
                let rng = Rng::new(plan.seed, number as u64);
                let client = Client::new(number, Rc::clone(&exchange), rng);
                Runner::new(
                    connection,
                    client,
                    Rc::clone(&exchange),
                    Rc::clone(&plan.workload),
                )
            });
        self.groups.push(Group {
            name: plan.workload.name().to_string(),
            pace: Pace::new(plan.rate, 0.25),
            runners: runners.collect(),
            skipped: 0,
        });
    }

    fn runners(&self) -> impl Iterator<Item = &Runner> {
        self.groups.iter().flat_map(|group| &group.runners)
    }

    fn runners_mut(&mut self) -> impl Iterator<Item = &mut Runner> {
        self.groups.iter_mut().flat_map(|group| &mut group.runners)
    }

    pub fn is_resting(&self) -> bool {
        self.runners().all(Runner::is_resting)
    }

    pub fn is_usable(&self) -> bool {
        self.runners().all(Runner::is_usable)
    }

    /// t = 0.
    pub fn begin(&mut self, now: u64) {
        for group in &mut self.groups {
            group.pace.begin(now);
        }
    }

    pub fn next_due(&self) -> u64 {
        let all = self.groups.iter().map(|group| group.pace.due());
        all.min().unwrap_or(u64::MAX)
    }

    /// Turns that have come: each for the next connection that is free.
    pub fn on_moment(&mut self, shared: &mut Shared) {
        for group in &mut self.groups {
            let Some((turn, missed)) = group.pace.take(shared.clock.now) else {
                continue;
            };
            group.skipped += missed;
            let count = group.runners.len();
            let places = (0..count).map(|behind| (turn as usize + behind) % count);
            match places.into_iter().find(|&at| group.runners[at].is_free()) {
                Some(at) => group.runners[at].on_turn(shared),
                None => group.skipped += 1,
            }
        }
    }

    /// The connection of this number, among all of these, can go on.
    pub fn on_ready(&mut self, number: usize, shared: &mut Shared) {
        if let Some(runner) = self.runners_mut().nth(number) {
            runner.on_ready(shared);
        }
    }

    pub fn on_watch(&mut self, shared: &mut Shared) {
        for runner in self.runners_mut() {
            runner.on_watch(shared);
        }
    }

    pub fn close(&mut self, failure: &Failure, shared: &mut Shared) {
        for runner in self.runners_mut() {
            runner.close(failure, shared);
        }
    }

    /// What became of the transactions, by workload.
    pub fn summary(&self) -> SideSummary {
        let of = |group: &Group| {
            let mut counts = group.runners.iter().map(|runner| runner.counts);
            let sum = counts.by_ref().fold(Default::default(), add);
            (group.name.clone(), (sum, group.skipped).into())
        };
        self.groups.iter().map(of).collect()
    }
}

fn add(a: crate::record::WriteCounts, b: crate::record::WriteCounts) -> crate::record::WriteCounts {
    crate::record::WriteCounts {
        ok: a.ok + b.ok,
        failed: a.failed + b.failed,
        in_doubt: a.in_doubt + b.in_doubt,
    }
}
