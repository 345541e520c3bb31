//! One direction between two ports: first a serialiser with a drop-tail queue (bandwidth), then a delay line
//! (latency). Both are times only: a frame's way is decided when it comes, and it is held until it is due.

use super::frame::Wire;
use super::spec::Spec;
use base::rng::Rng;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A link holds no more than this: one second of latency at 2 Gbit/s.
const MOST_BYTES: u64 = 256 << 20;

/// What became of the frames; each is in one of these or still on its way. Bytes are those of the wire.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    pub frames: u64,
    pub bytes: u64,
    pub dropped_queue: u64,
    pub dropped_loss: u64,
    pub dropped_cut: u64,
    /// The device at the far end refused it.
    pub dropped_port: u64,
}

struct Held {
    due: u64,
    number: u64,
    wire: Wire,
    frame: Box<[u8]>,
}

impl PartialEq for Held {
    fn eq(&self, other: &Held) -> bool {
        self.number == other.number
    }
}

impl Eq for Held {}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Held) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Held {
    fn cmp(&self, other: &Held) -> std::cmp::Ordering {
        (self.due, self.number).cmp(&(other.due, other.number))
    }
}

pub struct Link {
    spec: Spec,
    cut: bool,
    rng: Rng,
    /// When the serialiser has sent all that it took.
    free_at: u64,
    /// The latest moment at which a frame in order is due.
    last_due: u64,
    held: BinaryHeap<Reverse<Held>>,
    held_bytes: u64,
    next_number: u64,
    pub counts: Counts,
}

impl Link {
    pub fn new(rng: Rng) -> Link {
        Link {
            spec: Spec::default(),
            cut: false,
            rng,
            free_at: 0,
            last_due: 0,
            held: BinaryHeap::new(),
            held_bytes: 0,
            next_number: 0,
            counts: Counts::default(),
        }
    }

    /// New settings, for frames that come from now on. What is under way stays so, and is not overtaken.
    pub fn set(&mut self, spec: Spec, now: u64) {
        // What waits for the old bandwidth is in the line already; the new one begins with a free wire.
        self.free_at = self.free_at.min(now);
        self.spec = spec;
    }

    /// Cuts or mends the link; what is under way is lost while it is cut.
    pub fn cut(&mut self, cut: bool) {
        self.cut = cut;
    }

    /// Sends what comes now if it is due at once, or keeps it, or loses it.
    pub fn pass(&mut self, data: &[u8], wire: Wire, now: u64, send: impl FnOnce(&[u8]) -> bool) {
        let Some(due) = self.admit(wire, now) else {
            return;
        };
        if due <= now && self.held.is_empty() {
            let arrived = send(data);
            self.count(wire, arrived);
        } else {
            self.hold(data, wire, due);
        }
    }

    /// Sends what is due by now.
    pub fn deliver(&mut self, now: u64, mut send: impl FnMut(&[u8]) -> bool) {
        while let Some((data, wire)) = self.take_due(now) {
            let arrived = send(&data);
            self.count(wire, arrived);
        }
    }

    /// When a frame that comes now arrives; None, and counted, if it never does.
    pub fn admit(&mut self, wire: Wire, now: u64) -> Option<u64> {
        if self.cut {
            self.counts.dropped_cut += wire.frames;
            return None;
        }
        if self.is_lost(wire.frames) {
            self.counts.dropped_loss += wire.frames;
            return None;
        }
        let begins = self.free_at.max(now);
        if begins - now > self.spec.queue_ns() || self.held_bytes + wire.bytes > MOST_BYTES {
            self.counts.dropped_queue += wire.frames;
            return None;
        }
        let sent = begins + self.spec.transmission_ns(wire.bytes);
        self.free_at = sent;
        Some(self.arrival(sent))
    }

    /// Keeps an admitted frame until it is due.
    pub fn hold(&mut self, frame: &[u8], wire: Wire, due: u64) {
        self.held_bytes += wire.bytes;
        self.held.push(Reverse(Held {
            due,
            number: self.next_number,
            wire,
            frame: frame.into(),
        }));
        self.next_number += 1;
    }

    /// The next frame that has arrived by now.
    pub fn take_due(&mut self, now: u64) -> Option<(Box<[u8]>, Wire)> {
        while self.next_due()? <= now {
            let Reverse(held) = self.held.pop()?;
            self.held_bytes -= held.wire.bytes;
            if !self.cut {
                return Some((held.frame, held.wire));
            }
            self.counts.dropped_cut += held.wire.frames;
        }
        None
    }

    pub fn next_due(&self) -> Option<u64> {
        self.held.peek().map(|Reverse(held)| held.due)
    }

    /// Counts a frame as arrived, or as refused by the device at the far end.
    pub fn count(&mut self, wire: Wire, arrived: bool) {
        if arrived {
            self.counts.frames += wire.frames;
            self.counts.bytes += wire.bytes;
        } else {
            self.counts.dropped_port += wire.frames;
        }
    }

    /// A large frame is lost if one of the frames that it stands for is.
    fn is_lost(&mut self, frames: u64) -> bool {
        self.spec.loss > 0.0
            && self.rng.unit() >= (1.0 - self.spec.loss).powi(frames.min(1000) as i32)
    }

    fn arrival(&mut self, sent: u64) -> u64 {
        if self.spec.reorder > 0.0 && self.rng.unit() < self.spec.reorder {
            return sent;
        }
        let mut due = sent + self.spec.latency_ns();
        let jitter = self.spec.jitter_ns();
        if jitter > 0 {
            due = (due + (self.rng.unit() * 2.0 * jitter as f64) as u64).saturating_sub(jitter);
        }
        self.last_due = self.last_due.max(due).max(sent);
        self.last_due
    }
}

#[cfg(test)]
mod tests;
