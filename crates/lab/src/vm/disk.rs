//! The virtual machine's disk, where it is the data folder: let go of and taken again, or held still to be copied.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use anyhow::{Context, Result};
use nix::mount::{MsFlags, mount, umount};

use super::paths::{DELAYED, DISK, NODE};
use super::tap::check;
use crate::agent::channel::DiskAction;

/// Numbers of linux/fs.h.
const FIFREEZE: libc::c_ulong = 0xc004_5877;
const FITHAW: libc::c_ulong = 0xc004_5878;

/// What is to be used of the disk: itself, or what can delay it.
pub fn device() -> &'static str {
    if Path::new(DELAYED).exists() {
        DELAYED
    } else {
        DISK
    }
}

pub fn run(action: DiskAction) -> Result<()> {
    let data = Path::new(NODE).join("data");
    match action {
        DiskAction::Mount => mount_on(Path::new(device()), &data),
        DiskAction::Unmount => umount(&data).context("the data folder is in use"),
        DiskAction::Freeze => hold(&data, FIFREEZE).context("cannot freeze the data folder"),
        DiskAction::Thaw => hold(&data, FITHAW).context("cannot thaw the data folder"),
    }
}

pub fn mount_on(disk: &Path, folder: &Path) -> Result<()> {
    let none: Option<&str> = None;
    mount(Some(disk), folder, Some("ext4"), MsFlags::MS_NOATIME, none)
        .with_context(|| format!("cannot mount {}", disk.display()))?;
    // servers take each folder in theirs for a database
    let _ = std::fs::remove_dir(folder.join("lost+found"));
    Ok(())
}

fn hold(folder: &Path, number: libc::c_ulong) -> Result<()> {
    let folder = File::open(folder)?;
    // SAFETY: the descriptor is open; the kernel reads no argument.
    Ok(check(unsafe {
        libc::ioctl(folder.as_raw_fd(), number as _, 0)
    })?)
}
