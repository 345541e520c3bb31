//! `init`: the first process of a lab (its own user, mount, network and PID namespaces) and of each
//! host in it. A PID namespace ends with its first process, so whatever ends this one ends them all.
//!
//! The lifeline is a socket to the controller. One byte on it means "ready" (the kernel adds our PID to it).
//! When the controller ends, for any reason, the socket closes and we exit.
//!
//! The files of a host: `root`; its devices: `devices` (/dev, /proc). The permissions of its programs: `inside`,
//! with `privileges` and `filter`.

mod devices;
mod enter;
mod filter;
mod host;
mod inside;
mod lab;
mod mounts;
mod namespaces;
mod privileges;
mod reaper;
mod root;

use clap::{Args, Subcommand};

pub(crate) use enter::{end_by_number, into_user_namespace, start as start_command};

#[derive(Args)]
pub struct InitArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Create new user, mount, network, PID, UTS and IPC namespaces and stay in them
    Lab(lab::LabArgs),
    /// Become a host inside a lab, with a separate root, network, PIDs and name
    Host(host::HostArgs),
    /// Run a command in the namespaces of a first process and exit with its status
    Enter(enter::EnterArgs),
    /// Run a command inside a host, with only the privileges that it needs
    Inside(inside::InsideArgs),
}

pub fn run(args: InitArgs) -> anyhow::Result<()> {
    match args.kind {
        Kind::Lab(lab) => lab::run(&lab),
        Kind::Host(host) => host::run(&host),
        Kind::Enter(enter) => enter::run(&enter),
        Kind::Inside(command) => inside::run(&command),
    }
}
