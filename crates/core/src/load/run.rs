//! The event loop: one thread, one epoll, every connection and timer of a run.

use super::cli::{Args, OnError, Spread};
use super::link::Link;
use super::live::{Figures, Live};
use super::probe::{self, Probe};
use super::shared::{Role, Shared, Target, Timing};
use super::worker::{self, Worker};
use crate::driver::{Class, Credentials, Failure, Kind, Parameters};
use crate::endpoint::Endpoint;
use crate::record::client::SelfWatch;
use crate::record::{Recorder, Source};
use crate::rng::Rng;
use crate::schedule::closed::Closed;
use crate::sys::{self, Timer};
use crate::workload::Workload;
use anyhow::Result;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

/// The watchdog's step. Timeouts and back-offs are this coarse; nothing is paid per operation.
const TICK_NS: u64 = 10_000_000;
const SECOND_NS: u64 = 1_000_000_000;
/// How long transactions under way may still finish when the run ends.
const GRACE_NS: u64 = 2_000_000_000;
const BUFFER: usize = 64 * 1024;
const EVENTS: usize = 256;

const TICK: Token = Token(usize::MAX - 1);
const TURN: Token = Token(usize::MAX - 2);
const SIGNAL: Token = Token(usize::MAX - 3);

pub struct Run {
    poll: Poll,
    pub shared: Shared,
    pub workers: Vec<Worker>,
    probes: Vec<Probe>,
    live: Live,
    pub watch: SelfWatch,
    tick: Timer,
    turn: Timer,
    signals: OwnedFd,
    /// When the next tick is due: what the loop's lag is measured by.
    tick_due: u64,
    second_due: u64,
    /// t = 0 at the latest, and the end of the run.
    starts_at: u64,
    ends_at: u64,
    pub started_unix_ns: u64,
    duration_ns: u64,
    probe_interval_ns: u64,
    turns: usize,
}

impl Run {
    pub fn new(
        args: &Args,
        credentials: Credentials,
        workload: Box<dyn Workload>,
        recorder: Recorder,
        probe_base: i64,
    ) -> Result<Run> {
        let poll = Poll::new()?;
        let shared = make_shared(args, credentials, workload, recorder, &poll)?;
        let now = shared.now;
        let mut run = Run {
            workers: make_workers(args, &shared),
            probes: make_probes(args, &shared, probe_base),
            shared,
            poll,
            live: Live::new(args.live),
            watch: SelfWatch::start()?,
            tick: Timer::new()?,
            turn: Timer::new()?,
            signals: sys::termination_signals()?,
            tick_due: now + TICK_NS,
            second_due: u64::MAX,
            starts_at: now + args.start_timeout.as_nanos() as u64,
            ends_at: u64::MAX,
            started_unix_ns: 0,
            duration_ns: args.duration.as_nanos() as u64,
            probe_interval_ns: SECOND_NS / u64::from(args.probe_rate.max(1)),
            turns: 0,
        };
        run.register()?;
        run.tick.set(run.tick_due, TICK_NS)?;
        Ok(run)
    }

    fn register(&mut self) -> Result<()> {
        let sources = [
            (self.tick.as_raw_fd(), TICK),
            (self.turn.as_raw_fd(), TURN),
            (self.signals.as_raw_fd(), SIGNAL),
        ];
        for (fd, token) in sources {
            self.poll
                .registry()
                .register(&mut SourceFd(&fd), token, Interest::READABLE)?;
        }
        Ok(())
    }

