//! `init enter`: runs a command in the namespaces of a first process, like `nsenter`.
//!
//! nsenter itself does not work: when its child is stopped, it stops itself and never collects the child. A PID
//! namespace ends only when the last of its processes is collected, and the starter is outside it. If the
//! controller is killed while a server is frozen, no process can wake nsenter, so the host and its lab never end.
//! This program only waits for the end.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use nix::errno::Errno;
use nix::sched::{CloneFlags, setns};
use nix::sys::signal::{SigHandler, Signal, raise, signal};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

#[derive(Args)]
pub struct EnterArgs {
    /// PID of the first process, as seen from here
    #[arg(long)]
    target: i32,
    /// Namespaces to enter, in this order: user, mnt, net, pid
    #[arg(long, value_delimiter = ',', required = true)]
    into: Vec<String>,
    /// The command and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub fn run(args: &EnterArgs) -> Result<()> {
    let of_target = PathBuf::from(format!("/proc/{}", args.target));
    // All files are opened first, as /proc differs inside.
    let mut namespaces = Vec::new();
    for name in &args.into {
        let path = of_target.join("ns").join(name);
        let file = File::open(&path)
            .with_context(|| format!("cannot enter {}: the process has ended", path.display()))?;
        namespaces.push((name, kind(name)?, file));
    }
    for (name, kind, file) in &namespaces {
        if *kind == CloneFlags::CLONE_NEWUSER {
            into_user_namespace(file)?;
        } else {
            setns(file.as_fd(), *kind).with_context(|| format!("cannot enter namespace {name}"))?;
        }
    }
    start(&args.command, args.into.iter().any(|name| name == "pid"))
}

fn kind(name: &str) -> Result<CloneFlags> {
    Ok(match name {
        "user" => CloneFlags::CLONE_NEWUSER,
        "mnt" => CloneFlags::CLONE_NEWNS,
        "net" => CloneFlags::CLONE_NEWNET,
        "pid" => CloneFlags::CLONE_NEWPID,
        _ => anyhow::bail!("unknown namespace {name:?}"),
    })
}

/// To enter the user namespace that one is in already is an error: then nothing is done.
pub fn into_user_namespace(file: &File) -> Result<()> {
    let (theirs, ours) = (file.metadata()?, std::fs::metadata("/proc/self/ns/user")?);
    if (theirs.dev(), theirs.ino()) == (ours.dev(), ours.ino()) {
        return Ok(());
    }
    setns(file.as_fd(), CloneFlags::CLONE_NEWUSER).context("cannot enter namespace user")
}

/// Only our children are in the entered PID namespace, so entering one needs a fork.
pub fn start(command: &[OsString], forks: bool) -> Result<()> {
    if !forks {
        return become_command(command);
    }
    // SAFETY: this program is single-threaded here, so the child may do whatever the parent may
    match unsafe { fork() }.context("cannot fork")? {
        ForkResult::Child => become_command(command),
        ForkResult::Parent { child } => end_like(child),
    }
}

fn become_command(command: &[OsString]) -> Result<()> {
    let error = Command::new(&command[0]).args(&command[1..]).exec();
    Err(error).with_context(|| format!("cannot run {}", command[0].display()))
}

fn end_like(child: Pid) -> Result<()> {
    loop {
        match waitpid(child, None) {
            Err(Errno::EINTR) => {}
            Ok(WaitStatus::Exited(_, code)) => std::process::exit(code),
            Ok(WaitStatus::Signaled(_, number, _)) => return end_by(number),
            Ok(status) => anyhow::bail!("process {child} ended: {status:?}"),
            Err(error) => return Err(error.into()),
        }
    }
}

/// As `end_by`, of a signal that we know by its number.
pub fn end_by_number(number: i32) -> Result<()> {
    match Signal::try_from(number) {
        Ok(signal) => end_by(signal),
        Err(_) => std::process::exit(128 + number),
    }
}

/// Ends with the signal of the command, so that our parent process sees it.
fn end_by(number: Signal) -> Result<()> {
    // Do not write a second core file in addition to the command's.
    nix::sys::prctl::set_dumpable(false)?;
    if !matches!(number, Signal::SIGKILL | Signal::SIGSTOP) {
        // SAFETY: the default action replaces Rust's own handler, and runs no code of ours
        unsafe { signal(number, SigHandler::SigDfl) }?;
    }
    raise(number)?;
    std::process::exit(128 + number as i32);
}
