//! The files that a host sees: an overlay over an engine's root file system, or the programs of the machine.
//!
//! Either way nothing else of the machine is there: no home, no /tmp, no /var, no other run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result};

use super::mounts::{below, bind_read_only, folder, make_read_only, mount_kind};

/// Where the machine has its programs and their libraries. The last two are where Nix and Guix keep all of
/// theirs.
const PROGRAMS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
];

/// Files of /etc that programs read and that contain no secrets: copied if they exist, with links followed.
const COPIED: &[&str] = &[
    "ld.so.cache",
    "ld.so.conf",
    "localtime",
    "timezone",
    "os-release",
    "debian_version",
    "services",
    "protocols",
    "ssl/openssl.cnf",
    "pki/tls/openssl.cnf",
    "locale.conf",
    "locale.alias",
];

/// Folders of /etc that are mounted. Not the parent of the certificates, as it contains keys (`ssl/private`).
const SHOWN: &[&str] = &[
    "ld.so.conf.d",
    "alternatives",
    "ssl/certs",
    "pki/tls/certs",
    "pki/ca-trust/extracted",
    "crypto-policies",
];

/// Accounts that servers look themselves up by; those of the machine are not the host's business.
const WRITTEN: &[(&str, &str)] = &[
    (
        "passwd",
        "root:x:0:0:root:/tmp:/bin/sh\n\
         mysql:x:999:999:mysql:/nonexistent:/bin/false\n\
         nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    ),
    ("group", "root:x:0:\nmysql:x:999:\nnogroup:x:65534:\n"),
    (
        "nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
    ),
    ("hosts", LOCALHOST),
];

const LOCALHOST: &str = "127.0.0.1 localhost\n::1 localhost\n";

/// An overlay with its changes in the host's scratch folder.
pub fn overlay(lower: &Path, scratch: &Path, root: &Path) -> Result<()> {
    let upper = folder(&scratch.join("upper"))?;
    let work = folder(&scratch.join("work"))?;
    let localhost = if knows_localhost(lower) {
        String::new()
    } else {
        format!("{}:", with_localhost(&scratch.join("hosts"))?)
    };
    let options = format!(
        "lowerdir={localhost}{},upperdir={},workdir={},userxattr",
        lower.display(),
        upper.display(),
        work.display()
    );
    mount_kind("overlay", root, &options)
}

/// Images have no /etc/hosts, as the container runtime writes it. PostgreSQL before 15 counts nothing without it.
fn knows_localhost(root: &Path) -> bool {
    fs::read_to_string(root.join("etc/hosts")).is_ok_and(|text| text.contains("localhost"))
}

/// A layer in memory with that file, invisible from outside.
fn with_localhost(place: &Path) -> Result<String> {
    mount_kind("tmpfs", &folder(place)?, "mode=755,size=64k")?;
    fs::write(folder(&place.join("etc"))?.join("hosts"), LOCALHOST)
        .context("cannot write /etc/hosts")?;
    Ok(place.display().to_string())
}

/// A new root with the programs of the machine, and with these folders of it at their own places.
/// Read-only all of it, once `seal` has been called.
pub fn programs(root: &Path, show: &[impl AsRef<Path>]) -> Result<()> {
    mount_kind("tmpfs", root, "mode=755")?;
    for name in [
        "proc", "sys", "dev", "run", "tmp", "root", "home", "var/lib",
    ] {
        folder(&root.join(name))?;
    }
    // scripts that do not ask TMPDIR
    symlink("/tmp", root.join("var/tmp")).context("cannot make /var/tmp")?;
    for path in PROGRAMS.iter().map(Path::new) {
        show_as_there(path, root)?;
    }
    settings(root)?;
    for path in show {
        show_as_there(path.as_ref(), root)?;
    }
    Ok(())
}

/// Makes the root itself read-only; mounts in it stay unchanged.
pub fn seal(root: &Path) -> Result<()> {
    make_read_only(root)
}

fn settings(root: &Path) -> Result<()> {
    let (ours, machine) = (folder(&root.join("etc"))?, Path::new("/etc"));
    for name in COPIED {
        let (from, to) = (machine.join(name), ours.join(name));
        if from.is_file() {
            folder(to.parent().unwrap_or(&ours))?;
            // what only others may read here is not for servers either
            let _ = fs::copy(&from, &to);
        }
    }
    for path in SHOWN.iter().map(|name| machine.join(name)) {
        show_as_there(&path, root)?;
    }
    for (name, text) in WRITTEN {
        fs::write(ours.join(name), text).with_context(|| format!("cannot write /etc/{name}"))?;
    }
    Ok(())
}

/// A link as a link (/bin to usr/bin), a folder read-only; what the machine has not is left out.
fn show_as_there(path: &Path, root: &Path) -> Result<()> {
    let target = below(root, path);
    if let Ok(link) = fs::read_link(path) {
        folder(target.parent().unwrap_or(root))?;
        return symlink(link, &target).with_context(|| format!("cannot link {}", path.display()));
    }
    if path.is_dir() {
        bind_read_only(path, &folder(&target)?)?;
    }
    Ok(())
}
