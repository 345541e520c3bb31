//! The event loop: one thread, one epoll, every connection and timer of a run.
//!
//! ```text
//!   wait for events ──> connections that can go on ──> moments that have come ──┐
//!        ^                                              tick (10 ms): watchdog  │
//!        │                                              the profile: steps, windows of a search, the end
//!        │                                              the ledger's turn, pauses that end, arrivals
//!        └────────────── the alarm is set to the next moment ───────────────────┘
//! ```

mod build;
mod connector;
mod frame;
mod gate;
mod live;
mod phases;

pub use frame::Frame;

use super::alongside::{Ledger, Prober, SideWorkloads};
use super::args::Args;
use super::profile::LoadProfile;
use super::shared::{ALARM, Alarm, FIRST_PROBE, Place, RESOLVED, SIGNAL, owner_of};
use super::worker::{Load, Worker};
use crate::record::Recorder;
use crate::record::client::SelfWatch;
use crate::record::schedule::StepSummary;
use anyhow::Result;
use base::sys;
use connector::Connector;
use gate::Gate;
use live::Live;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use sql_wire::{Credentials, Kind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;
use workloads::Workload;

/// The watchdog's step. Timeouts are this coarse; nothing is paid per operation.
const TICK_NS: u64 = 10_000_000;
/// Connections that the watchdog looks at in one step: of more, each has its turn in a later one.
const WATCHED: usize = 1024;
const SECOND_NS: u64 = 1_000_000_000;
const EVENTS: usize = 256;
/// Arrivals that start before the loop looks at its events again.
const STARTS: usize = 256;

pub struct Run {
    poll: Poll,
    pub load: Load,
    pub workers: Vec<Worker>,
    ledger: Option<Ledger>,
    pub side_workloads: SideWorkloads,
    pub probes: Option<Prober>,
    pub connector: Connector,
    pub profile: LoadProfile,
    pub steps: Vec<StepSummary>,
    live: Live,
    pub watch: SelfWatch,
    alarm: Alarm,
    signals: OwnedFd,
    tick_due: u64,
    second_due: u64,
    /// The next line for those who watch.
    line_due: u64,
    line_every_ns: Option<u64>,
    /// The watchdog's place.
    watched: usize,
    /// t = 0 at the latest, unless connections are still being made.
    starts_at: u64,
    start_timeout_ns: u64,
    gate: Gate,
    place: Place,
    /// Connections that were there at the last look before t = 0.
    usable: usize,
    /// When the run was stopped.
    stopped_at: u64,
    grace_ns: u64,
    pub started_unix_ns: u64,
}

impl Run {
    pub fn new(
        args: &Args,
        mut frame: Frame,
        credentials: Credentials,
        workload: Rc<dyn Workload>,
        recorder: Recorder,
        ledger_base: i64,
    ) -> Result<Run> {
        let poll = Poll::new()?;
        let mut load = build::load(args, &mut frame, credentials, workload, recorder, &poll)?;
        let now = load.now();
        let start_timeout_ns = args.start_timeout.as_nanos() as u64;
        let run = Run {
            workers: build::workers(args, &frame, &mut load),
            ledger: build::ledger(args, &frame, &mut load.shared, ledger_base),
            side_workloads: SideWorkloads::default(),
            probes: None,
            connector: Connector::new(frame.burst, frame.storm),
            load,
            poll,
            live: Live::new(frame.live),
            watch: SelfWatch::start()?,
            alarm: Alarm::new()?,
            signals: sys::termination_signals()?,
            tick_due: now,
            second_due: u64::MAX,
            line_due: u64::MAX,
            line_every_ns: frame.tick.map(|tick| tick.as_nanos() as u64),
            watched: 0,
            starts_at: now + start_timeout_ns,
            start_timeout_ns,
            gate: Gate::new(frame.start_file.take()),
            place: args.one_of,
            usable: 0,
            stopped_at: u64::MAX,
            grace_ns: frame.grace.as_nanos() as u64,
            started_unix_ns: 0,
            steps: Vec::new(),
            profile: frame.profile,
        };
        for (fd, token) in [
            (run.alarm.as_raw_fd(), ALARM),
            (run.signals.as_raw_fd(), SIGNAL),
        ] {
            let registry = run.poll.registry();
            registry.register(&mut SourceFd(&fd), token, Interest::READABLE)?;
        }
        Ok(run)
    }

    /// Adds side workloads with their rates.
    pub fn add_side_workloads(&mut self, args: &Args, workloads: Vec<(Rc<dyn Workload>, f64)>) {
        let mut first = self.workers.len() + self.ledger.as_ref().map_or(0, Ledger::count);
        for (workload, rate) in workloads {
            let plan = build::side_workload(args, &mut self.load.shared, workload, rate, first);
            first += plan.connections.len();
            self.side_workloads.add(plan, args.driver);
        }
    }

    /// Adds probes with new connections; the table has numbers up to the greatest.
    pub fn add_probes(&mut self, args: &Args, greatest: i64) {
        if args.driver != Kind::Noop {
            self.probes = Prober::new(
                &args.probes,
                self.load.shared.endpoints.writers.len(),
                greatest,
                self.place,
            );
        }
    }

    /// Runs to the end; results are in `load.shared.recorder`.
    pub fn drive(&mut self) -> Result<()> {
        let mut events = Events::with_capacity(EVENTS);
        self.on_moments()?;
        while !self.is_over() {
            let busy = !self.load.shared.sockets.looping.is_empty() || self.connector.is_dialling();
            match self.poll.poll(&mut events, busy.then_some(Duration::ZERO)) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other?,
            }
            for event in &events {
                self.dispatch(event.token());
            }
            for token in std::mem::take(&mut self.load.shared.sockets.looping) {
                self.dispatch(token);
            }
            if std::mem::take(&mut self.load.turns.start_returned) {
                self.work();
            }
            self.connector.burst(&mut self.workers, &mut self.load);
            if self.load.now() >= self.next_due() {
                self.on_moments()?;
            }
            self.alarm.set(self.next_due())?;
        }
        self.close()
    }

    #[inline]
    fn dispatch(&mut self, token: Token) {
        let (number, role) = owner_of(token);
        if let Some(worker) = self.workers.get_mut(number) {
            worker.on_ready(role, &mut self.load);
            return;
        }
        match token {
            ALARM => {
                self.alarm.went_off();
                self.load.shared.clock.now = sys::monotonic_ns();
            }
            SIGNAL => self.stop(),
            RESOLVED => self.on_resolved(),
            _ if number >= FIRST_PROBE => {
                if let Some(probes) = &mut self.probes {
                    probes.on_ready(number - FIRST_PROBE, &mut self.load.shared);
                }
            }
            _ => {
                let number = number - self.workers.len();
                let of_ledger = self.ledger.as_ref().map_or(0, Ledger::count);
                match &mut self.ledger {
                    Some(ledger) if number < of_ledger => {
                        ledger.on_ready(number, &mut self.load.shared);
                    }
                    _ => self
                        .side_workloads
                        .on_ready(number - of_ledger, &mut self.load.shared),
                }
            }
        }
    }

    /// Names have addresses now, for which connections wait.
    fn on_resolved(&mut self) {
        let now = sys::monotonic_ns();
        self.load.shared.clock.now = now;
        self.load.shared.endpoints.take_answers(now);
        for worker in &mut self.workers[..self.connector.dialled()] {
            worker.on_watch(&mut self.load);
        }
        self.watch_alongside();
    }

    /// The watchdog's look at all that is not the load.
    fn watch_alongside(&mut self) {
        if let Some(ledger) = &mut self.ledger {
            ledger.on_watch(&mut self.load.shared);
        }
        self.side_workloads.on_watch(&mut self.load.shared);
        if let Some(probes) = &mut self.probes {
            probes.on_watch(&mut self.load.shared);
        }
    }

    /// The next moment at which anything is to happen by itself.
    #[inline]
    fn next_due(&self) -> u64 {
        let never = u64::MAX;
        let of_ledger = self.ledger.as_ref().map_or(never, Ledger::next_due);
        let of_probes = self.probes.as_ref().map_or(never, Prober::next_due);
        let own = self
            .tick_due
            .min(of_ledger)
            .min(self.side_workloads.next_due());
        own.min(of_probes)
            .min(self.load.shared.timers.next_due().unwrap_or(never))
            .min(self.load.turns.schedule.next_due().unwrap_or(never))
    }

    /// Does what is due.
    fn on_moments(&mut self) -> Result<()> {
        let now = sys::monotonic_ns();
        self.load.shared.clock.now = now;
        if now >= self.tick_due {
            self.on_tick()?;
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.on_moment(&mut self.load.shared);
        }
        self.side_workloads.on_moment(&mut self.load.shared);
        if let Some(probes) = &mut self.probes {
            probes.on_moment(&mut self.load.shared);
        }
        self.on_timers();
        self.on_arrivals();
        Ok(())
    }

    fn on_timers(&mut self) {
        // What is set meanwhile has its turn after the events.
        let now = self.load.now();
        while let Some((_, token)) = self.load.shared.timers.pop(now) {
            let (number, role) = owner_of(token);
            match self.workers.get_mut(number) {
                Some(worker) => worker.on_timer(role, &mut self.load),
                None => self.watch_alongside(),
            }
        }
    }

    fn on_arrivals(&mut self) {
        for _ in 0..STARTS {
            let Some((number, start)) = self.load.turns.schedule.due(self.load.now()) else {
                return;
            };
            self.workers[number].on_turn(start, &mut self.load);
            // Sending takes longer than reading the clock, and lateness is to be known.
            self.load.shared.clock.now = sys::monotonic_ns();
        }
    }

    /// The coarse clock: watches deadlines, starts and ends the run, closes seconds.
    fn on_tick(&mut self) -> Result<()> {
        let now = self.load.now();
        if self.load.shared.clock.started {
            self.watch.lag(now.saturating_sub(self.tick_due));
        }
        self.watch_deadlines();
        self.connector.dial(&mut self.workers, &mut self.load);
        if !self.load.shared.clock.started
            && (self.gate.is_waiting() || self.may_start())
            && let Some(zero) = self.gate.opens(&self.live)?
        {
            self.start(zero)?;
        }
        if now >= self.line_due {
            self.write_line(now);
        }
        if now >= self.second_due {
            self.end_second(now)?;
        }
        if now >= self.profile.due() && !self.load.shared.clock.stopping {
            self.advance()?;
        }
        if let Some(failure) = self.load.exchange.take_fatal() {
            self.load.shared.fatal = Some(failure);
        }
        if self.is_used_up() || self.load.shared.fatal.is_some() {
            self.stop();
        }
        // A step can end between two ticks and then gets an additional one.
        self.tick_due += now.saturating_sub(self.tick_due) / TICK_NS * TICK_NS + TICK_NS;
        if !self.load.shared.clock.stopping {
            self.tick_due = self.tick_due.min(self.profile.due().max(now + 1));
        }
        if !self.load.shared.clock.started {
            self.tick_due = self.tick_due.min(self.gate.due().max(now + 1));
        }
        Ok(())
    }

    fn watch_deadlines(&mut self) {
        let dialled = self.connector.dialled();
        for _ in 0..dialled.min(WATCHED) {
            self.watched = if self.watched + 1 < dialled {
                self.watched + 1
            } else {
                0
            };
            self.workers[self.watched].on_watch(&mut self.load);
        }
        self.watch_alongside();
    }
}
