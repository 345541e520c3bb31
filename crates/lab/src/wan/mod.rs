//! `wan`: a link emulator. A switch whose ports are network devices, one for each site of a lab; whatever
//! goes from one port to another passes a link with a latency, a bandwidth and a loss of its own.
//!
//! Everything that decides about a frame (`link`, `table`, `switch`) is pure: it is given the time and
//! the frame. `port` holds the packet sockets, `bridge` joins them and the switch, `event_loop` is the loop,
//! `control` what the controller asks. `remote links` has the loop and the links in common with this.

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
    /// A network device that is a port; all frames that arrive at it are taken.
    #[arg(long = "port", value_name = "DEVICE", required = true)]
    ports: Vec<String>,
    /// File descriptor of a connected unix socket: requests come in as lines of JSON, one answer each. When
    /// it hangs up, the program ends.
    #[arg(long, value_name = "FD")]
    control_fd: RawFd,
    /// Seed of everything random: loss, jitter, reordering.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn main(args: &Args) -> Result<()> {
    ensure!(args.ports.len() >= 2, "a link emulator needs two ports");
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
