//! Puts a run together: what is shared, and all clients with their connections.

use super::frame::Frame;
use crate::generator::alongside::{Ledger, LedgerPlan, RETRY_NS, SidePlan};
use crate::generator::args::{Args, OnError, Protocol};
use crate::generator::connection::Connection;
use crate::generator::endpoints::{Endpoints, Resolver, Role, Spread, Target};
use crate::generator::shared::{
    Binding, Clock, RESOLVED, Sessions, Shared, Sockets, Timers, Timing, token,
};
use crate::generator::worker::{ConnectionPair, Lateness, Load, Policy, Turns, Worker};
use crate::record::lag::Lag;
use crate::record::waits::Waits;
use crate::record::{Recorder, Source};
use crate::schedule::work::Work;
use crate::schedule::{Schedule, streams};
use anyhow::Result;
use base::rng::Rng;
use base::sys;
use mio::Poll;
use sql_wire::endpoint::Endpoint;
use sql_wire::{Credentials, Kind};
use std::rc::Rc;
use workloads::Workload;
use workloads::client::{Client, Exchange};

pub fn load(
    args: &Args,
    frame: &mut Frame,
    credentials: Credentials,
    workload: Rc<dyn Workload>,
    recorder: Recorder,
    poll: &Poll,
) -> Result<Load> {
    let shared = Shared {
        clock: Clock {
            now: sys::monotonic_ns(),
            started: false,
            stopping: false,
        },
        endpoints: Endpoints {
            find: args.find,
            spread: args.spread,
            writers: targets(frame.kind, &args.write),
            readers: match args.read.is_empty() {
                true => Vec::new(),
                false => targets(frame.kind, &args.read),
            },
            resolver: Resolver::new(poll.registry(), RESOLVED)?,
        },
        sessions: Sessions {
            kind: frame.kind,
            credentials,
            unnamed: args.protocol != Protocol::Prepared,
            commit_each: None,
        },
        sockets: Sockets::new(poll.registry().try_clone()?, timing(args)),
        timers: Timers::default(),
        recorder,
        rng: Rng::new(args.seed, streams::RUN),
        fatal: None,
    };
    Ok(Load {
        shared,
        exchange: Exchange::new(frame.kind, workload.statements()),
        workload,
        turns: Turns {
            schedule: std::mem::replace(&mut frame.schedule, Schedule::endless()),
            active: frame.profile.connections(),
            may_work: true,
            start_returned: false,
            work: Work::default(),
        },
        lateness: Lateness {
            lag: Lag::new()?,
            waits: Waits::open(),
        },
        policy: Policy {
            think: frame.think,
            keep_pauses: frame.keep_pauses,
            retry: args.retry(),
            backoff_ns: backoff_ns(args),
            stop_on_error: args.on_error == OnError::Stop,
            reconnect: args.reconnect,
            read_share: args.read_share,
        },
    })
}

fn timing(args: &Args) -> Timing {
    Timing {
        connect_ns: args.bounds.connect_timeout.as_nanos() as u64,
        answer_ns: args.bounds.answer_ns(),
        socket: args.bounds.socket(),
        bind: Binding::new(&args.bind),
    }
}

fn backoff_ns(args: &Args) -> u64 {
    args.backoff.as_nanos() as u64
}

/// The noop driver needs no endpoints, and connects to none.
fn targets(kind: Kind, endpoints: &[Endpoint]) -> Vec<Target> {
    if kind == Kind::Noop {
        let nowhere = Endpoint::Tcp {
            host: "noop".to_string(),
            port: 1,
        };
        return vec![Target::new(nowhere)];
    }
    endpoints.iter().cloned().map(Target::new).collect()
}

