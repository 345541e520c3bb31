//! Puts a run together: what is shared, workers and the ledger's clients with their connections.

use super::binding::Binding;
use super::cli::{Args, OnError, Protocol, Spread};
use super::connection::Connection;
use super::connection_pair::{ConnectionPair, token};
use super::frame::Frame;
use super::ledger::{self, Ledger, Plan};
use super::resolver::Resolver;
use super::run::RESOLVED;
use super::shared::{Role, Shared, Timing};
use super::side_workloads;
use super::target::Target;
use super::timers::Timers;
use super::worker::Worker;
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
use sql_wire::{Credentials, Kind, Parameters};
use std::rc::Rc;
use workloads::Workload;
use workloads::client::{Client, Exchange};

const BUFFER: usize = 64 * 1024;

pub fn shared(
    args: &Args,
    frame: &mut Frame,
    credentials: Credentials,
    workload: Rc<dyn Workload>,
    recorder: Recorder,
    poll: &Poll,
) -> Result<Shared> {
    Ok(Shared {
        now: sys::monotonic_ns(),
        recorder,
        registry: poll.registry().try_clone()?,
        timing: Timing {
            connect_ns: args.bounds.connect_timeout.as_nanos() as u64,
            answer_ns: args.bounds.answer_ns(),
            socket: args.bounds.socket(),
            bind: Binding::new(&args.bind),
            backoff_ns: args.backoff.as_nanos() as u64,
        },
        kind: frame.kind,
        find: args.find,
        credentials,
        autocommit_off: false,
        unnamed: args.protocol == Protocol::Extended,
        writers: targets(frame.kind, &args.write),
        readers: match args.read.is_empty() {
            true => Vec::new(),
            false => targets(frame.kind, &args.read),
        },
        resolver: Resolver::new(poll.registry(), RESOLVED)?,
        exchange: Exchange::new(frame.kind, workload.statements()),
        workload,
        schedule: std::mem::replace(&mut frame.schedule, Schedule::endless()),
        active: frame.profile.connections(),
        think: frame.think,
        keep_pauses: frame.keep_pauses,
        lag: Lag::new()?,
        waits: Waits::open(),
        timers: Timers::default(),
        exhausted: None,
        retry: args.retry(),
        reconnect: args.reconnect,
        spread: args.spread,
        read_share: args.read_share,
        parameters: Parameters::default(),
        buffer: vec![0; BUFFER].into_boxed_slice(),
        rng: Rng::new(args.seed, streams::RUN),
        started: false,
        may_work: true,
        work: Work::default(),
        start_returned: false,
        stopping: false,
        looping: Vec::new(),
        fatal: None,
        stop_on_error: args.on_error == OnError::Stop,
    })
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

/// Returns the statements for each new session: the workload's settings, then the user's.
pub fn session_setup(args: &Args, kind: Kind, workload: &dyn Workload) -> Vec<String> {
    let mut setup = workload.session_setup(kind);
    setup.extend(args.session_sql.iter().cloned());
    setup
}

pub fn workers(args: &Args, frame: &Frame, shared: &mut Shared) -> Vec<Worker> {
    let types = shared.workload.transactions();
    let any_writes = types.iter().any(|of| of.writes);
    let any_reads = types.iter().any(|of| !of.writes);
    let main = match any_writes {
        true => Role::Write,
        false => Role::Read,
    };
    // Reads have a separate connection only if both kinds exist and both have endpoints.
    let reads_apart = any_writes && any_reads && !shared.readers.is_empty();
    let setup = Rc::new(session_setup(args, frame.kind, shared.workload.as_ref()));
    let mut workers = Vec::with_capacity(frame.connections as usize);
    for number in 0..frame.connections as usize {
        let mut connection = |role| {
            let connection = make_connection(args, shared, number, number, role, Source::Load);
            let connection = connection.with_setup(Rc::clone(&setup));
            match shared.workload.relies_on_autocommit() {
                true => connection,
                false => connection.with_autocommit_of_server(),
            }
        };
        let lanes = ConnectionPair::new(
            connection(main),
            reads_apart.then(|| connection(Role::Read)),
        );
        let rng = Rng::new(args.seed, number as u64);
        let client = Client::new(number, Rc::clone(&shared.exchange), rng);
        let thinking = shared
            .think
            .map(|_| Rng::new(args.seed, streams::THINKING + number as u64));
        let lasting = shared.reconnect.lasting(&mut shared.rng);
        workers.push(Worker::new(lanes, client, thinking, lasting));
    }
    workers
}

/// The ledger with all its connections; None without one.
pub fn ledger(args: &Args, frame: &Frame, shared: &mut Shared, greatest: i64) -> Option<Ledger> {
    if !frame.with_ledger {
        return None;
    }
    let plan = Plan {
        kind: args.driver,
        table: args.ledger_table.clone(),
        first: args.one_of.first(args.ledger_clients),
        clients: args.ledger_clients * args.one_of.count,
        writes: args.ledger_rate,
        reads: args.ledger_read_rate,
        greatest,
    };
    let lanes = 1 + shared.readers.len();
    let mut connections = Vec::new();
    for client in 0..args.ledger_clients {
        let first = frame.connections as usize + client * lanes;
        let write = make_connection(args, shared, first, client, Role::Write, Source::Ledger);
        let mut own = vec![write];
        for endpoint in 0..shared.readers.len() {
            let number = first + 1 + endpoint;
            let token = token(number, Role::Write);
            let backoff = backoff(Source::Ledger, shared);
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
) -> side_workloads::Plan {
    let setup = Rc::new(workload.session_setup(args.driver));
    let connection = |client| {
        let number = first + client;
        let connection = make_connection(args, shared, number, client, Role::Write, Source::Ledger);
        connection.with_setup(Rc::clone(&setup))
    };
    side_workloads::Plan {
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
    let backoff = backoff(source, shared);
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
fn backoff(source: Source, shared: &Shared) -> u64 {
    match source {
        Source::Load => shared.timing.backoff_ns,
        Source::Ledger => shared.timing.backoff_ns.min(ledger::RETRY_NS),
    }
}

/// The first endpoint of a connection. Separate read endpoints share the reads, independent of the writes.
fn first_candidate(args: &Args, role: Role, number: usize, shared: &mut Shared) -> usize {
    let reads_apart = role == Role::Read && !args.read.is_empty();
    let targets = shared.targets(role).len();
    match args.spread {
        Spread::Random => shared.rng.uniform(0, targets as u32 - 1) as usize,
        Spread::First if !reads_apart => 0,
        Spread::First | Spread::All => number % targets,
    }
}
