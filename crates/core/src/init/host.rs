//! A host: own root, network, PIDs and name. Its root is an overlay over an engine's root file system,
//! or the machine's own root, read-only. Writable are /run, /tmp and the folders bound below /run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::unistd::{chdir, pivot_root, sethostname};

use super::HostArgs;
use super::namespaces::{as_first_process, keep_mounts_private, mount_kind};
use super::reaper::{Controller, watch};

const NONE: Option<&str> = None;

pub fn run(args: &HostArgs) -> Result<()> {
    let mut controller = Controller::reached_by(args.lifeline.lifeline)?;
    as_first_process(|| {
        keep_mounts_private()?;
        let root = build_root(args)?;
        enter(&root)?;
        sethostname(&args.name)?;
        controller.report_ready()?;
        watch(&controller)
    })
}

fn build_root(args: &HostArgs) -> Result<PathBuf> {
    let root = folder(&args.scratch.join("root"))?;
    match &args.lower {
        Some(lower) => overlay(lower, &args.scratch, &root)?,
        None => machine_root(&root)?,
    }
    mount_kind("proc", &root.join("proc"), "")?;
    mount_kind("tmpfs", &root.join("run"), "mode=755")?;
    mount_kind("tmpfs", &root.join("tmp"), "mode=1777")?;
    mount_kind("tmpfs", &root.join("dev/shm"), "mode=1777")?;
    for text in &args.bind {
        bind(text, &root, false)?;
    }
    for text in &args.bind_ro {
        bind(text, &root, true)?;
    }
    Ok(root)
}

fn overlay(lower: &Path, scratch: &Path, root: &Path) -> Result<()> {
    let (upper, work) = (
        folder(&scratch.join("upper"))?,
        folder(&scratch.join("work"))?,
    );
    let options = format!(
        "lowerdir={},upperdir={},workdir={},userxattr",
        lower.display(),
        upper.display(),
        work.display()
    );
    mount(
        Some("overlay"),
        root,
        Some("overlay"),
        MsFlags::empty(),
        Some(options.as_str()),
    )
    .with_context(|| format!("cannot mount an overlay over {}", lower.display()))?;
    bind_recursively(Path::new("/dev"), &folder(&root.join("dev"))?)
}

fn machine_root(root: &Path) -> Result<()> {
    bind_recursively(Path::new("/"), root)?;
    make_read_only(root, libc::AT_RECURSIVE as u32)
}

fn bind(text: &str, root: &Path, read_only: bool) -> Result<()> {
    let (source, target) = text.split_once(':').context("--bind wants SOURCE:/run/…")?;
    let target = folder(&root.join(target.trim_start_matches('/')))?;
    bind_recursively(Path::new(source), &target)?;
    if read_only {
        make_read_only(&target, 0)
    } else {
        Ok(())
    }
}

fn bind_recursively(source: &Path, target: &Path) -> Result<()> {
    mount(
        Some(source),
        target,
        NONE,
        MsFlags::MS_BIND | MsFlags::MS_REC,
        NONE,
    )
    .with_context(|| format!("cannot show {} as {}", source.display(), target.display()))
}

/// mount_setattr(2), because a plain remount leaves the mounts below writable.
fn make_read_only(target: &Path, flags: u32) -> Result<()> {
    let path = std::ffi::CString::new(target.as_os_str().as_encoded_bytes())?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY,
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
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 {
        return Ok(());
    }
    Err(std::io::Error::last_os_error())
        .with_context(|| format!("cannot make {} read-only", target.display()))
}

fn enter(root: &Path) -> Result<()> {
    chdir(root)?;
    pivot_root(".", ".").context("cannot change the root")?;
    umount2(".", MntFlags::MNT_DETACH).context("cannot let go of the old root")?;
    chdir("/")?;
    Ok(())
}

fn folder(path: &Path) -> Result<PathBuf> {
    fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))?;
    Ok(path.to_path_buf())
}
