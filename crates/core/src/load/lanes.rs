//! The links of one client: one for everything, or a second one for reads when reads have endpoints of their own.

use super::link::Link;
use super::shared::{Role, Shared};
use mio::Token;

/// Workers and ledgers are numbered in one row; each has two tokens, for its two lanes.
pub fn token(number: usize, role: Role) -> Token {
    Token(number * 2 + usize::from(role == Role::Read))
}

/// Whose token this is, and of which lane.
pub fn lane_of(token: Token) -> (usize, Role) {
    match token.0 % 2 {
        0 => (token.0 / 2, Role::Write),
        _ => (token.0 / 2, Role::Read),
    }
}

pub struct Lanes {
    main: Link,
    reads: Option<Box<Link>>,
    /// Where the transaction under way goes.
    pub current: Role,
}

impl Lanes {
    pub fn new(main: Link, reads: Option<Link>) -> Lanes {
        Lanes {
            current: main.role(),
            main,
            reads: reads.map(Box::new),
        }
    }

    #[inline]
    pub fn link(&mut self, role: Role) -> &mut Link {
        match (role, &mut self.reads) {
            (Role::Read, Some(reads)) => reads,
            _ => &mut self.main,
        }
    }

    /// The roles of the links, each once.
    pub fn roles(&self) -> impl Iterator<Item = Role> + use<> {
        let reads = self.reads.is_some().then_some(Role::Read);
        std::iter::once(self.main.role()).chain(reads)
    }

    /// The link for a transaction that writes, or that only reads.
    #[inline]
    pub fn choose(&mut self, writes: bool, shared: &mut Shared) {
        self.current = self.main.role();
        // Drawn from the run's numbers, so that the client's own, and thus its statements, stay the same.
        if self.reads.is_some() && !writes && shared.rng.unit() < shared.read_share {
            self.current = Role::Read;
        }
    }

    fn all(&self) -> impl Iterator<Item = &Link> {
        std::iter::once(&self.main).chain(self.reads.as_deref())
    }

    pub fn is_busy(&self) -> bool {
        self.all().any(Link::is_busy)
    }

    pub fn has_usable(&self) -> bool {
        self.all().any(Link::is_usable)
    }

    pub fn are_usable(&self) -> bool {
        self.all().all(Link::is_usable)
    }

    /// On its way to a server.
    pub fn is_seeking(&self) -> bool {
        self.all().any(Link::is_seeking)
    }

    /// Leaves the servers politely and stays away from them.
    pub fn leave(&mut self, shared: &mut Shared) {
        for role in self.roles() {
            self.link(role).leave(shared);
        }
    }

    /// After `leave`: will look for servers again.
    pub fn come_back(&mut self) {
        for role in self.roles() {
            self.link(role).come_back();
        }
    }

    /// Leaves the servers politely and looks for new ones.
    pub fn reconnect(&mut self, shared: &mut Shared) {
        for role in self.roles() {
            self.link(role).reconnect(shared);
        }
    }
}
