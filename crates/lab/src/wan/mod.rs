//! `wan`: a link emulator. It is a switch with one network device per site of a lab as its ports. Frames from one
//! port to another pass a link with a separate latency, bandwidth and loss.
//!
//! All decisions about a frame (`link`, `table`, `switch`) are pure functions of the time and the frame. `port` has
//! the packet sockets, `bridge` connects them to the switch, `event_loop` is the loop, `control` has the
//! controller's requests. `remote links` shares the loop and the links.

mod bridge;
mod control;
pub(crate) mod event_loop;
pub(crate) mod frame;
pub(crate) mod link;
mod port;
pub(crate) mod spec;
mod switch;
mod table;

use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

#[derive(clap::Args)]
pub struct Args {
    /// Network device that is a port; all its incoming frames are processed.
    #[arg(long = "port", value_name = "DEVICE", required = true)]
    ports: Vec<String>,
    /// Descriptor of a connected unix socket for requests: lines of JSON, with one answer each. The program exits
    /// when it closes.
    #[arg(long, value_name = "FD")]
    control_fd: RawFd,
    /// Seed of loss, jitter and reordering.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn main(args: &Args) -> Result<()> {
    ensure!(
        args.ports.len() >= 2,
        "a link emulator needs at least two --port"
    );
    ensure!(
        args.control_fd > 2,
        "--control-fd: {} is not a socket",
        args.control_fd
    );
    let ports = args
        .ports
        .iter()
        .map(|name| port::Port::open(name).with_context(|| format!("port {name}")))
        .collect::<Result<Vec<_>>>()?;
    base::sys::prefer_short_turns();
    // SAFETY: the controller gave us this descriptor to own; nothing else in this program uses it.
    let asks = File::from(unsafe { OwnedFd::from_raw_fd(args.control_fd) });
    let is_told = asks.try_clone().context("--control-fd")?;
    event_loop::run(
        bridge::Bridge::new(ports, args.seed),
        event_loop::Controller { asks, is_told },
    )
}
