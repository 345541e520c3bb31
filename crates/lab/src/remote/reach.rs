//! `remote hear` and `remote knock`: test whether a packet reaches another machine, in one direction.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;

const AGAIN: Duration = Duration::from_millis(20);

#[derive(Args)]
pub struct HearArgs {
    /// The address and the port to listen at
    #[arg(long)]
    at: SocketAddr,
    /// Contents of the packet
    #[arg(long)]
    word: String,
    /// Time limit in seconds
    #[arg(long)]
    seconds: f64,
}

#[derive(Args)]
pub struct KnockArgs {
    /// The address to send from
    #[arg(long)]
    from: IpAddr,
    /// The address and the port to send to
    #[arg(long)]
    to: SocketAddr,
    /// Contents of the packet
    #[arg(long)]
    word: String,
    /// Time limit in seconds
    #[arg(long)]
    seconds: f64,
}

/// Prints `listening`, then whether the packet came: `yes` or `no`.
pub fn hear(args: &HearArgs) -> Result<()> {
    let socket =
        UdpSocket::bind(args.at).with_context(|| format!("cannot listen at {}", args.at))?;
    println!("listening");
    let end = Instant::now() + Duration::from_secs_f64(args.seconds);
    println!(
        "{}",
        if heard(&socket, args.word.as_bytes(), end)? {
            "yes"
        } else {
            "no"
        }
    );
    Ok(())
}

fn heard(socket: &UdpSocket, word: &[u8], end: Instant) -> io::Result<bool> {
    let mut buffer = [0; 256];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        socket.set_read_timeout(Some(left))?;
        if socket
            .recv(&mut buffer)
            .is_ok_and(|size| &buffer[..size] == word)
        {
            return Ok(true);
        }
    }
}

/// Sends until time is up, whatever becomes of it.
pub fn knock(args: &KnockArgs) -> Result<()> {
    let socket = UdpSocket::bind((args.from, 0)).context("cannot send")?;
    let end = Instant::now() + Duration::from_secs_f64(args.seconds);
    while Instant::now() < end {
        let _ = socket.send_to(args.word.as_bytes(), args.to);
        sleep(AGAIN);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_word_is_heard() {
        let (to, from) = (
            UdpSocket::bind("127.0.0.1:0"),
            UdpSocket::bind("127.0.0.1:0"),
        );
        let (to, from) = (to.unwrap(), from.unwrap());
        let at = to.local_addr().unwrap();
        from.send_to(b"other", at).unwrap();
        let soon = || Instant::now() + Duration::from_millis(50);
        assert!(!heard(&to, b"word", soon()).unwrap());
        from.send_to(b"word", at).unwrap();
        assert!(heard(&to, b"word", soon()).unwrap());
    }
}
