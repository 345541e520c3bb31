//! `guest`: a host that is a virtual machine, a kernel that runs as an ordinary process (user-mode Linux).
//!
//! `start` makes the host's network ports and becomes the kernel. In the guest, `agent` is process 1: it makes
//! the guest's root, network and disk ready, and then does what it is asked for. `run` is the end out here of a
//! command in there, and `relay` that of a unix socket in there. All of this goes over a port of its own, never
//! over the network under test.

mod agent;
mod ask;
mod attach;
mod boot;
mod channel;
mod commands;
mod delay;
mod disk;
mod disk_watch;
mod exchange;
mod knock;
mod processes;
mod reaper;
mod relay;
mod run;
mod start;
mod tap;

use clap::{Args, Subcommand};

#[derive(Args)]
pub struct GuestArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Make the ports of a host and become its kernel
    Start(start::StartArgs),
    /// Be the first process of a guest
    Agent(boot::AgentArgs),
    /// Run a command in a guest, and end as it ends
    Run(run::RunArgs),
    /// Ask a guest for what is no command
    Ask(ask::AskArgs),
    /// Let a unix socket of a guest be reached out here
    Relay(relay::RelayArgs),
    /// In a guest: let each flush of its disk take longer
    Delay(delay::DelayArgs),
    /// Send frames to a host, to try whether one arrives
    Knock(knock::KnockArgs),
}

pub fn main(args: GuestArgs) -> anyhow::Result<()> {
    match args.kind {
        Kind::Start(start) => start::run(&start),
        Kind::Agent(agent) => agent::run(&agent),
        Kind::Run(command) => run::run(&command),
        Kind::Ask(question) => ask::run(question),
        Kind::Relay(relay) => relay::run(&relay),
        Kind::Delay(delay) => delay::run(&delay),
        Kind::Knock(knock) => knock::run(&knock),
    }
}
