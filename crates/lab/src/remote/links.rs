//! `remote links`: emulates links from this machine to others, each with a separate latency, bandwidth and loss.
//! The links are the same as those of `wan`, but for packets instead of frames, and for one direction only: the
//! other machine emulates the other direction.
//!
//! ```text
//! {"do": "set", "to": "10.0.0.2", "link": {"latency_us": 5000}}     {"ok": true}
//! {"do": "stats"}                                          {"ok": true, "links": [{"to": "10.0.0.2", …}]}
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use anyhow::Result;
use base::rng::Rng;
use base::sys::monotonic_ns;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::way_out::WayOut;
use crate::wan::event_loop::{self, Controller, Traffic};
use crate::wan::frame::{LARGEST, Wire};
use crate::wan::link::{Counts, Link};
use crate::wan::spec::Spec;

/// Size of the Ethernet header of a packet on the wire.
const ETHERNET: u64 = 14;

#[derive(Args)]
pub struct LinksArgs {
    /// Network device to create; its packets are sent on
    #[arg(long)]
    device: String,
    /// Mark of packets that are sent on
    #[arg(long)]
    mark: u32,
    /// Seed of everything random: loss, jitter, reordering
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs until the input ends.
pub fn run(args: &LinksArgs) -> Result<()> {
    let way_out = WayOut::open(&args.device, args.mark)?;
    base::sys::prefer_short_turns();
    // SAFETY: these two are ours, and nothing else in this program uses them.
    let [asks, is_told] = [0, 1].map(|fd| File::from(unsafe { OwnedFd::from_raw_fd(fd) }));
    let outgoing = Outgoing {
        links: Links::new(args.seed),
        way_out,
    };
    event_loop::run(outgoing, Controller { asks, is_told })
}

struct Outgoing {
    links: Links,
    way_out: WayOut,
}

impl Traffic for Outgoing {
    fn ports(&self) -> Vec<RawFd> {
        vec![self.way_out.as_raw_fd()]
    }

    fn take(&mut self, _port: usize, buffer: &mut [u8; LARGEST]) -> bool {
        let Some(packet) = self.way_out.receive(buffer) else {
            return false;
        };
        let way_out = &self.way_out;
        self.links.take(packet, monotonic_ns(), |packet, to| {
            way_out.send(packet, to)
        });
        true
    }

    fn deliver(&mut self, now: u64) {
        let way_out = &self.way_out;
        self.links
            .deliver(now, |packet, to| way_out.send(packet, to));
    }

    fn next_due(&self) -> Option<u64> {
        self.links.next_due()
    }

    fn answer(&mut self, line: &[u8], now: u64) -> String {
        match self.links.asked(line, now) {
            Ok(answer) => answer.to_string(),
            Err(error) => json!({"ok": false, "error": error}).to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    Set { to: Ipv4Addr, link: Spec },
    Stats {},
}

#[derive(Serialize)]
struct LinkCounts<'a> {
    to: &'a Ipv4Addr,
    #[serde(flatten)]
    counts: &'a Counts,
}

/// A link to each address. Pure: it is given packets and the time.
struct Links {
    seed: u64,
    by_target: BTreeMap<Ipv4Addr, Link>,
}

impl Links {
    fn new(seed: u64) -> Links {
        Links {
            seed,
            by_target: BTreeMap::new(),
        }
    }

    fn link(&mut self, to: Ipv4Addr) -> &mut Link {
        // the same losses for the same address, in whatever order links come up
        let stream = u64::from(u32::from(to));
        self.by_target
            .entry(to)
            .or_insert_with(|| Link::new(Rng::new(self.seed, stream)))
    }

    fn take(&mut self, packet: &[u8], now: u64, send: impl Fn(&[u8], Ipv4Addr) -> bool) {
        let Some(to) = target(packet) else { return };
        self.link(to)
            .pass(packet, wire(packet), now, |packet| send(packet, to));
    }

