//! `vm`: a host that is a virtual machine, a kernel that runs as an ordinary process (user-mode Linux).
//!
//! `start` creates the host's network ports and becomes the kernel. In the virtual machine, `agent` is process 1: it
//! sets up root, network and disk, and then serves requests (`crate::agent`) on a private port, never on the network
//! under test.

mod agent;
mod boot;
mod delay;
mod disk;
mod disk_watch;
mod exchange;
mod knock;
mod modules;
mod paths;
mod start;
pub(crate) mod tap;

use clap::{Args, Subcommand};

#[derive(Args)]
pub struct VmArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Create the ports of a host and become its kernel
    Start(start::StartArgs),
    /// Run the first process of a virtual machine
    Agent(boot::AgentArgs),
    /// Delay each flush of a virtual machine's disk (inside it)
    Delay(delay::DelayArgs),
    /// Send frames to a host, to test whether one arrives
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