    /// Runs to the end; results are in `shared.recorder`.
    pub fn drive(&mut self) -> Result<()> {
        let mut events = Events::with_capacity(EVENTS);
        while !self.is_over() {
            let timeout = match self.shared.looping.is_empty() {
                true => None,
                false => Some(Duration::ZERO),
            };
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other?,
            }
            for event in &events {
                self.dispatch(event.token())?;
            }
            for token in std::mem::take(&mut self.shared.looping) {
                self.dispatch(token)?;
            }
        }
        self.close()
    }

    #[inline]
    fn dispatch(&mut self, token: Token) -> Result<()> {
        if let Some(worker) = self.workers.get_mut(token.0) {
            worker.on_ready(&mut self.shared);
            return Ok(());
        }
        match token {
            TICK => self.on_tick()?,
            TURN => self.on_turn()?,
            SIGNAL => self.stop(),
            Token(number) => {
                let (client, role) = probe_of(number - self.workers.len());
                if let Some(probe) = self.probes.get_mut(client) {
                    probe.on_ready(role, &mut self.shared);
                }
            }
        }
        Ok(())
    }

    /// The coarse clock: watches deadlines, starts and ends the run, closes seconds.
    fn on_tick(&mut self) -> Result<()> {
        self.tick.acknowledge();
        let now = sys::monotonic_ns();
        self.shared.now = now;
        if self.shared.started {
            self.watch.lag(now.saturating_sub(self.tick_due));
        }
        self.tick_due += now.saturating_sub(self.tick_due) / TICK_NS * TICK_NS + TICK_NS;
        for worker in &mut self.workers {
            worker.on_watch(&mut self.shared);
        }
        for probe in &mut self.probes {
            probe.on_watch(&mut self.shared);
        }
        if !self.shared.started && (self.all_usable() || now >= self.starts_at) {
            self.start()?;
        }
        if now >= self.second_due {
            self.end_second(now)?;
        }
        let over = now >= self.ends_at || self.shared.schedule.exhausted();
        if over || self.shared.fatal.is_some() {
            self.stop();
        }
        Ok(())
    }

    fn all_usable(&self) -> bool {
        self.workers.iter().all(|worker| worker.link.is_usable())
            && self.probes.iter().all(Probe::is_usable)
    }

    /// t = 0. Connecting is not part of what is measured.
    fn start(&mut self) -> Result<()> {
        self.watch = SelfWatch::start()?;
        self.started_unix_ns = sys::unix_ns();
        let now = sys::monotonic_ns();
        self.shared.now = now;
        self.shared.recorder.start(now, self.started_unix_ns)?;
        self.shared.started = true;
        self.second_due = now + SECOND_NS;
        self.ends_at = now + self.duration_ns;
        self.live.started(now, self.started_unix_ns);
        if !self.probes.is_empty() {
            self.turn.set(now + 1, self.probe_interval_ns)?;
        }
        for worker in &mut self.workers {
            worker.on_start(&mut self.shared);
        }
        Ok(())
    }

    /// The next probe client's turn. Turns that passed while the loop was busy are skipped, and counted.
    fn on_turn(&mut self) -> Result<()> {
        self.turn.acknowledge();
        let now = sys::monotonic_ns();
        self.shared.now = now;
        let passed = (now - self.shared.recorder.started_ns) / self.probe_interval_ns + 1;
        let missed = (passed as usize).saturating_sub(self.turns + 1);
        self.shared.recorder.probe_skipped += missed as u64;
        self.turns = self.turns.max(passed as usize);
        let client = self.turns % self.probes.len();
        self.probes[client].on_turn(&mut self.shared);
        Ok(())
    }

    fn end_second(&mut self, now: u64) -> Result<()> {
        self.second_due += SECOND_NS;
        let recorder = &mut self.shared.recorder;
        let figures = Figures {
            since_start_ns: now - recorder.started_ns,
            transactions: recorder.load.transactions.ok,
            queries: recorder.load.queries,
            p95_ms: recorder.latency.quantile_ms(0.95),
            errors: recorder.errors.total(),
            in_doubt: recorder.load.transactions.in_doubt + recorder.probe.writes.in_doubt,
            connected: self
                .workers
                .iter()
                .filter(|worker| worker.link.is_usable())
                .count(),
        };
        self.live.second(&figures);
        recorder.second(now)?;
        Ok(())
    }

    /// No new transactions; the loop ends when those under way are answered, or after a grace.
    fn stop(&mut self) {
        if !self.shared.stopping {
            self.shared.stopping = true;
            self.ends_at = sys::monotonic_ns();
        }
    }

    fn is_over(&self) -> bool {
        self.shared.stopping
            && (self.shared.now >= self.ends_at + GRACE_NS
                || self.workers.iter().all(Worker::is_resting)
                    && self.probes.iter().all(Probe::is_resting))
    }

    fn close(&mut self) -> Result<()> {
        let now = sys::monotonic_ns();
        self.shared.now = now;
        let failure = Failure::new(Class::Timeout, "end", "the run ended before the reply");
        for worker in &mut self.workers {
            worker.close(failure.clone(), &mut self.shared);
        }
        for probe in &mut self.probes {
            probe.close(&failure, &mut self.shared);
        }
        if !self.shared.started {
            self.started_unix_ns = sys::unix_ns();
            self.shared.recorder.start(now, self.started_unix_ns)?;
        }
        self.shared.recorder.finish(now)?;
        Ok(())
    }

    pub fn done(&self) {
        self.live.done();
    }
}

