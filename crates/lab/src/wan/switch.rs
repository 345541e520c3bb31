//! The switch: ports, and a link from each to every other.

use super::frame::{self, Wire};
use super::link::{Counts, Link};
use super::spec::Spec;
use super::table::{Table, Way};
use base::rng::Rng;

/// Sends a frame out of a port; false if the device refuses it.
pub trait Outlet {
    fn send(&mut self, port: usize, frame: &[u8]) -> bool;
}

pub struct Switch {
    ports: usize,
    table: Table,
    /// From port f to port t: number f * ports + t; those from a port to itself are never used.
    links: Vec<Link>,
}

impl Switch {
    pub fn new(ports: usize, seed: u64) -> Switch {
        Switch {
            ports,
            table: Table::default(),
            links: (0..ports * ports)
                .map(|number| Link::new(Rng::new(seed, number as u64)))
                .collect(),
        }
    }

    pub fn set(&mut self, from: usize, to: usize, spec: Spec, now: u64) {
        self.link(from, to).set(spec, now);
    }

    pub fn cut(&mut self, from: usize, to: usize, cut: bool) {
        self.link(from, to).cut(cut);
    }

    /// All links between two different ports, with what became of their frames.
    pub fn counts(&self) -> impl Iterator<Item = (usize, usize, &Counts)> {
        self.links.iter().enumerate().filter_map(|(number, link)| {
            let (from, to) = (number / self.ports, number % self.ports);
            (from != to).then_some((from, to, &link.counts))
        })
    }

    /// Takes a frame that has come in at a port.
    pub fn take(&mut self, from: usize, data: &[u8], now: u64, out: &mut impl Outlet) {
        let Some(wire) = frame::wire(data) else {
            return;
        };
        match self
            .table
            .way(frame::source(data), frame::target(data), from)
        {
            Way::Stays => {}
            Way::To(to) => self.pass(from, to, data, wire, now, out),
            Way::All => {
                for to in (0..self.ports).filter(|&to| to != from) {
                    self.pass(from, to, data, wire, now, out);
                }
            }
        }
    }

    /// Sends what is due by now.
    pub fn deliver(&mut self, now: u64, out: &mut impl Outlet) {
        for (number, link) in self.links.iter_mut().enumerate() {
            link.deliver(now, |data| out.send(number % self.ports, data));
        }
    }

    pub fn next_due(&self) -> Option<u64> {
        self.links.iter().filter_map(Link::next_due).min()
    }

    fn pass(
        &mut self,
        from: usize,
        to: usize,
        data: &[u8],
        wire: Wire,
        now: u64,
        out: &mut impl Outlet,
    ) {
        self.link(from, to)
            .pass(data, wire, now, |data| out.send(to, data));
    }

    fn link(&mut self, from: usize, to: usize) -> &mut Link {
        &mut self.links[from * self.ports + to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen {
        sent: Vec<(usize, Vec<u8>)>,
        refuses: bool,
    }

    impl Outlet for Seen {
        fn send(&mut self, port: usize, frame: &[u8]) -> bool {
            self.sent.push((port, frame.to_vec()));
            !self.refuses
        }
    }

    impl Seen {
        fn ports(&mut self) -> Vec<usize> {
            self.sent.drain(..).map(|(port, _)| port).collect()
        }
    }

    fn data(source: u8, target: u8) -> Vec<u8> {
        let mut frame = vec![0; frame::HEADER + 60];
        let group = u8::from(target == 255);
        frame[frame::HEADER..frame::HEADER + 6].copy_from_slice(&[2 | group, 0, 0, 0, 0, target]);
        frame[frame::HEADER + 6..frame::HEADER + 12].copy_from_slice(&[2, 0, 0, 0, 0, source]);
        frame
    }

    #[test]
    fn a_broadcast_goes_to_all_others_and_an_answer_to_one() {
        let (mut switch, mut seen) = (Switch::new(3, 1), Seen::default());
        switch.take(0, &data(1, 255), 0, &mut seen);
        assert_eq!(seen.ports(), [1, 2]);
        switch.take(2, &data(2, 1), 0, &mut seen);
        assert_eq!(seen.ports(), [0]);
        switch.take(0, &data(3, 1), 0, &mut seen);
        assert!(seen.ports().is_empty());
        let counted: Vec<_> = switch.counts().map(|(f, t, c)| (f, t, c.frames)).collect();
        assert_eq!(
            counted,
            [
                (0, 1, 1),
                (0, 2, 1),
                (1, 0, 0),
                (1, 2, 0),
                (2, 0, 1),
                (2, 1, 0)
            ]
        );
    }

    #[test]
    fn each_direction_has_a_latency_of_its_own() {
        let (mut switch, mut seen) = (Switch::new(2, 1), Seen::default());
        let late = Spec {
            latency_us: 1000,
            ..Spec::default()
        };
        switch.set(0, 1, late, 0);
        switch.take(1, &data(2, 1), 5, &mut seen);
        assert_eq!(seen.ports(), [0]);
        switch.take(0, &data(1, 2), 5, &mut seen);
        assert_eq!(switch.next_due(), Some(1_000_005));
        switch.deliver(1_000_004, &mut seen);
        assert!(seen.ports().is_empty());
        switch.deliver(1_000_005, &mut seen);
        assert_eq!(seen.sent, [(1, data(1, 2))]);
        assert_eq!(switch.next_due(), None);
    }

    #[test]
    fn what_a_device_refuses_is_counted() {
        let mut switch = Switch::new(2, 1);
        let mut seen = Seen {
            refuses: true,
            ..Seen::default()
        };
        switch.take(0, &data(1, 2), 0, &mut seen);
        let (_, _, counts) = switch.counts().next().unwrap();
        assert_eq!((counts.frames, counts.dropped_port), (0, 1));
    }
}
