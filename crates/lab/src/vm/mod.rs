//! `vm`: a host that is a virtual machine, a kernel that runs as an ordinary process (user-mode Linux).
//!
//! `start` makes the host's network ports and becomes the kernel. In the virtual machine, `agent` is process 1: it makes
//! the virtual machine's root, network and disk ready, and then does what it is asked for (`crate::agent`), over a port of
//! its own, never over the network under test.

mod agent;
mod boot;
mod delay;
mod disk;
mod disk_watch;
mod exchange;
mod knock;
mod start;
pub(crate) mod tap;

use clap::{Args, Subcommand};

pub(crate) use disk::What;

#[derive(Args)]
pub struct VmArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Make the ports of a host and become its kernel
    Start(start::StartArgs),
    /// Be the first process of a virtual machine
    Agent(boot::AgentArgs),
    /// In a virtual machine: let each flush of its disk take longer
    Delay(delay::DelayArgs),
    /// Send frames to a host, to try whether one arrives
    Knock(knock::KnockArgs),
}

pub fn main(args: VmArgs) -> anyhow::Result<()> {
    match args.kind {
        Kind::Start(start) => start::run(&start),
        Kind::Agent(agent) => agent::run(&agent),
        Kind::Delay(delay) => delay::run(&delay),
        Kind::Knock(knock) => knock::run(&knock),
    }
}
