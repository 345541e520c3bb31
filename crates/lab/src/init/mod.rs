//! `init`: the first process of a lab (its own user, mount, network and PID namespaces) and of each
//! host in it. A PID namespace ends with its first process, so whatever ends this one ends them all.
//!
//! The lifeline is a socket whose other end the controller holds. One byte on it says "ready" (the
//! kernel tells the controller our PID with it); when the controller is gone, for whatever reason,
//! the socket hangs up and we exit.
//!
//! What a host shows to its programs: `root` (files), `devices` (/dev, /proc). What they may do: `inside`,
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

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(crate) use enter::{end_by_number, into_user_namespace, start as start_command};

#[derive(Args)]
pub struct InitArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Step into new user, mount, network, PID, UTS and IPC namespaces and stay there
    Lab(LabArgs),
    /// Become a host: own root, network, PIDs and name, inside a lab
    Host(HostArgs),
    /// Run a command in the namespaces of a first process, and end as it ends
    Enter(enter::EnterArgs),
    /// Run a command inside a host, with no privileges but those that it needs
    Inside(inside::InsideArgs),
}

#[derive(Args)]
struct Lifeline {
    /// File descriptor of the lifeline socket
    #[arg(long)]
    lifeline: i32,
}

#[derive(Args)]
struct LabArgs {
    #[command(flatten)]
    lifeline: Lifeline,
    /// Map all user and group ids one to one, not only the caller's to 0; takes root
    #[arg(long)]
    all_ids: bool,
    /// Stay in the machine's network
    #[arg(long)]
    shared_network: bool,
}

#[derive(Args)]
struct HostArgs {
    #[command(flatten)]
    lifeline: Lifeline,
    /// Host name
    #[arg(long)]
    name: String,
    /// Stay in the lab's network
    #[arg(long)]
    shared_network: bool,
    /// Root file system to overlay; without it the host sees the machine's programs, read-only
    #[arg(long)]
    lower: Option<PathBuf>,
    /// Folder of the machine to show read-only at its own place, beside its programs
    #[arg(long, conflicts_with = "lower")]
    show: Vec<PathBuf>,
    /// Folder of the host's own: gets `upper`, `work` and `root`
    #[arg(long)]
    scratch: PathBuf,
    /// Folder to show inside, writable, as SOURCE:/run/…
    #[arg(long)]
    bind: Vec<String>,
    /// Folder to show inside, read-only, as SOURCE:/run/…
    #[arg(long)]
    bind_ro: Vec<String>,
}

pub fn run(args: InitArgs) -> anyhow::Result<()> {
    match args.kind {
        Kind::Lab(lab) => lab::run(&lab),
        Kind::Host(host) => host::run(&host),
        Kind::Enter(enter) => enter::run(&enter),
        Kind::Inside(command) => inside::run(&command),
    }
}
