//! A network port with a descriptor at its other end, which is the virtual machine's network card.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;

use anyhow::{Context, Result};

/// Numbers of linux/if_tun.h.
const TUNSETIFF: libc::c_ulong = 0x4004_54ca;
const TUNSETPERSIST: libc::c_ulong = 0x4004_54cb;
const IFF_TAP: libc::c_short = 0x0002;
/// Packets instead of frames.
pub const IFF_TUN: libc::c_short = 0x0001;
const IFF_NO_PI: libc::c_short = 0x1000;

const DEVICE: &str = "/dev/net/tun";

/// Opens the port of this name in our network and creates it if needed. It stays when the process that
/// has it ends, as the socket in a wall does: only its link is gone.
pub fn open(name: &str) -> Result<File> {
    let file = attach(name, IFF_TAP)?;
    // SAFETY: the argument is a number.
    check(unsafe { libc::ioctl(file.as_raw_fd(), TUNSETPERSIST, 1) })
        .with_context(|| format!("cannot keep the port {name}"))?;
    Ok(file)
}

/// Opens the end of a network device of this kind and name, which is made if it is not there.
pub fn attach(name: &str, kind: libc::c_short) -> Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(DEVICE)
        .with_context(|| format!("cannot open {DEVICE}"))?;
    let mut request = request(name)?;
    request.ifr_ifru.ifru_flags = kind | IFF_NO_PI;
    // SAFETY: the request is a valid ifreq that outlives the call.
    check(unsafe { libc::ioctl(file.as_raw_fd(), TUNSETIFF, &raw const request) })
        .with_context(|| format!("cannot make the port {name}"))?;
    Ok(file)
}

/// An empty request of the kernel about a network device.
pub fn request(name: &str) -> Result<libc::ifreq> {
    let text = CString::new(name)?;
    // SAFETY: an ifreq of zeros is a valid one.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let bytes = text.as_bytes();
    anyhow::ensure!(
        bytes.len() < request.ifr_name.len(),
        "a device cannot be called {name:?}: that is too long"
    );
    for (place, byte) in request.ifr_name.iter_mut().zip(bytes) {
        *place = *byte as libc::c_char;
    }
    Ok(request)
}

/// What a call of the kernel answered, as a result.
pub fn check(answer: libc::c_int) -> io::Result<()> {
    if answer < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