pub fn workers(args: &Args, frame: &Frame, load: &mut Load) -> Vec<Worker> {
    let types = load.workload.transactions();
    let any_writes = types.iter().any(|of| of.writes);
    let any_reads = types.iter().any(|of| !of.writes);
    let main = match any_writes {
        true => Role::Write,
        false => Role::Read,
    };
    // Reads have a separate connection only if both kinds exist and both have endpoints.
    let reads_apart = any_writes && any_reads && !load.shared.endpoints.readers.is_empty();
    let setup = Rc::new(args.session_setup(frame.kind, load.workload.as_ref()));
    let mut workers = Vec::with_capacity(frame.connections as usize);
    for number in 0..frame.connections as usize {
        let mut connection = |role| {
            let connection =
                make_connection(args, &mut load.shared, number, number, role, Source::Load);
            let connection = connection.with_setup(Rc::clone(&setup));
            match load.workload.relies_on_autocommit() {
                true => connection,
                false => connection.with_autocommit_of_server(),
            }
        };
        let lanes = ConnectionPair::new(
            connection(main),
            reads_apart.then(|| connection(Role::Read)),
        );
        let rng = Rng::new(args.seed, number as u64);
        let client = Client::new(number, Rc::clone(&load.exchange), rng);
        let thinking = load
            .policy
            .think
            .map(|_| Rng::new(args.seed, streams::THINKING + number as u64));
        let lasting = load.policy.reconnect.lasting(&mut load.shared.rng);
        workers.push(Worker::new(lanes, client, thinking, lasting));
    }
    workers
}

/// The ledger with all its connections; None without one.
pub fn ledger(args: &Args, frame: &Frame, shared: &mut Shared, greatest: i64) -> Option<Ledger> {
    if !frame.with_ledger {
        return None;
    }
    let plan = LedgerPlan {
        kind: args.driver,
        table: args.ledger_table.clone(),
        first: args.one_of.first(args.ledger_clients),
        clients: args.ledger_clients * args.one_of.count,
        writes: args.ledger_rate,
        reads: args.ledger_read_rate,
        greatest,
    };
    let lanes = 1 + shared.endpoints.readers.len();
    let mut connections = Vec::new();
    for client in 0..args.ledger_clients {
        let first = frame.connections as usize + client * lanes;
        let write = make_connection(args, shared, first, client, Role::Write, Source::Ledger);
        let mut own = vec![write];
        for endpoint in 0..shared.endpoints.readers.len() {
            let number = first + 1 + endpoint;
            let token = token(number, Role::Write);
            let backoff = backoff(Source::Ledger, args);
            let connection =
                Connection::new(shared, token, Role::Read, Source::Ledger, endpoint, backoff);
            own.push(connection.pinned());
        }
        connections.push(own);
    }
    Some(Ledger::new(&plan, connections))
}

/// A side workload; `first` is the number of its first connection.
pub fn side_workload(
    args: &Args,
    shared: &mut Shared,
    workload: Rc<dyn Workload>,
    rate: f64,
    first: usize,
) -> SidePlan {
    let setup = Rc::new(workload.session_setup(args.driver));
    let connection = |client| {
        let number = first + client;
        let connection = make_connection(args, shared, number, client, Role::Write, Source::Ledger);
        connection.with_setup(Rc::clone(&setup))
    };
    SidePlan {
        connections: (0..args.alongside_clients).map(connection).collect(),
        seed: args.seed,
        workload,
        rate,
    }
}

/// `number` is among workers and the ledger's clients, `own` among those of the same source.
fn make_connection(
    args: &Args,
    shared: &mut Shared,
    number: usize,
    own: usize,
    role: Role,
    source: Source,
) -> Connection {
    let candidate = first_candidate(args, role, own, shared);
    let backoff = backoff(source, args);
    Connection::new(
        shared,
        token(number, role),
        role,
        source,
        candidate,
        backoff,
    )
}

/// The ledger looks for a server more often than the load: it measures when one is back.
fn backoff(source: Source, args: &Args) -> u64 {
    match source {
        Source::Load => backoff_ns(args),
        Source::Ledger => backoff_ns(args).min(RETRY_NS),
    }
}

/// The first endpoint of a connection. Separate read endpoints share the reads, independent of the writes.
fn first_candidate(args: &Args, role: Role, number: usize, shared: &mut Shared) -> usize {
    let reads_apart = role == Role::Read && !args.read.is_empty();
    let targets = shared.endpoints.targets(role).len();
    match args.spread {
        Spread::Random => shared.rng.uniform(0, targets as u32 - 1) as usize,
        Spread::First if !reads_apart => 0,
        Spread::First | Spread::All => number % targets,
    }
}
