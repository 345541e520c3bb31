//! The ledger: uniquely numbered writes at a steady rate, and reads of what was acknowledged.
//!
//! Two clients share the rate and take turns. On its turn a client inserts a number that was never used
//! before, and reads its last acknowledged number: on a link of its own when there are read endpoints, else
//! on the same link after the insert. A turn that finds the operation before still under way, or no server,
//! is skipped and counted. After a failure a client does not wait for its turn but tries again every 10 ms,
//! so that the outage ends in the record when it ends in truth.

use super::link::{Happening, Link};
use super::shared::{Role, Shared};
use crate::driver::{Effect, Failure, Kind, Reply, Statement, Type};
use crate::record::ledger::Operation;
use crate::record::{Outcome, Source};

pub const CLIENTS: usize = 2;
pub const RETRY_NS: u64 = 10_000_000;
const INSERT: usize = 0;
const SELECT: usize = 1;

/// An operation under way.
#[derive(Clone, Copy)]
struct Pending {
    id: i64,
    started: u64,
    is_read: bool,
}

/// One link with what the ledger has under way on it.
struct Lane {
    link: Link,
    pending: Option<Pending>,
    /// Something failed: do not wait for the next turn.
    retry_at: Option<u64>,
}

pub struct Ledger {
    client: usize,
    statements: [Statement; 2],
    writes: Lane,
    reads: Option<Lane>,
    next_id: i64,
    acknowledged: Option<i64>,
}

/// The ledger's two statements.
pub fn statements(kind: Kind, table: &str) -> [Statement; 2] {
    let insert = format!("INSERT INTO {table}(id, client) VALUES (?, ?)");
    let select = format!("SELECT id FROM {table} WHERE id=?");
    let insert_types = &[Type::BigInt, Type::Int];
    [
        Statement::new(kind, "ledger_write", Effect::Write, &insert, insert_types),
        Statement::new(kind, "ledger_read", Effect::Read, &select, &[Type::BigInt]),
    ]
}

impl Ledger {
    /// `base` is the largest number already in the table.
    pub fn new(
        client: usize,
        statements: [Statement; 2],
        base: i64,
        write: Link,
        read: Option<Link>,
    ) -> Ledger {
        let lane = |link| Lane {
            link,
            pending: None,
            retry_at: None,
        };
        Ledger {
            client,
            statements,
            writes: lane(write),
            reads: read.map(lane),
            next_id: base + 1 + client as i64,
            acknowledged: None,
        }
    }

    pub fn is_resting(&self) -> bool {
        self.lanes().all(|lane| !lane.link.is_busy())
    }

    pub fn is_usable(&self) -> bool {
        self.lanes().all(|lane| lane.link.is_usable())
    }

    fn lanes(&self) -> impl Iterator<Item = &Lane> {
        std::iter::once(&self.writes).chain(&self.reads)
    }

    fn lane(&mut self, role: Role) -> &mut Lane {
        match (role, &mut self.reads) {
            (Role::Read, Some(lane)) => lane,
            _ => &mut self.writes,
        }
    }

    /// This client's turn has come.
    pub fn on_turn(&mut self, shared: &mut Shared) {
        self.attempt(Role::Write, shared, true);
        if self.reads.is_some() {
            self.attempt(Role::Read, shared, true);
        }
    }

    pub fn on_ready(&mut self, role: Role, shared: &mut Shared) {
        let happening = self.lane(role).link.on_ready(shared);
        self.handle(role, happening, shared);
    }

    pub fn on_watch(&mut self, shared: &mut Shared) {
        for role in [Role::Write, Role::Read] {
            if role == Role::Read && self.reads.is_none() {
                continue;
            }
            let happening = self.lane(role).link.on_watch(shared);
            self.handle(role, happening, shared);
            if self.lane(role).retry_at.is_some_and(|at| shared.now >= at) {
                self.attempt(role, shared, false);
            }
        }
    }

    pub fn close(&mut self, failure: &Failure, shared: &mut Shared) {
        for role in [Role::Write, Role::Read] {
            let happening = self.lane(role).link.close(failure.clone());
            self.handle(role, happening, shared);
        }
    }

    fn attempt(&mut self, role: Role, shared: &mut Shared, is_turn: bool) {
        if !shared.started || shared.stopping {
            return;
        }
        if !self.lane(role).link.is_idle() {
            shared.recorder.ledger_skipped += u64::from(is_turn);
            return;
        }
        self.lane(role).retry_at = None;
        let happening = match role {
            Role::Write => self.insert(shared),
            Role::Read => self.select(shared),
        };
        self.handle(role, happening, shared);
    }

