//! The ledger: uniquely numbered writes at a steady rate, and reads of all that is there, through every
//! endpoint.
//!
//! Its clients share the rates and take turns. Each has a session at the write endpoint, for writes and reads,
//! and one at each read endpoint. A turn that finds its session busy or without a server is done as soon as it
//! can be; one that finds the turn before still waiting is skipped and counted. After a failure a client does
//! not wait for its turn but tries again after 10 ms, so that the outage ends in the record when it ends in
//! truth.

use super::pace::{Pace, RETRY_NS};
use crate::generator::connection::{Connection, ConnectionEvent};
use crate::generator::endpoints::Role;
use crate::generator::shared::Shared;
use crate::ledger;
use crate::record::ledger::Operation;
use crate::record::{Outcome, Source};
use sql_wire::{Failure, Kind, Parameters, Reply, Statement};

/// What a client does; also the number of its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Write = 0,
    Read = 1,
}

/// The settings of the whole ledger.
pub struct Plan {
    pub kind: Kind,
    pub table: String,
    /// The number of the first client of this load.
    pub first: usize,
    /// Of all loads at these servers.
    pub clients: usize,
    /// Of all clients of this load together, per second.
    pub writes: f64,
    /// Through each endpoint, of all clients of this load together, per second.
    pub reads: f64,
    /// The greatest number that is already in the table.
    pub greatest: i64,
}

pub struct Ledger {
    clients: Vec<Client>,
    writes: Pace,
    reads: Pace,
}

impl Ledger {
    /// `connections` has the connections of each client: to the write endpoint first, then to each read endpoint.
    pub fn new(plan: &Plan, connections: Vec<Vec<Connection>>) -> Ledger {
        let clients = connections.into_iter().enumerate();
        Ledger {
            clients: clients
                .map(|(number, connections)| Client::new(plan, plan.first + number, connections))
                .collect(),
            writes: Pace::new(plan.writes, 0.0),
            reads: Pace::new(plan.reads, 0.5),
        }
    }

    /// How many connections each client has.
    fn lanes(&self) -> usize {
        self.clients.first().map_or(1, |client| client.lanes.len())
    }

    /// Of all connections.
    pub fn count(&self) -> usize {
        self.clients.len() * self.lanes()
    }

    pub fn is_resting(&self) -> bool {
        self.connections().all(|connection| !connection.is_busy())
    }

    pub fn is_usable(&self) -> bool {
        self.connections().all(Connection::is_usable)
    }

    fn connections(&self) -> impl Iterator<Item = &Connection> {
        let lanes = self.clients.iter().flat_map(|client| &client.lanes);
        lanes.map(|lane| &lane.connection)
    }

    /// t = 0.
    pub fn begin(&mut self, now: u64) {
        self.writes.begin(now);
        self.reads.begin(now);
    }

    pub fn next_due(&self) -> u64 {
        self.writes.due().min(self.reads.due())
    }

    /// Turns that have come.
    pub fn on_moment(&mut self, shared: &mut Shared) {
        let (now, count) = (shared.clock.now, self.clients.len());
        if let Some((turn, missed)) = self.writes.take(now) {
            shared.recorder.ledger_skipped += missed;
            self.clients[turn as usize % count].on_turn(0, Act::Write, shared);
        }
        if let Some((turn, missed)) = self.reads.take(now) {
            let lanes = self.lanes();
            shared.recorder.ledger_skipped += missed * lanes as u64;
            for lane in 0..lanes {
                // Half a round behind the writes, and another client at each endpoint.
                let client = (turn as usize + count / 2 + lane) % count;
                self.clients[client].on_turn(lane, Act::Read, shared);
            }
        }
    }

    /// The connection of this number, among all of the ledger, can go on.
    pub fn on_ready(&mut self, number: usize, shared: &mut Shared) {
        let lanes = self.lanes();
        if let Some(client) = self.clients.get_mut(number / lanes) {
            client.on_ready(number % lanes, shared);
        }
    }

    pub fn on_watch(&mut self, shared: &mut Shared) {
        for client in &mut self.clients {
            for lane in 0..client.lanes.len() {
                client.on_watch(lane, shared);
            }
        }
    }

    pub fn close(&mut self, failure: &Failure, shared: &mut Shared) {
        for client in &mut self.clients {
            for lane in 0..client.lanes.len() {
                let event = client.lanes[lane].connection.close(failure.clone());
                client.handle(lane, event, shared);
            }
        }
    }
}

/// An operation under way.
#[derive(Clone, Copy)]
struct Pending {
    act: Act,
    /// Of a write: its number. Of a read: the client's last acknowledged number, which it ought to see.
    id: Option<i64>,
    started: u64,
}

/// One connection with what is under way on it, and what is to follow.
struct Lane {
    connection: Connection,
    pending: Option<Pending>,
    /// By act.
    wanted: [bool; 2],
    /// Not before this moment, after a failure.
    not_before: u64,
}

/// One client of the ledger, with its own numbers.
struct Client {
    number: usize,
    clients: usize,
    statements: [Statement; 2],
    /// Of the call under way.
    parameters: Parameters,
    lanes: Vec<Lane>,
    next_id: i64,
    acknowledged: Option<i64>,
}

impl Client {
    fn new(plan: &Plan, number: usize, connections: Vec<Connection>) -> Client {
        let lane = |connection| Lane {
            connection,
            pending: None,
            wanted: [false; 2],
            not_before: 0,
        };
        Client {
            number,
            clients: plan.clients,
            statements: [
                ledger::insert(plan.kind, &plan.table),
                ledger::seen(plan.kind, &plan.table, plan.clients),
            ],
            parameters: Parameters::default(),
            lanes: connections.into_iter().map(lane).collect(),
            next_id: ledger::first_id(number, plan.clients, plan.greatest),
            acknowledged: None,
        }
    }

