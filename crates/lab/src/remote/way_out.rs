//! A way out of this machine for packets to other machines: they come out of a network device of ours, and are
//! sent on by a raw socket when they are due. The machine's routing leads them into the device; see
//! `lab/ssh/network/links.py`. With the device goes the way: without us packets go as if we had never been.

use std::fs::File;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsRawFd, RawFd};

use anyhow::{Context, Result};
use socket2::{Domain, Protocol, Socket, Type};

use crate::vm::tap::{IFF_TUN, attach};

const SEND_BUFFER: usize = 16 << 20;

pub struct WayOut {
    device: File,
    raw: Socket,
}

impl WayOut {
    /// Makes the device. What we send bears `mark`, by which the machine's routing knows that it has been here.
    pub fn open(name: &str, mark: u32) -> Result<WayOut> {
        let device = attach(name, IFF_TUN)?;
        crate::wan::event_loop::never_wait(&device)?;
        let raw = Socket::new(
            Domain::IPV4,
            Type::RAW,
            Some(Protocol::from(libc::IPPROTO_RAW)),
        )
        .context("a raw socket")?;
        raw.set_nonblocking(true)?;
        raw.set_mark(mark).context("a mark")?;
        // the machine's limit holds; less will do for slow links
        let _ = raw.set_send_buffer_size(SEND_BUFFER);
        Ok(WayOut { device, raw })
    }

    /// The next packet; None if there is none now.
    pub fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
        loop {
            match self.device.read(buffer) {
                Ok(size) => return Some(&buffer[..size]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    /// Sends a packet on its way; false if there is no room.
    pub fn send(&self, packet: &[u8], to: Ipv4Addr) -> bool {
        self.raw
            .send_to(packet, &SocketAddrV4::new(to, 0).into())
            .is_ok()
    }
}

impl AsRawFd for WayOut {
    fn as_raw_fd(&self) -> RawFd {
        self.device.as_raw_fd()
    }
}
