//! Files that an agent takes over from the other end: configuration and secrets, never data, logs or sockets.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use super::channel::Entry;

/// What is not taken over: the host has its own.
const OWN: &[&str] = &["data", "log", "run", "disk"];

/// All of a host's own folder that is to be taken over, folders before what is in them.
pub fn pack(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() && !OWN.iter().any(|own| name == *own) {
            pack_below(folder, Path::new(&name), &mut found)?;
        }
    }
    Ok(found)
}

fn pack_below(top: &Path, path: &Path, found: &mut Vec<Entry>) -> io::Result<()> {
    let here = top.join(path);
    // Another process can remove it while we read.
    let about = match fs::symlink_metadata(&here) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?,
    };
    let text = if about.is_file() {
        match fs::read(&here) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            text => Some(text?),
        }
    } else if about.is_dir() {
        None
    } else {
        return Ok(());
    };
    let folder = text.is_none();
    found.push(Entry {
        path: path.to_path_buf(),
        mode: about.permissions().mode() & 0o7777,
        text,
    });
    if folder {
        for entry in fs::read_dir(&here)? {
            pack_below(top, &path.join(entry?.file_name()), found)?;
        }
    }
    Ok(())
}

/// Writes what is not there already; its owner is that of its folder.
pub fn put(entries: &[Entry], top: &Path) -> Result<()> {
    for entry in entries {
        let plain = |part| matches!(part, Component::Normal(_));
        anyhow::ensure!(
            entry.path.components().all(plain),
            "{} lies outside of the host's folder",
            entry.path.display()
        );
        put_one(entry, &top.join(&entry.path))
            .with_context(|| format!("cannot take over {}", entry.path.display()))?;
    }
    Ok(())
}

fn put_one(entry: &Entry, target: &Path) -> io::Result<()> {
    let mode = Permissions::from_mode(entry.mode);
    let Some(text) = &entry.text else {
        if !target.is_dir() {
            fs::create_dir_all(target)?;
            own_as_folder(target)?;
        }
        return fs::set_permissions(target, mode);
    };
    if fs::read(target).is_ok_and(|own| own == *text) {
        return Ok(());
    }
    // Write atomically: another process can read the file now.
    let part = target.with_extension("part~");
    fs::write(&part, text)?;
    fs::set_permissions(&part, mode)?;
    own_as_folder(&part)?;
    fs::rename(&part, target)
}

fn own_as_folder(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path.parent().unwrap_or(path))?;
    chown(path, Some(about.uid()), Some(about.gid()))
}

/// Lets a user own all that is the host's own, unless he does: what comes in is root's.
pub fn give_all(folder: &Path, uid: u32) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let folder = entry?.path();
        if fs::metadata(&folder)?.uid() != uid {
            give(&folder, uid)
                .with_context(|| format!("cannot give {} to {uid}", folder.display()))?;
        }
    }
    Ok(())
}

/// Lets a user own a folder and all in it.
pub fn give(path: &Path, uid: u32) -> io::Result<()> {
    std::os::unix::fs::lchown(path, Some(uid), Some(uid))?;
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), uid)?;
        }
    }
    Ok(())
}

/// All files below a folder, with how long they are.
pub fn lengths(folder: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        if about.is_dir() {
            found.extend(lengths(&entry.path())?);
        } else if about.is_file() {
            found.push((entry.path(), about.len()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let made = std::env::temp_dir().join(format!("files-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&made);
        for part in ["from/conf/below", "from/data", "to"] {
            fs::create_dir_all(made.join(part)).unwrap();
        }
        made
    }

    #[test]
    fn configuration_is_taken_over_with_its_modes_and_data_is_not() {
        let made = folder("over");
        let (from, to) = (made.join("from"), made.join("to"));
        fs::write(from.join("data/rows"), "1").unwrap();
        for text in ["1", "2"] {
            fs::write(from.join("conf/below/a"), text).unwrap();
            fs::set_permissions(from.join("conf/below/a"), Permissions::from_mode(0o600)).unwrap();
            put(&pack(&from).unwrap(), &to).unwrap();
            assert_eq!(fs::read_to_string(to.join("conf/below/a")).unwrap(), text);
        }
        let mode = fs::metadata(to.join("conf/below/a"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!to.join("data").exists());
        fs::remove_dir_all(made).unwrap();
    }

    #[test]
    fn nothing_is_written_outside_of_the_folder() {
        for path in ["../x", "/x", "conf/../../x"] {
            let entry = Entry {
                path: path.into(),
                mode: 0o600,
                text: Some(Vec::new()),
            };
            assert!(put(&[entry], Path::new("/nonexistent")).is_err(), "{path}");
        }
    }
}