    fn deliver(&mut self, now: u64, send: impl Fn(&[u8], Ipv4Addr) -> bool) {
        for (to, link) in &mut self.by_target {
            link.deliver(now, |packet| send(packet, *to));
        }
    }

    fn next_due(&self) -> Option<u64> {
        self.by_target.values().filter_map(Link::next_due).min()
    }

    fn asked(&mut self, line: &[u8], now: u64) -> Result<Value, String> {
        match serde_json::from_slice(line).map_err(|error| error.to_string())? {
            Request::Set { to, link } => {
                if let Some(problem) = link.problem() {
                    return Err(problem);
                }
                self.link(to).set(link, now);
                Ok(json!({"ok": true}))
            }
            Request::Stats {} => {
                let links: Vec<LinkCounts> = self
                    .by_target
                    .iter()
                    .map(|(to, link)| LinkCounts {
                        to,
                        counts: &link.counts,
                    })
                    .collect();
                Ok(json!({"ok": true, "links": links}))
            }
        }
    }
}

/// Where an IPv4 packet goes to.
fn target(packet: &[u8]) -> Option<Ipv4Addr> {
    let version = packet.first()? >> 4;
    let bytes: [u8; 4] = packet.get(16..20)?.try_into().ok()?;
    (version == 4).then(|| Ipv4Addr::from(bytes))
}

fn wire(packet: &[u8]) -> Wire {
    Wire {
        frames: 1,
        bytes: packet.len() as u64 + ETHERNET,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn packet(to: [u8; 4]) -> Vec<u8> {
        let mut made = vec![0; 100];
        made[0] = 0x45;
        made[16..20].copy_from_slice(&to);
        made
    }

    fn set(links: &mut Links, to: &str, latency_us: u64) {
        let asked = json!({"do": "set", "to": to, "link": {"latency_us": latency_us}});
        links.asked(asked.to_string().as_bytes(), 0).unwrap();
    }

    #[test]
    fn each_address_has_a_link_of_its_own() {
        let mut links = Links::new(1);
        let sent = RefCell::new(Vec::new());
        let send = |_: &[u8], to: Ipv4Addr| {
            sent.borrow_mut().push(to.octets()[3]);
            true
        };
        set(&mut links, "10.0.0.2", 1000);
        links.take(&packet([10, 0, 0, 2]), 5, send);
        links.take(&packet([10, 0, 0, 3]), 5, send);
        assert_eq!(*sent.borrow(), [3]);
        assert_eq!(links.next_due(), Some(1_000_005));
        links.deliver(1_000_004, send);
        assert_eq!(*sent.borrow(), [3]);
        links.deliver(1_000_005, send);
        assert_eq!(*sent.borrow(), [3, 2]);
        assert_eq!(links.next_due(), None);
    }

    #[test]
    fn what_became_of_packets_is_counted_as_on_the_wire() {
        let mut links = Links::new(1);
        links.take(&packet([10, 0, 0, 2]), 0, |_, _| true);
        links.take(&packet([10, 0, 0, 2]), 0, |_, _| false);
        let answer = links.asked(br#"{"do": "stats"}"#, 0).unwrap();
        let link = &answer["links"][0];
        assert_eq!(link["to"], "10.0.0.2");
        assert_eq!(
            (&link["frames"], &link["bytes"], &link["dropped_port"]),
            (&json!(1), &json!(114), &json!(1))
        );
    }

    #[test]
    fn other_packets_and_questions_are_refused() {
        let mut links = Links::new(1);
        links.take(&[0x60; 60], 0, |_, _| panic!("IPv6 is not ours"));
        links.take(&[], 0, |_, _| panic!("nothing"));
        assert!(links.asked(b"{}", 0).is_err());
        let lossy = br#"{"do": "set", "to": "10.0.0.2", "link": {"loss": 2}}"#;
        assert!(links.asked(lossy, 0).unwrap_err().starts_with("loss"));
    }
}