    fn on_turn(&mut self, lane: usize, act: Act, shared: &mut Shared) {
        if shared.clock.stopping {
            return;
        }
        let wanted = &mut self.lanes[lane].wanted[act as usize];
        shared.recorder.ledger_skipped += u64::from(*wanted);
        *wanted = true;
        self.go_on(lane, shared);
    }

    fn on_ready(&mut self, lane: usize, shared: &mut Shared) {
        let event = self.lanes[lane].connection.on_ready(shared);
        self.handle(lane, event, shared);
    }

    fn on_watch(&mut self, lane: usize, shared: &mut Shared) {
        let event = self.lanes[lane].connection.on_watch(shared);
        self.handle(lane, event, shared);
        self.go_on(lane, shared);
    }

    /// Does what is wanted, when it can be done.
    fn go_on(&mut self, lane: usize, shared: &mut Shared) {
        let at = &self.lanes[lane];
        let may =
            shared.clock.started && !shared.clock.stopping && shared.clock.now >= at.not_before;
        if !may || !at.connection.is_idle() {
            return;
        }
        let act = match at.wanted {
            [true, _] => Act::Write,
            [false, true] => Act::Read,
            [false, false] => return,
        };
        let event = self.send(lane, act, shared);
        self.handle(lane, event, shared);
    }

    fn send(&mut self, lane: usize, act: Act, shared: &mut Shared) -> ConnectionEvent {
        let started = base::sys::monotonic_ns();
        shared.clock.now = started;
        self.parameters.clear();
        let id = match act {
            Act::Read => self.acknowledged,
            Act::Write => {
                let id = self.next_id;
                self.next_id += self.clients as i64;
                self.parameters.big_int(id);
                self.parameters.int(self.number as i32);
                Some(id)
            }
        };
        let at = &mut self.lanes[lane];
        at.wanted[act as usize] = false;
        at.pending = Some(Pending { act, id, started });
        let statement = &self.statements[act as usize];
        let keep_rows = act == Act::Read;
        at.connection
            .execute(act as usize, statement, &self.parameters, keep_rows, shared)
    }

    fn handle(&mut self, lane: usize, event: ConnectionEvent, shared: &mut Shared) {
        match event {
            ConnectionEvent::Nothing | ConnectionEvent::Idle => {}
            ConnectionEvent::Usable => self.go_on(lane, shared),
            ConnectionEvent::Done(reply) => {
                self.on_done(lane, reply, shared);
                self.go_on(lane, shared);
            }
            ConnectionEvent::Refused(failure) | ConnectionEvent::Lost(failure) => {
                self.on_failure(lane, &failure, shared);
            }
        }
    }

    fn on_done(&mut self, lane: usize, _reply: Reply, shared: &mut Shared) {
        let Some(pending) = self.lanes[lane].pending.take() else {
            return;
        };
        let is_read = pending.act == Act::Read;
        let now = shared.clock.now;
        let recorder = &mut shared.recorder;
        recorder.ledger_answered(now, pending.started, is_read);
        if !is_read {
            self.acknowledged = pending.id;
        }
        let own = self.lanes[lane].connection.rows().int(0, self.number);
        let remark = match is_read && own < pending.id {
            true => "stale",
            false => "",
        };
        self.record(lane, pending, Outcome::Ok, remark, shared);
    }

    fn on_failure(&mut self, lane: usize, failure: &Failure, shared: &mut Shared) {
        let now = shared.clock.now;
        shared.recorder.failure(now, Source::Ledger, failure);
        let at = &mut self.lanes[lane];
        at.not_before = now + RETRY_NS;
        let Some(pending) = at.pending.take() else {
            return;
        };
        at.wanted[pending.act as usize] = true;
        let outcome = match pending.act {
            Act::Read => Outcome::Failed,
            Act::Write => Outcome::of_sent_write(failure),
        };
        match pending.act {
            Act::Read => shared.recorder.read_failed(now, Source::Ledger),
            Act::Write => shared.recorder.write(now, Source::Ledger, outcome),
        }
        self.record(lane, pending, outcome, failure.class.name(), shared);
    }

    fn record(
        &mut self,
        lane: usize,
        pending: Pending,
        outcome: Outcome,
        error_class: &str,
        shared: &mut Shared,
    ) {
        let since_start = |at: u64| at.saturating_sub(shared.recorder.started_ns) / 1000;
        let (started_us, completed_us) =
            (since_start(pending.started), since_start(shared.clock.now));
        let connection = &mut self.lanes[lane].connection;
        let (role, candidate) = (connection.role(), connection.candidate());
        let is_read = pending.act == Act::Read;
        let seen = is_read && outcome == Outcome::Ok;
        let target = match shared.endpoints.readers.is_empty() || role == Role::Write {
            false => &mut shared.endpoints.readers[candidate],
            true => &mut shared.endpoints.writers[candidate],
        };
        target.counts.ok += u64::from(outcome == Outcome::Ok);
        let written = shared.recorder.ledger_log.add(&Operation {
            id: pending.id,
            client: self.number,
            is_read,
            endpoint: &target.name,
            started_us,
            completed_us,
            outcome,
            error_class,
            seen: seen.then(|| (&*connection.rows(), self.clients)),
        });
        if let Err(error) = written {
            shared.fatal = Some(error.into());
        }
    }
}
