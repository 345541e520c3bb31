//! `watch`: queries every node directly, outside the network under test, during a trial.
//!
//! A node of the lab is asked over its unix socket, so that neither cuts nor distance in the lab's network
//! stand between; one that others run, at its address: every 10 ms for its role, on one connection, and ten times a second for what it holds of the
//! ledger, on another (a lock on the ledger's table must not hide the role). One thread, one epoll; no node
//! is ever waited for.

mod node_probe;
mod question;
mod tables;

use crate::ledger;
use anyhow::{Context, Result};
use base::arguments::{identifier, seconds};
use base::sys;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use node_probe::{Heard, NodeProbe, Target};
use question::Answer;
use sql_wire::Kind;
use sql_wire::args::Login;
use sql_wire::endpoint::Endpoint;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tables::{State, Tables};

const TIMER: Token = Token(usize::MAX - 1);
const SIGNAL: Token = Token(usize::MAX - 3);
const LIFELINE: Token = Token(usize::MAX - 4);
const BUFFER: usize = 16 * 1024;

/// Watch each node directly: its role every few milliseconds, and its rows of the ledger.
#[derive(clap::Args)]
pub struct Args {
    /// The protocol to speak.
    #[arg(long, value_enum)]
    driver: Kind,
    #[command(flatten)]
    login: Login,
    /// A node with the path of its unix socket or its HOST:PORT; repeat for each node.
    #[arg(long, value_name = "NAME=PLACE", required = true, value_parser = node)]
    node: Vec<(String, Endpoint)>,
    /// Interval of queries for the role.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10ms")]
    interval: Duration,
    /// Interval until a node changes or is silent, or a byte arrives on standard input. Default: --interval.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    calm_interval: Option<Duration>,
    /// Interval of queries for a node's rows of the ledger.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "100ms")]
    view_interval: Duration,
    /// Time without an answer after which a node counts as unavailable since the query.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "1s")]
    bound: Duration,
    /// The ledger's table.
    #[arg(long, value_name = "TABLE", default_value = ledger::TABLE, value_parser = identifier)]
    ledger_table: String,
    /// Number of clients of the ledger; 0: do not read it.
    #[arg(long, value_name = "N", default_value_t = 4)]
    ledger_clients: usize,
    /// t = 0 in nanoseconds of CLOCK_MONOTONIC; default: now.
    #[arg(long, value_name = "NS")]
    zero_ns: Option<u64>,
    /// Folder for nodes.csv and views.csv.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Read standard input: a byte switches to --interval, end of file ends the watch.
    #[arg(long)]
    lifeline: bool,
}

fn node(text: &str) -> Result<(String, Endpoint), String> {
    let plain = |name: &str| {
        !name.is_empty() && !name.contains(|c: char| c == ',' || c == '"' || c.is_control())
    };
    match text.split_once('=') {
        Some((name, place)) if plain(name) => Ok((name.to_string(), place.parse()?)),
        _ => Err(format!(
            "expected NAME=HOST:PORT, or NAME=PATH of a unix socket, found '{text}'"
        )),
    }
}

pub fn main(args: &Args) -> Result<()> {
    let mut watch = Watch::new(args)?;
    watch.drive(args)?;
    Ok(watch.tables.finish()?)
}

/// A node and its last known state.
struct Node {
    name: String,
    known: Option<Answer>,
    /// Folder of its socket, open while the short path is used; None for a network address.
    _folder: Option<File>,
}

struct Watch {
    poll: Poll,
    nodes: Vec<Node>,
    /// Probe 2n queries the role of node n, probe 2n + 1 the ledger.
    probes: Vec<NodeProbe>,
    tables: Tables,
    buffer: Vec<u8>,
    /// Whether a node has changed since the start.
    changed: bool,
}

impl Watch {
    fn new(args: &Args) -> Result<Watch> {
        let zero_ns = args.zero_ns.unwrap_or_else(sys::monotonic_ns);
        let mut watch = Watch {
            poll: Poll::new()?,
            nodes: Vec::new(),
            probes: Vec::new(),
            tables: Tables::create(&args.out, zero_ns, args.ledger_clients)
                .with_context(|| format!("cannot write in {}", args.out.display()))?,
            buffer: vec![0; BUFFER],
            changed: false,
        };
        for (name, place) in &args.node {
            watch.add(args, name, place)?;
        }
        Ok(watch)
    }

    fn add(&mut self, args: &Args, name: &str, place: &Endpoint) -> Result<()> {
        let mut credentials = args.login.credentials()?;
        credentials.tls = sql_wire::tls::Tls::off();
        let (folder, endpoint, address) = match place {
            Endpoint::Unix(path) => {
                credentials.private_transport = true;
                let (folder, socket) = short(path)?;
                (Some(folder), Endpoint::Unix(socket), None)
            }
            Endpoint::Odbc(_) => (None, place.clone(), None),
            Endpoint::Tcp { .. } => {
                let addresses = place.resolve().map_err(anyhow::Error::msg)?;
                (None, place.clone(), addresses.first().copied())
            }
        };
        for seen in [
            None,
            Some(ledger::seen(
                args.driver,
                &args.ledger_table,
                args.ledger_clients,
            )),
        ] {
            let place = Target {
                kind: args.driver,
                endpoint: endpoint.clone(),
                address,
                credentials: credentials.clone(),
            };
            let token = Token(self.probes.len());
            let bound_ns = args.bound.as_nanos() as u64;
            self.probes
                .push(NodeProbe::new(place, seen, token, bound_ns));
        }
        self.nodes.push(Node {
            name: name.to_string(),
            known: None,
            _folder: folder,
        });
        Ok(())
    }

