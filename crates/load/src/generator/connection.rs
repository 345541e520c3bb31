//! One connection's way to a usable server and back: the state machine below workers and the ledger's clients.
//!
//! ```text
//!            ┌────────────── all candidates failed ──────────────┐
//!            v                                                   │
//!      BackingOff ──deadline──> Resolving ──> Connecting ──> Authenticating ──> Verifying
//!            ^                   ^     ^                          ^  │             │
//!            │                   │     │                    Securing <┘             │ the server is
//!            │             next candidate, next address       (TLS)                v what is wanted
//!            └── lost, read-only, timed out ── Busy <──────call/reply──────────> Idle
//! ```
//!
//! Resolving is for names only, and bounded by the connect timeout; so is all from Connecting to Verifying
//! together.
//!
//! A lost connection looks for a server again by itself; its owner only hears `Lost` and later `Usable`.
//! A broken connection tries the same candidate first (it may just have closed the session), everything else
//! moves on to the next. Once every candidate has failed since the last success, the connection pauses.

mod calls;
mod exhaustion;
mod secure;
mod seek;
mod single;
mod state;
mod wire;

pub use state::ConnectionEvent;

use super::endpoints::{Role, Spread};
use super::shared::Shared;
use crate::record::Source;
use crate::transport::Transport;
use base::sys;
use mio::Token;
use sql_wire::committing::AUTOCOMMIT;
use sql_wire::role::{self, Verdict};
use sql_wire::{Class, Effect, Event, Failure, Session, Standing};
use state::{Single, State};
use std::rc::Rc;

pub struct Connection {
    token: Token,
    role: Role,
    source: Source,
    backoff_ns: u64,
    state: State,
    /// When the state has lasted too long; looked at by the watchdog only.
    deadline: u64,
    candidate: usize,
    /// First statements of a new session: those of all clients, then those of this one.
    setup: Rc<Vec<String>>,
    kept: Vec<String>,
    /// A statement outside of a transaction is to commit, whatever the server's default is.
    autocommit: bool,
    /// It stays with its candidate, whatever happens.
    pinned: bool,
    /// It is for one try only.
    single: Option<Single>,
    /// Position among the candidate's addresses.
    address: usize,
    /// Addresses that failed since the last success.
    failed: usize,
    was_usable: bool,
    /// A try to connect has failed.
    has_failed: bool,
    /// When the way to the current server began.
    sought_at: u64,
    transport: Option<Transport>,
    session: Box<dyn Session>,
    /// Bytes the socket has not taken yet.
    out: Vec<u8>,
    /// The beginning of an incomplete message.
    rest: Vec<u8>,
}

impl Connection {
    pub fn new(
        shared: &Shared,
        token: Token,
        role: Role,
        source: Source,
        candidate: usize,
        backoff_ns: u64,
    ) -> Connection {
        Connection {
            token,
            role,
            source,
            backoff_ns,
            state: State::BackingOff,
            deadline: 0,
            candidate,
            setup: Rc::default(),
            kept: Vec::new(),
            autocommit: true,
            pinned: false,
            single: None,
            address: 0,
            failed: 0,
            was_usable: false,
            has_failed: false,
            sought_at: 0,
            transport: None,
            session: sql_wire::session(shared.sessions.kind, &shared.sessions.credentials),
            out: Vec::new(),
            rest: Vec::new(),
        }
    }

    /// The same, with settings for its sessions.
    pub fn with_setup(mut self, setup: Rc<Vec<String>>) -> Connection {
        self.setup = setup;
        self
    }

    /// The same, which leaves it to the server whether a statement commits: scripts decide themselves.
    pub fn with_autocommit_of_server(mut self) -> Connection {
        self.autocommit = false;
        self
    }

    /// The same, for this candidate alone.
    pub fn pinned(mut self) -> Connection {
        self.pinned = true;
        self
    }

    /// Adds a setting for later sessions.
    pub fn keep_setting(&mut self, sql: &str) {
        self.kept.push(sql.to_string());
    }

    pub fn forget_settings(&mut self) {
        self.kept.clear();
    }

    pub fn has_settings(&self) -> bool {
        !self.kept.is_empty()
    }

    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    pub fn is_busy(&self) -> bool {
        self.state == State::Busy
    }

    /// On the way to a server.
    pub fn is_seeking(&self) -> bool {
        !self.is_usable() && !matches!(self.state, State::BackingOff | State::Closed)
    }

