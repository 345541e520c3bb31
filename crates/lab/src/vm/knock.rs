//! `vm knock`: sends frames of a separate type from a device, until it is stopped or its time limit.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;

const AGAIN: Duration = Duration::from_millis(20);

#[derive(Args)]
pub struct KnockArgs {
    /// Device to send from
    #[arg(long)]
    device: String,
    /// Frame in hexadecimal digits
    #[arg(long)]
    frame: String,
    /// Time limit in seconds
    #[arg(long)]
    seconds: f64,
}

pub fn run(args: &KnockArgs) -> Result<()> {
    let frame = bytes(&args.frame)?;
    let socket = socket_at(&args.device)?;
    let end = Instant::now() + Duration::from_secs_f64(args.seconds);
    while Instant::now() < end {
        // The device can be down; then the receiver gets no frame.
        // SAFETY: the frame is valid for its length during the call.
        unsafe {
            libc::send(
                socket.as_raw_fd(),
                frame.as_ptr().cast(),
                frame.len(),
                libc::MSG_DONTWAIT,
            )
        };
        sleep(AGAIN);
    }
    Ok(())
}

fn bytes(digits: &str) -> Result<Vec<u8>> {
    anyhow::ensure!(
        digits.is_ascii() && digits.len().is_multiple_of(2),
        "--frame needs pairs of hexadecimal digits"
    );
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).context("--frame"))
        .collect()
}

fn socket_at(device: &str) -> Result<OwnedFd> {
    let name = CString::new(device)?;
    // SAFETY: the name is a C string that outlives the call.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    anyhow::ensure!(index != 0, "unknown device {device}");
    // SAFETY: plain numbers; the result is checked before it is owned.
    let socket = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error()).context("cannot open a packet socket");
    }
    // SAFETY: the kernel has just opened it for us.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    // SAFETY: an address of zeros is a valid one, and it outlives the call.
    let answer = unsafe {
        let mut address: libc::sockaddr_ll = std::mem::zeroed();
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_ifindex = index as i32;
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            size_of::<libc::sockaddr_ll>() as u32,
        )
    };
    super::tap::check(answer).context("cannot use the device")?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_pairs_of_digits() {
        assert_eq!(bytes("02ff00").unwrap(), [2, 255, 0]);
        for wrong in ["0", "zz", "é"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
