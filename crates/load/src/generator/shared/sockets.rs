//! What sockets need of the event loop and of this machine.

use super::binding::Binding;
use crate::transport::SocketOptions;
use mio::{Registry, Token};

const BUFFER: usize = 64 * 1024;

/// How long to wait for servers, and how to connect to them.
pub struct Timing {
    pub connect_ns: u64,
    /// u64::MAX: no bound.
    pub answer_ns: u64,
    pub socket: SocketOptions,
    pub bind: Binding,
}

pub struct Sockets {
    pub registry: Registry,
    pub timing: Timing,
    /// Every connection reads into this one buffer; only incomplete messages are kept per connection.
    pub buffer: Box<[u8]>,
    /// Links without a socket that have something to read.
    pub looping: Vec<Token>,
    /// What this machine has no more of, if that was noticed.
    pub exhausted: Option<String>,
}

impl Sockets {
    pub fn new(registry: Registry, timing: Timing) -> Sockets {
        Sockets {
            registry,
            timing,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            looping: Vec::new(),
            exhausted: None,
        }
    }
}
