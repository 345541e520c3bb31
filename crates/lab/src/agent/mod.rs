//! `agent`: the server that runs commands on a host with another kernel (a virtual machine, or a host over SSH),
//! and its clients here. `run` represents a command, `relay` a unix socket, `follow` the logs; `ask` sends other
//! requests.

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
    /// Run a command on a host and exit with its status
    Run(run::RunArgs),
    /// Send a request to a host that is not a command
    Ask(ask::AskArgs),
    /// Forward a local unix socket to one of a host
    Relay(relay::RelayArgs),
    /// Copy new lines of a host's logs to a local folder
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
