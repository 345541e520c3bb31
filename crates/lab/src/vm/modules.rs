//! Modules of a virtual machine's kernel.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::paths::MACHINE;
use super::tap::check;

/// Folder of the kernel's modules, below the host's root.
const MODULES: &str = "run/uml/modules";

/// Loads a module before the root is changed.
pub fn load_early(name: &str) -> Result<()> {
    load_from(&Path::new("/").join(MODULES), name)
}

/// Loads a module, now that the root is another one; it may be there already.
pub fn load(name: &str) -> Result<()> {
    load_from(&Path::new(MACHINE).join(MODULES), name)
}

/// Loads a module from a folder with all of them, wherever it is there.
fn load_from(modules: &Path, name: &str) -> Result<()> {
    let file = find(modules, &format!("{name}.ko"))
        .with_context(|| format!("the kernel has no module {name}"))?;
    let file = File::open(file)?;
    // SAFETY: the descriptor is open, and the text a C string.
    let answer =
        unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), c"".as_ptr(), 0) };
    match check(answer as i32) {
        Err(error) if error.raw_os_error() == Some(libc::EEXIST) => Ok(()),
        done => done.with_context(|| format!("cannot load the module {name}")),
    }
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    let here = entries.iter().find(|path| path.ends_with(name)).cloned();
    here.or_else(|| {
        entries
            .iter()
            .filter(|path| path.is_dir() && !path.is_symlink())
            .find_map(|path| find(path, name))
    })
}
