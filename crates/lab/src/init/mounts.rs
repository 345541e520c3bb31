//! Mounting: kinds of file systems, and parts of what is there at other places.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use nix::mount::{MsFlags, mount};

const NONE: Option<&str> = None;

/// Nothing that is mounted from now on is seen outside.
pub fn keep_private() -> Result<()> {
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)
        .context("cannot make mounts private")
}

/// Mounts `kind` (proc, tmpfs, overlay) on an existing folder; nothing in it gives privileges or is a device.
pub fn mount_kind(kind: &str, target: &Path, options: &str) -> Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some(kind), target, Some(kind), flags, Some(options))
        .with_context(|| format!("cannot mount {kind} on {}", target.display()))
}

/// Shows a file or folder, with all that is mounted below it, on one that exists.
pub fn bind(source: &Path, target: &Path) -> Result<()> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(source), target, NONE, flags, NONE)
        .with_context(|| format!("cannot mount {} at {}", source.display(), target.display()))
}

/// Mounts like `bind`, but read-only and without set-user-id programs.
pub fn bind_read_only(source: &Path, target: &Path) -> Result<()> {
    bind(source, target)?;
    let attributes = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID;
    set_attributes(target, attributes, libc::AT_RECURSIVE as u32)
}

/// As `bind`, and there are no devices and no ways to privileges in it.
pub fn bind_writable(source: &Path, target: &Path) -> Result<()> {
    bind(source, target)?;
    let attributes = libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_NOSUID;
    set_attributes(target, attributes, libc::AT_RECURSIVE as u32)
}

/// What is mounted here becomes read-only; what is mounted below it stays as it is.
pub fn make_read_only(target: &Path) -> Result<()> {
    set_attributes(target, libc::MOUNT_ATTR_RDONLY, 0)
}

/// mount_setattr(2), because a plain remount leaves the mounts below writable.
fn set_attributes(target: &Path, attributes: u64, flags: u32) -> Result<()> {
    let path = std::ffi::CString::new(target.as_os_str().as_bytes())?;
    let change = libc::mount_attr {
        attr_set: attributes,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: path and attributes outlive the call, and their size is given
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 {
        return Ok(());
    }
    Err(std::io::Error::last_os_error())
        .with_context(|| format!("cannot make {} read-only", target.display()))
}

/// A folder, made where it is missing.
pub fn folder(path: &Path) -> Result<PathBuf> {
    fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))?;
    Ok(path.to_path_buf())
}

/// An absolute path as it is below `root`.
pub fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lie_below_a_root() {
        let root = Path::new("/x/root");
        assert_eq!(
            below(root, Path::new("/usr/lib")),
            Path::new("/x/root/usr/lib")
        );
        assert_eq!(below(root, Path::new("usr")), Path::new("/x/root/usr"));
    }
}
