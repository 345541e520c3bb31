//! `remote`: a host on another machine, which a controller reaches over SSH.
//!
//! `serve` is what the controller starts there: it makes the host's namespaces, does what it is asked for, and
//! ends with all of that when the controller is silent. `guard` runs next to it and cleans up, whatever ended
//! it: faults are undone, files removed. `receive` takes files in and says what arrived; `reach` tries whether a
//! packet gets from one machine to another; `links` makes the way to others slow; `address` moves a virtual address.

mod address;
mod first;
mod guard;
mod links;
mod reach;
mod receive;
mod serve;
mod way_out;

use clap::{Args, Subcommand};

#[derive(Args)]
pub struct RemoteArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Be a host of the lab on this machine, until the controller at the other end of the input is silent
    Serve(serve::ServeArgs),
    /// Unpack an archive from the input into a new folder, and say its SHA-256
    Receive(receive::ReceiveArgs),
    /// Say whether a packet arrives at a port
    Hear(reach::HearArgs),
    /// Send packets to a port
    Knock(reach::KnockArgs),
    /// Give this machine a further address, or take it back
    Address(address::AddressArgs),
    /// Be the links from this machine to others, as the input asks
    Links(links::LinksArgs),
}

pub fn main(args: RemoteArgs) -> anyhow::Result<()> {
    match args.kind {
        Kind::Serve(serve) => serve::run(serve),
        Kind::Receive(receive) => receive::run(&receive),
        Kind::Hear(hear) => reach::hear(&hear),
        Kind::Knock(knock) => reach::knock(&knock),
        Kind::Address(address) => address::run(&address),
        Kind::Links(links) => links::run(&links),
    }
}
