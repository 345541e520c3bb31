//! Stepping into namespaces: the calls, and the fork that a PID namespace demands.

use std::fs;
use std::io::{Read, Write, pipe};

use anyhow::{Context, Result};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getegid, geteuid, getpid};

/// All separate namespaces of a host.
const OWN: CloneFlags = CloneFlags::CLONE_NEWNS
    .union(CloneFlags::CLONE_NEWNET)
    .union(CloneFlags::CLONE_NEWPID)
    .union(CloneFlags::CLONE_NEWUTS)
    .union(CloneFlags::CLONE_NEWIPC);

/// A user namespace in which the caller is uid 0. One id is all that an ordinary user may map.
pub fn become_mapped_root() -> Result<()> {
    let (uid, gid) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER).context("cannot create a user namespace")?;
    fs::write("/proc/self/setgroups", "deny").context("cannot write setgroups")?;
    fs::write("/proc/self/uid_map", format!("0 {uid} 1")).context("cannot map the user id")?;
    fs::write("/proc/self/gid_map", format!("0 {gid} 1")).context("cannot map the group id")
}

/// A user namespace in which ids 0 to 65535 are those of the machine: programs may change their user.
///
/// A process in a new namespace has no user id in it yet, so a process that stays outside writes
/// the map (user_namespaces(7)); that takes CAP_SETUID out there. `setgroups` stays allowed.
pub fn map_all_ids() -> Result<()> {
    let (mut stepped, mut inside) = pipe().context("cannot make a pipe")?;
    let us = getpid();
    // SAFETY: this program is single-threaded here, so the child may do whatever the parent may
    match unsafe { fork() }.context("cannot fork")? {
        ForkResult::Parent { child } => {
            unshare(CloneFlags::CLONE_NEWUSER).context("cannot create a user namespace")?;
            inside
                .write_all(b"S")
                .context("the helper process has ended")?;
            await_end(child).context("not all user ids could be mapped")
        }
        ForkResult::Child => {
            drop(inside);
            // without the byte our parent did not get that far, and says why
            let done = stepped.read_exact(&mut [0]).is_ok() && {
                let written = write_full_maps(us);
                written.inspect_err(|error| eprintln!("{error:#}")).is_ok()
            };
            std::process::exit(i32::from(!done));
        }
    }
}

fn write_full_maps(of: Pid) -> Result<()> {
    let every = "0 0 65536";
    fs::write(format!("/proc/{of}/uid_map"), every).context("cannot map all user ids")?;
    fs::write(format!("/proc/{of}/gid_map"), every).context("cannot map all group ids")
}

/// Those in [`OWN`], without that of the network where it is shared.
pub fn own(shared_network: bool) -> CloneFlags {
    if shared_network {
        OWN.difference(CloneFlags::CLONE_NEWNET)
    } else {
        OWN
    }
}

/// Runs `first` as process 1 of a new PID namespace (and of the other `namespaces`); returns when it has ended.
pub fn as_first_process(namespaces: CloneFlags, first: impl FnOnce() -> Result<()>) -> Result<()> {
    unshare(namespaces).context("cannot create namespaces")?;
    // SAFETY: this program is single-threaded here, so the child may do whatever the parent may
    match unsafe { fork() }.context("cannot fork")? {
        ForkResult::Parent { child } => await_end(child),
        ForkResult::Child => {
            set_pdeathsig(Signal::SIGKILL).context("cannot set the death signal")?;
            first()
        }
    }
}

fn await_end(child: Pid) -> Result<()> {
    loop {
        match waitpid(child, None) {
            Err(nix::errno::Errno::EINTR) => {}
            Ok(WaitStatus::Exited(_, 0)) => return Ok(()),
            Ok(status) => anyhow::bail!("process {child} ended: {status:?}"),
            Err(error) => return Err(error.into()),
        }
    }
}
