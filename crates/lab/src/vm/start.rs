//! `vm start`: creates the ports of a host in their networks, and then starts its kernel.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use anyhow::{Context, Result};
use clap::Args;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sched::{CloneFlags, setns};
use nix::unistd::chdir;

use super::tap;
use crate::init::{into_user_namespace, start_command};

/// Placeholders for the ports' descriptors in the arguments of the kernel.
const NETWORK: &str = "{network}";
const PRIVATE: &str = "{private}";

#[derive(Args)]
pub struct StartArgs {
    /// PID of the lab's first process
    #[arg(long)]
    lab: i32,
    /// PID of the host's first process
    #[arg(long)]
    host: i32,
    /// Name of the virtual machine's port in the lab's network
    #[arg(long)]
    port: String,
    /// Name of its private port in the host's network
    #[arg(long)]
    private: String,
    /// The kernel and its arguments, in which {network} and {private} are the ports' descriptors
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub fn run(args: &StartArgs) -> Result<()> {
    // All files are opened first, as /proc differs inside.
    let user = namespace(args.lab, "user")?;
    let (lab, host) = (namespace(args.lab, "net")?, namespace(args.host, "net")?);
    let (mounts, processes) = (namespace(args.host, "mnt")?, namespace(args.host, "pid")?);
    into_user_namespace(&user)?;
    enter(&lab, CloneFlags::CLONE_NEWNET, "the lab's network")?;
    let network = kept(tap::open(&args.port)?)?;
    enter(&host, CloneFlags::CLONE_NEWNET, "the host's network")?;
    let private = kept(tap::open(&args.private)?)?;
    enter(&processes, CloneFlags::CLONE_NEWPID, "the host's processes")?;
    enter(&mounts, CloneFlags::CLONE_NEWNS, "the host's files")?;
    chdir("/").context("cannot enter the host's root")?;
    let command: Vec<OsString> = args
        .command
        .iter()
        .map(|word| with_descriptors(word, &network, &private))
        .collect();
    start_command(&command, true)
}

fn namespace(pid: i32, kind: &str) -> Result<File> {
    let path = format!("/proc/{pid}/ns/{kind}");
    File::open(&path).with_context(|| format!("cannot enter {path}: the process has ended"))
}

fn enter(namespace: &File, kind: CloneFlags, what: &str) -> Result<()> {
    setns(namespace.as_fd(), kind).with_context(|| format!("cannot enter {what}"))
}

/// A descriptor that the kernel that we become still has.
fn kept(port: File) -> Result<OwnedFd> {
    fcntl(&port, FcntlArg::F_SETFD(FdFlag::empty())).context("cannot keep a port open")?;
    Ok(port.into())
}

fn with_descriptors(argument: &OsString, network: &OwnedFd, private: &OwnedFd) -> OsString {
    argument
        .to_string_lossy()
        .replace(NETWORK, &network.as_raw_fd().to_string())
        .replace(PRIVATE, &private.as_raw_fd().to_string())
        .into()
}