    fn insert(&mut self, shared: &mut Shared) -> Happening {
        let id = self.next_id;
        self.next_id += CLIENTS as i64;
        shared.parameters.clear();
        shared.parameters.big_int(id);
        shared.parameters.int(self.client as i32);
        self.send(Role::Write, INSERT, id, shared)
    }

    /// Reads the last acknowledged number, if there is one yet.
    fn select(&mut self, shared: &mut Shared) -> Happening {
        let Some(id) = self.acknowledged else {
            return Happening::Nothing;
        };
        shared.parameters.clear();
        shared.parameters.big_int(id);
        self.send(Role::Read, SELECT, id, shared)
    }

    fn send(&mut self, role: Role, which: usize, id: i64, shared: &mut Shared) -> Happening {
        let started = crate::sys::monotonic_ns();
        shared.now = started;
        let lane = match (role, &mut self.reads) {
            (Role::Read, Some(lane)) => lane,
            _ => &mut self.writes,
        };
        lane.pending = Some(Pending {
            id,
            started,
            is_read: which == SELECT,
        });
        lane.link.execute(which, &self.statements[which], shared)
    }

    fn handle(&mut self, role: Role, first: Happening, shared: &mut Shared) {
        let mut happening = first;
        loop {
            happening = match happening {
                Happening::Nothing | Happening::Idle => return,
                Happening::Usable => {
                    // Only after a loss: the first attempt waits for its turn.
                    if self.lane(role).retry_at.is_some() {
                        return self.attempt(role, shared, false);
                    }
                    return;
                }
                Happening::Done(reply) => self.on_done(role, reply, shared),
                Happening::Refused(failure) | Happening::Lost(failure) => {
                    self.on_failure(role, &failure, shared);
                    return;
                }
            };
        }
    }

    fn on_done(&mut self, role: Role, reply: Reply, shared: &mut Shared) -> Happening {
        let Some(pending) = self.lane(role).pending.take() else {
            return Happening::Nothing;
        };
        let now = shared.now;
        shared
            .recorder
            .ledger_answered(now, pending.started, pending.is_read);
        let stale = pending.is_read && reply.rows == 0;
        let remark = if stale { "stale" } else { "" };
        self.record(role, pending, Outcome::Ok, remark, shared);
        if pending.is_read {
            return Happening::Nothing;
        }
        self.acknowledged = Some(pending.id);
        match self.reads {
            None => self.select(shared),
            Some(_) => Happening::Nothing,
        }
    }

    fn on_failure(&mut self, role: Role, failure: &Failure, shared: &mut Shared) {
        let now = shared.now;
        shared.recorder.failure(now, Source::Ledger, failure);
        self.lane(role).retry_at = Some(now + RETRY_NS);
        let Some(pending) = self.lane(role).pending.take() else {
            return;
        };
        let outcome = match pending.is_read {
            true => Outcome::Failed,
            false => Outcome::of_sent_write(failure),
        };
        match pending.is_read {
            true => shared.recorder.read_failed(now, Source::Ledger),
            false => shared.recorder.write(now, Source::Ledger, outcome),
        }
        self.record(role, pending, outcome, failure.class.name(), shared);
    }

    fn record(
        &mut self,
        role: Role,
        pending: Pending,
        outcome: Outcome,
        error_class: &str,
        shared: &mut Shared,
    ) {
        let role = match self.reads {
            Some(_) => role,
            None => Role::Write,
        };
        let candidate = self.lane(role).link.candidate();
        let since_start = |at: u64| at.saturating_sub(shared.recorder.started_ns) / 1000;
        let (started_us, completed_us) = (since_start(pending.started), since_start(shared.now));
        let target = match (role, shared.readers.is_empty()) {
            (Role::Read, false) => &mut shared.readers[candidate],
            _ => &mut shared.writers[candidate],
        };
        target.counts.ok += u64::from(outcome == Outcome::Ok);
        let written = shared.recorder.ledger_log.add(&Operation {
            id: pending.id,
            client: self.client,
            is_read: pending.is_read,
            endpoint: &target.name,
            started_us,
            completed_us,
            outcome,
            error_class,
        });
        if let Err(error) = written {
            shared.fatal = Some(error.into());
        }
    }
}