    fn drive(&mut self, args: &Args) -> Result<()> {
        let timer = sys::Timer::new()?;
        let signals = sys::termination_signals()?;
        let registry = self.poll.registry();
        registry.register(&mut SourceFd(&timer.as_raw_fd()), TIMER, Interest::READABLE)?;
        registry.register(
            &mut SourceFd(&signals.as_raw_fd()),
            SIGNAL,
            Interest::READABLE,
        )?;
        if args.lifeline {
            registry
                .register(&mut SourceFd(&0), LIFELINE, Interest::READABLE)
                .context("--lifeline: standard input is not a pipe")?;
        }
        let mut clock = Clock::new(args);
        let mut events = Events::with_capacity(64);
        loop {
            self.on_tick(&mut clock)?;
            timer.set(clock.due)?;
            match self.poll.poll(&mut events, None) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other?,
            }
            for event in &events {
                match event.token() {
                    SIGNAL => return Ok(()),
                    LIFELINE if std::io::stdin().read(&mut [0; 64])? == 0 => return Ok(()),
                    LIFELINE => clock.alert(sys::monotonic_ns()),
                    TIMER => {}
                    Token(number) => {
                        let now = sys::monotonic_ns();
                        let heard = self.probes[number].on_ready(now, &mut self.buffer);
                        self.take(number, heard)?;
                    }
                }
            }
            if self.changed || self.is_any_silent() {
                clock.alert(sys::monotonic_ns());
            }
        }
    }

    /// A node with an overdue answer.
    fn is_any_silent(&self) -> bool {
        let now = sys::monotonic_ns();
        self.probes.iter().any(|probe| probe.is_silent(now))
    }

    fn on_tick(&mut self, clock: &mut Clock) -> Result<()> {
        let now = sys::monotonic_ns();
        if now < clock.due {
            return Ok(());
        }
        let views = clock.advance(now);
        for number in 0..self.probes.len() {
            if number % 2 == 1 && !views {
                continue;
            }
            let now = sys::monotonic_ns();
            let registry = self.poll.registry();
            let heard = self.probes[number].on_tick(now, registry, &mut self.buffer);
            self.take(number, heard)?;
        }
        Ok(())
    }

    fn take(&mut self, number: usize, mut heard: Heard) -> Result<()> {
        if let Heard::State(answer, _) = &mut heard {
            let others = self.nodes.iter().filter_map(|node| node.known.as_ref());
            if answer.is_left_behind(self.nodes[number / 2].known.as_ref(), others) {
                answer.state = State::Refusing;
            }
        }
        let node = &mut self.nodes[number / 2];
        match heard {
            Heard::Nothing => {}
            Heard::Seen(at) => {
                let rows = self.probes[number].rows();
                self.tables.view(at, &node.name, rows)?;
            }
            Heard::State(answer, _) if node.known.as_ref() == Some(&answer) => {}
            Heard::State(answer, at) => {
                // What a node is at first is no change.
                self.changed |= node.known.is_some();
                self.tables
                    .state(at, &node.name, answer.state, &answer.epoch)?;
                node.known = Some(answer);
            }
        }
        Ok(())
    }
}

/// Times of the queries.
struct Clock {
    due: u64,
    interval_ns: u64,
    /// Interval until a change.
    calm_ns: Option<u64>,
    views_due: Option<u64>,
    view_interval_ns: u64,
}

impl Clock {
    fn new(args: &Args) -> Clock {
        let now = sys::monotonic_ns();
        Clock {
            due: now,
            interval_ns: args.interval.as_nanos() as u64,
            calm_ns: args.calm_interval.map(|calm| calm.as_nanos() as u64),
            views_due: (args.ledger_clients > 0).then_some(now),
            view_interval_ns: args.view_interval.as_nanos() as u64,
        }
    }

    /// Switch to the short interval.
    fn alert(&mut self, now: u64) {
        if self.calm_ns.take().is_some() {
            self.due = self.due.min(now);
        }
    }

    /// Sets the next tick; returns true if this one also queries the ledger. Missed ticks are skipped.
    fn advance(&mut self, now: u64) -> bool {
        self.due = next(self.due, self.calm_ns.unwrap_or(self.interval_ns), now);
        match self.views_due {
            Some(due) if now >= due => {
                self.views_due = Some(next(due, self.view_interval_ns, now));
                true
            }
            _ => false,
        }
    }
}

/// Returns the first time after now in steps from `due`.
fn next(due: u64, step: u64, now: u64) -> u64 {
    due + ((now - due) / step + 1) * step
}

/// Returns a path that fits into the address of a unix socket (107 bytes), and the open folder in it.
fn short(path: &Path) -> Result<(File, PathBuf)> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        anyhow::bail!("{} is not the path of a unix socket", path.display());
    };
    let opened = File::options()
        .read(true)
        .custom_flags(libc::O_PATH | libc::O_DIRECTORY)
        .open(folder)
        .with_context(|| format!("cannot open the folder {}", folder.display()))?;
    let through = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
    Ok((opened, through.join(name)))
}

#[cfg(test)]
mod tests;
