//! What a host sees of the kernel: its own processes, a few harmless devices, and no more.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result};

use super::mounts::{bind, bind_read_only, folder, make_read_only, mount_kind};

const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

const LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

/// Of the whole machine, whatever the PID namespace: hidden, as the OCI's default for containers has it.
const HIDDEN: &[&str] = &[
    "acpi",
    "asound",
    "interrupts",
    "kallsyms",
    "kcore",
    "keys",
    "kmsg",
    "latency_stats",
    "sched_debug",
    "scsi",
    "timer_list",
    "timer_stats",
];

/// The same, to be read only.
const READ_ONLY: &[&str] = &["bus", "fs", "irq", "sys", "sysrq-trigger"];

/// A /dev with nothing of the machine's hardware, in memory; read-only but for shared memory.
pub fn devices(root: &Path) -> Result<()> {
    let dev = folder(&root.join("dev"))?;
    mount_kind("tmpfs", &dev, "mode=755")?;
    for name in DEVICES {
        let (source, target) = (Path::new("/dev").join(name), dev.join(name));
        if source.exists() {
            File::create(&target).with_context(|| format!("cannot make {}", target.display()))?;
            bind(&source, &target)?;
        }
    }
    for (name, target) in LINKS {
        symlink(target, dev.join(name)).with_context(|| format!("cannot make /dev/{name}"))?;
    }
    mount_kind("tmpfs", &folder(&dev.join("shm"))?, "mode=1777")?;
    make_read_only(&dev)
}

/// A /proc of the host's own processes.
pub fn processes(root: &Path) -> Result<()> {
    let proc = folder(&root.join("proc"))?;
    mount_kind("proc", &proc, "")?;
    for path in READ_ONLY.iter().map(|name| proc.join(name)) {
        if path.exists() {
            bind_read_only(&path, &path)?;
        }
    }
    for path in HIDDEN.iter().map(|name| proc.join(name)) {
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_dir() => {
                mount_kind("tmpfs", &path, "mode=755,size=0")?;
                make_read_only(&path)?;
            }
            Ok(_) => bind(Path::new("/dev/null"), &path)?,
            Err(_) => {}
        }
    }
    Ok(())
}
