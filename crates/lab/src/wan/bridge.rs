//! The ports of a lab and the switch between them.

use super::control;
use super::event_loop::Traffic;
use super::frame::LARGEST;
use super::port::Port;
use super::switch::{Outlet, Switch};
use base::sys::monotonic_ns;
use std::os::fd::{AsRawFd, RawFd};

struct Ports(Vec<Port>);

impl Outlet for Ports {
    fn send(&mut self, port: usize, frame: &[u8]) -> bool {
        self.0[port].send(frame)
    }
}

pub struct Bridge {
    switch: Switch,
    ports: Ports,
}

impl Bridge {
    pub fn new(ports: Vec<Port>, seed: u64) -> Bridge {
        Bridge {
            switch: Switch::new(ports.len(), seed),
            ports: Ports(ports),
        }
    }
}

impl Traffic for Bridge {
    fn ports(&self) -> Vec<RawFd> {
        self.ports.0.iter().map(AsRawFd::as_raw_fd).collect()
    }

    fn take(&mut self, port: usize, buffer: &mut [u8; LARGEST]) -> bool {
        let Some(frame) = self.ports.0[port].receive(buffer) else {
            return false;
        };
        self.switch
            .take(port, frame, monotonic_ns(), &mut self.ports);
        true
    }

    fn deliver(&mut self, now: u64) {
        self.switch.deliver(now, &mut self.ports);
    }

    fn next_due(&self) -> Option<u64> {
        self.switch.next_due()
    }

    fn answer(&mut self, line: &[u8], now: u64) -> String {
        control::answer(line, &mut self.switch, &mut self.ports.0, now)
    }
}