fn make_shared(
    args: &Args,
    credentials: Credentials,
    workload: Box<dyn Workload>,
    recorder: Recorder,
    poll: &Poll,
) -> Result<Shared> {
    let targets = |endpoints: &[Endpoint]| endpoints.iter().cloned().map(Target::new).collect();
    let mut writers: Vec<Target> = targets(&args.write);
    if writers.is_empty() && args.driver == Kind::Noop {
        writers.push(Target::new(Endpoint::Tcp {
            host: "noop".to_string(),
            port: 1,
        }));
    }
    Ok(Shared {
        now: sys::monotonic_ns(),
        recorder,
        registry: poll.registry().try_clone()?,
        timing: Timing {
            connect_ns: args.connect_timeout.as_nanos() as u64,
            operation: args.operation_timeout,
            backoff_ns: args.backoff.as_nanos() as u64,
        },
        kind: args.driver,
        find: args.find,
        credentials,
        writers,
        readers: targets(&args.read),
        workload,
        schedule: Closed::new(args.transactions),
        parameters: Parameters::default(),
        buffer: vec![0; BUFFER].into_boxed_slice(),
        rng: Rng::new(args.seed, u64::MAX),
        started: false,
        stopping: false,
        looping: Vec::new(),
        fatal: None,
        stop_on_error: args.on_error == OnError::Stop,
    })
}

fn make_workers(args: &Args, shared: &Shared) -> Vec<Worker> {
    let role = worker::role(shared);
    let targets = match role {
        Role::Read if !shared.readers.is_empty() => shared.readers.len(),
        _ => shared.writers.len(),
    };
    (0..args.connections as usize)
        .map(|number| {
            let candidate = first_candidate(args, role, number, targets);
            let backoff = shared.timing.backoff_ns;
            let link = Link::new(
                shared,
                Token(number),
                role,
                Source::Load,
                candidate,
                backoff,
            );
            Worker::new(link, Rng::new(args.seed, number as u64))
        })
        .collect()
}

fn make_probes(args: &Args, shared: &Shared, base: i64) -> Vec<Probe> {
    if args.probe_rate == 0 {
        return Vec::new();
    }
    // The probe looks for a server more often than the load: it measures when one is back.
    let backoff = shared.timing.backoff_ns.min(probe::RETRY_NS);
    let first = args.connections as usize;
    let link = |client: usize, role: Role| {
        let token = Token(first + client * 2 + usize::from(role == Role::Read));
        let targets = match role {
            Role::Read => shared.readers.len(),
            Role::Write => shared.writers.len(),
        };
        let candidate = first_candidate(args, role, client, targets);
        Link::new(shared, token, role, Source::Probe, candidate, backoff)
    };
    (0..probe::CLIENTS)
        .map(|client| {
            let read = (!shared.readers.is_empty()).then(|| link(client, Role::Read));
            let statements = probe::statements(args.driver, &args.probe_table);
            Probe::new(client, statements, base, link(client, Role::Write), read)
        })
        .collect()
}

/// Where a connection begins to look. Endpoints of their own share the reads, whatever writes do.
fn first_candidate(args: &Args, role: Role, number: usize, targets: usize) -> usize {
    let reads_apart = role == Role::Read && !args.read.is_empty();
    match args.spread {
        Spread::First if !reads_apart => 0,
        _ => number % targets,
    }
}

/// Which probe client and link a token's number behind the workers' means.
fn probe_of(number: usize) -> (usize, Role) {
    match number % 2 {
        0 => (number / 2, Role::Write),
        _ => (number / 2, Role::Read),
    }
}
