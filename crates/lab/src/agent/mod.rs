//! `agent`: whoever runs commands on a host that is not of this kernel, a virtual machine or one over SSH, and
//! the ends of these commands out here. `run` is the end of a command, `relay` that of a unix socket, `follow`
//! that of logs; `ask` asks for what is no command.

mod ask;
mod attach;
pub(crate) mod channel;
pub(crate) mod commands;
pub(crate) mod files;
mod follow;
pub(crate) mod processes;
pub(crate) mod reaper;
mod relay;
mod run;
pub(crate) mod serve;

use clap::{Args, Subcommand};

pub(crate) use files::{give, give_all};

#[derive(Args)]
pub struct AgentArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Run a command on a host, and end as it ends
    Run(run::RunArgs),
    /// Ask a host for what is no command
    Ask(ask::AskArgs),
    /// Let a unix socket of a host be reached out here
    Relay(relay::RelayArgs),
    /// Write what is added to the logs of a host into a folder out here
    Follow(follow::FollowArgs),
}

pub fn main(args: AgentArgs) -> anyhow::Result<()> {
    match args.kind {
        Kind::Run(command) => run::run(&command),
        Kind::Ask(question) => ask::run(question),
        Kind::Relay(relay) => relay::run(&relay),
        Kind::Follow(follow) => follow::run(&follow),
    }
}
