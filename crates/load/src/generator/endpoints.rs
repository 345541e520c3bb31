//! The endpoints of a run, which of them is used for what, and the addresses of their names.

mod resolver;
mod role;
mod target;

pub use resolver::Resolver;
pub use role::Role;
pub use target::{Place, Target};

use sql_wire::role::Wanted;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Find {
    /// Use the first candidate that accepts writes; ask each server after connecting.
    Writable,
    /// Use the first candidate that answers, for proxies and virtual addresses.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Spread {
    /// All connections start with the first candidate.
    First,
    /// Connection i starts with candidate i mod N.
    All,
    /// Connections use a random candidate, also when they reconnect.
    Random,
}

pub struct Endpoints {
    pub find: Find,
    pub spread: Spread,
    pub writers: Vec<Target>,
    /// Empty when reads go where writes go.
    pub readers: Vec<Target>,
    pub resolver: Resolver,
}

impl Endpoints {
    pub fn targets(&mut self, role: Role) -> &mut [Target] {
        match role {
            Role::Read if !self.readers.is_empty() => &mut self.readers,
            _ => &mut self.writers,
        }
    }

    /// Hands the resolver's answers to their targets; connections look there when they are watched next.
    pub fn take_answers(&mut self, now: u64) {
        let answers: Vec<_> = self.resolver.answers().collect();
        for answer in answers {
            self.targets(answer.role)[answer.target].resolved(answer.addresses, now);
        }
    }

    /// What a server must be to serve this role.
    pub fn wanted(&self, role: Role) -> Wanted {
        match (role, self.find) {
            (Role::Write, Find::Writable) => Wanted::Writable,
            // Reads without separate endpoints follow the writes.
            (Role::Read, Find::Writable) if self.readers.is_empty() => Wanted::Writable,
            _ => Wanted::Readable,
        }
    }
}
