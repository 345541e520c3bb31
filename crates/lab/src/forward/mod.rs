//! `forward`: lets programs of the machine connect to servers of the lab.
//!
//! A socket belongs to the network namespace in which it was created. The controller creates sockets that listen at
//! the machine's 127.0.0.1 and passes them to us. We run in the network of one of the lab's hosts, so we accept
//! connections on the machine and connect in the lab. This needs no root, and no packet passes between the two.
//!
//! A relay is not a network, but it shall not claim more than one would:
//! - where a server refuses connections (its port is closed), so does its port on the machine: see `endpoint`;
//! - a connection that a server breaks off is broken off to the client, and one that ends in one direction
//!   ends in that direction: see `relay`;
//! - where nothing answers (a cut, a frozen server), the client waits, as long as it likes.

mod endpoint;
mod peer;
mod relay;

use anyhow::{Context, Result, bail};
use base::sys;
use endpoint::Endpoint;
use peer::Owners;
use sql_wire::endpoint::Endpoint as Target;
use std::io::BufRead;
use std::net::TcpListener;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::str::FromStr;

/// Relay connections from inherited sockets to addresses in this network.
#[derive(clap::Args)]
pub struct Args {
    /// Descriptor of a listening socket, and the target of its connections: FD=HOST:PORT.
    #[arg(long, value_name = "FD=ADDRESS", required = true)]
    endpoint: Vec<Way>,
    /// Descriptor of a socket diagnostics socket in the network of the listening sockets.
    #[arg(long, value_name = "FD")]
    diagnostics: RawFd,
    /// User id whose programs can connect, in addition to root.
    #[arg(long, value_name = "ID")]
    user: u32,
}

#[derive(Clone)]
struct Way {
    listener: RawFd,
    target: Target,
}

impl FromStr for Way {
    type Err = String;

    fn from_str(text: &str) -> Result<Way, String> {
        let wanted = || format!("{text:?} is not FD=HOST:PORT");
        let (listener, target) = text.split_once('=').ok_or_else(wanted)?;
        Ok(Way {
            listener: listener.parse().map_err(|_| wanted())?,
            target: target.parse().map_err(|_| wanted())?,
        })
    }
}

/// Serves until standard input ends. A line there is the number of an endpoint (from 0) whose server may have ended.
pub fn main(args: &Args) -> Result<()> {
    sys::raise_descriptor_limit();
    let owners = Owners::new(handed_over(args.diagnostics)?, args.user);
    let mut endpoints = Vec::new();
    for way in &args.endpoint {
        let listener = TcpListener::from(handed_over(way.listener)?);
        endpoints.push(Endpoint::serve(
            listener,
            way.target.clone(),
            owners.clone(),
        )?);
    }
    for line in std::io::stdin().lock().lines() {
        let line = line.context("standard input cannot be read")?;
        match line.parse::<usize>().map(|number| endpoints.get(number)) {
            Ok(Some(endpoint)) => endpoint.doubt(),
            _ => bail!("unknown endpoint {line:?}"),
        }
    }
    Ok(())
}

fn handed_over(descriptor: RawFd) -> Result<OwnedFd> {
    // SAFETY: fcntl takes no pointers here, and tells whether the descriptor is open.
    if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
        bail!("descriptor {descriptor} is not open");
    }
    // SAFETY: our parent process has passed the descriptor to us alone; each is named once.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}