    /// Whether a try to connect has failed.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    pub fn is_usable(&self) -> bool {
        self.is_idle() || self.is_busy()
    }

    /// Position of the current endpoint among its role's targets.
    pub fn candidate(&self) -> usize {
        self.candidate
    }

    /// The session's transaction, where the server reports it.
    #[inline]
    pub fn standing(&self) -> Option<Standing> {
        self.session.standing()
    }

    pub fn role(&self) -> Role {
        self.role
    }

    /// The socket can be read or written, or is broken.
    #[inline]
    pub fn on_ready(&mut self, shared: &mut Shared) -> ConnectionEvent {
        match self.state {
            State::Connecting => self.on_connecting(shared),
            State::Securing => self.on_securing(shared),
            _ => self.talk_on(shared),
        }
    }

    #[inline]
    fn talk_on(&mut self, shared: &mut Shared) -> ConnectionEvent {
        if !self.out.is_empty()
            && let Err(failure) = self.flush(shared)
        {
            return self.fail(failure, shared);
        }
        match self.receive(shared) {
            Ok(None) => ConnectionEvent::Nothing,
            Ok(Some(event)) => self.on_event(event, shared),
            Err(failure) => self.fail(failure, shared),
        }
    }

    /// Called by the watchdog every few milliseconds.
    #[inline]
    pub fn on_watch(&mut self, shared: &mut Shared) -> ConnectionEvent {
        if shared.clock.now < self.deadline || matches!(self.state, State::Idle | State::Closed) {
            return ConnectionEvent::Nothing;
        }
        match self.state {
            State::BackingOff => {
                self.seek(shared);
                return ConnectionEvent::Nothing;
            }
            State::Resolving { until } => return self.on_resolving(until, shared),
            _ => {}
        }
        let (code, message) = match self.state {
            State::Connecting => ("connect", "no answer to the connect"),
            State::Authenticating => ("log_in", "no answer to the log-in"),
            State::Securing => ("tls", "no answer to the TLS handshake"),
            State::Verifying(_) => ("ask_role", "no answer about the server's role"),
            State::Autocommit | State::SettingUp(_) => {
                ("set_up", "no answer to the session's settings")
            }
            _ => ("reply", "no reply to the statement"),
        };
        self.fail(Failure::new(Class::Timeout, code, message), shared)
    }

    /// Ends the connection for good; a call under way is lost.
    pub fn close(&mut self, failure: Failure) -> ConnectionEvent {
        let was_busy = self.is_busy();
        self.drop_transport();
        self.state = State::Closed;
        match was_busy {
            true => ConnectionEvent::Lost(failure),
            false => ConnectionEvent::Nothing,
        }
    }

    /// Leaves a server that is all right, politely, and stays away until `come_back`.
    pub fn leave(&mut self, shared: &mut Shared) {
        self.session.quit(&mut self.out);
        // Best effort: the server notices the closed socket anyway.
        let _ = self.flush(shared);
        self.drop_transport();
        self.state = State::Closed;
    }

    pub fn come_back(&mut self) {
        if self.state == State::Closed {
            self.state = State::BackingOff;
            self.deadline = 0;
        }
    }

    /// Leaves a server that is all right, politely, and looks for one again: the schedule wants it.
    pub fn reconnect(&mut self, shared: &mut Shared) {
        self.leave(shared);
        self.failed = 0;
        if shared.endpoints.spread == Spread::Random {
            let last = shared.endpoints.targets(self.role).len() as u32 - 1;
            self.candidate = shared.rng.uniform(0, last) as usize;
        }
        self.seek(shared);
    }

    fn on_connecting(&mut self, shared: &mut Shared) -> ConnectionEvent {
        shared.clock.now = sys::monotonic_ns();
        let Some(transport) = &self.transport else {
            return ConnectionEvent::Nothing;
        };
        match transport.is_connected() {
            Ok(true) => self.greet(shared),
            Ok(false) => ConnectionEvent::Nothing,
            Err(error) => self.fail(error.into(), shared),
        }
    }

    fn greet(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.state = State::Authenticating;
        self.session.open(&mut self.out);
        match self.flush(shared) {
            Ok(()) if self.session.encrypts_first() => self.encrypt(shared),
            // The greeting may have arrived with the connect's own event.
            Ok(()) => self.talk_on(shared),
            Err(failure) => self.fail(failure, shared),
        }
    }

    #[inline]
    fn on_event(&mut self, event: Event, shared: &mut Shared) -> ConnectionEvent {
        match (self.state, event) {
            (State::Busy, Event::Done(reply)) => {
                self.state = State::Idle;
                self.failed = 0;
                ConnectionEvent::Done(reply)
            }
            (State::Busy, Event::Refused(failure)) if !failure.ends_session() => {
                self.state = State::Idle;
                ConnectionEvent::Refused(failure)
            }
            (_, Event::Refused(failure)) => self.fail(failure, shared),
            (State::Authenticating, Event::StartTls) => self.encrypt(shared),
            (State::Authenticating, Event::Authenticated) => match self.question(shared) {
                Some(question) => self.ask(question, shared),
                None => self.begin_session(shared),
            },
            (State::Verifying(asked), Event::Done(_)) => {
                match role::judge(asked, self.session.rows()) {
                    Verdict::Yes => match self.belied(shared) {
                        Some(failure) => self.fail(failure, shared),
                        None => self.begin_session(shared),
                    },
                    Verdict::Ask(question) => self.ask(question, shared),
                    Verdict::No(failure) => self.fail(failure, shared),
                }
            }
            (State::Autocommit, Event::Done(_)) => self.set_up(0, shared),
            (State::SettingUp(done), Event::Done(_)) => self.set_up(done + 1, shared),
            _ => self.fail(Failure::protocol("a reply out of turn"), shared),
        }
    }

    /// What to ask a server about its role; the write of a single try tells by itself.
    fn question(&self, shared: &Shared) -> Option<&'static str> {
        match self.single {
            None => role::question(shared.sessions.kind, shared.endpoints.wanted(self.role)),
            Some(_) => None,
        }
    }

    /// A server that has just refused a write is not asked for the next one before the pause between two rounds.
    fn belied(&self, shared: &mut Shared) -> Option<Failure> {
        let (now, backoff_ns) = (shared.clock.now, self.backoff_ns);
        shared.endpoints.targets(self.role)[self.candidate].belied(now, backoff_ns)
    }

    fn ask(&mut self, question: &'static str, shared: &mut Shared) -> ConnectionEvent {
        self.state = State::Verifying(question);
        self.session
            .query(question, Effect::Read, true, &mut self.out);
        match self.flush(shared) {
            Ok(()) => ConnectionEvent::Nothing,
            Err(failure) => self.fail(failure, shared),
        }
    }

    /// A server with `autocommit = 0` (or an `init_connect` that says so) would keep open what no COMMIT follows.
    fn begin_session(&mut self, shared: &mut Shared) -> ConnectionEvent {
        let seen_off = self.standing().is_some_and(|standing| !standing.autocommit);
        // the log-in tells neither the server's default nor what an init_connect has done
        let wanted = shared.sessions.commit_each;
        match wanted.or(seen_off.then_some(AUTOCOMMIT)) {
            Some(sql) if self.autocommit => {
                self.state = State::Autocommit;
                self.tell(sql, shared)
            }
            _ => self.set_up(0, shared),
        }
    }

    /// Tells the session the workload's settings, from this one on.
    fn set_up(&mut self, next: usize, shared: &mut Shared) -> ConnectionEvent {
        let Some(sql) = self.setup.iter().chain(&self.kept).nth(next).cloned() else {
            return self.become_usable(shared);
        };
        self.state = State::SettingUp(next);
        self.tell(&sql, shared)
    }

    fn tell(&mut self, sql: &str, shared: &mut Shared) -> ConnectionEvent {
        self.session.query(sql, Effect::Read, false, &mut self.out);
        match self.flush(shared) {
            Ok(()) => ConnectionEvent::Nothing,
            Err(failure) => self.fail(failure, shared),
        }
    }

    fn become_usable(&mut self, shared: &mut Shared) -> ConnectionEvent {
        self.state = State::Idle;
        if self.single.is_some() {
            return ConnectionEvent::Usable;
        }
        let took = shared.clock.now.saturating_sub(self.sought_at);
        shared
            .recorder
            .connected(shared.clock.now, self.source, took);
        if self.was_usable {
            shared.recorder.reconnected(self.source);
        }
        self.was_usable = true;
        let tls = self
            .transport
            .as_mut()
            .and_then(|transport| transport.tls());
        let version = tls.and_then(|stream| stream.version());
        let counts = &mut shared.endpoints.targets(self.role)[self.candidate].counts;
        counts.connects += 1;
        counts.tls = version;
        ConnectionEvent::Usable
    }

    /// Leaves the current server and looks for one again.
    #[cold]
    fn fail(&mut self, mut failure: Failure, shared: &mut Shared) -> ConnectionEvent {
        failure.done = self.session.done();
        if self.single.is_some() {
            return self.end_try(failure);
        }
        let was_usable = self.is_usable();
        if !was_usable {
            let (now, source) = (shared.clock.now, self.source);
            self.has_failed = true;
            shared.recorder.connect_failed(now, source, &failure);
        }
        self.drop_transport();
        if was_usable && matches!(failure.class, Class::ReadOnly | Class::NotPrimary) {
            let now = shared.clock.now;
            shared.endpoints.targets(self.role)[self.candidate].refused_write(now);
        }
        match failure.class {
            Class::Connection | Class::Shutdown | Class::SessionLost if was_usable => {
                self.failed += 1
            }
            _ => self.move_on(shared),
        }
        self.seek(shared);
        match was_usable {
            true => ConnectionEvent::Lost(failure),
            false => ConnectionEvent::Nothing,
        }
    }

    fn drop_transport(&mut self) {
        // Closing the descriptor takes it out of epoll as well.
        self.transport = None;
        self.out.clear();
        self.rest.clear();
    }
}
