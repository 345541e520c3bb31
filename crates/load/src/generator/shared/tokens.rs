//! The tokens of the event loop: its own, and two for each client.

use crate::generator::endpoints::Role;
use mio::Token;

pub const ALARM: Token = Token(usize::MAX - 1);
pub const SIGNAL: Token = Token(usize::MAX - 3);
pub const RESOLVED: Token = Token(usize::MAX - 4);
/// Probes are numbered from here; the run's connections have small numbers.
pub const FIRST_PROBE: usize = 1 << 40;

/// Workers and ledgers are numbered in one row; each has two tokens, for its two lanes.
pub fn token(number: usize, role: Role) -> Token {
    Token(number * 2 + usize::from(role == Role::Read))
}

/// The client and the lane of a token.
pub fn owner_of(token: Token) -> (usize, Role) {
    match token.0 % 2 {
        0 => (token.0 / 2, Role::Write),
        _ => (token.0 / 2, Role::Read),
    }
}
