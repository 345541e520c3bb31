//! The connections of one client: one for everything, or a second one for reads if reads have separate endpoints.

use crate::generator::connection::Connection;
use crate::generator::endpoints::Role;
use crate::generator::shared::Shared;
use base::rng::Rng;

pub struct ConnectionPair {
    main: Connection,
    reads: Option<Box<Connection>>,
    /// Where the transaction under way goes.
    pub current: Role,
}

impl ConnectionPair {
    pub fn new(main: Connection, reads: Option<Connection>) -> ConnectionPair {
        ConnectionPair {
            current: main.role(),
            main,
            reads: reads.map(Box::new),
        }
    }

    #[inline]
    pub fn connection(&mut self, role: Role) -> &mut Connection {
        match (role, &mut self.reads) {
            (Role::Read, Some(reads)) => reads,
            _ => &mut self.main,
        }
    }

    /// The roles of the connections, each once.
    pub fn roles(&self) -> impl Iterator<Item = Role> + use<> {
        let reads = self.reads.is_some().then_some(Role::Read);
        std::iter::once(self.main.role()).chain(reads)
    }

    /// The connection for a transaction that writes, or that only reads.
    #[inline]
    pub fn choose(&mut self, writes: bool, read_share: f64, rng: &mut Rng) {
        self.current = self.main.role();
        // Drawn from the run's numbers, so that the client's own, and thus its statements, stay the same.
        if self.reads.is_some() && !writes && rng.unit() < read_share {
            self.current = Role::Read;
        }
    }

    fn all(&self) -> impl Iterator<Item = &Connection> {
        std::iter::once(&self.main).chain(self.reads.as_deref())
    }

    pub fn is_busy(&self) -> bool {
        self.all().any(Connection::is_busy)
    }

    pub fn has_failed(&self) -> bool {
        self.all().any(Connection::has_failed)
    }

    pub fn has_usable(&self) -> bool {
        self.all().any(Connection::is_usable)
    }

    pub fn are_usable(&self) -> bool {
        self.all().all(Connection::is_usable)
    }

    /// On its way to a server.
    pub fn is_seeking(&self) -> bool {
        self.all().any(Connection::is_seeking)
    }

    /// Adds a setting for all later sessions.
    pub fn keep_setting(&mut self, sql: &str) {
        for role in self.roles() {
            self.connection(role).keep_setting(sql);
        }
    }

    pub fn forget_settings(&mut self) {
        for role in self.roles() {
            self.connection(role).forget_settings();
        }
    }

    /// Restarts the unused session with new settings, if there are any.
    pub fn renew_others(&mut self, shared: &mut Shared) {
        for role in self.roles() {
            let used = role == self.current;
            let other = self.connection(role);
            if !used && other.has_settings() && other.is_idle() {
                other.reconnect(shared);
            }
        }
    }

    /// Leaves the servers politely and stays away from them.
    pub fn leave(&mut self, shared: &mut Shared) {
        for role in self.roles() {
            self.connection(role).leave(shared);
        }
    }

    /// After `leave`: will look for servers again.
    pub fn come_back(&mut self) {
        for role in self.roles() {
            self.connection(role).come_back();
        }
    }

    /// Leaves the servers politely and looks for new ones.
    pub fn reconnect(&mut self, shared: &mut Shared) {
        for role in self.roles() {
            self.connection(role).reconnect(shared);
        }
    }
}
