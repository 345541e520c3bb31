//! A command inside a host: in all of its namespaces, with its root, and with nothing that it does not need.
//!
//! The order matters. All is done before the process that becomes the command is in the host's PID
//! namespace, where others of the host could look into it: it is born without capabilities, under the
//! filter, and closed to debuggers until it is the command (what it has open of the machine closes then).

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::{FromRawFd, OwnedFd};

use anyhow::{Context, Result};
use clap::Args;
use nix::fcntl::{OFlag, open, openat};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::stat::Mode;
use nix::unistd::{Gid, Uid, chdir, setgroups, setresgid, setresuid};

use super::enter::start;
use super::filter;
use super::namespaces::own;
use super::privileges::{Privileges, prctl};

#[derive(Args)]
pub struct InsideArgs {
    /// PID of the host's first process
    #[arg(long)]
    target: i32,
    /// User and group id under which the command sees itself, for programs that refuse to be root
    #[arg(long)]
    uid: Option<u32>,
    /// The lab has all ids: change to the user `--uid` for real, or stay root with what a small machine
    /// needs
    #[arg(long)]
    all_ids: bool,
    /// The host stays in the machine's network
    #[arg(long)]
    shared_network: bool,
    /// The command and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub fn run(args: &InsideArgs) -> Result<()> {
    // from now on only what is open here leads to the machine's /proc
    let us = open(
        "/proc/self",
        OFlag::O_PATH | OFlag::O_CLOEXEC,
        Mode::empty(),
    )
    .context("cannot open /proc/self")?;
    step_into(args.target, own(args.shared_network))?;
    become_user(args, &us)?;
    drop(us);
    start(&args.command, true)
}

/// Into all namespaces of a process, and with them into its root. Children will be in its PID namespace.
fn step_into(target: i32, namespaces: CloneFlags) -> Result<()> {
    // SAFETY: plain numbers; the kernel opens a new descriptor, which closes at an exec
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, target, 0) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error())
            .with_context(|| format!("the host's first process {target} has ended"));
    }
    // SAFETY: the kernel has just opened it for us
    let target = unsafe { OwnedFd::from_raw_fd(descriptor as i32) };
    setns(&target, namespaces | CloneFlags::CLONE_NEWUSER).context("cannot enter the host")?;
    chdir("/").context("cannot enter the host's root")
}

fn become_user(args: &InsideArgs, own: &OwnedFd) -> Result<()> {
    let privileges = match args.uid {
        None if args.all_ids => Privileges::OfAMachine,
        _ => Privileges::None,
    };
    if let (Some(uid), false) = (args.uid, args.all_ids) {
        appear_as(uid, own)?;
    }
    privileges.bound()?;
    if let (Some(uid), true) = (args.uid, args.all_ids) {
        change_user(uid)?;
    }
    prctl(libc::PR_SET_DUMPABLE, 0, 0)
        .context("cannot protect this process from other processes")?;
    privileges.settle()?;
    filter::install()
}

fn change_user(uid: u32) -> Result<()> {
    let (user, group) = (Uid::from_raw(uid), Gid::from_raw(uid));
    setgroups(&[]).context("cannot leave groups")?;
    setresgid(group, group, group).context("cannot change the group")?;
    setresuid(user, user, user).context("cannot change the user")
}

/// One more user namespace, in which our user is called `uid`: an ordinary user may map one id only.
fn appear_as(uid: u32, own: &OwnedFd) -> Result<()> {
    unshare(CloneFlags::CLONE_NEWUSER).context("cannot create a user namespace")?;
    write_at(own, "setgroups", "deny")?;
    write_at(own, "uid_map", &format!("{uid} 0 1"))?;
    write_at(own, "gid_map", &format!("{uid} 0 1"))
}

fn write_at(folder: &OwnedFd, name: &str, text: &str) -> Result<()> {
    let file = openat(
        folder,
        name,
        OFlag::O_WRONLY | OFlag::O_CLOEXEC,
        Mode::empty(),
    )
    .with_context(|| format!("cannot open {name}"))?;
    File::from(file)
        .write_all(text.as_bytes())
        .with_context(|| format!("cannot write {name}"))
}
