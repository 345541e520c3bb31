//! A packet socket on a network device: all that arrives at the device, and what is sent out of it.

use super::frame::LARGEST;
use anyhow::{Context, Result};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// As many bytes as the kernel lets wait for us; it gives an ordinary user less.
const BUFFER: libc::c_int = 16 << 20;

/// Options of linux/if_packet.h that the libc crate lacks.
const PACKET_VNET_HDR: libc::c_int = 15;
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;

pub struct Port {
    pub name: String,
    socket: OwnedFd,
    overrun: u64,
}

impl Port {
    pub fn open(name: &str) -> Result<Port> {
        let device = CString::new(name)?;
        // SAFETY: the name is a C string that outlives the call.
        let index = unsafe { libc::if_nametoindex(device.as_ptr()) };
        if index == 0 {
            return Err(io::Error::last_os_error()).context("no such device");
        }
        let socket = packet_socket()?;
        let port = Port {
            name: name.into(),
            socket,
            overrun: 0,
        };
        port.option(libc::SOL_PACKET, PACKET_VNET_HDR, &1)
            .context("virtio-net headers")?;
        port.option(libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, &1)
            .context("ignoring what we send")?;
        port.enlarge_buffers();
        port.listen_to_all(index)?;
        port.bind(index)?;
        Ok(port)
    }

    /// The next frame that has arrived, with its header; None if there is none now.
    pub fn receive<'a>(&self, buffer: &'a mut [u8; LARGEST]) -> Option<&'a [u8]> {
        // SAFETY: the buffer is valid for its length during the call.
        let size = unsafe {
            libc::recv(
                self.socket.as_raw_fd(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                libc::MSG_DONTWAIT,
            )
        };
        (size > 0).then(|| &buffer[..size as usize])
    }

    /// Sends a frame with its header; false if the device refuses it, because it is down or has no room.
    pub fn send(&self, frame: &[u8]) -> bool {
        // SAFETY: the frame is valid for its length during the call.
        let sent = unsafe {
            libc::send(
                self.socket.as_raw_fd(),
                frame.as_ptr().cast(),
                frame.len(),
                libc::MSG_DONTWAIT,
            )
        };
        sent == frame.len() as isize
    }

    /// Frames that found no room while we were busy, since the port was opened.
    pub fn overrun(&mut self) -> u64 {
        let mut found = libc::tpacket_stats {
            tp_packets: 0,
            tp_drops: 0,
        };
        let mut size = size_of::<libc::tpacket_stats>() as libc::socklen_t;
        // SAFETY: `found` and `size` are valid for the call, which writes no more than `size` bytes.
        let result = unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut found).cast(),
                &mut size,
            )
        };
        if result == 0 {
            // Reading sets the kernel's counters back.
            self.overrun += u64::from(found.tp_drops);
        }
        self.overrun
    }

    fn enlarge_buffers(&self) {
        let forced = [libc::SO_RCVBUFFORCE, libc::SO_SNDBUFFORCE];
        let allowed = [libc::SO_RCVBUF, libc::SO_SNDBUF];
        for (force, allow) in forced.into_iter().zip(allowed) {
            // Only the machine's root may pass the machine's limit; less is enough for slow links.
            if self.option(libc::SOL_SOCKET, force, &BUFFER).is_err() {
                let _ = self.option(libc::SOL_SOCKET, allow, &BUFFER);
            }
        }
    }

    fn listen_to_all(&self, index: u32) -> Result<()> {
        let request = libc::packet_mreq {
            mr_ifindex: index as libc::c_int,
            mr_type: libc::PACKET_MR_PROMISC as libc::c_ushort,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        self.option(libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &request)
            .context("listening to all addresses")
    }

    fn bind(&self, index: u32) -> Result<()> {
        // SAFETY: all zeroes are a valid sockaddr_ll.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as libc::c_ushort;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index as libc::c_int;
        // SAFETY: the address is valid for its size during the call.
        let result = unsafe {
            libc::bind(
                self.socket.as_raw_fd(),
                (&raw const address).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        if result < 0 {
            return Err(io::Error::last_os_error()).context("bind");
        }
        Ok(())
    }

    fn option<T>(&self, level: libc::c_int, name: libc::c_int, value: &T) -> io::Result<()> {
        // SAFETY: the value is valid for its size during the call.
        let result = unsafe {
            libc::setsockopt(
                self.socket.as_raw_fd(),
                level,
                name,
                std::ptr::from_ref(value).cast(),
                size_of::<T>() as libc::socklen_t,
            )
        };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

impl AsRawFd for Port {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

fn packet_socket() -> Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // Protocol 0: nothing is received until it is bound to its device.
    // SAFETY: no pointers are passed; the descriptor is checked before it is owned.
    let fd = unsafe { libc::socket(libc::AF_PACKET, kind, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error()).context("a packet socket");
    }
    // SAFETY: the kernel just gave us this descriptor and no other code owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
